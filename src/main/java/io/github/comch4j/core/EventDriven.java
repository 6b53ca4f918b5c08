package io.github.comch4j.core;

import io.github.comch4j.internal.life.SleepLimit;
import io.github.comch4j.internal.life.Sleeper;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Spins for a while, then sleeps on the engine's descriptor. How long it spins follows from how soon sleeps have ended:
 * where the next event comes while the thread is still falling asleep, it had better have gone on spinning.
 */
final class EventDriven implements IdleStrategy {
    private static final int FEWEST_SPINS = 50;
    private static final int FIRST_SPINS = 200;
    private static final int MOST_SPINS = 1000;
    private static final int YIELDS = 20;
    /** A sleep that was not worth it, and one that was, in nanoseconds. */
    private static final long SHORT_SLEEP = 100_000;

    private static final long LONG_SLEEP = 1_000_000;

    private final SleepLimit limit = SleepLimit.ofLibraries();
    /** In a loop without an engine that it could sleep on. */
    private final BackOff otherwise = new BackOff(0, 0, Duration.ofNanos(10_000), Duration.ofMillis(1));

    private int spins = FIRST_SPINS;
    private int rounds;
    private @Nullable Sleeper sleeper;
    private BooleanSupplier handedOver = () -> false;

    /** From here on it sleeps so, unless {@code other} threads have handed something over; null: no longer. */
    void sleepOn(@Nullable Sleeper engines, BooleanSupplier other) {
        sleeper = engines;
        handedOver = other;
    }

    @Override
    public void idle(int work) {
        limit.worked(work > 0);
        if (work > 0) {
            rounds = 0;
            otherwise.idle(work);
        } else if (rounds < spins) {
            rounds++;
            Thread.onSpinWait();
        } else if (rounds < spins + YIELDS) {
            rounds++;
            Thread.yield();
        } else if (sleeper == null) {
            otherwise.idle(0);
        } else {
            sleep(sleeper);
        }
    }

    private void sleep(Sleeper engines) {
        long begun = System.nanoTime();
        boolean event = false;
        engines.announce();
        try {
            if (handedOver.getAsBoolean()) {
                return;
            }
            event = engines.sleep(limit.nanos());
        } finally {
            engines.retract();
        }
        long slept = System.nanoTime() - begun;
        if (event || slept >= limit.nanos()) { // otherwise another thread has woken it
            limit.slept(event);
        }
        if (event && slept < SHORT_SLEEP) {
            spins = Math.min(2 * spins, MOST_SPINS);
        } else if (slept > LONG_SLEEP) {
            spins = Math.max(spins / 2, FEWEST_SPINS);
        }
    }

    @Override
    public String alias() {
        return "event";
    }

    @Override
    public String toString() {
        return "event";
    }
}
