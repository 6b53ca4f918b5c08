package io.github.comch4j.channel;

/**
 * How often a call that waits for a message looks before it sleeps. That follows from how soon sleeps have ended: where
 * the next message comes while the thread is still falling asleep, it had better have looked on.
 */
final class Spins {
    private static final int FEWEST = 50;
    private static final int FIRST = 200;
    private static final int MOST = 2000;
    private static final long SHORT_SLEEP = 100_000; // that was not worth it, in nanoseconds
    private static final long LONG_SLEEP = 1_000_000;

    private int count = FIRST;

    int count() {
        return count;
    }

    /** A sleep has taken so long. */
    void slept(long nanos) {
        if (nanos < SHORT_SLEEP) {
            count = Math.min(2 * count, MOST);
        } else if (nanos > LONG_SLEEP) {
            count = Math.max(count / 2, FEWEST);
        }
    }
}
