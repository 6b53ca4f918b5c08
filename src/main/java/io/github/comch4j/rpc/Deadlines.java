package io.github.comch4j.rpc;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** Ends the calls of a client that are late, whatever the loop does meanwhile. Any thread. */
final class Deadlines {
    /** While calls wait, one is looked at so often at least. */
    private static final long SWEEP_NANOS = 50_000_000;

    /** A call may end so much too late, rather than that each has a look of its own. */
    private static final long TOLERANCE_NANOS = 1_000_000;

    private static final long NEVER = Long.MAX_VALUE;

    private final ClientLink calls;
    private final AtomicLong nextSweep = new AtomicLong(NEVER); // by System.nanoTime()

    Deadlines(ClientLink calls) {
        this.calls = calls;
    }

    /** There is one more. */
    void add(ClientCall call) {
        long next = nextSweep.get();
        if (next == NEVER || call.deadline() - next < 0) {
            sweepAt(call.begin() + Math.min(call.extra, SWEEP_NANOS));
        }
    }

    private void sweepAt(long time) {
        long next = nextSweep.get();
        while (next == NEVER || time - next < -TOLERANCE_NANOS) {
            if (nextSweep.compareAndSet(next, time)) {
                Executor later =
                        CompletableFuture.delayedExecutor(Math.max(0, time - System.nanoTime()), TimeUnit.NANOSECONDS);
                later.execute(() -> sweep(time));
                return;
            }
            next = nextSweep.get();
        }
    }

    private void sweep(long time) {
        if (!nextSweep.compareAndSet(time, NEVER)) { // who adds a call from now on sees that there is none
            return; // an earlier one has taken its place
        }
        long now = System.nanoTime();
        long[] soonest = {SWEEP_NANOS};
        calls.forEach(call -> look(call, now, soonest));
        if (calls.size() > 0) { // perhaps one that was on its way from one place to another, and not seen
            sweepAt(now + soonest[0]);
        }
    }

    private void look(ClientCall call, long now, long[] soonest) {
        long left = call.left(now);
        if (left > 0) {
            soonest[0] = Math.min(soonest[0], left);
        } else {
            var _ = left == 0 && call.failLate();
            calls.forget(call);
        }
    }
}
