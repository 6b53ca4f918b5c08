package io.github.comch4j.io;

import io.github.comch4j.DocaException;
import io.github.comch4j.comch.ConnectionClosedException;
import io.github.comch4j.internal.call.TaskCalls;
import io.github.comch4j.internal.failure.Failures;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Messages of a socket that were taken into its buffer and could not be sent, on any of its connections, until a call
 * tells the program. Any thread.
 */
final class Losses {
    private volatile long total; // written by who holds this object's lock, as the others
    private volatile long told; // of the total
    private @Nullable SocketLink link; // of the last one
    private @Nullable Throwable reason; // of the first one that is not told

    /** One more. */
    synchronized void add(SocketLink on, Supplier<? extends Throwable> why) {
        if (told == total) {
            reason = why.get();
            link = on;
        }
        total++;
    }

    /** How many there were so far. */
    long total() {
        return total;
    }

    /** Whether there are some that no call has told. */
    boolean areUntold() {
        return told != total;
    }

    /**
     * The exception for those that no call has told, and for all since there were {@code before}; null: there are none.
     */
    synchronized @Nullable Throwable tell(long before) {
        long count = Math.max(total - told, total - before);
        if (count == 0) {
            return null;
        }
        told = total;
        return exception(count);
    }

    private @Nullable Throwable exception(long count) {
        Throwable why = reason;
        SocketLink on = link;
        if (why == null || on == null) {
            return why;
        }
        String what = count == 1
                ? "a message that was queued was not sent"
                : count + " messages that were queued were not sent";
        if (why instanceof ConnectionClosedException) {
            return on.ended(TaskCalls.SUBMIT_NAME, "sending on " + on.connection() + ": " + what);
        }
        if (why instanceof DocaException refusal) {
            DocaException thrown = Failures.refused(
                    refusal.error(), TaskCalls.SUBMIT_NAME, "sending on " + on.connection() + ": " + what);
            thrown.initCause(refusal);
            return thrown;
        }
        return why instanceof RejectedExecutionException
                ? new RejectedExecutionException(why.getMessage() + ": " + what, why)
                : why;
    }
}
