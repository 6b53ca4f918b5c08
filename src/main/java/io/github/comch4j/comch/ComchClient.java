package io.github.comch4j.comch;

import io.github.comch4j.DocaError;
import io.github.comch4j.DocaException;
import io.github.comch4j.core.Device;
import io.github.comch4j.core.ProgressEngine;
import io.github.comch4j.internal.call.ClientCalls;
import io.github.comch4j.internal.call.ContextCalls;
import io.github.comch4j.internal.failure.Failures;
import io.github.comch4j.internal.life.Context;
import io.github.comch4j.internal.life.Engine;
import io.github.comch4j.internal.life.Nanos;
import io.github.comch4j.internal.observe.Diagnosis;
import io.github.comch4j.transfer.CoreObjects;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The host's end of one connection to a server on the DPU ({@code doca_comch_client}).
 *
 * <p>When the server ends the connection or dies, the client becomes {@link io.github.comch4j.core.ContextState#IDLE}
 * automatically. {@link Builder#onDisconnected} reports this, and sending throws {@link ConnectionClosedException}. To
 * connect again, create a new client. Unless a method's description says otherwise, it must be called by the thread
 * that owns the engine.
 */
public final class ComchClient extends ControlPathEndpoint {
    private static final Duration RETRY_PAUSE = Duration.ofMillis(10);

    private final @Nullable Runnable onRefused;
    private volatile @Nullable ComchConnection connection; // set on the engine's thread, as the following
    private volatile @Nullable DocaException refusal; // of the last attempt that was refused
    private boolean refusedForGood; // it was, and waiting does not change that

    private ComchClient(Builder settings, MemorySegment created) {
        super(
                settings,
                ClientCalls.get(),
                "client \"" + settings.name + "\"",
                created,
                CoreObjects.of(settings.device));
        this.onRefused = settings.onRefused;
    }

    /**
     * Creates a builder for a client.
     *
     * @param engine the engine that the client runs on, owned by the calling thread
     * @param device a host's function of the BlueField
     * @param name the server's name
     * @return the builder
     */
    public static Builder builder(ProgressEngine engine, Device device, String name) {
        return new Builder(engine, device, name);
    }

    /**
     * Returns the connection ({@code doca_comch_client_get_connection}). Any thread may call this method.
     *
     * @return the connection, also after it has ended
     * @throws IllegalStateException if the connection was never established
     */
    public ComchConnection connection() {
        ComchConnection established = connection;
        if (established == null) {
            throw new IllegalStateException(
                    this + " has no connection" + (context.state() == Context.STARTING ? " yet: it is starting" : ""));
        }
        return established;
    }

    /**
     * Returns whether messages can be sent on the {@link #connection()}, which exists if this is true. Any thread may
     * call this method.
     *
     * @return true from the moment the server accepted until the client or the server ends the connection
     */
    public boolean isConnected() {
        return connection != null
                && context.state() == Context.RUNNING
                && !isClosed(); // other threads may see RUNNING before there is a connection
    }

    /**
     * Returns the reason for which the last refused attempt to connect was refused. Any thread may call this method.
     *
     * @return an exception that was not thrown, with {@link DocaError#CONNECTION_ABORTED} and, if the libraries
     *     reported one, a {@link DocaException#reason()}; null if no attempt was refused
     */
    public @Nullable DocaException refusal() {
        return refusal;
    }

    @Override
    void connected(long address) {
        throw new AssertionError("a client was asked for a connection");
    }

    @Override
    ComchConnection register(long address) {
        if (connection == null) {
            connection = open(address);
            connection.life().begun();
        }
        return connection;
    }

    @Override
    void changed(int previous, int next) {
        if (next == Context.RUNNING) {
            register(ClientCalls.connection(context.object(), "connecting " + this));
        } else if (next == Context.STOPPING || next == Context.IDLE) {
            if (connection != null) {
                connection.life().endedByPeer(ConnectionState.CLOSED);
            } else if (next == Context.IDLE && previous == Context.STARTING && !context.isEnding()) {
                refused();
            }
        }
    }

    private void refused() {
        refusal = Failures.refused(DocaError.CONNECTION_ABORTED, ContextCalls.START_NAME, "connecting " + this);
        refusedForGood = Diagnosis.refusedForGood();
        if (onRefused != null) {
            onRefused.run();
        }
    }

    /**
     * Builds a client. Not thread safe. A builder can be used only once, even if DOCA refuses: after that, every call
     * throws {@link IllegalStateException}.
     */
    public static final class Builder extends ControlPathEndpoint.Builder<Builder> {
        private @Nullable Runnable onRefused;

        private Builder(ProgressEngine engine, Device device, String name) {
            super("ComchClient.Builder", engine, device, name);
        }

        /**
         * Sets a handler that is called when an attempt to connect fails, because there is no server of that name or it
         * is full. {@link ComchClient#refusal()} returns the reason.
         *
         * @param handler the handler, which runs inside {@code progress()} of the engine
         * @return this
         */
        public Builder onRefused(Runnable handler) {
            onRefused = use.once("onRefused", onRefused, handler);
            return this;
        }

        /**
         * Creates the client and begins to connect ({@code doca_comch_client_create}, {@code doca_ctx_start}). Progress
         * completes the connection.
         *
         * @return the client, usually still {@link io.github.comch4j.core.ContextState#STARTING}; it becomes
         *     {@link io.github.comch4j.core.ContextState#RUNNING}, or {@link io.github.comch4j.core.ContextState#IDLE}
         *     if it is refused
         * @throws WrongThreadException if another thread owns the engine
         * @throws IllegalArgumentException if the name is longer than the device supports
         * @throws IllegalStateException if the engine or device is closed
         * @throws DocaException if DOCA refuses: {@link DocaError#INVALID_VALUE} for a setting beyond the device's
         *     capability, {@link DocaError#NOT_SUPPORTED} on a DPU
         */
        public ComchClient start() {
            ComchClient client = make();
            try {
                client.context.start();
            } catch (RuntimeException | Error e) {
                client.context.closeAfter(e);
                throw e;
            }
            return client;
        }

        /**
         * Creates the client and connects, progressing the engine until it is connected. While no server of that name
         * accepts, this method tries again until the time is up. It stops earlier if it is refused for a reason that
         * waiting does not change, such as a server of another user. {@link #onRefused} and {@link #onStateChanged} are
         * called for each attempt.
         *
         * @param timeout how long to try
         * @return the connected client
         * @throws WrongThreadException if another thread owns the engine
         * @throws IllegalArgumentException if the name is longer than the device supports
         * @throws IllegalStateException if the engine or device is closed, or inside a callback of the engine
         * @throws io.github.comch4j.WaitInterruptedException if the thread is {@linkplain ProgressEngine interrupted}
         * @throws DocaException if DOCA refuses as in {@link #start()}; {@link DocaError#CONNECTION_ABORTED} if an
         *     attempt was refused, with the reason of the last refusal; {@link DocaError#TIME_OUT} if no attempt was
         *     answered
         */
        public ComchClient connect(Duration timeout) {
            Engine engine = CoreObjects.of(this.engine);
            engine.checkOwner();
            if (engine.isInCallbacks()) {
                throw new IllegalStateException(
                        "connect() cannot be called inside a callback of the same engine; use start()");
            }
            long deadline = Nanos.deadline(timeout);
            ComchClient client = start();
            try {
                while (true) {
                    boolean answered = client.context.awaitStarted(deadline);
                    if (client.connection != null) {
                        return client;
                    }
                    long retry = Math.min(deadline - System.nanoTime(), RETRY_PAUSE.toNanos());
                    if (!answered || retry <= 0 || client.refusedForGood) {
                        throw notConnected(client, timeout);
                    }
                    engine.await(() -> false, System.nanoTime() + retry, null);
                    client.context.start();
                }
            } catch (RuntimeException | Error e) {
                client.context.closeAfter(e);
                throw e;
            }
        }

        private DocaException notConnected(ComchClient client, Duration timeout) {
            String action = "connecting " + client + (client.refusedForGood ? "" : " for " + Failures.text(timeout));
            DocaException refusal = client.refusal;
            if (refusal == null) {
                return Failures.refused(DocaError.TIME_OUT, ContextCalls.START_NAME, action, "");
            }
            return Failures.refused(
                    DocaError.CONNECTION_ABORTED,
                    ContextCalls.START_NAME,
                    action,
                    refusal.reason().isEmpty()
                            ? "no server of that name accepts clients of " + device
                            : refusal.reason());
        }

        private ComchClient make() {
            return new ComchClient(
                    this,
                    create(
                            "client",
                            action -> ClientCalls.create(CoreObjects.of(device).handle(), name, action)));
        }

        @Override
        boolean supported() {
            return device.supportsClients();
        }

        @Override
        Builder self() {
            return this;
        }
    }
}
