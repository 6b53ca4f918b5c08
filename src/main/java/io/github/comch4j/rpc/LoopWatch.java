package io.github.comch4j.rpc;

import io.github.comch4j.internal.observe.Events;
import java.util.HashSet;
import java.util.Set;

/** Looks how long handlers hold the loop. Belongs to the loop. */
final class LoopWatch {
    private static final System.Logger LOGGER = System.getLogger("io.github.comch4j.rpc");

    private final String server;
    private final long limit;
    private final Set<Integer> named = new HashSet<>(); // methods
    private long now; // by System.nanoTime()

    LoopWatch(String server, long limit) {
        this.server = server;
        this.limit = limit;
    }

    /** The loop begins with something. */
    void begin() {
        now = System.nanoTime();
    }

    /** When that was, or when a handler has returned since. */
    long now() {
        return now;
    }

    /** A handler has returned that was called at {@link #now()}. */
    void handlerReturns(int method) {
        long before = now;
        now = System.nanoTime();
        if (now - before > limit) {
            slow(method, now - before);
        }
    }

    private void slow(int method, long nanos) {
        Events.slowHandler(server, method, nanos);
        if (named.add(method)) {
            LOGGER.log(
                    System.Logger.Level.WARNING,
                    () -> server + ": the handler of method " + method + " held the loop for " + nanos / 1_000_000
                            + " ms, while no other call was served; register it with blocking(…) if it blocks, or"
                            + " with an executor. Further cases are not logged.");
        }
    }
}
