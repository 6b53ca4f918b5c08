package io.github.comch4j.link;

import io.github.comch4j.DocaError;
import io.github.comch4j.DocaException;
import io.github.comch4j.comch.ComchClient;
import io.github.comch4j.comch.ComchConnection;
import io.github.comch4j.comch.ControlPathEndpoint;
import io.github.comch4j.core.ContextState;
import io.github.comch4j.core.Device;
import io.github.comch4j.core.EventLoop;
import io.github.comch4j.internal.call.ContextCalls;
import io.github.comch4j.internal.failure.Failures;
import io.github.comch4j.internal.failure.Rethrow;
import io.github.comch4j.internal.life.Nanos;
import io.github.comch4j.internal.life.SubmitterTrace;
import io.github.comch4j.internal.observe.Diagnosis;
import io.github.comch4j.internal.observe.Log;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Connects to a server on a loop: tries until one accepts, and again when the connection has ended, if it is to. What
 * is not said to be for any thread is for the loop.
 */
public final class Connector {
    private static final long FIRST_PAUSE_NANOS = 10_000_000; // between attempts before the first connection

    /** Who wants the connections. All is called in the loop, and runs no code of the program there. */
    public interface User {
        /** Settings and handlers of the next attempt, without {@code onConnected} and {@code onStateChanged}. */
        ComchClient.Builder configure(ComchClient.Builder builder);

        /** There is a connection. */
        void connected(ComchConnection connection);

        /** The connection has ended. */
        void ended();

        /** There is no connection, and will be none. Also outside of the loop, if that is closed. */
        void over();
    }

    private final EventLoop loop;
    private final Device device;
    private final String name;
    private final RetryDelays backOff;
    private final User user;
    private final CompletableFuture<@Nullable Void> first = new CompletableFuture<>();
    private volatile @Nullable ComchClient endpoint; // of the present attempt or connection, or the last one
    private @Nullable ComchConnection connection; // null: there is none now
    private long pause; // before the last attempt, nanoseconds; 0: it was connected meanwhile
    private volatile @Nullable DocaException refusal; // of the last attempt that was refused since the last connection
    private boolean warned; // that waiting does not change it
    private volatile boolean stopped;

    /**
     * How long to wait before the next attempt after a connection.
     *
     * @param shortest nanoseconds, then each time twice as long; 0: do not connect again
     * @param longest nanoseconds
     */
    public record RetryDelays(long shortest, long longest) {
        /** One connection is all. */
        public static final RetryDelays NEVER = new RetryDelays(0, 0);

        /**
         * As a program says it.
         *
         * @throws IllegalArgumentException if a time is not positive, or {@code shortest} longer than {@code longest}
         */
        public static RetryDelays of(Duration shortest, Duration longest) {
            RetryDelays made = new RetryDelays(Nanos.of(shortest), Nanos.of(longest));
            if (made.shortest < 1 || made.shortest > made.longest) {
                throw new IllegalArgumentException(
                        "reconnect needs 0 < shortest <= longest, not " + shortest + " and " + longest);
            }
            return made;
        }

        long after(long pause) {
            return pause == 0 ? shortest : Math.min(2 * pause, longest);
        }
    }

    /** To a server of that name. */
    public Connector(EventLoop loop, Device device, String name, RetryDelays backOff, User user) {
        this.loop = loop;
        this.device = device;
        this.name = name;
        this.backOff = backOff;
        this.user = user;
    }

