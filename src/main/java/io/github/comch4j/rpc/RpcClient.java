package io.github.comch4j.rpc;

import io.github.comch4j.DocaError;
import io.github.comch4j.DocaException;
import io.github.comch4j.WaitInterruptedException;
import io.github.comch4j.comch.ComchClient;
import io.github.comch4j.comch.LinkState;
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
 * Calls methods of an {@link RpcServer} over one connection. Any number of threads may use a client, including virtual
 * threads. An {@link EventLoop} does the work, and sends many calls in one message.
 *
 * {@snippet file="RpcExample.java" region="client"}
 *
 * <p>A call ends with the server's response or with an {@link RpcException}. The exception reports how far the call got
 * ({@link RpcException#delivery()}). The client never repeats a call whose handler may have run. A client that
 * {@linkplain Builder#reconnect reconnects} can make new calls as soon as it is connected again, and calls can
 * {@linkplain Builder#waitForReady wait for that}.
 */
// ClientLink does the work.
public final class RpcClient implements AutoCloseable {
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
        BiConsumer<RpcClient, LinkState> onState = settings.onState != null ? settings.onState : (client, now) -> {};
        this.link = new ClientLink(settings, counts, this::inFlight, now -> onState.accept(this, now));
    }

    /**
     * Creates a builder for a client.
     *
     * @param loop the loop that does the work
     * @param device a host's function of the BlueField
     * @param name the server's name
     * @return the builder
     */
    public static Builder builder(EventLoop loop, Device device, String name) {
        return new Builder(loop, device, name);
    }

    /**
     * Returns whether the client can make calls. Any thread may call this method.
     *
     * @return the state as the loop knows it
     */
    public LinkState state() {
        return link.state().get();
    }

    /**
     * Returns why the last attempt to reconnect was refused, while there is no connection. Any thread may call this
     * method.
     *
     * @return an exception that has not been thrown, with {@link DocaError#CONNECTION_ABORTED} and, if the libraries
     *     report one, a {@link DocaException#reason()}; null if no attempt has been refused since the last connection
     */
    public @Nullable DocaException refusal() {
        return link.refusal();
    }

    /**
     * Returns the number of calls that wait for a response. Any thread may call this method.
     *
     * @return at most {@link Builder#maxInFlight}
     */
    public int inFlight() {
        return maxInFlight - permits.availablePermits();
    }

    /**
     * Waits until the client can make calls: until the next connection of a client that
     * {@linkplain Builder#reconnect reconnects}. You do not need this method before calls that
     * {@linkplain Builder#waitForReady wait for a connection} themselves.
     *
     * @param timeout the longest time to wait
     * @return whether there is a connection; false if none was made in time or none can be made anymore
     * @throws IllegalStateException if called from the loop's thread
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
     * Calls a method and waits for its response, at most for the client's {@linkplain Builder#timeout default time}.
     *
     * @param method the number of the method
     * @param request the request; must not be changed until this method returns
     * @return the response
     * @throws RpcException if the call fails, as in {@link #call(int, byte[], Duration)}
     */
    public byte[] call(int method, byte[] request) {
        return call(method, request, timeout);
    }

    /**
     * Calls a method and waits for its response. While {@linkplain Builder#maxInFlight too many} calls are in flight,
     * waits for one of them to end. Also waits for a connection if the client
     * {@linkplain Builder#waitForReady is set to do so}.
     *
     * @param method the number of the method
     * @param request the request, at most {@link Builder#maxBody} bytes; must not be changed until this method returns
     * @param timeout the longest time to wait
     * @return the response
     * @throws RpcException if the call fails, if no response arrives in time, or if there is no connection or the
     *     connection ends; {@link RpcException#delivery()} reports whether the handler may have run
     * @throws IllegalArgumentException if the request is too long
     * @throws IllegalStateException if called from the loop's thread
     * @throws WaitInterruptedException if the thread is interrupted; the call is canceled
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
                        "a call of method " + method + " could not begin within "
                                + Failures.text(Duration.ofNanos(nanos)) + ": " + maxInFlight
                                + " others are in flight");
                count(late);
                throw late;
            }
        } catch (InterruptedException e) {
            throw Failures.interrupted("waiting for one of " + maxInFlight + " calls in flight to end");
        }
        return nanos - (System.nanoTime() - since);
    }

    /**
     * Calls a method without waiting, with the client's {@linkplain Builder#timeout default time}. Any thread may call
     * this method, including the loop's.
     *
     * @param method the number of the method
     * @param request the request; must not be changed until the result is completed
     * @return a future that is completed with the response
     */
    public CompletableFuture<byte[]> callAsync(int method, byte[] request) {
        return begin(method, MemorySegment.ofArray(request), timeout, usual, null);
    }

    /**
     * Calls a method without waiting. Any thread may call this method, including the loop's.
     *
     * @param method the number of the method
     * @param request the request, at most {@link Builder#maxBody} bytes; must not be changed until the result is
     *     completed
     * @param timeout the longest time to wait for the response
     * @return a future that is completed, usually in the loop, with the response or with what
     *     {@link #call(int, byte[], Duration)} would throw; completed at once with {@link RpcException.Kind#BUSY} if
     *     too many calls are in flight. Canceling the future cancels the call, on the server as well. Actions that
     *     depend on the future must not block the loop.
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
                    "a call of method " + method + " could not begin: " + maxInFlight + " others are in flight");
            count(busy);
            call.fail(busy);
        }
        return (CompletableFuture<T>) (CompletableFuture<?>) call.future();
    }

    /**
     * Prepares a call with options: metadata, a response with metadata, requests and responses in a
     * {@link MemorySegment}, or a time of its own.
     *
     * @param method the number of the method
     * @return the call, whose options you can set
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
            throw new IllegalArgumentException(
                    "the request is sent by thread " + sender.getName() + ", which cannot access its memory");
        }
    }

    /**
     * Closes the connection; calls in flight fail. Calling it again does nothing. An interrupt does not cut it short.
     * If called inside a callback of the loop's engine, the client closes after the callback has returned.
     *
     * @throws DocaException if the client does not close in time
     */
    @Override
    public void close() {
        if (state() != LinkState.CLOSED && !loop.isClosed()) {
            link.stop();
        }
        if (loop.isClosed()) {
            var _ = link.state().setUntold(LinkState.CLOSED); // the handler runs in the loop
        }
        LiveObjects.remove(counts);
    }

    /**
     * Returns a description of this client, for logs.
     *
     * @return the server, and the number of calls by how they ended
     */
    @Override
    public String toString() {
        return counts.toString();
    }

    /**
     * Builds a client. Not thread-safe. A builder can be used only once, even if DOCA refuses: afterwards every call
     * throws {@link IllegalStateException}.
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
        private @Nullable BiConsumer<RpcClient, LinkState> onState;

        private Builder(EventLoop loop, Device device, String name) {
            this.loop = Objects.requireNonNull(loop, "loop");
            this.device = Objects.requireNonNull(device, "device");
            this.name = Objects.requireNonNull(name, "name");
            this.use = new OneUse("RpcClient.Builder of \"" + name + "\"");
        }

        /**
         * Sets how long a call waits for its response if it has no time of its own. Default: ten seconds.
         *
         * @param time the longest time to wait
         * @return this
         */
        public Builder timeout(Duration time) {
            use.check();
            timeout = Nanos.of(time);
            return this;
        }

        /**
         * Sets how many calls can be in flight at a time. Default: 1024.
         *
         * @param calls 1 to 1048576; the server has a limit, too
         * @return this
         * @throws IllegalArgumentException if the number is out of range
         */
        public Builder maxInFlight(int calls) {
            use.check();
            maxInFlight = RpcServer.checkInFlight(calls);
            return this;
        }

        /**
         * Sets the maximum length of a request or response. Default: 16 MiB.
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
         * Sends requests longer than a given length over the fast path, once the server has announced that it can
         * receive there. The server does so if it has {@linkplain RpcServer.Builder#largeBodies the same setting}; it
         * then also sends long responses over the fast path. Each side copies a body once, between the program's array
         * and registered memory. For this the client registers 1 MiB, and another 1 MiB if the server has a fast path.
         * By default the client therefore has no fast path. The control path then carries all bodies, which is slower
         * for bodies of more than about 64 KiB.
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
         * Sets how many messages can be in flight at a time. Default: 256.
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
         * Makes the client reconnect after its connection has ended, with any number of attempts. Calls in flight still
         * fail. Calls made while there is no connection fail, too, unless they {@linkplain #waitForReady wait}.
         * Default: the client does not reconnect.
         *
         * @param shortest the wait before the first attempt; it doubles with each further attempt
         * @param longest the longest wait before an attempt
         * @return this
         * @throws IllegalArgumentException if a time is not positive, or if {@code shortest} is longer than
         *     {@code longest}
         */
        public Builder reconnect(Duration shortest, Duration longest) {
            use.check();
            backOff = Connector.RetryDelays.of(shortest, longest);
            return this;
        }

        /**
         * Sets whether calls wait for the next connection, within their time, instead of failing. This concerns three
         * kinds of calls: calls made while there is no connection, calls that the server refuses because it
         * {@linkplain RpcServer#shutdown() is shutting down}, and calls that had not been sent when the connection
         * ended. A call whose handler may have run always fails. Each waiting call counts as
         * {@linkplain #maxInFlight in flight}. The setting is useful only with {@link #reconnect}. Default: calls do
         * not wait.
         *
         * @param wait true to wait; {@link RpcCall#waitForReady} overrides the setting for one call
         * @return this
         */
        public Builder waitForReady(boolean wait) {
            use.check();
            waitForReady = wait;
            return this;
        }

        /**
         * Sets a handler for each change of {@link RpcClient#state()}, from the first connection until the loop is
         * closed.
         *
         * @param handler the handler; runs in the loop and must not block it
         * @return this
         * @throws IllegalStateException if a handler is already set
         */
        public Builder onState(BiConsumer<RpcClient, LinkState> handler) {
            onState = use.once("onState", onState, handler);
            return this;
        }

        /**
         * Connects to the server. Retries while no server of that name accepts the client.
         *
         * @param timeout the longest time to try
         * @return the client, connected
         * @throws DocaException if DOCA refuses; {@link DocaError#CONNECTION_ABORTED} or {@link DocaError#TIME_OUT} if
         *     the time is up
         * @throws IllegalStateException if called from the loop's thread, or if the device is closed
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
