package io.github.comch4j.streams;

import io.github.comch4j.internal.failure.Failures;
import io.netty.channel.Channel;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.Promise;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The Comch connections on which streams can be opened now, and who waits for one. All on their loop's thread. */
@SuppressWarnings("FutureReturnValueIgnored") // what fails is told by the channel's end
final class StreamConnections implements ConnectionWatch {
    private final EventLoop loop;
    private final ConnectionWatch watch;
    private final Runnable wanted;
    private final Set<Channel> usable = new LinkedHashSet<>();
    private final ArrayDeque<Promise<Channel>> waiting = new ArrayDeque<>();
    private @Nullable Throwable lastFailure;

    /**
     * Has none at first.
     *
     * @param watch is told of them, too
     * @param wanted runs when somebody waits for one
     */
    StreamConnections(EventLoop loop, ConnectionWatch watch, Runnable wanted) {
        this.loop = loop;
        this.watch = watch;
        this.wanted = wanted;
    }

    /** The one that has been there longest, as soon as there is one. */
    Future<Channel> next(long nanos) {
        Promise<Channel> promise = loop.newPromise();
        if (!usable.isEmpty()) {
            return promise.setSuccess(usable.iterator().next());
        }
        waiting.add(promise);
        var timeout = loop.schedule(
                () -> {
                    if (waiting.remove(promise)) {
                        promise.setFailure(noConnection(nanos));
                    }
                },
                nanos,
                TimeUnit.NANOSECONDS);
        promise.addListener(done -> timeout.cancel(false));
        wanted.run();
        return promise;
    }

    private StreamRefusedException noConnection(long nanos) {
        Throwable why = lastFailure;
        // the time that was asked for, of which some has gone
        Duration waited = Duration.ofMillis((nanos / 1_000_000 + 99) / 100 * 100);
        StreamRefusedException refusal = new StreamRefusedException(
                StreamRefusedException.NO_CONNECTION,
                "there was no connection to the other side for " + Failures.text(waited)
                        + (why == null ? "" : ": " + why.getMessage()));
        refusal.initCause(why);
        return refusal;
    }

    boolean isWanted() {
        return !waiting.isEmpty();
    }

    /** An attempt to connect has failed. */
    void failed(Throwable why) {
        lastFailure = why;
    }

    @Override
    public void ready(Channel connection) {
        usable.add(connection);
        lastFailure = null;
        watch.ready(connection);
        for (Promise<Channel> next = waiting.poll(); next != null; next = waiting.poll()) {
            next.setSuccess(connection);
        }
    }

    @Override
    public void draining(Channel connection) {
        usable.remove(connection);
        watch.draining(connection);
    }

    @Override
    public void ended(Channel connection, @Nullable Throwable why) {
        usable.remove(connection);
        if (why != null) {
            lastFailure = why;
        }
        watch.ended(connection, why);
    }
}
