package io.github.comch4j.rpc;

import io.github.comch4j.WaitInterruptedException;
import io.github.comch4j.comch.ComchConnection;
import io.github.comch4j.comch.ComchServer;
import io.github.comch4j.core.ContextState;
import io.github.comch4j.core.Device;
import io.github.comch4j.core.EventLoop;
import io.github.comch4j.core.Representor;
import io.github.comch4j.internal.failure.Failures;
import io.github.comch4j.internal.life.Nanos;
import io.github.comch4j.internal.life.OneUse;
import io.github.comch4j.internal.observe.CallCounts;
import io.github.comch4j.internal.observe.Counter;
import io.github.comch4j.internal.observe.LiveObjects;
import io.github.comch4j.internal.observe.Log;
import io.github.comch4j.link.Loops;
import io.github.comch4j.link.MpscQueue;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.StringJoiner;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Answers the calls of {@link RpcClient}s. A method is a number with a handler. The handler runs in the loop or on an
 * executor, or it runs in the loop and completes its answer later.
 *
 * {@snippet file="RpcExample.java" region="server"}
 *
 * <p>Handlers get the requests of one client in the order in which the requests have arrived completely. The server
 * sends each response as soon as it is ready.
 */
public final class RpcServer implements AutoCloseable {
    static final int DEFAULT_IN_FLIGHT = 1024;
    static final int DEFAULT_BODY = 16 << 20;
    private static final int MOST_IN_FLIGHT = 1 << 20;
    private static final long LOOK = 100_000_000; // ns
    private static final long SILENCE = 5_000_000_000L; // ns: as long as closing waits for a client that takes nothing

    /** So many of the longest bodies may be on their way from one client at a time, and to it. */
    private static final int BODIES = 4;

    /** How a method is answered: by one of the two handlers. */
    record Method(
            @Nullable RpcHandler direct,
            @Nullable Executor executor,
            @Nullable Function<? super RpcRequest, ? extends CompletionStage<byte[]>> async,
            boolean interruptible) {
        /** Whether it is answered in the loop, at once. */
        boolean isDirect() {
            return direct != null && executor == null;
        }
    }

    private final EventLoop loop;
    final Map<Integer, Method> methods;
    final int maxInFlight;
    final int maxBody;
    final long maxWaiting; // bytes of bodies that may be on their way to or from one client
    final LargeBodies.@Nullable Settings largeBodies; // null: no body takes the fast path
    private final MpscQueue<OutgoingFrame> added = new MpscQueue<>();
    private final Runnable drain = this::drain;
    private final ArrayDeque<ServerConnection> touched = new ArrayDeque<>(); // in the loop, as the next one
    private final Set<ServerConnection> open = new HashSet<>();
    private final Counter inFlight = new Counter();
    final CallCounts counts;
    final LoopWatch watch;
    private final CountDownLatch terminated = new CountDownLatch(1);
    private volatile String waitedFor = ""; // those whose end is waited for
    private volatile boolean onlySilent; // all of them are
    boolean shuttingDown; // in the loop
    private final ComchServer server;

    private RpcServer(Builder settings, Duration patience) {
        this.loop = settings.loop;
        this.methods = Map.copyOf(settings.methods);
        this.maxInFlight = settings.maxInFlight;
        this.maxBody = settings.maxBody;
        this.maxWaiting = (long) BODIES * maxBody;
        this.largeBodies = LargeBodies.Settings.of(loop, settings.device, settings.largeBodies);
        this.counts = new CallCounts(
                "RpcServer", "calls at \"" + settings.name + "\"", settings.name, () -> (int) inFlight.get());
        this.watch = new LoopWatch(counts.name(), settings.slowHandler);
        this.server = loop.call(() -> settings.server
                .maxMessageSize(Frames.messageSize(settings.device))
                .onMessage((connection, message) -> {
                    if (!of(connection).message(message)) {
                        closeSoon(connection); // no client of this kind
                    }
                })
                .onConnected(this::connected)
                .onConsumer((connection, consumer) -> of(connection).consumerKnown())
                .onWritable(connection -> of(connection).flush())
                .onDisconnected(this::ended)
                .onStateChanged((endpoint, now) -> {
                    if (now == ContextState.IDLE) {
                        // no handler runs for connections that end with their server, or with the loop
                        List.copyOf(open).forEach(ServerConnection::end);
                        open.clear();
                        ended();
                    }
                })
                .start(patience));
        LiveObjects.add(counts);
    }

    /**
     * Creates a builder for a server.
     *
     * @param loop the loop that does the work
     * @param device the DPU's device
     * @param representor the host function to serve
     * @param name the name to which clients connect
     * @return the builder
     */
    public static Builder builder(EventLoop loop, Device device, Representor representor, String name) {
        return new Builder(loop, device, representor, name);
    }

