package io.github.comch4j.streams;

import io.github.comch4j.netty.ComchAddress;
import io.github.comch4j.netty.ComchChannel;
import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.handler.codec.http2.Http2StreamChannel;
import io.netty.handler.codec.http2.Http2StreamChannelBootstrap;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.GlobalEventExecutor;
import io.netty.util.concurrent.Promise;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Opens streams to services of the other side. On the host it connects when a stream is wanted and there is no
 * connection; on the DPU, whose end of Comch is the server, it uses the connections that come.
 */
@SuppressWarnings("FutureReturnValueIgnored") // what fails is told by the channel's end
public final class StreamOpener {
    private static final long RETRY_MILLIS = 100;

    private final EventLoop loop;
    private final PeerLimits limits;
    private final StreamConnections links;
    private final @Nullable ComchAddress server; // null: connections come
    private final ChannelGroup all = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE);
    private boolean connecting;
    private volatile boolean closed;

    private StreamOpener(EventLoop loop, PeerLimits limits, ConnectionWatch watch, @Nullable ComchAddress server) {
        this.loop = loop;
        this.limits = limits;
        this.server = server;
        this.links = new StreamConnections(loop, watch, this::connect);
    }

    /** On the host: connects to a server on the DPU, by a loop with a handler for Comch. */
    public static StreamOpener connecting(
            EventLoopGroup loops, ComchAddress server, PeerLimits limits, ConnectionWatch watch) {
        return new StreamOpener(loops.next(), limits, watch, server);
    }

    /** On the DPU: {@link #connections()} is the handler of what a server accepts, all on one loop. */
    public static StreamOpener accepting(EventLoop loop, PeerLimits limits, ConnectionWatch watch) {
        return new StreamOpener(loop, limits, watch, null);
    }

    /** The handler of a Comch channel on which streams are to be opened. */
    public ChannelHandler connections() {
        return new ChannelInitializer<>() {
            @Override
            protected void initChannel(Channel channel) {
                all.add(channel);
                Http2.opening(channel.pipeline(), limits, new ConnectionEnd(new StreamAttempts()));
            }
        };
    }

    /**
     * Opens a stream.
     *
     * @param service the name that the other side serves
     * @param patience how long to wait for a connection, and then for the answer
     * @param user gets the stream on its loop's thread, before anything arrives: adds a handler for
     *     {@link io.netty.buffer.ByteBuf}s to its pipeline and sets {@code autoRead}, which is off; what it returns is
     *     the future's result
     * @return fails with a {@link StreamRefusedException} or another {@link java.io.IOException}
     */
    public <T> Future<T> open(String service, Duration patience, Function<Http2StreamChannel, T> user) {
        Promise<T> result = loop.newPromise();
        long deadline = System.nanoTime() + patience.toNanos();
        loop.execute(() -> open(service, deadline, user, result));
        return result;
    }

    private <T> void open(String service, long deadline, Function<Http2StreamChannel, T> user, Promise<T> result) {
        if (closed) {
            result.setFailure(
                    new StreamRefusedException(StreamRefusedException.BUSY, "this end no longer opens streams"));
            return;
        }
        long left = Math.max(0, deadline - System.nanoTime());
        links.next(left).addListener((Future<Channel> found) -> {
            if (!found.isSuccess()) {
                result.setFailure(found.cause());
                return;
            }
            Runnable again = () -> loop.execute(() -> open(service, deadline, user, result));
            StreamRequest<T> request = new StreamRequest<>(service, deadline, user, result, again);
            new Http2StreamChannelBootstrap(found.getNow())
                    .option(ChannelOption.AUTO_READ, false)
                    .handler(request)
                    .open()
                    .addListener(opened -> {
                        if (!opened.isSuccess()) {
                            request.failed(opened.cause());
                        }
                    });
        });
    }

    /** Opens no streams any more, and ends the connections when those that there are have finished, or in some time. */
    public Future<Void> drain() {
        closed = true;
        return all.close();
    }

    /** Until there is one, or nobody waits for it any more. */
    private void connect() {
        if (server == null || connecting || closed) {
            return;
        }
        connecting = true;
        new Bootstrap()
                .group(loop)
                .channel(ComchChannel.class)
                .handler(connections())
                .connect(server)
                .addListener(connected -> {
                    if (!connected.isSuccess()) {
                        links.failed(connected.cause());
                        connectAgain();
                    }
                });
    }

    private void connectAgain() {
        connecting = false;
        loop.schedule(
                () -> {
                    if (links.isWanted()) {
                        connect();
                    }
                },
                RETRY_MILLIS,
                TimeUnit.MILLISECONDS);
    }

    /** One connection is made at a time, and is being made until the peer has answered. */
    private final class StreamAttempts implements ConnectionWatch {
        @Override
        public void ready(Channel connection) {
            connecting = false;
            links.ready(connection);
        }

        @Override
        public void draining(Channel connection) {
            links.draining(connection);
        }

        @Override
        public void ended(Channel connection, @Nullable Throwable why) {
            links.ended(connection, why);
            if (server != null) {
                connectAgain();
            }
        }
    }
}
