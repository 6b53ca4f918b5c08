package io.github.comch4j.comch;

import io.github.comch4j.DocaError;
import io.github.comch4j.DocaException;
import io.github.comch4j.SubmitResult;
import io.github.comch4j.core.ContextState;
import io.github.comch4j.core.Device;
import io.github.comch4j.core.ProgressEngine;
import io.github.comch4j.core.StateHandler;
import io.github.comch4j.internal.call.EndpointCalls;
import io.github.comch4j.internal.call.Pools;
import io.github.comch4j.internal.call.ServerCalls;
import io.github.comch4j.internal.failure.Failures;
import io.github.comch4j.internal.failure.Rethrow;
import io.github.comch4j.internal.life.Engine;
import io.github.comch4j.internal.life.OneUse;
import io.github.comch4j.internal.life.Resource;
import io.github.comch4j.internal.observe.Events;
import io.github.comch4j.internal.observe.LiveObjects;
import io.github.comch4j.internal.observe.Log;
import io.github.comch4j.internal.transport.CallMemory;
import io.github.comch4j.internal.transport.MessageSender;
import io.github.comch4j.internal.transport.ReceivedMemory;
import io.github.comch4j.transfer.CoreObjects;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * What servers and clients have in common: a name, an engine, connections, handlers.
 *
 * <p>All methods belong to the thread that owns the engine, unless they say otherwise.
 */
public abstract sealed class ControlPathEndpoint implements AutoCloseable permits ComchServer, ComchClient {
    final EndpointCalls calls;
    final EndpointContext context;
    final EndpointSettings settings;
    final MessageSends sends;
    final ReceivedMemory scratch;
    final CallMemory staging;
    private final ProgressEngine engine;
    private final Device device;
    private final String name;
    private final int maxMessageSize;
    private final int receiveQueueSize;
    private final Map<Long, ComchConnection> connections =
            new LinkedHashMap<>(); // by native pointer; engine thread only

    ControlPathEndpoint(
            Builder<?> builder, EndpointCalls calls, String description, MemorySegment created, Resource... owners) {
        this.calls = calls;
        this.engine = builder.engine;
        this.device = builder.device;
        this.name = builder.name;
        this.settings = builder.settings;
        this.context = new EndpointContext(this, description, owners);
        try {
            context.bind(created);
            String action = "configuring " + context.name();
            MessageSender sender = context.transport().messageSender(context, created, context.key(), calls);
            this.sends = new MessageSends(this, sender, calls instanceof ServerCalls);
            settings.apply(calls, created, sender, device, action);
            configureMore(created);
            this.maxMessageSize = calls.maxMessageSize(created, action);
            this.receiveQueueSize = calls.receiveQueueSize(created, action);
        } catch (RuntimeException | Error e) {
            context.closeAfter(e);
            throw e;
        }
        this.scratch = new ReceivedMemory(maxMessageSize);
        this.staging = context.engine().staging();
        staging.reserve(maxMessageSize);
    }

    final Device device() {
        return device;
    }

    /** Settings that only one of the two kinds has. */
    void configureMore(MemorySegment handle) {}

    /**
     * The name that the server serves and the client asks for. Any thread may ask.
     *
     * @return the name
     */
    public final String name() {
        return name;
    }

    /**
     * The engine it runs on. Any thread may ask.
     *
     * @return the engine that was given to the builder
     */
    public final ProgressEngine engine() {
        return engine;
    }

    /**
     * Its state ({@code doca_ctx_get_state}). Any thread may ask.
     *
     * @return the state that the last callback told
     */
    public final ContextState state() {
        return ContextState.of(context.state());
    }

    /**
     * The largest message that it sends or receives ({@code …_get_max_msg_size}); the peer may have a smaller limit,
     * then that counts.
     *
     * @return bytes
     */
    public final int maxMessageSize() {
        return maxMessageSize;
    }

    /**
     * How many messages can wait to be received ({@code …_get_recv_queue_size}); when it is full, senders wait.
     *
     * @return messages
     */
    public final int receiveQueueSize() {
        return receiveQueueSize;
    }

    /**
     * How many messages of all connections together can be on their way to be sent.
     *
     * @return the number of send tasks
     */
    public final int sendTasks() {
        return settings.sendTasks;
    }

    /**
     * How many messages are on their way to be sent now. Any thread may ask.
     *
     * @return accepted, and neither delivered nor failed
     */
    public final int inFlight() {
        return sends.inFlight();
    }