    private void connected(ComchConnection connection) {
        ServerConnection client = new ServerConnection(this, connection);
        open.add(client);
        connection.attach(client);
        if (shuttingDown) {
            client.sayGoodbye();
        }
    }

    private static ServerConnection of(ComchConnection connection) {
        return (ServerConnection) Objects.requireNonNull(connection.attachment());
    }

    private void ended(ComchConnection connection) {
        ServerConnection client = of(connection);
        open.remove(client);
        client.end();
        endIfDone();
    }

    private void ended() {
        LiveObjects.remove(counts);
        terminated.countDown();
    }

    // ---- what connections tell, in the loop

    void requestBegins() {
        counts.begun();
        inFlight.increment();
    }

    void requestsEnd(int number) {
        inFlight.add(-number);
    }

    /** Counts how a request has ended, which may not have begun. */
    void count(Reply reply) {
        CallCounts.End end = reply.end();
        if (end != null) {
            counts.end(end);
        } else if (reply.request() != null) {
            counts.answered(watch.now() - reply.request().begin());
        }
    }

    /** Looks whether there is nothing left to do. */
    void endIfDone() {
        if (shuttingDown && open.stream().allMatch(ServerConnection::isDone)) {
            terminated.countDown();
        }
    }

    /** Ends a connection, not here: this may be a handler. */
    void closeSoon(ComchConnection connection) {
        var _ = Loops.execute(loop, () -> {
            connection.disconnect();
            ended(connection);
        });
    }

    /** A handler has answered later. Any thread. */
    void add(Reply reply) {
        if (added.add(reply)) {
            var _ = Loops.execute(loop, drain);
        }
    }

    private void drain() {
        watch.begin();
        for (OutgoingFrame next = added.takeAll(); next != null; next = next.next()) {
            Reply reply = (Reply) next;
            ServerConnection client = reply.connection;
            client.replyLater(reply);
            if (!client.flushSoon) {
                client.flushSoon = true;
                touched.add(client);
            }
        }
        for (ServerConnection client = touched.poll(); client != null; client = touched.poll()) {
            client.flushSoon = false;
            client.flush();
        }
    }

    /**
     * Returns the Comch server, for everything that this class does not offer. Use it only in the loop. The attachments
     * of its connections belong to this class.
     *
     * @return the server
     */
    public ComchServer server() {
        return server;
    }

    /**
     * Stops accepting calls, and lets the calls in progress end. Clients are notified: an {@link RpcClient} sends no
     * more calls on these connections. The server refuses calls that are already on their way with
     * {@link RpcException.Kind#UNAVAILABLE}. Such a call fails as one that never ran, or
     * {@linkplain RpcClient.Builder#waitForReady waits} for the next server. Connections stay open until
     * {@link #close()}. Any thread may call this method, which does not wait. Calling it again does nothing.
     */
    public void shutdown() {
        var _ = Loops.execute(loop, () -> {
            if (!shuttingDown) {
                shuttingDown = true;
                open.forEach(ServerConnection::sayGoodbye);
                endIfDone();
            }
        });
    }

    /**
     * Waits until all calls have ended after a {@link #shutdown()}. All calls have ended when the server has sent their
     * responses, and each client has confirmed that it has received them and sends no more calls.
     *
     * <p>The server stops waiting for a client that neither receives nor sends anything for five seconds while none of
     * its calls is running; the process of such a client may be suspended. If only such clients are left, this method
     * returns false. The server logs these clients at level WARNING.
     *
     * @param timeout the longest time to wait
     * @return true if all calls have ended, or the server is closed; if false, {@link #close()} ends the remaining
     *     calls
     * @throws IllegalStateException if called from the loop's thread
     * @throws WaitInterruptedException if the thread is interrupted
     */
    public boolean awaitTermination(Duration timeout) {
        Loops.checkNotIn(loop);
        try {
            long deadline = Nanos.deadline(timeout);
            onlySilent = false; // looked at anew
            while (!terminated.await(Math.min(deadline - System.nanoTime(), LOOK), TimeUnit.NANOSECONDS)) {
                if (onlySilent || System.nanoTime() - deadline >= 0) {
                    nameWaitedFor();
                    return false;
                }
                lookForSilent();
            }
            return true;
        } catch (InterruptedException e) {
            throw Failures.interrupted("waiting for the end of " + counts.name());
        }
    }

    private void lookForSilent() {
        var _ = Loops.execute(loop, () -> {
            long now = System.nanoTime();
            StringJoiner left = new StringJoiner(", ");
            int talking = 0;
            for (ServerConnection client : open) {
                if (!client.isDone()) {
                    left.add(client.connection().toString());
                    talking += client.isSilent(now, SILENCE) ? 0 : 1;
                }
            }
            waitedFor = left.toString();
            onlySilent = shuttingDown && left.length() > 0 && talking == 0;
        });
    }

