package io.github.comch4j.comch;

import io.github.comch4j.DocaError;
import io.github.comch4j.DocaException;
import io.github.comch4j.core.Device;
import io.github.comch4j.core.ProgressEngine;
import io.github.comch4j.core.Representor;
import io.github.comch4j.internal.call.ServerCalls;
import io.github.comch4j.internal.failure.Failures;
import io.github.comch4j.internal.life.Context;
import io.github.comch4j.internal.life.Nanos;
import io.github.comch4j.internal.transport.Upcalls;
import io.github.comch4j.transfer.CoreObjects;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.Collection;
import java.util.Objects;

/**
 * A named service on the DPU for one host function ({@code doca_comch_server}).
 *
 * {@snippet file="Pieces.java" region="server"}
 *
 * <p>A server accepts clients whenever its engine makes progress. The death of one client does not affect the others.
 * Unless a method's description says otherwise, it must be called by the thread that owns the engine.
 */
public final class ComchServer extends ControlPathEndpoint {
    private static final long FIRST_PAUSE = 10_000_000; // ns
    private static final long LONGEST_PAUSE = 500_000_000;

    private ComchServer(Builder settings, MemorySegment created) {
        super(
                settings,
                ServerCalls.get(),
                "server \"" + settings.name + "\"",
                created,
                CoreObjects.of(settings.representor),
                CoreObjects.of(settings.device));
    }

    /**
     * Creates a builder for a server.
     *
     * @param engine the engine that the server runs on, owned by the calling thread
     * @param device the DPU's device
     * @param representor the host function to serve
     * @param name the name that clients ask for, unique among the servers of the representor: not empty, at most
     *     {@link Capabilities#maxNameLength()} bytes
     * @return the builder
     */
    public static Builder builder(ProgressEngine engine, Device device, Representor representor, String name) {
        return new Builder(engine, device, representor, name);
    }

    /**
     * Returns the open connections of this server.
     *
     * @return a snapshot, oldest first
     */
    public Collection<ComchConnection> connections() {
        CoreObjects.of(engine()).checkOwner();
        return liveConnections().stream().filter(ComchConnection::isOpen).toList();
    }

    @Override
    void configureMore(MemorySegment handle) {
        ServerCalls.registerStatus(
                handle, Upcalls.Stub.CONNECTED.address(), Upcalls.Stub.DISCONNECTED.address(), "configuring " + this);
    }

    @Override
    void connected(long address) {
        register(address);
    }

    @Override
    ComchConnection register(long address) {
        ComchConnection connection = open(address);
        connection.life().begun();
        return connection;
    }

    @Override
    void changed(int previous, int next) {
        if (next == Context.STOPPING || next == Context.IDLE) {
            // the server stops by itself: a fault. When the program closes it, the connections are closed before
            for (ComchConnection connection : liveConnections()) {
                connection.life().endedByPeer(ConnectionState.LOST);
            }
        }
    }

    /** What DOCA calls an error of initialization is in practice a server that there is already. */
    private DocaException explained(DocaException refusal) {
        if (!isUnexplained(refusal)) {
            return refusal; // the emulated device has told the cause: no need to guess
        }
        DocaException told = Failures.refused(
                refusal.error(),
                refusal.function(),
                refusal.action() + "; probably another " + this
                        + " already serves the same host function, in this process or another one");
        told.initCause(refusal);
        for (Throwable suppressed : refusal.getSuppressed()) {
            told.addSuppressed(suppressed);
        }
        return told;
    }

    private static boolean isUnexplained(DocaException refusal) {
        return refusal.getMessage().endsWith(refusal.action());
    }

    /** Starts it, once or until the time is up while its name is taken, and perhaps where DOCA does not say why. */
    private void start(Duration patience) {
        long deadline = Nanos.deadline(patience);
        long pause = FIRST_PAUSE;
        while (true) {
            try {
                context.start();
                return;
            } catch (DocaException e) {
                if (e.error() != DocaError.INITIALIZATION) {
                    throw e;
                }
                NameTakenException taken = NameTakenException.of(e);
                long left = deadline - System.nanoTime();
                if ((taken == null && !isUnexplained(e)) || left <= 0) {
                    throw taken != null ? taken : explained(e);
                }
                context.engine().await(() -> false, System.nanoTime() + Math.min(pause, left), null);
                pause = Math.min(2 * pause, LONGEST_PAUSE);
            }
        }
    }

