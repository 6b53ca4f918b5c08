package io.github.comch4j.rpc;

import io.github.comch4j.DocaError;
import io.github.comch4j.DocaException;
import io.github.comch4j.comch.ComchClient;
import io.github.comch4j.core.Device;
import io.github.comch4j.core.EventLoop;
import io.github.comch4j.internal.connect.Connector;
import io.github.comch4j.internal.failure.Rethrow;
import io.github.comch4j.internal.life.Caller;
import io.github.comch4j.internal.life.Nanos;
import io.github.comch4j.internal.life.OneUse;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;

/**
 * Calls methods of an {@link RpcServer} over one connection. Any number of threads, also virtual ones; the work is done
 * by an {@link EventLoop}, and many calls travel in one message.
 *
 * {@snippet file="RpcExample.java" region="client"}
 *
 * <p>A call ends with the server's response; with an {@link RpcException}; or, when the connection has ended, with
 * {@link io.github.comch4j.comch.ConnectionClosedException}: then its handler may have run or not. No call is ever sent
 * twice. A client that {@linkplain Builder#reconnect reconnects} goes on with the next call once it is connected again.
 */
// More than 400 lines because of the Javadoc of the settings; CallTable and ClientLink do the work.
public final class RpcClient implements AutoCloseable {
    /** Whether calls can be made. */
    public enum State {
        /** There is a connection. */
        CONNECTED,
        /** The connection has ended; there may be another one. */
        DISCONNECTED,
        /** The client was closed. */
        CLOSED
    }

    private final EventLoop loop;
    private final String description;
    private final long timeout;
    private final int maxBody;
    private final int maxInFlight;
    private final Semaphore permits;
    private final BiConsumer<RpcClient, State> onState;
    private final ClientLink link;
    private volatile State state = State.DISCONNECTED;

