package io.github.comch4j.internal.life;

import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * What the thread of a loop does while there is nothing to do: spins for a while, then sleeps on the engine's
 * descriptor. How long it spins follows from what that has gained of late, see {@link SpinTime}. Or it is told how
 * often to spin, for loops whose processors are wanted nearly always.
 */
public final class SpinThenSleep {
    private final @Nullable SpinTime spins; // null: it is told how often
    private final int times;
    private int done;
    private SleepLimit limit = new SleepLimit(false); // until there is an engine to sleep on
    private @Nullable Sleeper sleeper;
    private BooleanSupplier handedOver = () -> false;

    /** With nothing to sleep on. */
    public SpinThenSleep() {
        spins = new SpinTime();
        times = 0;
    }

    /** Likewise; spins so often and does not yield. */
    public SpinThenSleep(int times) {
        spins = null;
        this.times = times;
    }

    /** From here on it sleeps so, unless {@code other} threads have handed something over; null: no longer. */
    public void sleepOn(@Nullable Sleeper engines, BooleanSupplier other) {
        limit = SleepLimit.ofLibraries();
        sleeper = engines;
        handedOver = other;
    }

    /** After a round of the loop; whether there was anything to do. */
    public void worked(boolean anything) {
        limit.worked(anything);
        if (anything) {
            done = 0;
            if (spins != null) {
                spins.worked();
            }
        }
    }

    /**
     * After a round in which there was nothing to do.
     *
     * @param most how long to sleep at most, nanoseconds
     * @return false, and nothing was done, if there is nothing to sleep on and it has spun
     */
    public boolean idle(long most) {
        Sleeper engines = sleeper;
        if (engines != null && engines.isWanted()) {
            sleep(engines, Math.min(most, limit.nanos()));
        } else if (spins()) {
            return true;
        } else if (engines != null) {
            sleep(engines, Math.min(most, limit.nanos()));
        } else {
            return false;
        }
        return true;
    }

    private boolean spins() {
        if (spins != null) {
            return spins.again();
        }
        if (done >= times) {
            return false;
        }
        done++;
        Thread.onSpinWait();
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
        if (event || System.nanoTime() - begun >= nanos) { // otherwise another thread has woken it
            limit.slept(event);
        }
    }
}
