package io.github.comch4j.internal.life;

/**
 * Whether a thread that waits spins, or sleeps at once: it spins where what it has waited for came, of late, sooner
 * than a sleep and a wake-up take.
 */
final class SpinTime {
    /** A wait up to this long is worth spinning for, in nanoseconds: about what falling asleep and waking up cost. */
    static final long WORTH_IT = 60_000;

    /** The longest and the shortest time of spinning. */
    static final long LONGEST = 100_000;

    static final long SHORTEST = 4_000;
    /** A longer wait counts as this long, so that a pause is forgotten after some short ones. */
    static final long LONGEST_WAIT = 4 * WORTH_IT;

    /** SpinTime between two yields, which tell whether other threads want the processor. */
    private static final int SPINS_PER_YIELD = 64;

    private final ProcessorContention crowding = new ProcessorContention();
    private long average = WORTH_IT / 2; // of the last waits
    private boolean waits;
    private long begun; // by System.nanoTime()
    private long most;
    private int rounds;

    /** There was something to do. */
    void worked() {
        if (waits) {
            waits = false;
            waited(System.nanoTime() - begun);
        }
    }

    void waited(long nanos) {
        average += (Math.min(nanos, LONGEST_WAIT) - average) / 4;
    }

    /** How long to spin, in nanoseconds. */
    long budget() {
        return average <= WORTH_IT ? Math.clamp(2 * average, SHORTEST, LONGEST) : SHORTEST;
    }

    /** There was nothing to do: spins once; false, and nothing was done: it is time to sleep. */
    boolean again() {
        long now = System.nanoTime();
        if (!waits) {
            waits = true;
            begun = now;
            most = budget();
            rounds = 0;
        }
        if (now - begun >= most || crowding.isCrowded()) {
            return false;
        }
        if (++rounds % SPINS_PER_YIELD == 0) {
            crowding.giveWay();
        } else {
            Thread.onSpinWait();
        }
        return true;
    }
}
