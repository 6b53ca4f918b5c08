package io.github.comch4j.netty;

import io.github.comch4j.comch.ComchClient;
import io.github.comch4j.comch.ComchConnection;
import io.github.comch4j.core.ContextState;
import io.netty.buffer.ByteBuf;
import io.netty.channel.AbstractChannel;
import io.netty.channel.Channel;
import io.netty.channel.ChannelConfig;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelMetadata;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.ChannelPromise;
import io.netty.channel.EventLoop;
import io.netty.channel.FileRegion;
import io.netty.channel.IoEvent;
import io.netty.channel.IoEventLoop;
import io.netty.channel.IoRegistration;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.ChannelInputShutdownReadComplete;
import io.netty.channel.socket.DuplexChannel;
import io.netty.util.internal.StringUtil;
import java.io.IOException;
import java.net.SocketAddress;
import java.util.Objects;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A stream of bytes between host and DPU. A {@link io.netty.bootstrap.Bootstrap} that connects to a
 * {@link ComchAddress} creates the host's end. A {@link ComchServerChannel} accepts the DPU's end.
 *
 * {@snippet file="NettyEcho.java" region="client"}
 *
 * <p>The channel needs an event loop with a {@link ComchIoHandler}. An accepted channel belongs to the loop of its
 * server, whatever group the bootstrap has for it. A connected channel can be registered only with its loop.
 *
 * <p>The channel writes {@link ByteBuf}s and {@link FileRegion}s. Each direction can be shut down by itself. The input
 * ends when the peer closes its channel or its output and all that it had flushed has been sent. If the connection ends
 * otherwise, or a message is missing, the channel calls {@code exceptionCaught} after all bytes that have arrived and
 * before {@code channelInactive}. The writer of a message that fails gets the same calls.
 */
// A channel of Netty has many methods: the work is done by Connecting, Messages and Wire.
@SuppressWarnings("FutureReturnValueIgnored") // what fails is told to the pipeline
public final class ComchChannel extends AbstractChannel implements DuplexChannel {
    private static final ChannelMetadata METADATA = new ChannelMetadata(false, 16);

    private final ChannelSettings settings;
    private final ComchConfig config;
    private final Wire wire;
    private final MessagePacker messages = new MessagePacker();
    private final Runnable flushTask = this::flushNow;
    private Channel.@Nullable Unsafe loopBound; // not initialised here: the super constructor asks for it
    private final @Nullable EventLoop home; // of the server
    private volatile @Nullable Registration registration;
    private @Nullable IoRegistration registered;
    private @Nullable ComchIoHandler handler; // of the loop that it connects on
    private @Nullable Connecting connecting;
    private @Nullable ComchClient client;
    private @Nullable ComchAddress local;
    private @Nullable ComchAddress remote;
    private volatile boolean active;
    private volatile boolean closed;
    private volatile boolean inputShutdown;
    private volatile boolean outputShutdown;
    private boolean tellsInputShutdown;
    private boolean readPending;
    private @Nullable ChannelOutboundBuffer outbound; // which is asked when Netty has taken it away

    /** Creates a channel that can connect. */
    public ComchChannel() {
        this(null, new ChannelSettings(), null);
    }

    private ComchChannel(@Nullable Channel parent, ChannelSettings settings, @Nullable EventLoop home) {
        super(parent);
        this.settings = settings;
        this.home = home;
        this.config = new ComchConfig(this, settings, false, this::settingsChanged, this::autoReadCleared);
        this.wire = new Wire(this::ready, this::later, config::getAllocator, settings);
    }

    /** The DPU's end of a connection that is established. */
    static ComchChannel accepted(
            Channel server,
            EventLoop loop,
            ComchIoHandler handler,
            ComchAddress address,
            ChannelSettings settings,
            ComchConnection connection) {
        ComchChannel child = new ComchChannel(server, settings.copy(), loop);
        child.handler = handler;
        child.wire.opened(connection);
        child.local = address;
        child.remote = ComchAddress.unnamed(address, connection.number());
        child.active = true;
        return child;
    }