    /**
     * Begins to connect, and waits for the first connection. Any other thread.
     *
     * @throws DocaException if DOCA refuses for good, or the time is up; it has the reason of the last refusal, which
     *     the libraries have told in the loop
     * @throws io.github.comch4j.WaitInterruptedException if the thread is interrupted
     */
    public void connect(Duration timeout) {
        loop.execute(this::attempt);
        try {
            first.get(Nanos.of(timeout), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            soon(this::stop);
            throw Failures.interrupted("connecting to \"" + name + "\"");
        } catch (TimeoutException e) {
            stop();
            throw notConnected(" for " + Failures.text(timeout));
        } catch (ExecutionException e) {
            throw Rethrow.asIs(SubmitterTrace.addTo(e.getCause(), loop));
        }
    }

    private DocaException notConnected(String howLong) {
        DocaException last = refusal;
        return Failures.refused(
                last == null ? DocaError.TIME_OUT : DocaError.CONNECTION_ABORTED,
                ContextCalls.START_NAME,
                "connecting to \"" + name + "\" on " + device + howLong,
                last == null ? "" : last.reason());
    }

    /** Whether there is to be another connection after this one. Any thread. */
    public boolean reconnects() {
        return backOff != RetryDelays.NEVER && !stopped;
    }

    /** Why the last attempt was refused; null if none was since the last connection. Any thread. */
    public @Nullable DocaException refusal() {
        return refusal;
    }

    /** Whether this side has ended it. Any thread. */
    public boolean isStopped() {
        return stopped;
    }

    private void connected(ComchConnection now) {
        connection = now;
        pause = 0;
        refusal = null;
        try {
            user.connected(now);
        } finally {
            first.complete(null);
        }
    }

    private void attempt() {
        if (stopped) {
            return;
        }
        try {
            endpoint = Loops.engineOf(loop)
                    .ofLibrary(() -> user.configure(ComchClient.builder(loop.engine(), device, name))
                            .onConnected(this::connected)
                            .onStateChanged((any, now) -> {
                                if (now == ContextState.IDLE) {
                                    idle(any);
                                }
                            })
                            .start());
        } catch (RuntimeException e) {
            if (first.completeExceptionally(e)) {
                stopped = true;
            } else if (e instanceof DocaException why) {
                refusal = why;
                again(); // as when the device is gone for a while
            } else {
                over(); // it is closed
            }
            return;
        }
        if (stopped) {
            endpoint.close(); // another thread has stopped it, which waits for the loop, and has not seen this one
        }
    }

    /** An attempt has failed, or a connection has ended, by either side. */
    private void idle(ControlPathEndpoint ended) {
        boolean lost = connection != null;
        connection = null;
        boolean forGood = !lost && refused((ComchClient) ended);
        try {
            if (lost) {
                user.ended();
            }
        } finally {
            if (!stopped && lost && backOff == RetryDelays.NEVER) {
                over();
            } else if (!stopped) {
                soon(ended::close); // not here: this is a handler
                if (forGood) {
                    stopped = true;
                    first.completeExceptionally(notConnected(""));
                } else {
                    again();
                }
            }
        }
    }

    /**
     * Notes why, unless it was this side that has ended the attempt. Returns whether to give up: where there has been a
     * connection, who refuses now may be gone again later, and there is nobody to tell but the log.
     */
    private boolean refused(ComchClient client) {
        DocaException why = client.refusal();
        if (why == null) {
            return false;
        }
        refusal = why;
        if (!Diagnosis.refusedForGood()) {
            return false;
        }
        boolean gaveNoConnection = !first.isDone();
        if (!gaveNoConnection && !warned) {
            warned = true;
            Log.logger().log(System.Logger.Level.WARNING, "cannot connect again: {0}", why.getMessage());
        }
        return gaveNoConnection;
    }

    private void again() {
        pause = first.isDone() ? backOff.after(pause) : FIRST_PAUSE_NANOS;
        CompletableFuture.delayedExecutor(pause, TimeUnit.NANOSECONDS).execute(() -> soon(this::attempt));
    }

    private void soon(Runnable task) {
        if (!Loops.execute(loop, task)) {
            over();
        }
    }

    private void over() {
        stopped = true;
        user.over();
        first.completeExceptionally(new RejectedExecutionException(loop + " is closed"));
    }

    /**
     * Ends the connection, or the attempt; there will be no other. Any thread.
     *
     * @throws DocaException if the connection does not end in time; nothing has changed then
     */
    public void stop() {
        stopped = true;
        ComchClient mine = endpoint;
        if (mine != null) {
            try {
                mine.close();
            } catch (RuntimeException e) {
                stopped = false;
                throw e;
            }
        }
    }
}
