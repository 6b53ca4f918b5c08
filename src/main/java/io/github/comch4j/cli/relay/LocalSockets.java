package io.github.comch4j.cli.relay;

import io.github.comch4j.cli.program.ProgramException;
import io.github.comch4j.cli.program.ToolThreads;
import io.github.comch4j.streams.Splice;
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
import io.netty.channel.EventLoop;
import io.netty.channel.socket.DuplexChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.util.NetUtil;
import java.io.IOException;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.net.UnknownHostException;
import java.nio.channels.ServerSocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.StringJoiner;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Sockets of this machine, TCP and Unix: those that are listened on, and those that targets are reached by. */
@SuppressWarnings("FutureReturnValueIgnored") // what fails is told by the channel's end
final class LocalSockets {
    private static final int BACKLOG = 1024;
    private static final int CONNECT_MILLIS = 10_000;
    private static final long PAUSE_MILLIS = 100;

    private final EventLoop loop;

    /** On a loop that takes NIO channels. */
    LocalSockets(EventLoop loop) {
        this.loop = loop;
    }

    /**
     * Listens; each socket that comes is given to {@code accepted}, prepared for a {@link Splice}, on the loop.
     *
     * @return where, and how to end it
     */
    Listening listen(RelayEndpoint place, Consumer<DuplexChannel> accepted) {
        return place instanceof RelayEndpoint.Unix unix
                ? listenUnix(unix, accepted)
                : listenTcp((RelayEndpoint.Tcp) place, accepted);
    }

    /** What is listened at: {@code at} as it is to be told. */
    record Listening(Object at, List<AutoCloseable> parts) {}

    private Listening listenTcp(RelayEndpoint.Tcp place, Consumer<DuplexChannel> accepted) {
        List<InetAddress> addresses;
        try {
            addresses = addresses(place);
        } catch (UnknownHostException e) {
            throw new ProgramException(place + " cannot be listened on: there is no host " + place.host(), e);
        }
        ServerBootstrap server = new ServerBootstrap()
                .group(loop)
                .channel(NioServerSocketChannel.class)
                .option(ChannelOption.SO_BACKLOG, BACKLOG)
                .option(ChannelOption.SO_REUSEADDR, true)
                .childOption(ChannelOption.TCP_NODELAY, true)
                .childOption(ChannelOption.SO_KEEPALIVE, true)
                .childHandler(new Prepared(accepted));
        int port = place.port();
        StringJoiner told = new StringJoiner(" and ");
        List<AutoCloseable> parts = new ArrayList<>();
        for (InetAddress address : addresses) {
            ChannelFuture bound =
                    server.bind(new InetSocketAddress(address, port)).awaitUninterruptibly();
            if (!bound.isSuccess()) {
                stop(parts);
                String why = String.valueOf(bound.cause().getMessage());
                String remedy = why.contains("in use")
                        ? ": end what listens there (ss -ltnp tells which), or take another port"
                        : "";
                throw new ProgramException(place + " cannot be listened on: " + why + remedy, bound.cause());
            }
            Channel channel = bound.channel();
            parts.add(() -> channel.close().awaitUninterruptibly());
            port = ((InetSocketAddress) channel.localAddress()).getPort(); // the same for all
            told.add(channel.localAddress().toString());
        }
        return new Listening(told, parts);
    }

    private Listening listenUnix(RelayEndpoint.Unix place, Consumer<DuplexChannel> accepted) {
        List<AutoCloseable> parts = new ArrayList<>();
        UnixPath path = UnixPath.claim(place);
        parts.add(path);
        try {
            ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
            parts.add(server);
            server.bind(UnixDomainSocketAddress.of(path.temporary()), BACKLOG);
            path.publish();
            ToolThreads.start("comch-relay-accept", () -> accept(server, new Prepared(accepted)));
        } catch (ProgramException e) { // its owner or mode cannot be set
            stop(parts);
            throw e;
        } catch (IOException e) {
            stop(parts);
            throw new ProgramException(place + " cannot be listened on: " + e.getMessage(), e);
        }
        return new Listening(place, parts);
    }