    private void nameWaitedFor() {
        if (!waitedFor.isEmpty()) {
            Log.logger()
                    .log(
                            System.Logger.Level.WARNING,
                            counts.name() + " still waits for " + waitedFor
                                    + (onlySilent ? "; these processes may be stopped" : ""));
        }
    }

    /**
     * Closes the server and its connections; the calls in progress fail at their clients. To let calls end first, call
     * {@link #shutdown()} and {@link #awaitTermination} before. Calling it again does nothing.
     *
     * @throws io.github.comch4j.DocaException if the server does not close in time
     */
    @Override
    public void close() {
        server.close();
        ended();
    }

    /**
     * Returns a description of this server, for logs.
     *
     * @return its name, and the number of calls by how they ended
     */
    @Override
    public String toString() {
        return counts.toString();
    }

    static int checkInFlight(int calls) {
        if (calls < 1 || calls > MOST_IN_FLIGHT) {
            throw new IllegalArgumentException("maxInFlight must be 1 to " + MOST_IN_FLIGHT + ", not " + calls);
        }
        return calls;
    }

    /**
     * Builds a server. Not thread-safe. A builder can be used only once, even if DOCA refuses: afterwards every call
     * throws {@link IllegalStateException}.
     */
    public static final class Builder {
        private static final Executor VIRTUAL_THREADS =
                task -> Thread.ofVirtual().name("comch4j-call").start(task);

        private final EventLoop loop;
        private final Device device;
        private final String name;
        private final ComchServer.Builder server;
        private final OneUse use;
        private final Map<Integer, Method> methods = new HashMap<>();
        private int maxInFlight = DEFAULT_IN_FLIGHT;
        private int maxBody = DEFAULT_BODY;
        private int largeBodies = -1; // none
        private long slowHandler = 50_000_000;

        private Builder(EventLoop loop, Device device, Representor representor, String name) {
            this.loop = Objects.requireNonNull(loop, "loop");
            this.device = Objects.requireNonNull(device, "device");
            this.name = Objects.requireNonNull(name, "name");
            this.server = ComchServer.builder(loop.engine(), device, representor, name);
            this.use = new OneUse("RpcServer.Builder of \"" + name + "\"");
        }

        /**
         * Adds a method whose handler runs in the loop. While the handler runs, the loop serves no other call and does
         * nothing else, so the handler must not block. This is the fastest kind of method. Use {@link #blocking} for
         * all other handlers.
         *
         * @param method the number of the method
         * @param handler the handler, which must not block
         * @return this
         * @throws IllegalArgumentException if the method already has a handler
         */
        public Builder method(int method, RpcHandler handler) {
            return put(method, new Method(Objects.requireNonNull(handler), null, null, false));
        }

        /**
         * Adds a method whose handler may block. Each call runs in a virtual thread of its own, which is not
         * interrupted: see {@link RpcRequest#isWanted()}.
         *
         * @param method the number of the method
         * @param handler the handler
         * @return this
         * @throws IllegalArgumentException if the method already has a handler
         */
        public Builder blocking(int method, RpcHandler handler) {
            return method(method, VIRTUAL_THREADS, handler);
        }

        /**
         * Adds a method whose handler runs on an executor and may block. The server drops a request whose time has run
         * out before the handler begins. A running handler is not interrupted when its client stops waiting; it can
         * check {@link RpcRequest#isWanted()} or set an action with {@link RpcRequest#onCancelled}.
         *
         * @param method the number of the method
         * @param executor runs the handler; if it rejects the task, the client gets {@link RpcException.Kind#BUSY}
         * @param handler the handler
         * @return this
         * @throws IllegalArgumentException if the method already has a handler
         */
        public Builder method(int method, Executor executor, RpcHandler handler) {
            return put(method, executor, handler, false);
        }

        /**
         * Adds a method as {@link #method(int, Executor, RpcHandler)} does, but interrupts the handler's thread when
         * its client stops waiting.
         *
         * <p><b>Use this only if an interrupt of the handler breaks nothing that other calls share.</b> An interrupt
         * closes the {@link java.nio.channels.FileChannel} or {@link java.nio.channels.SocketChannel} that the thread
         * is using, for all threads that share it: every other call then loses a shared journal, for example. An
         * interrupt also ends everything else that the thread waits for, possibly half done.
         *
         * @param method the number of the method
         * @param executor runs the handler; if it rejects the task, the client gets {@link RpcException.Kind#BUSY}
         * @param handler the handler
         * @return this
         * @throws IllegalArgumentException if the method already has a handler
         */
        public Builder interruptible(int method, Executor executor, RpcHandler handler) {
            return put(method, executor, handler, true);
        }

