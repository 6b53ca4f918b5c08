package io.github.comch4j.comch;

import io.github.comch4j.DocaError;
import io.github.comch4j.DocaException;
import io.github.comch4j.SubmitResult;
import io.github.comch4j.core.ContextState;
import io.github.comch4j.core.Device;
import io.github.comch4j.core.ProgressEngine;
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
import java.util.function.ObjIntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The common part of servers and clients: a name, an engine, connections, handlers.
 *
 * <p>Unless a method's description says otherwise, it must be called by the thread that owns the engine.
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
     * Returns the name that the server serves or the client asks for. Any thread may call this method.
     *
     * @return the name
     */
    public final String name() {
        return name;
    }

    /**
     * Returns the engine that this endpoint runs on. Any thread may call this method.
     *
     * @return the engine that was passed to the builder
     */
    public final ProgressEngine engine() {
        return engine;
    }

    /**
     * Returns the state of this endpoint ({@code doca_ctx_get_state}). Any thread may call this method.
     *
     * @return the state that the last callback reported
     */
    public final ContextState state() {
        return ContextState.of(context.state());
    }

    /**
     * Returns the size of the largest message that this endpoint sends or receives ({@code …_get_max_msg_size}). If the
     * peer has a smaller limit, that one applies.
     *
     * @return bytes
     */
    public final int maxMessageSize() {
        return maxMessageSize;
    }

    /**
     * Returns how many received messages can wait in the queue ({@code …_get_recv_queue_size}). When the queue is full,
     * senders wait.
     *
     * @return messages
     */
    public final int receiveQueueSize() {
        return receiveQueueSize;
    }

    /**
     * Returns how many messages of all connections together can be in flight.
     *
     * @return the number of send tasks
     */
    public final int sendTasks() {
        return settings.sendTasks;
    }

    /**
     * Returns how many messages are in flight now. Any thread may call this method.
     *
     * @return messages that were accepted and have neither been delivered nor failed
     */
    public final int inFlight() {
        return sends.inFlight();
    }

    /**
     * Returns whether this endpoint is closed. Any thread may call this method.
     *
     * @return true from the beginning of closing
     */
    public final boolean isClosed() {
        return context.isClosed();
    }

    /**
     * Closes this endpoint ({@code doca_ctx_stop}, {@code …_destroy}). Closes the producers and consumers of its
     * connections, sends the messages that were accepted, ends the connections, and waits until all this is done.
     * Inside a callback of the engine, the endpoint is closed when the callback has returned. A second call does
     * nothing.
     *
     * <p><b>Messages.</b> Messages that were accepted before closing, including those that
     * {@link ComchConnection#enqueue} has queued, are sent in order and before the end. A server ends each connection
     * as soon as its client has received all of them. If a peer takes nothing, closing waits 5 seconds, once for all
     * peers together. The emulated device waits up to 5 more seconds. Messages that a peer has not taken by then are
     * lost, and the peer does not see an orderly end. A server names such clients in one warning. Messages that arrive
     * meanwhile are discarded.
     *
     * <p><b>Handlers.</b> From the beginning of closing, nothing is delivered to this endpoint and its connections.
     * This also applies if the endpoint is closed with its engine, device or event loop. {@code onMessage},
     * {@code onConsumer}, {@code onConnected}, {@code onDisconnected}, {@code onRefused}, {@code onSendFailed} and
     * {@code onWritable} no longer run, and data that arrive meanwhile are discarded. {@link Builder#onStateChanged}
     * still reports STOPPING and IDLE. Handlers of other contexts on the engine may run meanwhile.
     *
     * @throws WrongThreadException if another thread owns the engine, or the engine of a producer or consumer; not if
     *     that is an event loop's thread, because the loop then does the closing
     * @throws DocaException if the endpoint does not end within {@link ProgressEngine#timeout()}; it is then still open
     */
    @Override
    public final void close() {
        context.close();
    }

    /**
     * Returns a description for logs.
     *
     * @return the kind of this endpoint, and its name
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
        ComchConnection connection = ComchConnection.begin(this, address);
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
            Log.logger().log(System.Logger.Level.DEBUG, "a handler used the ended " + connection, end);
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
            Log.logger()
                    .log(
                            System.Logger.Level.WARNING,
                            "a handler threw an exception; the server ends " + connection,
                            exception);
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
                                + " messages are waiting, and new messages are refused");
    }

    /** Runs after each change of state. */
    abstract void changed(int previous, int next);

    final void stateChanged(int previous, int next) {
        try {
            changed(previous, next);
        } finally {
            if (settings.onStateChanged != null) {
                settings.onStateChanged.accept(this, ContextState.of(next));
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
     * Builds a server or client. Not thread safe. A builder can be used only once, even if DOCA refuses: after that,
     * every call throws {@link IllegalStateException}.
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
                throw new IllegalArgumentException("the name of a server must not be empty or contain NUL");
            }
            this.use = new OneUse(type + " of \"" + name + "\"");
        }

        /**
         * Sets a handler that is called for each message ({@code doca_comch_event_msg_recv_cb_t}), with the connection
         * that it came from and its bytes. The handler runs inside {@code progress()} of the endpoint's engine. Without
         * it, messages are discarded.
         *
         * <p>The segment is aligned to 8 bytes and <b>valid until the handler returns</b>: copy or parse it there. A
         * segment that is kept does not harm the VM, but shows other messages later. In tests, make such a segment
         * throw an exception instead ({@link io.github.comch4j.core.Doca#STRICT_PROPERTY}), which uses one arena for
         * each message.
         *
         * @param handler the handler. It may answer at once with {@link ComchConnection#enqueue}, which queues messages
         *     for which there is no room, up to a limit. It may also answer with {@link ComchConnection#trySend}, which
         *     does not accept such messages
         * @return this
         */
        public final B onMessage(BiConsumer<ComchConnection, MemorySegment> handler) {
            settings.onMessage = use.once("onMessage", settings.onMessage, handler);
            return self();
        }

        /**
         * Sets a handler that is called when a connection is established, before anything that arrives on it
         * ({@code doca_comch_event_connection_status_changed_cb_t}). It runs inside {@code progress()} of the
         * endpoint's engine, in rare cases inside a start.
         *
         * @param handler the handler
         * @return this
         */
        public final B onConnected(Consumer<ComchConnection> handler) {
            settings.onConnected = use.once("onConnected", settings.onConnected, handler);
            return self();
        }

        /**
         * Sets a handler that is called when the peer or a fault ends a connection
         * ({@code doca_comch_event_connection_status_changed_cb_t}). It is not called when this process ends the
         * connection. It runs inside {@code progress()} of the endpoint's engine, after the delivery of all messages
         * that arrived earlier.
         *
         * @param handler the handler; the connection passed to it can no longer be used, but still has its attachment
         *     and counters, and {@link ComchConnection#state()} returns how it ended
         * @return this
         */
        public final B onDisconnected(Consumer<ComchConnection> handler) {
            settings.onDisconnected = use.once("onDisconnected", settings.onDisconnected, handler);
            return self();
        }

        /**
         * Sets a handler that is called when a consumer of the peer runs, so that producers of this process can send to
         * it ({@code doca_comch_event_consumer_cb_t}). The handler gets the connection and the id of the consumer, for
         * {@link ComchProducer#trySend}. The id is unique among the peer's consumers on this connection, and at least
         * 1. The handler runs inside {@code progress()} of the endpoint's engine. It is no longer called once this
         * process is ending the connection.
         *
         * @param handler the handler
         * @return this
         */
        public final B onConsumer(ObjIntConsumer<ComchConnection> handler) {
            settings.onConsumer = use.once("onConsumer", settings.onConsumer, handler);
            return self();
        }

        /**
         * Sets a handler that is called when a consumer of the peer was stopped: sends to it fail. It gets the same as
         * {@link #onConsumer}, and runs under the same conditions. It is not called for consumers that end with their
         * connection.
         *
         * @param handler the handler
         * @return this
         */
        public final B onConsumerExpired(ObjIntConsumer<ComchConnection> handler) {
            settings.onConsumerExpired = use.once("onConsumerExpired", settings.onConsumerExpired, handler);
            return self();
        }

        /**
         * Sets a handler that is called for each message that was accepted but could not be delivered. It runs inside
         * {@code progress()}, and gets the connection and the status of the message's task. Without this handler,
         * {@code progress()} throws; a server treats the failure like a handler that has thrown, see
         * {@link #onHandlerFailed}.
         *
         * <p>Messages that are lost with their connection are not reported individually: {@link #onDisconnected}
         * reports the end of the connection.
         *
         * @param handler the handler
         * @return this
         */
        public final B onSendFailed(BiConsumer<ComchConnection, DocaError> handler) {
            settings.onSendFailed = use.once("onSendFailed", settings.onSendFailed, handler);
            return self();
        }

        /**
         * Sets a handler that is called when there is room again on a connection that did not accept a message, so that
         * the program does not have to poll. In the handler, call {@link ComchConnection#trySend} until it does not
         * accept a message. The connections of a server take turns. The handler runs inside {@code progress()}, once
         * for any number of refusals. DOCA has no such event, so the library checks for room after each progress, but
         * only while a message was refused.
         *
         * <p>After {@link SubmitResult#NO_TASK}, the handler is called when a task is free. DOCA does not report when
         * {@link SubmitResult#NO_RECEIVE} ends; after that result, the handler is called with the next progress.
         *
         * @param handler the handler; it costs nothing while all messages are accepted
         * @return this
         */
        public final B onWritable(Consumer<ComchConnection> handler) {
            settings.onWritable = use.once("onWritable", settings.onWritable, handler);
            return self();
        }

        /**
         * Sets a handler that is called for each change of state ({@code doca_ctx_set_state_changed_cb}), after the
         * library has acted on it. The handler gets the server or client and its new state, which {@code state()}
         * returns, too. It runs inside {@code progress()} of the engine, or inside the call that caused the change,
         * such as a start or {@code close()}.
         *
         * <p>To detect that the peer has ended the connection, use {@link #onDisconnected} instead. A
         * server's state does not depend on its clients. A client becomes {@link ContextState#IDLE} after each failed
         * attempt to connect as well, any number of times in {@link ComchClient.Builder#connect connect}.
         *
         * @param handler the handler
         * @return this
         */
        public final B onStateChanged(BiConsumer<? super ControlPathEndpoint, ContextState> handler) {
            settings.onStateChanged = use.once("onStateChanged", settings.onStateChanged, handler);
            return self();
        }

        /**
         * Sets a handler that is called with a connection and an exception when another handler has thrown this
         * exception for this connection. This covers {@code onMessage}, {@code onConnected}, {@code onDisconnected},
         * {@code onConsumer}, {@code onConsumerExpired}, {@code onSendFailed} and {@code onWritable}, and the handlers
         * of the connection's producers and consumers. For the latter, it runs on the thread of their engine.
         * {@link ProgressEngine} describes the rule.
         *
         * <p>On a server, this handler replaces a warning in the log, and the connection ends after the handler has
         * returned. On a client, it replaces the exception that {@code progress()} would throw, and nothing else
         * happens. An exception that this handler throws itself leaves {@code progress()}, and the connection remains
         * open.
         *
         * @param handler the handler
         * @return this
         */
        public final B onHandlerFailed(BiConsumer<ComchConnection, Exception> handler) {
            settings.onHandlerFailed = use.once("onHandlerFailed", settings.onHandlerFailed, handler);
            return self();
        }

        /**
         * Sets how many bytes of messages that {@link ComchConnection#enqueue} gets can wait for room, on each
         * connection. Default: 4 MiB.
         *
         * @param bytes the limit in bytes; with 0, {@code enqueue} throws as soon as there is no room
         * @return this
         * @throws IllegalArgumentException if {@code bytes} is negative
         */
        public final B sendBacklog(long bytes) {
            settings.sendBacklog = use.atLeast(0, "sendBacklog", bytes);
            return self();
        }

        /**
         * Sets the size of the largest message ({@code …_set_max_msg_size}). Server and client should use the same
         * size. Default: DOCA's.
         *
         * @param bytes 1 to {@link Capabilities#maxMessageSize()}
         * @return this
         * @throws IllegalArgumentException if {@code bytes} is less than 1
         */
        public final B maxMessageSize(int bytes) {
            settings.maxMessageSize = use.atLeast(1, "maxMessageSize", bytes);
            return self();
        }

        /**
         * Sets how many received messages can wait in the queue ({@code …_set_recv_queue_size}). Default: DOCA's.
         *
         * @param messages 1 to {@link Capabilities#maxReceiveQueueSize()}
         * @return this
         * @throws IllegalArgumentException if {@code messages} is less than 1
         */
        public final B receiveQueueSize(int messages) {
            settings.receiveQueueSize = use.atLeast(1, "receiveQueueSize", messages);
            return self();
        }

        /**
         * Sets how many messages of all connections together can be in flight ({@code …_task_send_set_conf}). Default:
         * 256 for a client, 512 for a server.
         *
         * <p>The connections of a server share the tasks. Each connection can use as many tasks as are left free, so
         * one connection alone can use half of them. While any task is free, each connection can use at least one. DOCA
         * 2.5 rounds the number up to a power of two; {@link ControlPathEndpoint#sendTasks()} returns the rounded
         * number.
         *
         * @param tasks 1 to {@link Capabilities#maxSendTasks()}
         * @return this
         * @throws IllegalArgumentException if {@code tasks} is less than 1
         */
        public final B sendTasks(int tasks) {
            settings.sendTasks = Pools.size(use.atLeast(1, "sendTasks", tasks));
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
                        ? ", which cannot have one: use Device.openDpu for servers, Device.openHost for clients"
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
                        "the name \"" + name + "\" has " + length + " bytes; at most " + most + " are possible");
            }
        }
    }
}
