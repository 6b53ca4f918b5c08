package io.github.comch4j.netty;

import io.github.comch4j.comch.ComchConnection;
import io.github.comch4j.comch.ComchServer;
import io.github.comch4j.core.ContextState;
import io.github.comch4j.core.PciAddress;
import io.netty.channel.AbstractServerChannel;
import io.netty.channel.Channel;
import io.netty.channel.ChannelConfig;
import io.netty.channel.ChannelPromise;
import io.netty.channel.EventLoop;
import io.netty.channel.IoEvent;
import io.netty.channel.IoEventLoop;
import io.netty.channel.IoRegistration;
import java.net.BindException;
import java.net.SocketAddress;
import java.nio.channels.AlreadyBoundException;
import java.nio.channels.UnsupportedAddressTypeException;
import java.util.ArrayDeque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A service on the DPU. A {@link io.netty.bootstrap.ServerBootstrap} binds it to a {@link ComchAddress} with a device.
 * It accepts {@link ComchChannel}s.
 *
 * {@snippet file="NettyEcho.java" region="server"}
 *
 * <p>The channel needs an event loop with a {@link ComchIoHandler}. Its connections run on the same loop, because a
 * DOCA server and its connections share one progress engine. To use more loops, bind more services.
 *
 * <p>After the channel is closed, no client can connect, but accepted channels continue. The name is free again when
 * the last of them is closed.
 */
@SuppressWarnings("FutureReturnValueIgnored") // what fails is told to the pipeline
public final class ComchServerChannel extends AbstractServerChannel {
    private final ChannelSettings settings = new ChannelSettings();
    private final ComchConfig config = new ComchConfig(this, settings, true, () -> {}, this::autoReadCleared);
    private final ArrayDeque<ComchChannel> waiting = new ArrayDeque<>();
    private final Map<ComchConnection, ComchChannel> open = new LinkedHashMap<>();
    private Channel.@Nullable Unsafe loopBound; // not initialised here: the super constructor asks for it
    private volatile @Nullable Registration registration;
    private @Nullable IoRegistration registered;
    private @Nullable ComchIoHandler handler; // of the loop that it was bound on
    private @Nullable EventLoop loop;
    private @Nullable ComchServer server;
    private @Nullable ComchAddress address;
    private volatile boolean active;
    private volatile boolean closed;
    private boolean readPending;

    /** Creates a server channel that can be bound. */
    public ComchServerChannel() {}

    @Override
    public ChannelConfig config() {
        return config;
    }

    @Override
    public boolean isOpen() {
        return !closed;
    }

    @Override
    public boolean isActive() {
        return active && !closed;
    }

    @Override
    public @Nullable ComchAddress localAddress() {
        return (ComchAddress) super.localAddress();
    }

    @Override
    protected @Nullable SocketAddress localAddress0() {
        return address;
    }

    @Override
    protected boolean isCompatible(EventLoop eventLoop) {
        return ComchChannel.isComch(eventLoop);
    }

    @Override
    public Channel.Unsafe unsafe() {
        if (loopBound == null) {
            loopBound = new LoopBound(super.unsafe(), this::loopFor);
        }
        return loopBound;
    }

    private EventLoop loopFor(EventLoop asked) {
        ComchChannel.checkLoop(asked);
        if (loop != null && loop != asked) {
            throw new IllegalStateException(
                    "a server that was bound on one event loop cannot be registered with another one");
        }
        return asked;
    }

    @Override
    protected void doRegister(ChannelPromise promise) {
        ((IoEventLoop) eventLoop()).register(new Handle()).addListener(future -> {
            if (future.isSuccess()) {
                IoRegistration mine = (IoRegistration) future.getNow();
                registered = mine;
                registration = mine.attachment();
                promise.setSuccess();
                ready();
            } else {
                promise.setFailure(future.cause());
            }
        });
    }

    @Override
    protected void doDeregister() {
        registration = null;
        if (registered != null) {
            registered.cancel();
            registered = null;
        }
    }

    private void ready() {
        Registration mine = registration;
        if (mine != null) {
            mine.ready();
        }
    }

    private void autoReadCleared() {
        if (isRegistered() && !eventLoop().inEventLoop()) {
            eventLoop().execute(() -> readPending = false);
        } else {
            readPending = false;
        }
    }

