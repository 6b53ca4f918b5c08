package io.github.comch4j.cli.program;

import io.github.comch4j.core.ProgressEngine;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Waits by making progress, neither for ever nor in vain. */
public final class ProgressWait {
    private static final long SPIN_NANOS = 10_000;
    private static final long YIELD_NANOS = 200_000;
    private static final long LONGEST_SLEEP_NANOS = 1_000_000;
    private static final long EXPLANATION_NANOS = 1_000_000_000;

    private final ProgressEngine engine;
    private final Duration limit;
    private ProgramException failure;

    /** Waits give up when nothing at all has happened on the engine for {@code limit}. */
    public ProgressWait(ProgressEngine engine, Duration limit) {
        this.engine = engine;
        this.limit = limit;
    }

    /** For handlers that learn why waiting is in vain: ends the wait. The first reason counts. */
    public void fail(String reason) {
        if (failure == null) {
            failure = new ProgramException(reason);
        }
    }

    /** Progresses until the condition holds. */
    public void await(String what, BooleanSupplier condition) {
        if (!await(condition, limit.toNanos())) {
            throw ProgramException.inVain(limit, what);
        }
    }

    /** Progresses until the condition holds, however long it takes. */
    public void awaitForever(BooleanSupplier condition) {
        await(condition, Long.MAX_VALUE);
    }

    /**
     * What DOCA, or a handler, reports is often a symptom only; the reason (the peer's own words, or its end) arrives
     * as an event a moment later.
     */
    public ProgramException explain(RuntimeException symptom) {
        try {
            await(() -> false, EXPLANATION_NANOS);
        } catch (ProgramException reason) {
            return reason;
        } catch (RuntimeException another) {
            symptom.addSuppressed(another);
        }
        return new ProgramException(symptom.getMessage(), symptom);
    }

    private boolean await(BooleanSupplier condition, long limitNanos) {
        long quietSince = System.nanoTime();
        while (true) {
            if (condition.getAsBoolean()) {
                return true;
            }
            if (failure != null) {
                throw failure;
            }
            if (engine.progress()) {
                quietSince = System.nanoTime();
                continue;
            }
            long quiet = System.nanoTime() - quietSince;
            if (quiet > limitNanos) {
                return false;
            }
            pause(quiet);
        }
    }

    /** Quick while much happens, and kind to the other programs of the machine while little does. */
    private static void pause(long quiet) {
        if (quiet < SPIN_NANOS) {
            Thread.onSpinWait();
        } else if (quiet < YIELD_NANOS) {
            Thread.yield();
        } else {
            LockSupport.parkNanos(Math.min(quiet / 8, LONGEST_SLEEP_NANOS));
        }
    }
}
