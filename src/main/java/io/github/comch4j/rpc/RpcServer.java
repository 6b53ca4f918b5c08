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
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Answers the calls of {@link RpcClient}s. A method is a number with a handler, which runs in the loop, on an executor,
 * or in the loop with an answer that comes later.
 *
 * {@snippet file="RpcExample.java" region="server"}
 *
 * <p>Requests of one client reach handlers in the order in which they are complete; responses go out as they come.
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
            @Nullable AsyncRpcHandler async,
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
                .onConsumer((connection, consumer, now) -> of(connection).consumerKnown())
                .onWritable(connection -> of(connection).flush())
                .onDisconnected(this::ended)
                .onStateChanged((endpoint, before, now) -> {
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
     * Begins the settings of a server.
     *
     * @param loop the loop that does the work
     * @param device the DPU's device
     * @param representor the host function to serve
     * @param name what clients ask for
     * @return the settings
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
     * The server, for all else that it has: to be used in the loop only. The attachments of its connections belong to
     * this class.
     *
     * @return the server
     */
    public ComchServer server() {
        return server;
    }

    /**
     * Takes no more calls, and lets those end that it has. Clients notice: {@link RpcClient} sends no more calls on
     * these connections, and what is on its way is refused with {@link RpcException.Kind#UNAVAILABLE}; such calls fail
     * as never run, or {@linkplain RpcClient.Builder#waitForReady wait} for the next server. Connections go on until
     * {@link #close()}. Any thread; does not wait. The second call does nothing.
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
     * Waits until the calls have ended after a {@link #shutdown()}: their responses have gone out, and each client has
     * said that it has got them and sends no more.
     *
     * <p>A client that takes nothing and says nothing for five seconds, though none of its calls runs any more, is not
     * waited for any longer: its process stands still, perhaps. When only such clients are left, the wait ends without
     * success. The log names those that were waited for in vain, at level WARNING.
     *
     * @param timeout how long to wait
     * @return whether they have ended, or the server is closed; if not, {@link #close()} ends them
     * @throws IllegalStateException in the loop itself
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
                            counts.name() + " is not done with " + waitedFor
                                    + (onlySilent ? ", whose processes stand still, perhaps" : ""));
        }
    }

    /**
     * Closes the server and its connections; what their clients wait for fails. {@link #shutdown()} and
     * {@link #awaitTermination} before it let calls end. The second call does nothing.
     *
     * @throws io.github.comch4j.DocaException if it does not end in time
     */
    @Override
    public void close() {
        server.close();
        ended();
    }

    /**
     * For logs.
     *
     * @return its name, and how many calls there have been, by their ends
     */
    @Override
    public String toString() {
        return counts.toString();
    }

    static int checkInFlight(int calls) {
        if (calls < 1 || calls > MOST_IN_FLIGHT) {
            throw new IllegalArgumentException("maxInFlight " + calls + " is not 1 to " + MOST_IN_FLIGHT);
        }
        return calls;
    }

    /**
     * Settings of a server. Not thread safe; can be used once, also if DOCA refuses: afterwards every call throws
     * {@link IllegalStateException}.
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
         * Has a method answered in the loop by a handler that must not block: while it runs, no other call is served,
         * and nothing else of the loop either. This is the quickest way. {@link #blocking} is for all other handlers.
         *
         * @param method its number
         * @param handler the handler, which must not block
         * @return this
         * @throws IllegalArgumentException if the method has a handler already
         */
        public Builder method(int method, RpcHandler handler) {
            return put(method, new Method(Objects.requireNonNull(handler), null, null, false));
        }

        /**
         * Has a method answered by a handler that may block, each call in a virtual thread of its own, which is not
         * interrupted: see {@link RpcRequest#isWanted()}.
         *
         * @param method its number
         * @param handler the handler
         * @return this
         * @throws IllegalArgumentException if the method has a handler already
         */
        public Builder blocking(int method, RpcHandler handler) {
            return method(method, VIRTUAL_THREADS, handler);
        }

        /**
         * Has a method answered on an executor by a handler that may block; requests that are late by then are not
         * handled any more. A handler that runs is not interrupted when its client does not wait any more: it asks
         * {@link RpcRequest#isWanted()}, or has {@link RpcRequest#onCancelled} told.
         *
         * @param method its number
         * @param executor what runs the handler; if it rejects, the client gets {@link RpcException.Kind#BUSY}
         * @param handler the handler
         * @return this
         * @throws IllegalArgumentException if the method has a handler already
         */
        public Builder method(int method, Executor executor, RpcHandler handler) {
            return put(method, executor, handler, false);
        }

        /**
         * As {@link #method(int, Executor, RpcHandler)}, and the handler's thread is interrupted when its client does
         * not wait any more.
         *
         * <p><b>Only for handlers that use nothing which an interrupt breaks for others.</b> An interrupt closes the
         * {@link java.nio.channels.FileChannel} or {@link java.nio.channels.SocketChannel} that the thread is using,
         * for all threads that share it: a journal is lost to every other call. It also ends whatever else the thread
         * waits for, half done perhaps.
         *
         * @param method its number
         * @param executor what runs the handler; if it rejects, the client gets {@link RpcException.Kind#BUSY}
         * @param handler the handler
         * @return this
         * @throws IllegalArgumentException if the method has a handler already
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
         * Has a method answered later.
         *
         * @param method its number
         * @param handler the handler, which must not block
         * @return this
         * @throws IllegalArgumentException if the method has a handler already
         */
        public Builder asyncMethod(int method, AsyncRpcHandler handler) {
            return put(method, new Method(null, null, Objects.requireNonNull(handler), false));
        }

        private Builder put(int method, Method how) {
            use.check();
            if (methods.putIfAbsent(method, how) != null) {
                throw new IllegalArgumentException("method " + method + " has a handler already");
            }
            return this;
        }

        /**
         * How many requests of one client may be in flight: from their arrival until the response is on its way. A
         * client that has more gets {@link RpcException.Kind#BUSY}. Default: 1024.
         *
         * @param requests 1 to 1048576
         * @return this
         * @throws IllegalArgumentException if it is out of range
         */
        public Builder maxInFlight(int requests) {
            use.check();
            maxInFlight = checkInFlight(requests);
            return this;
        }

        /**
         * How long requests and responses may be. Default: 16 MiB. Of one client, four times as many bytes of requests
         * may be arriving at a time; and while as many bytes of responses wait for it, its requests are not handled.
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
         * Responses that are longer than this go over the fast path, to clients with
         * {@linkplain RpcClient.Builder#largeBodies the same setting}, whose long requests come so, too. For each such
         * client the server registers 2 MiB of memory; hence, by default, there is no fast path.
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
         * How many messages to all clients together can be on their way at a time. Default: 512.
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
         * Handlers that hold the loop for longer are named in a warning, each method once, and in an event of the
         * flight recorder, each time. Default: 50 ms.
         *
         * @param limit how long they may
         * @return this
         */
        public Builder slowHandler(Duration limit) {
            use.check();
            slowHandler = Nanos.of(limit);
            return this;
        }

        /**
         * As {@link ComchServer.Builder#warnIfStalled}.
         *
         * @param time after how long a client that does not read is named in a warning
         * @return this
         * @throws IllegalArgumentException if it is negative
         */
        public Builder warnIfStalled(Duration time) {
            use.check();
            server.warnIfStalled(time);
            return this;
        }

        /**
         * As {@link ComchServer.Builder#disconnectIfStalled}: the calls of the client fail as they do when
         * its connection ends.
         *
         * @param time after how long the connection of a client that does not read is ended
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
         * Starts the server; clients can connect from now on.
         *
         * @return the server, running
         * @throws io.github.comch4j.DocaException if DOCA refuses
         * @throws WaitInterruptedException if the thread is interrupted
         */
        public RpcServer start() {
            return start(Duration.ZERO);
        }

        /**
         * As {@link #start()}, and waits while another server has the name, as
         * {@link ComchServer.Builder#start(Duration)} does: for a service that is started again while its predecessor
         * ends. The loop serves what else it has meanwhile, but takes no tasks.
         *
         * @param patience how long at most; zero: not at all
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