        private Builder put(int method, Executor executor, RpcHandler handler, boolean interruptible) {
            Objects.requireNonNull(handler);
            Objects.requireNonNull(executor, "executor");
            return put(method, new Method(handler, executor, null, interruptible));
        }

        /**
         * Adds a method whose handler completes its answer later. The handler begins to answer a call, in the loop, and
         * returns a stage that any thread completes with the response, which must not be changed afterwards. If the
         * handler throws an exception, or the stage fails, the client gets an {@link RpcException} of kind
         * {@link RpcException.Kind#FAILED} with the text of the failure.
         *
         * @param method the number of the method
         * @param handler the handler, which must not block
         * @return this
         * @throws IllegalArgumentException if the method already has a handler
         */
        public Builder asyncMethod(
                int method, Function<? super RpcRequest, ? extends CompletionStage<byte[]>> handler) {
            return put(method, new Method(null, null, Objects.requireNonNull(handler), false));
        }

        private Builder put(int method, Method how) {
            use.check();
            if (methods.putIfAbsent(method, how) != null) {
                throw new IllegalArgumentException("method " + method + " already has a handler");
            }
            return this;
        }

        /**
         * Sets how many requests of one client can be in flight. A request is in flight from its arrival until its
         * response is on its way. A client that exceeds the limit gets {@link RpcException.Kind#BUSY}. Default: 1024.
         *
         * @param requests 1 to 1048576
         * @return this
         * @throws IllegalArgumentException if the number is out of range
         */
        public Builder maxInFlight(int requests) {
            use.check();
            maxInFlight = checkInFlight(requests);
            return this;
        }

        /**
         * Sets the maximum length of a request or response. Default: 16 MiB. The requests of one client that are
         * arriving can have four times as many bytes together. A client that exceeds this, or for which that many bytes
         * of responses wait, gets {@link RpcException.Kind#BUSY}.
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
         * Sends responses longer than a given length over the fast path, to clients with
         * {@linkplain RpcClient.Builder#largeBodies the same setting}. These clients also send their long requests over
         * the fast path. The server registers 2 MiB of memory for each such client. By default it therefore has no fast
         * path.
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
         * Sets how many messages to all clients together can be in flight at a time. Default: 512.
         *
         * @param tasks 1 to {@link io.github.comch4j.comch.Capabilities#maxSendTasks()}
         * @return this
         * @throws IllegalArgumentException if it is less than 1
         */
        public Builder sendTasks(int tasks) {
            use.check();
            server.sendTasks(tasks);
            return this;
        }

        /**
         * Sets how long a handler can hold the loop before the server reports it. The server logs a warning once for
         * each such method, and each time records an event of the flight recorder. Default: 50 ms.
         *
         * @param limit the longest time without a report
         * @return this
         */
        public Builder slowHandler(Duration limit) {
            use.check();
            slowHandler = Nanos.of(limit);
            return this;
        }

        /**
         * Logs a warning about a client that does not read, as {@link ComchServer.Builder#warnIfStalled} does.
         *
         * @param time how long a client does not read before the warning
         * @return this
         * @throws IllegalArgumentException if it is negative
         */
        public Builder warnIfStalled(Duration time) {
            use.check();
            server.warnIfStalled(time);
            return this;
        }

        /**
         * Ends the connection of a client that does not read, as {@link ComchServer.Builder#disconnectIfStalled} does.
         * The client's calls fail as they do whenever its connection ends.
         *
         * @param time how long a client does not read before the server ends its connection
         * @return this
         * @throws IllegalArgumentException if it is negative
         * @throws io.github.comch4j.MissingFunctionException with DOCA 2.5 and 2.6
         */
        public Builder disconnectIfStalled(Duration time) {
            use.check();
            server.disconnectIfStalled(time);
            return this;
        }

        /**
         * Starts the server. Clients can connect from now on.
         *
         * @return the server, running
         * @throws io.github.comch4j.DocaException if DOCA refuses
         * @throws WaitInterruptedException if the thread is interrupted
         */
        public RpcServer start() {
            return start(Duration.ZERO);
        }

        /**
         * Starts the server as {@link #start()} does, but waits while another server has the name, as
         * {@link ComchServer.Builder#start(Duration)} does. Use it for a service that restarts while its predecessor is
         * still ending. In the meantime the loop serves its other endpoints, but runs no tasks.
         *
         * @param patience the longest time to wait; zero does not wait
         * @return the server, running
         * @throws io.github.comch4j.comch.NameTakenException if the name is known to be taken still when the time is up
         * @throws io.github.comch4j.DocaException if DOCA refuses
         * @throws WaitInterruptedException if the thread is interrupted
         */
        public RpcServer start(Duration patience) {
            use.begin();
            return new RpcServer(this, Objects.requireNonNull(patience, "patience"));
        }
    }
}
