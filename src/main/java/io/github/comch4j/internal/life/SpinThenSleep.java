package io.github.comch4j.internal.life;

import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * What the thread of a loop does while there is nothing to do: spins for a while, then sleeps on the engine's
 * descriptor. How long it spins follows from how soon sleeps have ended: where the next event comes while the thread is
 * still falling asleep, it had better have gone on spinning. It does not where other threads want its processor. Or it
 * is told how long to spin, for loops whose processors are wanted nearly always.
 */
public final class SpinThenSleep {
    private static final int FEWEST_SPINS = 50;
    private static final int FIRST_SPINS = 200;
    private static final int MOST_SPINS = 1000;
    private static final int YIELDS = 20;
    /** A sleep that was not worth it, and one that was, in nanoseconds. */
    private static final long SHORT_SLEEP = 100_000;

    private static final long LONG_SLEEP = 1_000_000;

    private final SleepLimit limit = SleepLimit.ofLibraries();
    private final Crowding crowding = new Crowding();
    private final boolean adapts;
    private final int yields;
    private int spins;
    private int rounds;
    private @Nullable Sleeper sleeper;
    private BooleanSupplier handedOver = () -> false;

    /** With nothing to sleep on. */
    public SpinThenSleep() {
        adapts = true;
        yields = YIELDS;
        spins = FIRST_SPINS;
    }

    /** Likewise; spins so often and does not yield. */
    public SpinThenSleep(int spins) {
        adapts = false;
        yields = 0;
        this.spins = spins;
    }

    /** From here on it sleeps so, unless {@code other} threads have handed something over; null: no longer. */
    public void sleepOn(@Nullable Sleeper engines, BooleanSupplier other) {
        sleeper = engines;
        handedOver = other;
    }

    /** After a round of the loop; whether there was anything to do. */
    public void worked(boolean anything) {
        limit.worked(anything);
        if (anything) {
            rounds = 0;
        }
    }

    /**
     * After a round in which there was nothing to do.
     *
     * @param most how long to sleep at most, nanoseconds
     * @return false, and nothing was done, if there is nothing to sleep on and it has spun
     */
    public boolean idle(long most) {
        if (sleeper != null && (rounds >= spins + yields || crowding.isCrowded())) {
            sleep(sleeper, Math.min(most, limit.nanos()));
        } else if (rounds < spins) {
            rounds++;
            Thread.onSpinWait();
        } else if (rounds < spins + yields) {
            rounds++;
            crowding.giveWay();
        } else {
            return false;
        }
        return true;
    }

    private void sleep(Sleeper engines, long nanos) {
        long begun = System.nanoTime();
        boolean event = false;
        engines.announce();
        try {
            if (handedOver.getAsBoolean()) {
                return;
            }
            event = engines.sleep(nanos);
        } finally {
            engines.retract();
        }
        long slept = System.nanoTime() - begun;
        if (event || slept >= nanos) { // otherwise another thread has woken it
            limit.slept(event);
        }
        if (!adapts) {
            return;
        }
        if (event && slept < SHORT_SLEEP) {
            spins = Math.min(2 * spins, MOST_SPINS);
        } else if (slept > LONG_SLEEP) {
            spins = Math.max(spins / 2, FEWEST_SPINS);
        }
    }
}