    /**
     * Whether it is closed. Any thread may ask.
     *
     * @return true from the beginning of closing
     */
    public final boolean isClosed() {
        return context.isClosed();
    }

    /**
     * Closes the producers and consumers of its connections, lets the messages go out that were accepted, tells the
     * peers, and waits until that is done ({@code doca_ctx_stop}, {@code …_destroy}). Inside a callback of the engine
     * it is done when the callback has returned. The second call does nothing.
     *
     * <p><b>Messages.</b> What was accepted before goes out, in order and before the end, also what
     * {@link ComchConnection#send} has queued in handlers. A server ends each connection as soon as its client has
     * got all. For a peer that takes nothing closing waits five seconds, once for all of them, and the emulated device
     * up to five more: what it has not taken by then is lost, and it sees no good end. A server names such clients in
     * one warning. What arrives is discarded.
     *
     * <p><b>Handlers.</b> From the beginning of closing, also when it is closed with its engine, device or event loop,
     * nothing is delivered to it and its connections: {@code onMessage}, {@code onConsumer}, {@code onConnected},
     * {@code onDisconnected}, {@code onRefused}, {@code onSendFailed} and {@code onWritable} do not run any more, and
     * what arrives meanwhile is discarded. {@link Builder#onStateChanged} still tells of STOPPING and IDLE. Handlers of
     * other contexts on the engine may run meanwhile.
     *
     * @throws WrongThreadException if another thread owns the engine, or that of a producer or consumer, and is no
     *     event loop's, which would be asked to close it
     * @throws DocaException if it does not end within {@link ProgressEngine#timeout()}; it is still open then
     */
    @Override
    public final void close() {
        context.close();
    }

    /**
     * For logs.
     *
     * @return what it is and its name
     */
    @Override
    public final String toString() {
        return context.name();
    }

    /** The live connections. */
    final Collection<ComchConnection> liveConnections() {
        return List.copyOf(connections.values());
    }

    /** Makes a native connection known. */
    final ComchConnection open(long address) {
        ComchConnection known = connections.get(address);
        if (known != null) {
            return known;
        }
        ComchConnection connection = new ComchConnection(this, address);
        connections.put(address, connection);
        LiveObjects.add(connection);
        return connection;
    }

    /** The connection has ended: its native pointer must not be met again. */
    final void forget(ComchConnection connection) {
        connections.remove(connection.address(), connection);
    }

    final boolean isServer() {
        return calls instanceof ServerCalls;
    }

    /**
     * A handler has thrown for a connection, in a callback of {@code where}: what must not harm the others is reported
     * and ends that connection; all else fails the progress.
     */
    final void failed(ComchConnection connection, Throwable thrown, Engine where) {
        if (!(thrown instanceof Exception exception) || (!isServer() && settings.onHandlerFailed == null)) {
            where.transport().fail(thrown);
            return;
        }
        if (isServer() && thrown instanceof ConnectionClosedException end && end.isOf(connection)) {
            Log.logger().log(System.Logger.Level.DEBUG, "a handler has met the end of " + connection, end);
            return; // which is reported, or has been
        }
        Events.handlerFailed(connection, exception);
        if (tellFailure(connection, exception, where) && isServer()) {
            Engine control = context.engine();
            if (where == control) {
                connection.life().fail(exception);
            } else {
                control.afterCallbacks(() -> connection.life().fail(exception));
            }
        }
    }

    /** Returns false if the program's handler has thrown in its turn. */
    private boolean tellFailure(ComchConnection connection, Exception exception, Engine where) {
        if (settings.onHandlerFailed == null) {
            where.transport().countFailure();
            Log.logger().log(System.Logger.Level.WARNING, "a handler has failed, which ends " + connection, exception);
            return true;
        }
        try {
            settings.onHandlerFailed.accept(connection, exception);
            where.transport().countFailure();
            return true;
        } catch (Throwable t) {
            where.transport().fail(Rethrow.first(t, exception));
            return false;
        }
    }

    /** The peer of a connection has not read for a while. */
    final void stalled(ComchConnection connection, long messages, long nanos) {
        Events.stalled(connection, messages);
        Log.logger()
                .log(
                        System.Logger.Level.WARNING,
                        "the peer of " + connection + " has not read for " + nanos / 1_000_000 + " ms: " + messages
                                + " messages wait for it, and the next ones are refused");
    }

    /** Runs after each change of state. */
    abstract void changed(int previous, int next);

    final void stateChanged(int previous, int next) {
        try {
            changed(previous, next);
        } finally {
            if (settings.onStateChanged != null) {
                settings.onStateChanged.onStateChanged(this, ContextState.of(previous), ContextState.of(next));
            }
        }
    }

