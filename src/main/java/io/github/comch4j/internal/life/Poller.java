package io.github.comch4j.internal.life;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import io.github.comch4j.DocaError;
import io.github.comch4j.internal.call.Descriptors;
import io.github.comch4j.internal.failure.Failures;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/**
 * Where any number of threads sleep until a descriptor of their choice is readable, and which wakes them all for good
 * when the descriptors are to be closed.
 */
public final class Poller {
    // struct pollfd[2], struct timespec
    private static final long SECOND = 8;
    private static final long TIMESPEC = 16;
    private static final long BYTES = 32;
    /** The operating system knows nothing of interrupts of Java: so a sleep is cut into pieces. */
    private static final long LONGEST_SLEEP = 50_000_000;

    private static final long WHILE_THEY_LEAVE = 20_000;

    private static final ThreadLocal<MemorySegment> MEMORY =
            ThreadLocal.withInitial(() -> Arena.ofAuto().allocate(BYTES, 8));

    private final int bell = Descriptors.eventfd();
    private final AtomicInteger inside = new AtomicInteger();
    private volatile boolean rung;

    /** With a descriptor of its own. */
    public Poller() {
        if (bell < 0) {
            throw Failures.refused(DocaError.OPERATING_SYSTEM, "eventfd", "creating a descriptor for wake-ups");
        }
    }

    /**
     * Sleeps, without use of the processor, until the descriptor is readable, the time is up, the thread is interrupted
     * or {@link #ring()} is called.
     *
     * @param nanos how long at most
     * @return whether the descriptor is readable
     */
    public boolean await(int descriptor, long nanos) {
        inside.incrementAndGet();
        try {
            MemorySegment memory = MEMORY.get();
            prepare(memory, 0, descriptor);
            prepare(memory, SECOND, bell);
            long deadline = System.nanoTime() + nanos;
            long left = nanos;
            do {
                if (rung || Thread.currentThread().isInterrupted()) {
                    return false;
                }
                long piece = Math.clamp(left, 0, LONGEST_SLEEP);
                memory.set(JAVA_LONG, TIMESPEC, 0);
                memory.set(JAVA_LONG, TIMESPEC + 8, piece);
                if (Descriptors.pollTwo(memory.address(), memory.address() + TIMESPEC) > 0
                        && memory.get(JAVA_SHORT, 6) != 0) { // revents
                    return true;
                }
                left = deadline - System.nanoTime();
            } while (left > 0);
            return false;
        } finally {
            inside.decrementAndGet();
        }
    }

    private static void prepare(MemorySegment memory, long at, int descriptor) {
        memory.set(JAVA_INT, at, descriptor);
        memory.set(JAVA_SHORT, at + 4, Descriptors.READABLE);
    }

    /** Wakes all threads, and those that come later. Returns when none sleeps any more. */
    public void ring() {
        rung = true;
        MemorySegment word = Arena.ofAuto().allocate(8, 8);
        word.set(JAVA_LONG, 0, 1);
        Descriptors.writeWord(bell, word.address());
        while (inside.get() > 0) {
            LockSupport.parkNanos(WHILE_THEY_LEAVE);
        }
    }

    /** Gives its descriptor back; after {@link #ring()}. */
    public void close() {
        Descriptors.close(bell);
    }
}