    private RpcClient(Builder settings) {
        this.loop = settings.loop;
        this.description = "calls to \"" + settings.name + "\" from " + settings.device;
        this.timeout = settings.timeout;
        this.maxBody = settings.maxBody;
        this.maxInFlight = settings.maxInFlight;
        this.permits = new Semaphore(maxInFlight);
        this.onState = settings.onState;
        this.link = new ClientLink(this, settings);
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

    /** In the loop. */
    void changed(State now) {
        if (state != State.CLOSED && state != now) {
            state = now;
            onState.accept(this, now);
        }
    }

    /**
     * Whether calls can be made. Any thread may ask.
     *
     * @return the state as the loop knows it
     */
    public State state() {
        return state;
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
     * Calls a method and waits for its response, for the client's usual {@linkplain Builder#timeout time}.
     *
     * @param method which method
     * @param request what it gets; must not be changed until this returns
     * @return the response
     */
    public byte[] call(int method, byte[] request) {
        return call(method, request, timeout);
    }

    /**
     * Calls a method and waits for its response; while {@linkplain Builder#maxInFlight too many} calls are in flight,
     * waits until there are fewer.
     *
     * @param method which method
     * @param request what it gets, at most {@link Builder#maxBody} bytes; must not be changed until this returns
     * @param timeout how long to wait
     * @return the response
     * @throws RpcException if the call failed, or there was no response in time
     * @throws io.github.comch4j.comch.ConnectionClosedException if the connection has ended, or ends meanwhile
     * @throws IllegalArgumentException if the request is too long
     * @throws IllegalStateException in the loop itself, or if the thread is interrupted: then the call is cancelled
     * @throws RejectedExecutionException if the loop is closed
     */
    public byte[] call(int method, byte[] request, Duration timeout) {
        return call(method, request, Nanos.of(timeout));
    }

    private byte[] call(int method, byte[] request, long nanos) {
        if (loop.isInLoop()) {
            throw new IllegalStateException("a call that waits, in the loop that it waits for");
        }
        checkLength(request);
        CallTable table = table();
        long left = acquire(method, nanos);
        Call call = Call.waiting(method, request, left);
        try {
            table.add(call);
            if (!call.await() && call.abandon()) {
                table.forget(call);
                throw new IllegalStateException("interrupted while waiting for a response");
            }
        } finally {
            permits.release();
            call.wakeOthers();
        }
        byte[] response = call.response();
        if (response == null) {
            throw Rethrow.asIs(Caller.addTo(Objects.requireNonNull(call.failure()), loop));
        }
        return response;
    }

    /** Waits until there are few enough calls; returns how much of the time is left. */
    private long acquire(int method, long nanos) {
        if (permits.tryAcquire()) {
            return nanos;
        }
        long since = System.nanoTime();
        try {
            if (!permits.tryAcquire(nanos, TimeUnit.NANOSECONDS)) {
                throw new RpcException(
                        RpcException.Kind.TIME_OUT,
                        "a call of method " + method + " was not begun within " + Duration.ofNanos(nanos) + ": "
                                + maxInFlight + " others are in flight");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while " + maxInFlight + " calls are in flight", e);
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
        return callAsync(method, request, timeout);
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
     *     call: the server is told. What depends on it must not block the loop.
     * @throws IllegalArgumentException if the request is too long
     */
    public CompletableFuture<byte[]> callAsync(int method, byte[] request, Duration timeout) {
        return callAsync(method, request, Nanos.of(timeout));
    }

    private CompletableFuture<byte[]> callAsync(int method, byte[] request, long nanos) {
        checkLength(request);
        CallTable table = table();
        Call call = Call.future(method, request, nanos);
        if (!permits.tryAcquire()) {
            call.fail(new RpcException(
                    RpcException.Kind.BUSY,
                    "a call of method " + method + " was not begun: " + maxInFlight + " others are in flight"));
            return call.future();
        }
        var _ = call.future().whenComplete((response, failure) -> {
            permits.release();
            if (call.abandon()) { // the program has cancelled or completed it
                table.forget(call);
            }
        });
        table.add(call);
        return call.future();
    }

    private CallTable table() {
        CallTable table = link.table();
        if (table == null) {
            throw new AssertionError("a client is handed out when it is connected");
        }
        return table;
    }

    private void checkLength(byte[] request) {
        if (request.length > maxBody) {
            throw new IllegalArgumentException("a request of " + request.length + " bytes: maxBody is " + maxBody);
        }
    }

    /**
     * Ends the connection; what is in flight fails. The second call does nothing.
     *
     * @throws IllegalStateException inside a callback of the loop's engine
     * @throws DocaException if it does not end in time
     */
    @Override
    public void close() {
        if (state == State.CLOSED || loop.isClosed()) {
            return;
        }
        loop.call(() -> {
            link.stop();
            changed(State.CLOSED);
            return null;
        });
    }

    /**
     * For logs.
     *
     * @return whose it is
     */
    @Override
    public String toString() {
        return description;
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
        Connector.BackOff backOff = Connector.BackOff.NEVER;
        private BiConsumer<RpcClient, State> onState = (client, state) -> {};

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
            use.check();
            maxBody = RpcServer.positive("maxBody", bytes);
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
            use.check();
            largeBodies = RpcServer.checkLarge(longerThan);
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
            use.check();
            sendTasks = RpcServer.positive("sendTasks", tasks);
            return this;
        }

        /**
         * When the connection has ended, the client connects again, as often as it takes. Calls in flight fail all the
         * same, as do calls made meanwhile; nothing is sent twice. Default: it does not.
         *
         * @param shortest how long to wait before the first attempt; each time twice as long
         * @param longest how long to wait at most
         * @return this
         * @throws IllegalArgumentException if a time is not positive, or {@code shortest} longer than {@code longest}
         */
        public Builder reconnect(Duration shortest, Duration longest) {
            use.check();
            backOff = Connector.BackOff.of(shortest, longest);
            return this;
        }

        /**
         * Called after each change of {@link RpcClient#state()}, beginning with the first connection.
         *
         * @param handler runs in the loop, and must not block it
         * @return this
         */
        public Builder onState(BiConsumer<RpcClient, State> handler) {
            use.check();
            onState = Objects.requireNonNull(handler);
            return this;
        }

        /**
         * Connects to the server, trying again while none of that name accepts.
         *
         * @param timeout how long to try
         * @return the client, connected
         * @throws DocaException if DOCA refuses; {@link DocaError#CONNECTION_ABORTED} or {@link DocaError#TIME_OUT} if
         *     the time is up
         * @throws IllegalStateException in the loop itself, if the thread is interrupted, or if the device is closed
         */
        public RpcClient connect(Duration timeout) {
            if (loop.isInLoop()) {
                throw new IllegalStateException("a call that waits, in the loop that it waits for");
            }
            Objects.requireNonNull(timeout, "timeout");
            use.begin();
            RpcClient client = new RpcClient(this);
            client.link.connect(timeout);
            return client;
        }

        ComchClient.Builder apply(ComchClient.Builder endpoint) {
            return sendTasks == 0 ? endpoint : endpoint.sendTasks(sendTasks);
        }
    }
}