    private void accept(ServerSocketChannel server, Prepared handler) {
        while (server.isOpen()) {
            try {
                UnixChannel socket = new UnixChannel(server.accept());
                socket.pipeline().addLast(handler);
                loop.register(socket);
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

    /** All of a host's, in their order; without a host the loop-back addresses. */
    private static List<InetAddress> addresses(RelayEndpoint.Tcp tcp) throws UnknownHostException {
        return tcp.host().isEmpty() ? LoopBack.ADDRESSES : List.of(InetAddress.getAllByName(tcp.host()));
    }

    /** The loop-back addresses that this machine has: asked for once, as the question costs a dozen system calls. */
    private static final class LoopBack {
        static final List<InetAddress> ADDRESSES = hasIpv6()
                ? List.of(InetAddress.ofLiteral("127.0.0.1"), InetAddress.ofLiteral("::1"))
                : List.of(InetAddress.ofLiteral("127.0.0.1"));

        private static boolean hasIpv6() {
            try {
                return NetworkInterface.networkInterfaces()
                        .flatMap(NetworkInterface::inetAddresses)
                        .anyMatch(address -> address instanceof Inet6Address && address.isLoopbackAddress());
            } catch (SocketException e) {
                return false; // interfaces cannot be listed here
            }
        }
    }

    /** Who is told how it went: one of the two is null. */
    interface Connected {
        void done(@Nullable DuplexChannel socket, @Nullable Throwable failure);
    }

    /**
     * Connects to a target, by its addresses in turns, and tells when that is done. A name is asked for by a thread of
     * its own, as that waits.
     */
    void connect(RelayEndpoint place, Connected done) {
        if (place instanceof RelayEndpoint.Unix unix) {
            Bootstrap client = client().channelFactory((ChannelFactory<UnixChannel>) LocalSockets::unix);
            connect(client, List.of(UnixDomainSocketAddress.of(unix.path())), "", done);
            return;
        }
        RelayEndpoint.Tcp tcp = (RelayEndpoint.Tcp) place;
        if (tcp.host().isEmpty() || NetUtil.createInetAddressFromIpAddressString(tcp.host()) != null) {
            connectTcp(tcp, done);
        } else {
            ToolThreads.start("comch-relay-name", () -> connectTcp(tcp, done));
        }
    }

    private void connectTcp(RelayEndpoint.Tcp tcp, Connected done) {
        Bootstrap client = client().channel(NioSocketChannel.class)
                .option(ChannelOption.TCP_NODELAY, true)
                .option(ChannelOption.SO_KEEPALIVE, true)
                .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, CONNECT_MILLIS);
        List<SocketAddress> targets = new ArrayList<>();
        try {
            addresses(tcp).forEach(address -> targets.add(new InetSocketAddress(address, tcp.port())));
        } catch (UnknownHostException e) {
            done.done(null, e);
            return;
        }
        connect(client, targets, "", done);
    }

    private Bootstrap client() {
        return new Bootstrap().group(loop).handler(new ChannelInitializer<>() {
            @Override
            protected void initChannel(Channel socket) {
                Splice.prepare(socket);
            }
        });
    }

    /** Tries the first; if that fails, the others, and what fails then has all their reasons. */
    private static void connect(Bootstrap client, List<SocketAddress> targets, String before, Connected done) {
        client.clone().connect(targets.getFirst()).addListener((ChannelFutureListener) connected -> {
            if (connected.isSuccess()) {
                done.done((DuplexChannel) connected.channel(), null);
                return;
            }
            String reasons = before + connected.cause().getMessage();
            if (targets.size() > 1) {
                connect(client, targets.subList(1, targets.size()), reasons + "; ", done);
            } else {
                done.done(null, new IOException(reasons, connected.cause()));
            }
        });
    }

    /** Who has connected, as it is told. */
    static String peer(DuplexChannel socket) {
        return socket.remoteAddress() instanceof InetSocketAddress tcp
                ? NetUtil.toSocketAddressString(tcp)
                : "a program of this machine"; // whose Unix socket has no name
    }

    private static UnixChannel unix() {
        try {
            return new UnixChannel();
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    /** Nobody can connect there any more; what has connected goes on. */
    static void stop(List<AutoCloseable> parts) {
        for (AutoCloseable each : parts) {
            try {
                each.close();
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        }
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
