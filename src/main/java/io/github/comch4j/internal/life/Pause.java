package io.github.comch4j.internal.life;

import io.github.comch4j.DocaException;
import io.github.comch4j.MissingFunctionException;
import java.util.concurrent.locks.LockSupport;

/** For waiting loops: spins, then sleeps: until the engine has something to do, but never for long. */
final class Pause {
    private static final long SHORTEST_SLEEP = 50_000; // nanoseconds, as the next
    /** What is waited for may be another thread's doing, or something that DOCA does not wake an engine for. */
    private static final long LONGEST_SLEEP = 1_000_000;

    private final Engine engine;
    private final Engine other;
    private final SpinTime spins = new SpinTime();
    private boolean sleepsOnEngines;
    private long sleep = SHORTEST_SLEEP;

    /** With engines whose owner waits: both may be null, and {@code other} another thread's. */
    Pause(Engine engine, Engine other) {
        this.engine = engine;
        this.other = other == engine ? null : other;
        this.sleepsOnEngines = engine != null;
    }

    /** One round without work. Returns false once {@code deadline} (by {@link System#nanoTime()}) has passed. */
    boolean idle(long deadline) {
        if (spins.again()) {
            return true;
        }
        long left = deadline - System.nanoTime();
        if (left < 0) {
            return false;
        }
        if (sleepsOnEngines) {
            sleep(Math.min(sleep, left + 1));
            sleep = Math.min(2 * sleep, LONGEST_SLEEP);
        } else {
            LockSupport.parkNanos(SHORTEST_SLEEP);
        }
        return true;
    }

    private void sleep(long nanos) {
        try {
            boolean both = other != null && other.isMine();
            Sleeper.of(engine).sleep(nanos, both ? Sleeper.of(other) : null);
        } catch (DocaException | MissingFunctionException e) {
            sleepsOnEngines = false; // the wait goes on without
        }
    }

    /** There was work. */
    void reset() {
        spins.worked();
        sleep = SHORTEST_SLEEP;
    }
}
