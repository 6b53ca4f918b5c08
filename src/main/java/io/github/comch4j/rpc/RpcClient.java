package io.github.comch4j.rpc;

import io.github.comch4j.DocaError;
import io.github.comch4j.DocaException;
import io.github.comch4j.WaitInterruptedException;
import io.github.comch4j.comch.ComchClient;
import io.github.comch4j.core.Device;
import io.github.comch4j.core.EventLoop;
import io.github.comch4j.internal.failure.Failures;
import io.github.comch4j.internal.failure.Rethrow;
import io.github.comch4j.internal.life.Nanos;
import io.github.comch4j.internal.life.OneUse;
import io.github.comch4j.internal.life.SubmitterTrace;
import io.github.comch4j.internal.observe.CallCounts;
import io.github.comch4j.internal.observe.LiveObjects;
import io.github.comch4j.link.Connector;
import io.github.comch4j.link.Loops;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Calls methods of an {@link RpcServer} over one connection. Any number of threads, also virtual ones; the work is done
 * by an {@link EventLoop}, and many calls travel in one message.
 *
 * {@snippet file="RpcExample.java" region="client"}
 *
 * <p>A call ends with the server's response or with an {@link RpcException}, which tells how far it had come
 * ({@link RpcException#delivery()}). A call whose handler may have run is never sent again. A client that
 * {@linkplain Builder#reconnect reconnects} goes on with the next call once it is connected again, and calls can
 * {@linkplain Builder#waitForReady wait for that}.
 */
// ClientLink does the work.
public final class RpcClient implements AutoCloseable {
    /** Whether calls can be made. */
    public enum State {
        /** There is a connection. */
        CONNECTED,
        /** The connection has ended, or its server takes no more calls; there may be another one. */
        DISCONNECTED,
        /** The client was closed. */
        CLOSED
    }

    private final EventLoop loop;
    private final String description;
    private final CallCounts counts;
    private final ClientCall.Options usual;
    private final long timeout;
    private final int maxBody;
    private final int maxInFlight;
    private final Semaphore permits;
    private final ClientLink link;

    private RpcClient(Builder settings) {
        this.loop = settings.loop;
        this.description = "calls to \"" + settings.name + "\" from " + settings.device;
        this.counts = new CallCounts("RpcClient", description, settings.name, this::inFlight);
        this.usual = settings.waitForReady ? ClientCall.Options.WAIT_FOR_READY : ClientCall.Options.NONE;
        this.timeout = settings.timeout;
        this.maxBody = settings.maxBody;
        this.maxInFlight = settings.maxInFlight;
        this.permits = new Semaphore(maxInFlight);
        BiConsumer<RpcClient, State> onState = settings.onState != null ? settings.onState : (client, now) -> {};
        this.link = new ClientLink(settings, counts, this::inFlight, now -> onState.accept(this, now));
    }

    /**
     * Begins the settings of a client.
     *
     * @param loop the loop that does the work
     * @param device a host's function of the BlueField
     * @param name the server's name
     * @return the settings
     */
    public static Builder builder(EventLoop loop, Device device, String name) {
        return new Builder(loop, device, name);
    }

    /**
     * Whether calls can be made. Any thread may ask.
     *
     * @return the state as the loop knows it
     */
    public State state() {
        return link.state().get();
    }

    /**
     * Why the last attempt to connect again was refused, while there is no connection. Any thread may ask.
     *
     * @return an exception that nobody has thrown, with {@link DocaError#CONNECTION_ABORTED} and, if the libraries have
     *     told, a {@link DocaException#reason()}; null if no attempt was refused since there was a connection
     */
    public @Nullable DocaException refusal() {
        return link.refusal();
    }

    /**
     * How many calls wait for a response. Any thread may ask.
     *
     * @return at most {@link Builder#maxInFlight}
     */
    public int inFlight() {
        return maxInFlight - permits.availablePermits();
    }

    /**
     * Waits until calls can be made: for the next connection of a client that {@linkplain Builder#reconnect
     * reconnects}. Calls need not be preceded by this: those that {@linkplain Builder#waitForReady wait for a
     * connection} do so by themselves.
     *
     * @param timeout how long to wait
     * @return whether there is a connection; if not, there was none in time, or there never will be one
     * @throws IllegalStateException in the loop itself
     * @throws WaitInterruptedException if the thread is interrupted
     */
    public boolean awaitConnected(Duration timeout) {
        Loops.checkNotIn(loop);
        try {
            return link.state().await(Nanos.deadline(timeout), link::reconnects);
        } catch (InterruptedException e) {
            throw Failures.interrupted("waiting for a connection for " + description);
        }
    }

    /**
     * Calls a method and waits for its response, for the client's usual {@linkplain Builder#timeout time}.
     *
     * @param method which method
     * @param request what it gets; must not be changed until this returns
     * @return the response
     * @throws RpcException if the call failed, as {@link #call(int, byte[], Duration)} says
     */
    public byte[] call(int method, byte[] request) {
        return call(method, request, timeout);
    }

    /**
     * Calls a method and waits for its response; while {@linkplain Builder#maxInFlight too many} calls are in flight,
     * waits until there are fewer, and if the client {@linkplain Builder#waitForReady is to}, for a connection.
     *
     * @param method which method
     * @param request what it gets, at most {@link Builder#maxBody} bytes; must not be changed until this returns
     * @param timeout how long to wait
     * @return the response
     * @throws RpcException if the call failed, if there was no response in time, or if there is no connection or it has
     *     ended; {@link RpcException#delivery()} tells whether the handler can have run
     * @throws IllegalArgumentException if the request is too long
     * @throws IllegalStateException in the loop itself
     * @throws WaitInterruptedException if the thread is interrupted: then the call is cancelled
     */
    public byte[] call(int method, byte[] request, Duration timeout) {
        return call(method, request, Nanos.of(timeout));
    }

    private byte[] call(int method, byte[] request, long nanos) {
        return Objects.requireNonNull(
                await(method, MemorySegment.ofArray(request), nanos, usual).response());
    }

    /** Makes a call and waits for its response. Returns the call, which has one. */
    ClientCall await(int method, MemorySegment request, long nanos, ClientCall.Options options) {
        Loops.checkNotIn(loop);
        check(request);
        long left = acquire(method, nanos);
        ClientCall call = new ClientCall(method, request, left, options, link, true, null);
        try {
            link.add(call);
            if (!call.await() && call.abandon()) {
                link.forget(call);
                counts.end(CallCounts.End.LOST);
                throw Failures.interrupted("waiting for a response to a call of method " + method);
            }
        } finally {
            permits.release();
            call.wakeOthers();
        }
        Throwable failure = call.failure();
        if (failure != null) {
            count(failure);
            throw Rethrow.asIs(SubmitterTrace.addTo(failure, loop));
        }
        return call;
    }

    private void count(Throwable failure) {
        counts.end(endOf(failure));
    }

    private static CallCounts.End endOf(Throwable failure) {
        if (!(failure instanceof RpcException e)) {
            return failure instanceof CancellationException ? CallCounts.End.LOST : CallCounts.End.FAILED;
        }
        if (e.kind() == RpcException.Kind.TIME_OUT) {
            return CallCounts.End.LATE;
        }
        return switch (e.delivery()) {
            case NOT_SENT, REFUSED -> CallCounts.End.REJECTED;
            case SENT -> CallCounts.End.LOST;
            case HANDLED -> CallCounts.End.FAILED;
        };
    }

    /** Waits until there are few enough calls; returns how much of the time is left. */
    private long acquire(int method, long nanos) {
        if (permits.tryAcquire()) {
            return nanos;
        }
        long since = System.nanoTime();
        try {
            if (!permits.tryAcquire(nanos, TimeUnit.NANOSECONDS)) {
                RpcException late = new RpcException(
                        RpcException.Kind.TIME_OUT,
                        RpcException.Delivery.NOT_SENT,
                        "a call of method " + method + " was not begun within " + Duration.ofNanos(nanos) + ": "
                                + maxInFlight + " others are in flight");
                count(late);
                throw late;
            }
        } catch (InterruptedException e) {
            throw Failures.interrupted("waiting for one of " + maxInFlight + " calls in flight to end");
        }
        return nanos - (System.nanoTime() - since);
    }

    /**
     * Calls a method without waiting, for the client's usual {@linkplain Builder#timeout time}. Any thread, also the
     * loop's.
     *
     * @param method which method
     * @param request what it gets; must not be changed until the result is completed
     * @return completed with the response
     */
    public CompletableFuture<byte[]> callAsync(int method, byte[] request) {
        return begin(method, MemorySegment.ofArray(request), timeout, usual, null);
    }

    /**
     * Calls a method without waiting. Any thread, also the loop's.
     *
     * @param method which method
     * @param request what it gets, at most {@link Builder#maxBody} bytes; must not be changed until the result is
     *     completed
     * @param timeout how long to wait for the response
     * @return completed, usually in the loop, with the response or with what {@link #call(int, byte[], Duration)} would
     *     throw; at once with {@link RpcException.Kind#BUSY} if too many calls are in flight. Cancelling it cancels the
     *     call, also at the server. What depends on it must not block the loop.
     * @throws IllegalArgumentException if the request is too long
     */
    public CompletableFuture<byte[]> callAsync(int method, byte[] request, Duration timeout) {
        return begin(method, MemorySegment.ofArray(request), Nanos.of(timeout), usual, null);
    }

    /** Makes a call, whose result is what {@code reader} makes of the response; the body if it is null. */
    @SuppressWarnings("unchecked") // the reader's result, or a byte[]
    <T> CompletableFuture<T> begin(
            int method,
            MemorySegment request,
            long nanos,
            ClientCall.Options options,
            @Nullable Function<? super RpcResponse, ?> reader) {
        check(request);
        ClientCall call = new ClientCall(method, request, nanos, options, link, false, reader);
        if (permits.tryAcquire()) {
            int keeps = reader == null ? 0 : 1; // a reader is the program's
            link.engine().keep(keeps);
            var _ = call.future().whenComplete((response, failure) -> {
                link.engine().keep(-keeps);
                permits.release();
                if (failure != null) {
                    count(failure);
                }
                if (call.abandon()) { // the program has cancelled or completed it
                    link.forget(call);
                }
            });
            link.add(call);
        } else {
            RpcException busy = new RpcException(
                    RpcException.Kind.BUSY,
                    RpcException.Delivery.NOT_SENT,
                    "a call of method " + method + " was not begun: " + maxInFlight + " others are in flight");
            count(busy);
            call.fail(busy);
        }
        return (CompletableFuture<T>) (CompletableFuture<?>) call.future();
    }

    /**
     * Begins a call that has more than a method, a request and a time: metadata, a response's metadata, requests and
     * responses in a {@link MemorySegment}.
     *
     * @param method which method
     * @return the call, to be given its settings
     */
    public RpcCall prepare(int method) {
        return new RpcCall(this, method, timeout, usual);
    }

    private void check(MemorySegment request) {
        if (request.byteSize() > maxBody) {
            throw new IllegalArgumentException("a request of " + request.byteSize() + " bytes: maxBody is " + maxBody);
        }
        Thread sender = link.thread().thread(); // or one that waits in its place, which may be this one
        if (!request.isAccessibleBy(sender)) {
            throw new IllegalArgumentException("a request that " + sender.getName() + " cannot read, which sends it");
        }
    }

    /**
     * Ends the connection; what is in flight fails. The second call does nothing. An interrupt does not cut it short.
     * Inside a callback of the loop's engine, it is done when the callback has returned.
     *
     * @throws DocaException if it does not end in time
     */
    @Override
    public void close() {
        if (state() != State.CLOSED && !loop.isClosed()) {
            link.stop();
        }
        if (loop.isClosed()) {
            var _ = link.state().setUntold(State.CLOSED); // the handler runs in the loop
        }
        LiveObjects.remove(counts);
    }

    /**
     * For logs.
     *
     * @return whose it is, and how many calls there have been, by their ends
     */
    @Override
    public String toString() {
        return counts.toString();
    }

    /**
     * Settings of a client. Not thread safe; can be used once, also if DOCA refuses: afterwards every call throws
     * {@link IllegalStateException}.
     */
    public static final class Builder {
        final EventLoop loop;
        final Device device;
        final String name;
        private final OneUse use;
        private long timeout = 10_000_000_000L;
        int maxInFlight = RpcServer.DEFAULT_IN_FLIGHT;
        int maxBody = RpcServer.DEFAULT_BODY;
        int largeBodies = -1; // none
        private int sendTasks; // 0: the default
        Connector.RetryDelays backOff = Connector.RetryDelays.NEVER;
        private boolean waitForReady;
        private @Nullable BiConsumer<RpcClient, State> onState;

        private Builder(EventLoop loop, Device device, String name) {
            this.loop = Objects.requireNonNull(loop, "loop");
            this.device = Objects.requireNonNull(device, "device");
            this.name = Objects.requireNonNull(name, "name");
            this.use = new OneUse("RpcClient.Builder of \"" + name + "\"");
        }

        /**
         * How long a call waits for its response unless it says otherwise. Default: ten seconds.
         *
         * @param time how long
         * @return this
         */
        public Builder timeout(Duration time) {
            use.check();
            timeout = Nanos.of(time);
            return this;
        }

        /**
         * How many calls may be in flight. Default: 1024.
         *
         * @param calls 1 to 1048576; the server has a limit, too
         * @return this
         * @throws IllegalArgumentException if it is out of range
         */
        public Builder maxInFlight(int calls) {
            use.check();
            maxInFlight = RpcServer.checkInFlight(calls);
            return this;
        }

        /**
         * How long requests and responses may be. Default: 16 MiB.
         *
         * @param bytes at least 1
         * @return this
         * @throws IllegalArgumentException if it is less than 1
         */
        public Builder maxBody(int bytes) {
            maxBody = use.atLeast(1, "maxBody", bytes);
            return this;
        }

        /**
         * Requests that are longer than this go over the fast path, once the server has said that it can receive there:
         * if it has {@linkplain RpcServer.Builder#largeBodies the same setting}. Its long responses come so, too. Each
         * side copies a body once, between the program's array and registered memory. For that the client registers
         * 1 MiB, and another 1 MiB if the server has a fast path; hence, by default, it has none, and the control path
         * carries all bodies, which is slower for bodies of more than about 64 KiB.
         *
         * @param longerThan bytes, at least 0
         * @return this
         * @throws IllegalArgumentException if it is negative
         */
        public Builder largeBodies(int longerThan) {
            largeBodies = use.atLeast(0, "largeBodies", longerThan);
            return this;
        }

        /**
         * How many messages can be on their way at a time. Default: 256.
         *
         * @param tasks 1 to {@link io.github.comch4j.comch.Capabilities#maxSendTasks()}
         * @return this
         * @throws IllegalArgumentException if it is less than 1
         */
        public Builder sendTasks(int tasks) {
            sendTasks = use.atLeast(1, "sendTasks", tasks);
            return this;
        }

        /**
         * When the connection has ended, the client connects again, as often as it takes. Calls in flight fail all the
         * same, as do calls made meanwhile unless they {@linkplain #waitForReady wait}. Default: it does not.
         *
         * @param shortest how long to wait before the first attempt; each time twice as long
         * @param longest how long to wait at most
         * @return this
         * @throws IllegalArgumentException if a time is not positive, or {@code shortest} longer than {@code longest}
         */
        public Builder reconnect(Duration shortest, Duration longest) {
            use.check();
            backOff = Connector.RetryDelays.of(shortest, longest);
            return this;
        }

        /**
         * Calls that are made while there is no connection wait for the next one, within their time, instead of failing
         * at once; so do those that the server refuses because it {@linkplain RpcServer#shutdown() is shutting down},
         * and those that had not been sent when the connection ended. A call whose handler may have run fails all the
         * same. Each waiting call counts as {@linkplain #maxInFlight in flight}. Of use with {@link #reconnect} only.
         * Default: they fail.
         *
         * @param wait whether to wait; {@link RpcCall#waitForReady} decides for one call
         * @return this
         */
        public Builder waitForReady(boolean wait) {
            use.check();
            waitForReady = wait;
            return this;
        }

        /**
         * Called after each change of {@link RpcClient#state()}, beginning with the first connection. Not any more once
         * the loop is closed.
         *
         * @param handler runs in the loop, and must not block it
         * @return this
         * @throws IllegalStateException if there is one already
         */
        public Builder onState(BiConsumer<RpcClient, State> handler) {
            onState = use.once("onState", onState, handler);
            return this;
        }

        /**
         * Connects to the server, trying again while none of that name accepts.
         *
         * @param timeout how long to try
         * @return the client, connected
         * @throws DocaException if DOCA refuses; {@link DocaError#CONNECTION_ABORTED} or {@link DocaError#TIME_OUT} if
         *     the time is up
         * @throws IllegalStateException in the loop itself, or if the device is closed
         * @throws WaitInterruptedException if the thread is interrupted
         */
        public RpcClient connect(Duration timeout) {
            Loops.checkNotIn(loop);
            Objects.requireNonNull(timeout, "timeout");
            use.begin();
            RpcClient client = new RpcClient(this);
            client.link.connect(timeout);
            LiveObjects.add(client.counts);
            return client;
        }

        ComchClient.Builder apply(ComchClient.Builder endpoint) {
            endpoint.maxMessageSize(Frames.messageSize(device));
            return sendTasks == 0 ? endpoint : endpoint.sendTasks(sendTasks);
        }
    }
}