    /**
     * Builds a server. Not thread safe. A builder can be used only once, even if DOCA refuses: after that, every call
     * throws {@link IllegalStateException}.
     */
    public static final class Builder extends ControlPathEndpoint.Builder<Builder> {
        private final Representor representor;

        private Builder(ProgressEngine engine, Device device, Representor representor, String name) {
            super("ComchServer.Builder", engine, device, name);
            this.representor = Objects.requireNonNull(representor, "representor");
        }

        /**
         * Creates and starts the server ({@code doca_comch_server_create}, {@code doca_ctx_start}). The server accepts
         * clients from now on.
         *
         * @return the running server
         * @throws WrongThreadException if another thread owns the engine
         * @throws IllegalArgumentException if the name is longer than the device supports
         * @throws IllegalStateException if the engine, device or representor is closed
         * @throws DocaException if DOCA refuses: {@link io.github.comch4j.DocaError#INVALID_VALUE} for a setting beyond
         *     the device's capability, {@link io.github.comch4j.DocaError#INITIALIZATION} for a name that is probably
         *     taken, {@link io.github.comch4j.DocaError#NOT_SUPPORTED} on a host; {@link NameTakenException} if the
         *     name is known to be taken
         */
        public ComchServer start() {
            return start(Duration.ZERO);
        }

        /**
         * Starts the server as {@link #start()} does, but waits while another server has the name, calling
         * {@code doca_ctx_start} repeatedly. Use this method for a service that is restarted while its predecessor
         * ends. Progresses the engine while it waits. With an SDK, this method waits after each
         * {@link io.github.comch4j.DocaError#INITIALIZATION} whose cause is not known. Callbacks must not call this
         * method unless the time is zero.
         *
         * @param patience how long to wait at most; zero for not at all
         * @return the running server
         * @throws NameTakenException if the name is known to be still taken when the time is up
         * @throws DocaException as {@link #start()}
         * @throws io.github.comch4j.WaitInterruptedException if the thread is interrupted
         */
        public ComchServer start(Duration patience) {
            ComchServer server = new ComchServer(
                    this,
                    create(
                            "server",
                            action -> ServerCalls.create(
                                    CoreObjects.of(device).handle(),
                                    CoreObjects.of(representor).handle(),
                                    name,
                                    action)));
            try {
                server.start(patience);
            } catch (RuntimeException | Error e) {
                server.context.closeAfter(e);
                throw e;
            }
            return server;
        }

        /**
         * Sets how long a client can stop reading before the library logs a warning that names it. A client has stopped
         * reading if there is no room for a message to it and it takes none. The library logs one warning until the
         * client reads again. {@link ComchConnection#stalls} counts these episodes. Default: 10 s.
         *
         * @param time how long; the library checks from time to time, so the warning may be some milliseconds late
         * @return this
         * @throws IllegalArgumentException if {@code time} is negative
         */
        public Builder warnIfStalled(Duration time) {
            use.check();
            settings.stallWarning = EndpointSettings.limit("warnIfStalled", time);
            return this;
        }

        /**
         * Sets how long a client can stop reading before the server ends its connection. {@code onDisconnected} is
         * called. Default: the server never ends it for this reason.
         *
         * @param time how long, as in {@link #warnIfStalled}
         * @return this
         * @throws IllegalArgumentException if {@code time} is negative
         * @throws io.github.comch4j.MissingFunctionException with DOCA 2.5 and 2.6, whose servers cannot end a single
         *     connection
         */
        public Builder disconnectIfStalled(Duration time) {
            use.check();
            ServerCalls.checkDisconnect();
            settings.stallLimit = EndpointSettings.limit("disconnectIfStalled", time);
            return this;
        }

        @Override
        boolean supported() {
            return device.supportsServers();
        }

        @Override
        Builder self() {
            return this;
        }
    }
}
