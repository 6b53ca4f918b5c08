package io.github.comch4j.cli.perf;

import io.github.comch4j.core.ProgressEngine;

/** The sending end of what goes one way. Belongs to one thread. */
abstract class Outlet implements AutoCloseable {
    private static final int MANY = 256;

    private final ProgressEngine engine;

    Outlet(ProgressEngine engine) {
        this.engine = engine;
    }

    /** Sends a message with this number at once; false if there is no room. For round trips. */
    abstract boolean trySend(long number);

    /** Offers messages, each with the next number, which may go out with {@link #progress} only; returns how many. */
    int offer(long number, int most) {
        int offered = 0;
        while (offered < most && trySend(number + offered)) {
            offered++;
        }
        return offered;
    }

    /** Takes all completions. */
    void progress() {
        while (engine.progress(MANY) == MANY) {
            // until there is nothing more
        }
    }

    /** Whether all that was offered is completed. */
    abstract boolean isIdle();

    /** Attempts that found no room, other than for want of a completion. */
    abstract long refused();

    @Override
    public void close() {
        // on the control path it is the connection's
    }
}
