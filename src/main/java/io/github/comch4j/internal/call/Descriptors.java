package io.github.comch4j.internal.call;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.github.comch4j.internal.load.Symbols;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/** File descriptors of the C library: pipes, eventfds, timers, epoll instances, and the sleep on them. */
public final class Descriptors {
    private static final int O_NONBLOCK = 0x800;
    private static final int O_CLOEXEC = 0x80000;
    private static final int F_SETFL = 4;
    private static final int EFD_CLOEXEC = 0x80000;
    private static final int EPOLL_CLOEXEC = 0x80000;
    private static final int EPOLL_CTL_ADD = 1;
    private static final int TFD_CLOEXEC = 0x80000;
    private static final int CLOCK_MONOTONIC = 1;

    /** {@code POLLIN}, and {@code EPOLLIN}. */
    public static final short READABLE = 1;

    private static final MethodHandle PIPE =
            Symbols.standard("pipe2", FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_INT));
    private static final MethodHandle FCNTL = Symbols.standard(
            "fcntl", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT), Linker.Option.firstVariadicArg(2));
    private static final MethodHandle EVENTFD =
            Symbols.standard("eventfd", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT));
    private static final MethodHandle PPOLL =
            Symbols.standard("ppoll", FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG));
    private static final MethodHandle EPOLL_CREATE =
            Symbols.standard("epoll_create1", FunctionDescriptor.of(JAVA_INT, JAVA_INT));
    private static final MethodHandle EPOLL_CTL =
            Symbols.standard("epoll_ctl", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT, JAVA_LONG));
    private static final MethodHandle TIMERFD_CREATE =
            Symbols.standard("timerfd_create", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT));
    private static final MethodHandle TIMERFD_SETTIME = Symbols.standard(
            "timerfd_settime", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT, JAVA_LONG, JAVA_LONG));
    private static final MethodHandle READ =
            Symbols.standard("read", FunctionDescriptor.of(JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_LONG));
    private static final MethodHandle WRITE =
            Symbols.standard("write", FunctionDescriptor.of(JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_LONG));
    private static final MethodHandle CLOSE = Symbols.standard("close", FunctionDescriptor.of(JAVA_INT, JAVA_INT));

    private Descriptors() {}

    /** The reading and the writing end of a new pipe; the latter does not block. */
    static int[] pipe() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment ends = arena.allocate(JAVA_INT, 2);
            if ((int) PIPE.invokeExact(ends, O_CLOEXEC) != 0) {
                throw new IllegalStateException("no file descriptors left for a pipe");
            }
            int[] result = ends.toArray(JAVA_INT);
            int ignored = (int) FCNTL.invokeExact(result[1], F_SETFL, O_NONBLOCK);
            return result;
        } catch (Throwable t) {
            throw Symbols.unexpected(t);
        }
    }

    /** A new eventfd, or a negative number. */
    public static int eventfd() {
        try {
            return (int) EVENTFD.invokeExact(0, EFD_CLOEXEC);
        } catch (Throwable t) {
            throw Symbols.unexpected(t);
        }
    }

    /**
     * {@code ppoll} of two {@code struct pollfd}, with the signals as they are.
     *
     * @param time address of a {@code struct timespec}
     * @return how many descriptors have events; 0 or less: none in this time, or a signal came
     */
    public static int pollTwo(long requests, long time) {
        try {
            return (int) PPOLL.invokeExact(requests, 2L, time, 0L);
        } catch (Throwable t) {
            throw Symbols.unexpected(t);
        }
    }

    /** A new epoll instance, or a negative number. */
    public static int epoll() {
        try {
            return (int) EPOLL_CREATE.invokeExact(EPOLL_CLOEXEC);
        } catch (Throwable t) {
            throw Symbols.unexpected(t);
        }
    }

    /** Puts a descriptor into an epoll instance; false: it is not possible. {@code event}: address of its structure. */
    public static boolean add(int epoll, int descriptor, long event) {
        try {
            return (int) EPOLL_CTL.invokeExact(epoll, EPOLL_CTL_ADD, descriptor, event) == 0;
        } catch (Throwable t) {
            throw Symbols.unexpected(t);
        }
    }

    /** A new timer of the monotonic clock, or a negative number. */
    public static int timer() {
        try {
            return (int) TIMERFD_CREATE.invokeExact(CLOCK_MONOTONIC, TFD_CLOEXEC);
        } catch (Throwable t) {
            throw Symbols.unexpected(t);
        }
    }

    /** Sets a timer; {@code time}: address of a {@code struct itimerspec}. */
    public static void setTimer(int timer, long time) {
        try {
            int ignored = (int) TIMERFD_SETTIME.invokeExact(timer, 0, time, 0L);
        } catch (Throwable t) {
            throw Symbols.unexpected(t);
        }
    }

    /** Reads a word of 8 bytes: waits for it, and is not ended by a signal. */
    public static void readWord(int descriptor, long word) {
        try {
            while ((long) READ.invokeExact(descriptor, word, 8L) != 8) {
                Thread.onSpinWait();
            }
        } catch (Throwable t) {
            throw Symbols.unexpected(t);
        }
    }

    /** Writes a word of 8 bytes; is not ended by a signal. */
    public static void writeWord(int descriptor, long word) {
        try {
            while ((long) WRITE.invokeExact(descriptor, word, 8L) != 8) {
                Thread.onSpinWait();
            }
        } catch (Throwable t) {
            throw Symbols.unexpected(t);
        }
    }

    /** Closes a descriptor. */
    public static void close(int descriptor) {
        try {
            int ignored = (int) CLOSE.invokeExact(descriptor);
        } catch (Throwable t) {
            throw Symbols.unexpected(t);
        }
    }
}
