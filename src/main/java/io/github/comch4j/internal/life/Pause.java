package io.github.comch4j.internal.life;

import java.util.concurrent.locks.LockSupport;

/** For waiting loops: spins, then yields, then sleeps for short times. */
final class Pause {
    private static final int SPINS = 200;
    private static final int YIELDS = 200;
    private static final long SLEEP_NANOS = 50_000;

    private int rounds;

    /** One round without work. Returns false once {@code deadline} (by {@link System#nanoTime()}) has passed. */
    boolean idle(long deadline) {
        if (rounds < SPINS) {
            rounds++;
            Thread.onSpinWait();
            return true;
        }
        if (System.nanoTime() - deadline > 0) {
            return false;
        }
        if (rounds < SPINS + YIELDS) {
            rounds++;
            Thread.yield();
        } else {
            LockSupport.parkNanos(SLEEP_NANOS);
        }
        return true;
    }

    /** There was work. */
    void reset() {
        rounds = 0;
    }
}
