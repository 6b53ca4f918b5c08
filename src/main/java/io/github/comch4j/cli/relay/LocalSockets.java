package io.github.comch4j.cli.relay;

import io.github.comch4j.internal.support.program.ProgramException;
import io.github.comch4j.internal.support.relay.Splice;
import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFactory;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.DuplexChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.util.NetUtil;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** Sockets of this machine, TCP and Unix: those that are listened on, and those that targets are reached by. */
@SuppressWarnings("FutureReturnValueIgnored") // what fails is told by the channel's end
final class LocalSockets implements AutoCloseable {
    private static final int BACKLOG = 1024;
    private static final int CONNECT_MILLIS = 10_000;
    private static final long PAUSE_MILLIS = 100;

    private final EventLoopGroup loops = new MultiThreadIoEventLoopGroup(
            1, new DefaultThreadFactory("comch-sockets", true), NioIoHandler.newFactory());
    private final List<AutoCloseable> listening = new ArrayList<>();

    /**
     * Listens; each socket that comes is given to {@code accepted}, prepared for a {@link Splice}, on its loop.
     *
     * @return where, as it is to be told
     */
    Object listen(Place place, Consumer<DuplexChannel> accepted) {
        return place instanceof Place.Unix unix ? listenUnix(unix, accepted) : listenTcp((Place.Tcp) place, accepted);
    }

    private Object listenTcp(Place.Tcp place, Consumer<DuplexChannel> accepted) {
        InetSocketAddress address = address(place);
        if (address.isUnresolved()) {
            throw new ProgramException(place + " cannot be listened on: there is no host " + place.host());
        }
        ChannelFuture bound = new ServerBootstrap()
                .group(loops)
                .channel(NioServerSocketChannel.class)
                .option(ChannelOption.SO_BACKLOG, BACKLOG)
                .option(ChannelOption.SO_REUSEADDR, true)
                .childOption(ChannelOption.TCP_NODELAY, true)
                .childOption(ChannelOption.SO_KEEPALIVE, true)
                .childHandler(new Prepared(accepted))
                .bind(address)
                .awaitUninterruptibly();
        if (!bound.isSuccess()) {
            String why = String.valueOf(bound.cause().getMessage());
            String remedy = why.contains("in use")
                    ? ": end what listens there (ss -ltnp tells which), or take another port"
                    : "";
            throw new ProgramException(place + " cannot be listened on: " + why + remedy, bound.cause());
        }
        Channel channel = bound.channel();
        listening.add(() -> channel.close().awaitUninterruptibly());
        return channel.localAddress();
    }

    private Object listenUnix(Place.Unix place, Consumer<DuplexChannel> accepted) {
        UnixPath path = UnixPath.claim(place);
        listening.add(path);
        try {
            ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
            listening.add(server);
            server.bind(UnixDomainSocketAddress.of(path.temporary()), BACKLOG);
            path.publish();
            Thread thread = new Thread(() -> accept(server, new Prepared(accepted)), "comch-relay-accept");
            thread.setDaemon(true);
            thread.start();
        } catch (IOException e) {
            throw new ProgramException(place + " cannot be listened on: " + e.getMessage(), e);
        }
        return place;
    }

    private void accept(ServerSocketChannel server, Prepared handler) {
        while (server.isOpen()) {
            try {
                UnixChannel socket = new UnixChannel(server.accept());
                socket.pipeline().addLast(handler);
                loops.register(socket);
            } catch (IOException e) {
                if (server.isOpen()) { // too many files are open, for now
                    try {
                        Thread.sleep(PAUSE_MILLIS);
                    } catch (InterruptedException interrupt) {
                        return;
                    }
                }
            }
        }
    }

    private static InetSocketAddress address(Place.Tcp tcp) {
        return tcp.host().isEmpty()
                ? new InetSocketAddress(InetAddress.getLoopbackAddress(), tcp.port())
                : new InetSocketAddress(tcp.host(), tcp.port());
    }

    /** Connects to a target, and tells when that is done. A name is asked for by a thread of its own, as that waits. */
    void connect(Place place, ChannelFutureListener done) {
        if (place instanceof Place.Tcp tcp
                && !tcp.host().isEmpty()
                && NetUtil.createInetAddressFromIpAddressString(tcp.host()) == null) {
            Thread thread = new Thread(() -> connectNow(tcp).addListener(done), "comch-relay-name");
            thread.setDaemon(true);
            thread.start();
        } else {
            connectNow(place).addListener(done);
        }
    }

    private ChannelFuture connectNow(Place place) {
        Bootstrap client = new Bootstrap().group(loops).handler(new ChannelInitializer<>() {
            @Override
            protected void initChannel(Channel socket) {
                Splice.prepare(socket);
            }
        });
        if (place instanceof Place.Unix unix) {
            return client.channelFactory((ChannelFactory<UnixChannel>) LocalSockets::unix)
                    .connect(UnixDomainSocketAddress.of(unix.path()));
        }
        return client.channel(NioSocketChannel.class)
                .option(ChannelOption.TCP_NODELAY, true)
                .option(ChannelOption.SO_KEEPALIVE, true)
                .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, CONNECT_MILLIS)
                .connect(address((Place.Tcp) place));
    }

    private static UnixChannel unix() {
        try {
            return new UnixChannel();
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    /** Nobody can connect any more; what has connected goes on. */
    void stopListening() {
        for (AutoCloseable each : listening) {
            try {
                each.close();
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        }
        listening.clear();
    }

    @Override
    public void close() {
        stopListening();
        loops.shutdownGracefully(0, 2, TimeUnit.SECONDS).awaitUninterruptibly();
    }

    /** Hands over a socket that has been accepted. */
    @io.netty.channel.ChannelHandler.Sharable
    private static final class Prepared extends ChannelInboundHandlerAdapter {
        private final Consumer<DuplexChannel> accepted;

        Prepared(Consumer<DuplexChannel> accepted) {
            this.accepted = accepted;
        }

        @Override
        public void handlerAdded(ChannelHandlerContext context) {
            Splice.prepare(context.channel());
        }

        @Override
        public void channelActive(ChannelHandlerContext context) {
            context.pipeline().remove(this);
            accepted.accept((DuplexChannel) context.channel());
        }
    }
}