    Wire wire() {
        return wire;
    }

    private void ready() {
        Registration mine = registration;
        if (mine != null) {
            mine.ready();
        }
    }

    private void later(BooleanSupplier task) {
        Objects.requireNonNull(handler).endings().later(task);
    }

    private void settingsChanged() {
        wire.settingsChanged();
    }

    private void autoReadCleared() {
        if (isRegistered() && !eventLoop().inEventLoop()) {
            eventLoop().execute(() -> readPending = false);
        } else {
            readPending = false;
        }
    }

    @Override
    public ChannelConfig config() {
        return config;
    }

    @Override
    public ChannelMetadata metadata() {
        return METADATA;
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
    public @Nullable ComchAddress remoteAddress() {
        return (ComchAddress) super.remoteAddress();
    }

    @Override
    protected @Nullable SocketAddress localAddress0() {
        return local;
    }

    @Override
    protected @Nullable SocketAddress remoteAddress0() {
        return remote;
    }

    // Registration with a loop.

    @Override
    protected boolean isCompatible(EventLoop loop) {
        return isComch(loop);
    }

    static boolean isComch(EventLoop loop) {
        return loop instanceof IoEventLoop io && io.isCompatible(ComchIoHandle.class);
    }

    static void checkLoop(EventLoop loop) {
        if (!isComch(loop)) {
            throw new IllegalStateException(
                    "incompatible event loop " + loop.getClass().getName()
                            + ": channels over Comch need one that was made with ComchIoHandler.newFactory()");
        }
    }

    @Override
    public Channel.Unsafe unsafe() {
        if (loopBound == null) {
            loopBound = new LoopBound(super.unsafe(), this::loopFor);
        }
        return loopBound;
    }

    /** Accepted channels live on their server's loop, and connected ones where they have connected. */
    private EventLoop loopFor(EventLoop asked) {
        checkLoop(asked);
        if (home != null) {
            return home;
        }
        if (handler != null && handler.loop() != asked) {
            throw new IllegalStateException(
                    "a channel that has connected on one event loop cannot be registered with another one");
        }
        return asked;
    }

    @Override
    protected void doRegister(ChannelPromise promise) {
        Handle handle = new Handle();
        ((IoEventLoop) eventLoop()).register(handle).addListener(future -> {
            if (future.isSuccess()) {
                IoRegistration mine = (IoRegistration) future.getNow();
                registered = mine;
                registration = mine.attachment();
                promise.setSuccess();
                ready(); // for what has come while it was not registered
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

    // Connecting.

    @Override
    protected void doBind(SocketAddress address) {
        throw new UnsupportedOperationException("a channel that connects has no address of its own to be bound to");
    }

    /** Begins to connect. */
    private void begin(ComchAddress address) throws IOException {
        ComchIoHandler mine = Objects.requireNonNull(registration).handler();
        handler = mine;
        remote = address;
        try {
            client = settings.apply(
                            ComchClient.builder(mine.engine(), mine.host(address.function()), address.service()))
                    .onMessage((connection, message) -> wire.message(message))
                    .onConnected(connection -> {
                        wire.opened(connection);
                        ready();
                    })
                    .onWritable(connection -> wire.room())
                    .onConsumer((connection, id) -> wire.consumer(id))
                    .onSendFailed((connection, error) -> wire.sendFailed(error.name()))
                    .onDisconnected(connection -> wire.ended(connection.state()))
                    .onStateChanged((endpoint, now) -> {
                        if (now == ContextState.IDLE) {
                            wire.idle(); // refused, or its end
                        }
                    })
                    .start();
        } catch (RuntimeException e) {
            throw Connecting.failure(address, e);
        }
    }

    private void finishConnecting(Connecting attempt) {
        ComchConnection connection = wire.connection();
        if (connection != null) {
            local = ComchAddress.unnamed(Objects.requireNonNull(remote), connection.number());
            active = true;
            connecting = null;
            boolean wanted = attempt.succeeded();
            pipeline().fireChannelActive();
            if (!wanted) {
                unsafe().close(voidPromise());
            }
        } else if (wire.isOver()) {
            connecting = null;
            attempt.failed(Connecting.refused(Objects.requireNonNull(remote), client));
            unsafe().close(voidPromise());
        }
    }

    // Reading.

    @Override
    protected void doBeginRead() {
        readPending = true;
        if (wire.hasArrivals() || wire.isFinished() || tellsInputShutdown) {
            ready();
        }
    }

    @SuppressWarnings("deprecation") // the type of the result has no other name yet
    private void deliver() {
        if (!wire.hasArrivals()) {
            endOfInput();
            return;
        }
        if (!readPending) {
            return;
        }
        RecvByteBufAllocator.Handle limits = unsafe().recvBufAllocHandle();
        limits.reset(config);
        do {
            int most = limits.guess();
            ByteBuf bytes = wire.next(most);
            if (bytes == null) {
                break;
            }
            int length = bytes.readableBytes();
            limits.attemptedBytesRead(wire.hasArrivals() ? length : most);
            limits.lastBytesRead(length);
            limits.incMessagesRead(1);
            readPending = false;
            pipeline().fireChannelRead(bytes);
        } while (limits.continueReading());
        limits.readComplete();
        pipeline().fireChannelReadComplete();
        ready(); // if there is more, or it is the end
    }

    /** Nothing has arrived that was not read. */
    private void endOfInput() {
        if (wire.failure() != null || (wire.isFinished() && !config.allowsHalfClosure())) {
            fail();
            unsafe().close(voidPromise());
        } else if (wire.isFinished() && !inputShutdown) {
            inputShutdown = true;
            tellsInputShutdown = true;
            pipeline().fireUserEventTriggered(ChannelInputShutdownEvent.INSTANCE);
            ready();
        } else if (tellsInputShutdown) {
            tellsInputShutdown = false;
            readPending = false;
            pipeline().fireUserEventTriggered(ChannelInputShutdownReadComplete.INSTANCE);
        }
        if (wire.isOver()) {
            flushNow(); // fails, and closes the channel
        }
    }

    private void fail() {
        IOException failure = wire.failure();
        if (failure != null) {
            pipeline().fireExceptionCaught(failure);
        }
    }

    // Writing.

    @Override
    protected Object filterOutboundMessage(Object message) {
        if (message instanceof ByteBuf || message instanceof FileRegion) {
            return message;
        }
        throw new UnsupportedOperationException("unsupported message type: " + StringUtil.simpleClassName(message)
                + " (expected: ByteBuf, FileRegion)");
    }

    @Override
    protected void doWrite(ChannelOutboundBuffer in) throws Exception {
        ComchIoHandler mine = Objects.requireNonNull(handler);
        outbound = in;
        for (int left = config.getWriteSpinCount(); in.current() != null; left--) {
            if (left == 0) {
                eventLoop().execute(flushTask); // others have their turn
                return;
            }
            if (!messages.send(wire, in, mine.scratch(wire.longest()))) {
                return; // until the engine or the peer tells that there is room
            }
        }
    }

    private void flushNow() {
        ((StreamUnsafe) super.unsafe()).flush0();
    }

    // Ending.

    @Override
    protected void doDisconnect() {
        doClose();
    }

    @Override
    protected void doClose() {
        if (closed) {
            return;
        }
        closed = true;
        Connecting attempt = connecting;
        connecting = null;
        if (attempt != null) {
            attempt.closed();
        }
        EventLoop loop = home;
        if (loop != null && !loop.inEventLoop()) {
            loop.execute(this::release); // it was never registered, because of another kind of loop
        } else {
            release();
        }
    }

    private void release() {
        wire.discard();
        wire.finish(isAllSent(), true);
        ComchClient mine = client;
        ComchConnection connection = wire.connection();
        if (mine != null) {
            Objects.requireNonNull(handler).endings().add(ClosedConnections.of(mine, wire::isEmptied));
        } else if (connection != null && parent() instanceof ComchServerChannel server) {
            server.end(connection, wire);
        }
    }

    /** Whether what was flushed has gone, before Netty fails the rest. */
    private boolean isAllSent() {
        ChannelOutboundBuffer mine = outbound;
        return mine == null || mine.isEmpty();
    }

    @Override
    protected void doShutdownOutput() {
        outputShutdown = true;
        if (isAllSent()) {
            wire.finish(true, false);
        } else {
            wire.sendFailed("the output was shut down before it had gone out");
        }
    }

    @Override
    public boolean isInputShutdown() {
        return inputShutdown || !isActive();
    }

    @Override
    public boolean isOutputShutdown() {
        return outputShutdown || !isActive();
    }

    @Override
    public boolean isShutdown() {
        return (inputShutdown && outputShutdown) || !isActive();
    }

    @Override
    public ChannelFuture shutdownInput() {
        return shutdownInput(newPromise());
    }

    @Override
    public ChannelFuture shutdownInput(ChannelPromise promise) {
        inLoop(() -> {
            inputShutdown = true;
            tellsInputShutdown = true;
            wire.discard();
            promise.setSuccess();
            ready();
        });
        return promise;
    }

    @Override
    public ChannelFuture shutdownOutput() {
        return shutdownOutput(newPromise());
    }

    @Override
    public ChannelFuture shutdownOutput(ChannelPromise promise) {
        inLoop(() -> ((StreamUnsafe) super.unsafe()).shutdownOutput(promise));
        return promise;
    }

    @Override
    public ChannelFuture shutdown() {
        return shutdown(newPromise());
    }

    @Override
    public ChannelFuture shutdown(ChannelPromise promise) {
        shutdownOutput()
                .addListener(output -> shutdownInput().addListener(input -> {
                    Throwable failure = output.isSuccess() ? input.cause() : output.cause();
                    if (failure == null) {
                        promise.setSuccess();
                    } else {
                        promise.setFailure(failure);
                    }
                }));
        return promise;
    }

    private void inLoop(Runnable task) {
        if (eventLoop().inEventLoop()) {
            task.run();
        } else {
            eventLoop().execute(task);
        }
    }

    @Override
    protected AbstractUnsafe newUnsafe() {
        return new StreamUnsafe();
    }

    private final class StreamUnsafe extends AbstractUnsafe {
        @Override
        public void connect(SocketAddress to, @Nullable SocketAddress from, ChannelPromise promise) {
            if (promise.isDone() || !ensureOpen(promise)) {
                return;
            }
            try {
                ComchAddress address = Connecting.check(to, from, connecting, isActive());
                begin(address);
                connecting = new Connecting(ComchChannel.this, address, promise);
            } catch (IOException | RuntimeException e) {
                promise.tryFailure(e);
                closeIfClosed();
            }
        }

        @Override
        protected void flush0() {
            if (!wire.isBlocked()) {
                super.flush0();
            } else {
                outbound = outboundBuffer();
            }
        }
    }

    /** What the loop's handler has of a channel. */
    private final class Handle implements ComchIoHandle {
        @Override
        public void handle(IoRegistration source, IoEvent event) {
            Connecting attempt = connecting;
            if (attempt != null) {
                finishConnecting(attempt);
            }
            if (isActive() && wire.isBroken()) {
                fail();
                ComchChannel.this.unsafe().close(voidPromise());
            }
            if (isActive() && !wire.isOver()) {
                flushNow();
            }
            if (isActive()) {
                deliver(); // all of it, also if the connection is over
            }
        }

        @Override
        public void close() {
            ComchChannel.this.unsafe().close(voidPromise());
        }
    }
}
