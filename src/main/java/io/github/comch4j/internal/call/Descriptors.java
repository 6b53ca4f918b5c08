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

/** File descriptors of the C library: pipes, eventfds, and the sleep on them. */
public final class Descriptors {
    private static final int O_NONBLOCK = 0x800;
    private static final int O_CLOEXEC = 0x80000;
    private static final int F_SETFL = 4;
    private static final int EFD_CLOEXEC = 0x80000;

    private static final MethodHandle PIPE =
            Symbols.standard("pipe2", FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_INT));
    private static final MethodHandle FCNTL = Symbols.standard(
            "fcntl", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT), Linker.Option.firstVariadicArg(2));
    private static final MethodHandle EVENTFD =
            Symbols.standard("eventfd", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT));
    private static final MethodHandle PPOLL =
            Symbols.standard("ppoll", FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG));
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
