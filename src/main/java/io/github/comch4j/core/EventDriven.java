package io.github.comch4j.core;

import io.github.comch4j.internal.life.Sleeper;
import io.github.comch4j.internal.life.SpinThenSleep;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** Spins for a while, then sleeps on the engine's descriptor. */
final class EventDriven implements IdleStrategy {
    private final boolean sharesHandlers;
    private final SpinThenSleep rest = new SpinThenSleep();
    /** In a loop without an engine that it could sleep on. */
    private final BackOff otherwise = new BackOff(0, 0, Duration.ofNanos(10_000), Duration.ofMillis(1));

    EventDriven(boolean sharesHandlers) {
        this.sharesHandlers = sharesHandlers;
    }

    /** Whether threads that wait may run handlers of the program. */
    boolean sharesHandlers() {
        return sharesHandlers;
    }

    /** From here on it sleeps so, unless {@code other} threads have handed something over; null: no longer. */
    void sleepOn(@Nullable Sleeper engines, BooleanSupplier other) {
        rest.sleepOn(engines, other);
    }

    @Override
    public void idle(int work) {
        rest.worked(work > 0);
        if (work > 0 || !rest.idle(Long.MAX_VALUE)) {
            otherwise.idle(work);
        }
    }

    @Override
    public String toString() {
        return sharesHandlers ? "shared" : "event";
    }
}
