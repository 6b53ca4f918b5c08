package io.github.comch4j.channel;

/**
 * How often a call that waits for a message looks before it sleeps: longer where messages come meanwhile, and not at
 * all where they never do, as on a machine whose processors are all busy, where the peer is kept from sending by a
 * thread that looks. There it tries now and then whether that has changed.
 */
final class ReceiveSpin {
    private static final int FIRST = 400;
    private static final int MOST = 2000;
    /** Less is not worth the call. */
    private static final int FEWEST = 25;

    /**
     * A try is as long as a peer takes that sleeps, so that two that both sleep can find out of it. One that fails
     * costs more than a sleep: so each is longer in coming.
     */
    private static final int SLEEPS_UNTIL_TRY = 64;

    private static final int MOST_SLEEPS_UNTIL_TRY = 1024;

    private int count = FIRST;
    private int sleeps; // since the last try
    private int sleepsUntilTry = SLEEPS_UNTIL_TRY;

    /** For the next call. */
    int count() {
        if (count == 0 && ++sleeps >= sleepsUntilTry) {
            sleeps = 0;
            sleepsUntilTry = Math.min(2 * sleepsUntilTry, MOST_SLEEPS_UNTIL_TRY);
            return MOST;
        }
        return count;
    }

    /** So many looks were enough, or were not. */
    void looked(int looks, boolean found) {
        if (found) {
            sleepsUntilTry = looks == 0 ? sleepsUntilTry : SLEEPS_UNTIL_TRY;
            count = looks == 0 ? count : Math.min(2 * looks, MOST);
        } else {
            count = looks / 4 < FEWEST ? 0 : looks / 4;
        }
    }
}