    @Override
    protected void doBind(SocketAddress where) throws BindException {
        if (!(where instanceof ComchAddress service)) {
            throw new UnsupportedAddressTypeException();
        }
        PciAddress device = service.device();
        if (device == null) {
            throw new IllegalArgumentException(where + " is an address to connect to: a server needs the DPU's device");
        }
        if (server != null) {
            throw new AlreadyBoundException();
        }
        ComchIoHandler mine = Objects.requireNonNull(registration).handler();
        handler = mine;
        loop = eventLoop();
        address = service;
        try {
            server = settings.apply(ComchServer.builder(
                            mine.engine(),
                            mine.dpu(device),
                            mine.representor(device, service.function()),
                            service.service()))
                    .onConnected(this::connected)
                    .onMessage((connection, message) -> {
                        ComchChannel child = open.get(connection);
                        if (child != null) {
                            child.wire().message(message);
                        }
                    })
                    .onWritable(connection -> {
                        ComchChannel child = open.get(connection);
                        if (child != null) {
                            child.wire().room();
                        }
                    })
                    .onConsumer((connection, id) -> {
                        ComchChannel child = open.get(connection);
                        if (child != null) {
                            child.wire().consumer(id);
                        }
                    })
                    .onSendFailed((connection, error) -> {
                        ComchChannel child = open.get(connection);
                        if (child != null) {
                            child.wire().sendFailed(error.name());
                        }
                    })
                    .onDisconnected(this::ended)
                    .onStateChanged((endpoint, now) -> {
                        if (now == ContextState.IDLE) {
                            List.copyOf(open.keySet()).forEach(this::ended); // no handler runs for these
                        }
                    })
                    .start();
        } catch (RuntimeException e) {
            BindException failure = new BindException(e.getMessage() + ": " + where);
            failure.initCause(e);
            throw failure;
        }
        active = true;
    }

    private void connected(ComchConnection connection) {
        ComchChannel child = ComchChannel.accepted(
                this,
                Objects.requireNonNull(loop),
                Objects.requireNonNull(handler),
                Objects.requireNonNull(address),
                settings,
                connection);
        open.put(connection, child);
        if (closed || waiting.size() >= config.backlog()) {
            Objects.requireNonNull(handler).endings().later(() -> {
                child.unsafe().closeForcibly();
                return true;
            });
            return;
        }
        waiting.add(child);
        ready();
    }

    private void ended(ComchConnection connection) {
        ComchChannel child = open.remove(connection);
        if (child != null) {
            child.wire().ended(connection.state());
        }
    }

    /** The channel of a connection is closed. */
    void end(ComchConnection connection, Wire wire) {
        if (connection.isOpen()) {
            BooleanSupplier ending = ClosedConnections.of(connection, wire::isEmptied);
            Objects.requireNonNull(handler).endings().add(() -> {
                if (!ending.getAsBoolean()) {
                    return false;
                }
                open.remove(connection);
                return true;
            });
        } else {
            open.remove(connection);
        }
    }

    @Override
    protected void doBeginRead() {
        readPending = true;
        if (!waiting.isEmpty()) {
            ready();
        }
    }

    private void accept() {
        if (!readPending || waiting.isEmpty()) {
            return;
        }
        do {
            readPending = false;
            pipeline().fireChannelRead(waiting.remove());
        } while (config.isAutoRead() && !waiting.isEmpty());
        pipeline().fireChannelReadComplete();
    }

    @Override
    protected void doClose() {
        if (closed) {
            return;
        }
        closed = true;
        for (ComchChannel child = waiting.poll(); child != null; child = waiting.poll()) {
            child.unsafe().closeForcibly();
        }
        ComchServer mine = server;
        if (mine != null) {
            // connections that have ended meanwhile are noticed by the progress that this makes
            Objects.requireNonNull(handler).endings().add(() -> {
                if (!open.isEmpty()) {
                    return false;
                }
                mine.close();
                return true;
            });
        }
    }

    /** What the loop's handler has of a server. */
    private final class Handle implements ComchIoHandle {
        @Override
        public void handle(IoRegistration source, IoEvent event) {
            accept();
        }

        @Override
        public void close() {
            ComchServerChannel.this.unsafe().close(voidPromise());
        }
    }
}
