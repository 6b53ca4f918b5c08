package io.github.comch4j.internal.call;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import io.github.comch4j.internal.load.Symbols;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.nio.channels.Selector;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;
import java.util.stream.Stream;

/** File descriptors of the C library: pipes, eventfds, timers, epoll instances, and the sleep on them. */
public final class Descriptors {
    private static final int O_NONBLOCK = 0x800;
    private static final int O_CLOEXEC = 0x80000;
    private static final int F_SETFL = 4;
    private static final int EFD_CLOEXEC = 0x80000;
    private static final int EPOLL_CLOEXEC = 0x80000;
    private static final int EPOLL_CTL_ADD = 1;
    private static final int EPOLL_CTL_DEL = 2;
    private static final int TFD_CLOEXEC = 0x80000;
    private static final int CLOCK_MONOTONIC = 1;
    private static final int LOOKS = 3; // other instances come and go, too

    /** {@code POLLIN}, and {@code EPOLLIN}. */
    public static final short READABLE = 1;

    private static final MemorySegment EVENTFD = Symbols.standardFunction("eventfd");
    private static final MemorySegment PPOLL = Symbols.standardFunction("ppoll");
    private static final MemorySegment EPOLL_CREATE = Symbols.standardFunction("epoll_create1");
    private static final MemorySegment EPOLL_CTL = Symbols.standardFunction("epoll_ctl");
    private static final MemorySegment TIMERFD_CREATE = Symbols.standardFunction("timerfd_create");
    private static final MemorySegment TIMERFD_SETTIME = Symbols.standardFunction("timerfd_settime");
    private static final MemorySegment READ = Symbols.standardFunction("read");
    private static final MemorySegment WRITE = Symbols.standardFunction("write");
    private static final MemorySegment CLOSE = Symbols.standardFunction("close");

    /** Apart, as hardly any program makes a pipe, and the handle has a shape of its own. */
    private static final class Pipe {
        private static final MemorySegment PIPE = Symbols.standardFunction("pipe2");
        private static final MethodHandle FCNTL = Symbols.standard(
                "fcntl",
                FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT),
                Linker.Option.firstVariadicArg(2));

        private Pipe() {}
    }

    private Descriptors() {}

    /** The reading and the writing end of a new pipe; the latter does not block. */
    static int[] pipe() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment ends = arena.allocate(JAVA_INT, 2);
            if ((int) Symbols.call(Pipe.PIPE, Symbols.address(ends), O_CLOEXEC, 0) != 0) {
                throw new IllegalStateException("no file descriptors left for a pipe");
            }
            int[] result = ends.toArray(JAVA_INT);
            int ignored = (int) Pipe.FCNTL.invokeExact(result[1], F_SETFL, O_NONBLOCK);
            return result;
        } catch (Throwable t) {
            throw Symbols.unexpected(t);
        }
    }

    /** A new eventfd, or a negative number. */
    public static int eventfd() {
        return (int) Symbols.call(EVENTFD, 0, EFD_CLOEXEC, 0);
    }

    /**
     * {@code ppoll} of two {@code struct pollfd}, with the signals as they are.
     *
     * @param time address of a {@code struct timespec}
     * @return how many descriptors have events; 0 or less: none in this time, or a signal came
     */
    public static int pollTwo(long requests, long time) {
        return (int) Symbols.call(PPOLL, requests, 2, time, 0, 0, 0);
    }

    /**
     * The epoll instance that a selector of the JDK is: the one of this process that is readable while the selector is
     * woken, and is not when it has looked. To be called where the selector has no channels.
     *
     * @return a negative number if it cannot be told
     */
    public static int ofSelector(Selector selector) throws IOException {
        Set<Integer> candidates = new HashSet<>();
        try (Stream<Path> all = Files.list(Path.of("/proc/self/fd"))) {
            all.filter(Descriptors::isEpoll)
                    .forEach(each ->
                            candidates.add(Integer.parseInt(each.getFileName().toString())));
        } catch (IOException | UncheckedIOException e) {
            return -1;
        }
        for (int i = 0; i < LOOKS && !candidates.isEmpty(); i++) {
            selector.wakeup();
            candidates.removeIf(each -> !isReadable(each));
            selector.selectNow();
            candidates.removeIf(Descriptors::isReadable);
        }
        return candidates.size() == 1 ? candidates.iterator().next() : -1;
    }

    private static boolean isEpoll(Path descriptor) {
        try {
            return Files.readSymbolicLink(descriptor).endsWith("anon_inode:[eventpoll]");
        } catch (IOException e) {
            return false; // the one that the folder is read with
        }
    }

    /** Whether something can be read now. */
    static boolean isReadable(int descriptor) {
        return isReadable(descriptor, 0);
    }

    /** Whether something can be read within so many milliseconds. */
    public static boolean isReadable(int descriptor, long millis) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment requests = arena.allocate(JAVA_INT, 8); // two of struct pollfd, and a struct timespec
            requests.setAtIndex(JAVA_INT, 0, descriptor);
            requests.setAtIndex(JAVA_INT, 1, READABLE);
            requests.setAtIndex(JAVA_INT, 2, -1);
            requests.setAtIndex(JAVA_INT, 4, (int) (millis / 1000));
            requests.setAtIndex(JAVA_INT, 6, (int) (millis % 1000 * 1_000_000));
            return pollTwo(requests.address(), requests.address() + 16) > 0;
        }
    }

    /** A new epoll instance, or a negative number. */
    public static int epoll() {
        return (int) Symbols.call(EPOLL_CREATE, EPOLL_CLOEXEC, 0, 0);
    }

    /** Puts a descriptor into an epoll instance; false: it is not possible. {@code event}: address of its structure. */
    public static boolean add(int epoll, int descriptor, long event) {
        return (int) Symbols.call(EPOLL_CTL, epoll, EPOLL_CTL_ADD, descriptor, event, 0, 0) == 0;
    }

    /** Takes a descriptor out of an epoll instance. */
    public static void remove(int epoll, int descriptor) {
        Symbols.call(EPOLL_CTL, epoll, EPOLL_CTL_DEL, descriptor, 0, 0, 0);
    }

    /** A new timer of the monotonic clock, or a negative number. */
    public static int timer() {
        return (int) Symbols.call(TIMERFD_CREATE, CLOCK_MONOTONIC, TFD_CLOEXEC, 0);
    }

    /** Sets a timer; {@code time}: address of a {@code struct itimerspec}. */
    public static void setTimer(int timer, long time) {
        Symbols.call(TIMERFD_SETTIME, timer, 0, time, 0, 0, 0);
    }

    /** Reads a word of 8 bytes: waits for it, and is not ended by a signal. */
    public static void readWord(int descriptor, long word) {
        while (Symbols.call(READ, descriptor, word, 8) != 8) {
            Thread.onSpinWait();
        }
    }

    /** Writes a word of 8 bytes; is not ended by a signal. */
    public static void writeWord(int descriptor, long word) {
        while (Symbols.call(WRITE, descriptor, word, 8) != 8) {
            Thread.onSpinWait();
        }
    }

    /** Closes a descriptor. */
    public static void close(int descriptor) {
        Symbols.call(CLOSE, descriptor, 0, 0);
    }
}
