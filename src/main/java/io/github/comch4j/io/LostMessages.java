package io.github.comch4j.io;

import io.github.comch4j.DocaException;
import io.github.comch4j.comch.ConnectionClosedException;
import io.github.comch4j.internal.call.TaskCalls;
import io.github.comch4j.internal.failure.Failures;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Messages of a socket that were taken into its buffer and did not get to the peer, on any of its connections, until a
 * call tells the program. Any thread.
 */
final class LostMessages {
    /** How many there were. */
    record Count(long queued, long sent) {
        static final Count NONE = new Count(0, 0);

        Count without(Count told) {
            return new Count(queued - told.queued, sent - told.sent);
        }

        long sum() {
            return queued + sent;
        }

        String text() {
            String ofQueued = queued == 1
                    ? "a message that was queued was not sent"
                    : queued + " messages that were queued were not sent";
            String ofSent = sent == 1
                    ? "a message that was sent may not have arrived"
                    : sent + " messages that were sent may not have arrived";
            return queued == 0 ? ofSent : sent == 0 ? ofQueued : ofQueued + ", and " + ofSent;
        }
    }

    private volatile Count total = Count.NONE; // written by who holds this object's lock, as the others
    private volatile Count told = Count.NONE; // of the total
    private @Nullable SocketLink link; // of the last one
    private @Nullable Throwable reason; // of the first one that is not told

    /** One more, which DOCA has not accepted. */
    void add(SocketLink on, Supplier<? extends Throwable> why) {
        add(on, why, new Count(1, 0));
    }

    /** So many more that it had accepted. */
    void addSent(SocketLink on, long count) {
        add(on, on::sendsEnded, new Count(0, count));
    }

    private synchronized void add(SocketLink on, Supplier<? extends Throwable> why, Count more) {
        if (told == total) {
            reason = why.get();
            link = on;
        }
        total = new Count(total.queued + more.queued, total.sent + more.sent);
    }

    /** How many there were so far, for {@link #tell}. */
    Count total() {
        return total;
    }

    /** Whether there are some that no call has told. */
    boolean areUntold() {
        return told != total;
    }

    /**
     * The exception for those that no call has told, and for all since there were {@code before}; null: there are none.
     */
    synchronized @Nullable Throwable tell(Count before) {
        Count untold = total.without(told);
        Count since = total.without(before);
        Count count = since.sum() > untold.sum() ? since : untold;
        if (count.sum() == 0) {
            return null;
        }
        told = total;
        return exception(count.text());
    }

    private @Nullable Throwable exception(String what) {
        Throwable why = reason;
        SocketLink on = link;
        if (why == null || on == null) {
            return why;
        }
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
