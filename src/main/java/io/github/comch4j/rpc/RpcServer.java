package io.github.comch4j.rpc;

import io.github.comch4j.comch.ComchConnection;
import io.github.comch4j.comch.ComchServer;
import io.github.comch4j.core.ContextState;
import io.github.comch4j.core.Device;
import io.github.comch4j.core.EventLoop;
import io.github.comch4j.core.Representor;
import io.github.comch4j.internal.handover.HandOver;
import io.github.comch4j.internal.life.OneUse;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
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

    /** So many of the longest bodies may be on their way from one client at a time, and to it. */
    private static final int BODIES = 4;

    /** How a method is answered: by one of the two handlers. */
    record Method(
            @Nullable RpcHandler direct,
            @Nullable Executor executor,
            @Nullable AsyncRpcHandler async) {}

    private final EventLoop loop;
    private final Map<Integer, Method> methods;
    private final int maxInFlight;
    private final int maxBody;
    private final LargeBodies.@Nullable Settings largeBodies;
    private final HandOver<Outgoing> added = new HandOver<>();
    private final Runnable drain = this::drain;
    private final ArrayDeque<ServerConnection> touched = new ArrayDeque<>(); // in the loop, as the next one
    private final Set<ServerConnection> open = new HashSet<>();
    private final ComchServer server;

    private RpcServer(Builder settings) {
        this.loop = settings.loop;
        this.methods = Map.copyOf(settings.methods);
        this.maxInFlight = settings.maxInFlight;
        this.maxBody = settings.maxBody;
        this.largeBodies = LargeBodies.Settings.of(loop, settings.device, settings.largeBodies);
        this.server = loop.call(() -> settings.apply(
                        ComchServer.builder(loop.engine(), settings.device, settings.representor, settings.name))
                .onMessage((connection, message) -> {
                    if (!of(connection).message(message)) {
                        closeSoon(connection); // no client of this kind
                    }
                })
                .onConsumer((connection, consumer, now) -> of(connection).consumerKnown())
                .onRoom(connection -> of(connection).flush())
                .onDisconnected(this::ended)
                .onStateChanged((endpoint, before, now) -> {
                    if (now == ContextState.IDLE) {
                        // no handler runs for connections that end with their server, or with the loop
                        List.copyOf(open).forEach(ServerConnection::end);
                        open.clear();
                    }
                })
                .start());
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

    @Nullable
    Method method(int number) {
        return methods.get(number);
    }

    int maxInFlight() {
        return maxInFlight;
    }

    int maxBody() {
        return maxBody;
    }

    /** Null if no body takes the fast path. */
    LargeBodies.@Nullable Settings largeBodies() {
        return largeBodies;
    }

    /** How many bytes of bodies may be on their way to or from one client. */
    long maxWaiting() {
        return (long) BODIES * maxBody;
    }

    private ServerConnection of(ComchConnection connection) {
        if (connection.attachment() instanceof ServerConnection known) {
            return known;
        }
        ServerConnection client = new ServerConnection(this, connection);
        open.add(client);
        connection.attach(client);
        return client;
    }

    private void ended(ComchConnection connection) {
        ServerConnection client = of(connection);
        open.remove(client);
        client.end();
    }

    /** Ends a connection, not here: this may be a handler. */
    void closeSoon(ComchConnection connection) {
        try {
            loop.execute(() -> disconnect(connection));
        } catch (RejectedExecutionException e) {
            // the loop is closed, and with it all connections
        }
    }

    private void disconnect(ComchConnection connection) {
        connection.disconnect();
        ended(connection);
    }

    /** A handler has answered later. Any thread. */
    void add(Reply reply) {
        if (added.add(reply)) {
            try {
                loop.execute(drain);
            } catch (RejectedExecutionException e) {
                // the loop is closed, and with it all connections
            }
        }
    }

    private void drain() {
        for (Outgoing next = added.takeAll(); next != null; next = next.next()) {
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
     * Closes the server and its connections; what their clients wait for fails. The second call does nothing.
     *
     * @throws io.github.comch4j.DocaException if it does not end in time
     */
    @Override
    public void close() {
        server.close();
    }

    /**
     * For logs.
     *
     * @return its name
     */
    @Override
    public String toString() {
        return "calls at " + server;
    }

    static int checkInFlight(int calls) {
        if (calls < 1 || calls > MOST_IN_FLIGHT) {
            throw new IllegalArgumentException("maxInFlight " + calls + " is not 1 to " + MOST_IN_FLIGHT);
        }
        return calls;
    }

    static int checkLarge(int longerThan) {
        if (longerThan < 0) {
            throw new IllegalArgumentException("largeBodies of more than " + longerThan + " bytes");
        }
        return longerThan;
    }

    static int positive(String setting, int value) {
        if (value < 1) {
            throw new IllegalArgumentException(setting + " " + value + " is less than 1");
        }
        return value;
    }

    /**
     * Settings of a server. Not thread safe; can be used once, also if DOCA refuses: afterwards every call throws
     * {@link IllegalStateException}.
     */
    public static final class Builder {
        private final EventLoop loop;
        private final Device device;
        private final Representor representor;
        private final String name;
        private final OneUse use;
        private final Map<Integer, Method> methods = new HashMap<>();
        private int maxInFlight = DEFAULT_IN_FLIGHT;
        private int maxBody = DEFAULT_BODY;
        private int largeBodies = -1; // none
        private int sendTasks; // 0: the default

        private Builder(EventLoop loop, Device device, Representor representor, String name) {
            this.loop = Objects.requireNonNull(loop, "loop");
            this.device = Objects.requireNonNull(device, "device");
            this.representor = Objects.requireNonNull(representor, "representor");
            this.name = Objects.requireNonNull(name, "name");
            this.use = new OneUse("RpcServer.Builder of \"" + name + "\"");
        }

        /**
         * Has a method answered in the loop, which is quickest, and not for handlers that block.
         *
         * @param method its number
         * @param handler the handler
         * @return this
         */
        public Builder method(int method, RpcHandler handler) {
            return put(method, new Method(Objects.requireNonNull(handler), null, null));
        }

        /**
         * Has a method answered on an executor, such as one of virtual threads; requests that are late by then are not
         * handled any more.
         *
         * @param method its number
         * @param executor what runs the handler; if it rejects, the client gets {@link RpcException.Kind#BUSY}
         * @param handler the handler
         * @return this
         */
        public Builder method(int method, Executor executor, RpcHandler handler) {
            return put(
                    method,
                    new Method(Objects.requireNonNull(handler), Objects.requireNonNull(executor, "executor"), null));
        }

        /**
         * Has a method answered later.
         *
         * @param method its number
         * @param handler the handler
         * @return this
         */
        public Builder asyncMethod(int method, AsyncRpcHandler handler) {
            return put(method, new Method(null, null, Objects.requireNonNull(handler)));
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
            use.check();
            maxBody = positive("maxBody", bytes);
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
            use.check();
            largeBodies = checkLarge(longerThan);
            return this;
        }

        /**
         * How many messages to all clients together can be on their way at a time. Default: 256.
         *
         * @param tasks 1 to {@link io.github.comch4j.comch.Capabilities#maxSendTasks()}
         * @return this
         * @throws IllegalArgumentException if it is less than 1
         */
        public Builder sendTasks(int tasks) {
            use.check();
            sendTasks = positive("sendTasks", tasks);
            return this;
        }

        /**
         * Starts the server; clients can connect from now on.
         *
         * @return the server, running
         * @throws io.github.comch4j.DocaException if DOCA refuses
         * @throws IllegalStateException if the thread is interrupted
         */
        public RpcServer start() {
            use.begin();
            return new RpcServer(this);
        }

        private ComchServer.Builder apply(ComchServer.Builder endpoint) {
            return sendTasks == 0 ? endpoint : endpoint.sendTasks(sendTasks);
        }
    }
}