    /** A connection was offered by DOCA. */
    abstract void connected(long address);

    /** A connection without user data reported something; null if it is not wanted. */
    abstract @Nullable ComchConnection register(long address);

    /** The native object is gone. */
    final void released() {
        if (scratch != null) {
            scratch.close();
        }
    }

    /**
     * Settings of a server or client. Not thread safe; can be used once, also if DOCA refuses: afterwards every call
     * throws {@link IllegalStateException}.
     *
     * @param <B> the builder's own type
     */
    public abstract static sealed class Builder<B extends Builder<B>> permits ComchServer.Builder, ComchClient.Builder {
        final ProgressEngine engine;
        final Device device;
        final String name;
        final OneUse use;
        final EndpointSettings settings = new EndpointSettings();

        Builder(String type, ProgressEngine engine, Device device, String name) {
            this.engine = Objects.requireNonNull(engine, "engine");
            this.device = Objects.requireNonNull(device, "device");
            this.name = Objects.requireNonNull(name, "name");
            if (name.isEmpty() || name.indexOf('\0') >= 0) {
                throw new IllegalArgumentException("a server's name is neither empty nor contains NUL");
            }
            this.use = new OneUse(type + " of \"" + name + "\"");
        }

        /**
         * Called for each message; without it messages are discarded.
         *
         * @param handler the handler
         * @return this
         */
        public final B onMessage(MessageHandler handler) {
            settings.onMessage = use.once("onMessage", settings.onMessage, handler);
            return self();
        }

        /**
         * Called when a connection is established, before anything that comes on it
         * ({@code doca_comch_event_connection_status_changed_cb_t}). Runs inside {@code progress()} of its engine, in
         * rare cases inside a start.
         *
         * @param handler the handler
         * @return this
         */
        public final B onConnected(Consumer<ComchConnection> handler) {
            settings.onConnected = use.once("onConnected", settings.onConnected, handler);
            return self();
        }

        /**
         * Called when the peer, or a fault, ends a connection; not when this process does
         * ({@code doca_comch_event_connection_status_changed_cb_t}). Runs inside {@code progress()} of its engine.
         * Messages that arrived before were delivered.
         *
         * @param handler the handler; the connection can no longer be used, but has its attachment and counters, and
         *     {@link ComchConnection#state()} tells how it ended
         * @return this
         */
        public final B onDisconnected(Consumer<ComchConnection> handler) {
            settings.onDisconnected = use.once("onDisconnected", settings.onDisconnected, handler);
            return self();
        }

        /**
         * Called when a consumer of the peer comes or goes; not any more when this process is ending the connection.
         *
         * @param handler the handler
         * @return this
         */
        public final B onConsumer(RemoteConsumerHandler handler) {
            settings.onConsumer = use.once("onConsumer", settings.onConsumer, handler);
            return self();
        }

        /**
         * Called inside {@code progress()} for each message that was accepted and could not be delivered, with the
         * connection and the status of the message's task. Without it {@code progress()} throws;
         * on a server it counts as a handler that has, see {@link #onHandlerFailed}.
         * Messages that are lost with their connection are not reported one by one: {@link #onDisconnected} reports the
         * connection's end.
         *
         * @param handler the handler
         * @return this
         */
        public final B onSendFailed(BiConsumer<ComchConnection, DocaError> handler) {
            settings.onSendFailed = use.once("onSendFailed", settings.onSendFailed, handler);
            return self();
        }

        /**
         * Called when there is room again on a connection that has not accepted a message, so that nobody has to ask
         * again and again: {@link ComchConnection#trySend} from the handler, until it does not accept. The connections
         * of a server take turns. Runs inside {@code progress()}, once for any number of refusals; DOCA has no such
         * event, so the library looks after each progress, and only while something was refused.
         *
         * <p>After {@link SubmitResult#NO_TASK} it is called when a task is free; after
         * {@link SubmitResult#NO_RECEIVE}, of whose end DOCA does not tell, with the next progress.
         *
         * @param handler the handler; costs nothing as long as all messages are accepted
         * @return this
         */
        public final B onWritable(Consumer<ComchConnection> handler) {
            settings.onWritable = use.once("onWritable", settings.onWritable, handler);
            return self();
        }

        /**
         * Called for each change of state ({@code doca_ctx_set_state_changed_cb}), after the library has acted on it.
         * To learn of the peer's end use {@link #onDisconnected}: a server's state does not depend on its clients, and
         * each attempt of a client to connect that fails leads to {@link ContextState#IDLE} too, any number of times in
         * {@link ComchClient.Builder#connect connect}.
         *
         * @param handler the handler
         * @return this
         */
        public final B onStateChanged(StateHandler<? super ControlPathEndpoint> handler) {
            settings.onStateChanged = use.once("onStateChanged", settings.onStateChanged, handler);
            return self();
        }

        /**
         * Called, with both, when a handler has thrown an exception for a connection: {@code onMessage},
         * {@code onConnected}, {@code onDisconnected}, {@code onConsumer}, {@code onSendFailed}, {@code onWritable},
         * and those of its producers and consumers, on the thread of whose engine it runs then.
         * {@link ProgressEngine} has the rule.
         *
         * <p>On a server it takes the place of a warning in the log, and the connection ends when it has returned. On a
         * client it takes the place of the exception that {@code progress()} would throw, and nothing else happens.
         * What it throws itself leaves {@code progress()}, and the connection goes on.
         *
         * @param handler the handler
         * @return this
         */
        public final B onHandlerFailed(BiConsumer<ComchConnection, Exception> handler) {
            settings.onHandlerFailed = use.once("onHandlerFailed", settings.onHandlerFailed, handler);
            return self();
        }

        /**
         * How much of what {@link ComchConnection#send} gets in handlers can wait for room, on each connection.
         * Default: 4 MiB.
         *
         * @param bytes with 0 such a send throws as soon as there is no room
         * @return this
         * @throws IllegalArgumentException if it is negative
         */
        public final B sendBacklog(long bytes) {
            use.check();
            settings.sendBacklog(bytes);
            return self();
        }

        /**
         * The largest message ({@code …_set_max_msg_size}); server and client should agree. Default: DOCA's.
         *
         * @param bytes 1 to {@link Capabilities#maxMessageSize()}
         * @return this
         * @throws IllegalArgumentException if it is less than 1
         */
        public final B maxMessageSize(int bytes) {
            use.check();
            settings.maxMessageSize = EndpointSettings.positive("maxMessageSize", bytes);
            return self();
        }

        /**
         * How many messages can wait to be received ({@code …_set_recv_queue_size}). Default: DOCA's.
         *
         * @param messages 1 to {@link Capabilities#maxReceiveQueueSize()}
         * @return this
         * @throws IllegalArgumentException if it is less than 1
         */
        public final B receiveQueueSize(int messages) {
            use.check();
            settings.receiveQueueSize = EndpointSettings.positive("receiveQueueSize", messages);
            return self();
        }

        /**
         * How many messages of all connections together can be on their way ({@code …_task_send_set_conf}). Default:
         * 256 for a client, 512 for a server. The connections of a server share them: each may have as many as are free
         * besides, so that one alone has half of them, and always at least one while there are any. With DOCA 2.5 the
         * number is rounded up to a power of two, which {@link ControlPathEndpoint#sendTasks()} tells.
         *
         * @param tasks 1 to {@link Capabilities#maxSendTasks()}
         * @return this
         * @throws IllegalArgumentException if it is less than 1
         */
        public final B sendTasks(int tasks) {
            use.check();
            settings.sendTasks = Pools.size(EndpointSettings.positive("sendTasks", tasks));
            return self();
        }

        abstract B self();

        /** Creates the native object. */
        final MemorySegment create(String kind, Function<String, MemorySegment> creation) {
            CoreObjects.of(engine).checkOwner();
            use.begin();
            checkName();
            try {
                return creation.apply("creating " + kind + " \"" + name + "\" on " + device);
            } catch (DocaException e) {
                boolean elsewhere = e.error() == DocaError.INVALID_VALUE || e.error() == DocaError.NOT_SUPPORTED;
                String cause = elsewhere && !supported()
                        ? ", on which there can be none: see Devices.openDpu for servers, openHost for clients"
                        : "";
                throw cause.isEmpty() ? e : Failures.refused(e.code(), e.function(), e.action() + cause);
            }
        }

        /** Whether servers, or clients, can be made on the device. */
        abstract boolean supported();

        /** DOCA 2.5 cuts a longer name without a word, and two servers would have the same. */
        private void checkName() {
            int length = name.getBytes(StandardCharsets.UTF_8).length;
            int most = Capabilities.maxNameLength(device);
            if (length > most) {
                throw new IllegalArgumentException(
                        "a name of " + length + " bytes, where " + most + " are possible: \"" + name + "\"");
            }
        }
    }
}
