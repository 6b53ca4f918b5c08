package io.github.comch4j.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.comch4j.internal.life.SpinThenSleep;
import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.Arrays;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Loops for NIO channels and Comch: a proxy between the two, whose loop sleeps as soon as there is nothing to do. */
@SuppressWarnings("FutureReturnValueIgnored") // what fails is told to the pipeline
@Timeout(60)
class NettyNioTest extends NettyScene {
    private final BlockingQueue<Channel> accepted = new LinkedBlockingQueue<>();
    private EventLoopGroup both;

    @AfterEach
    void endLoop() throws Exception {
        if (both != null) {
            both.shutdownGracefully(1, 5000, TimeUnit.MILLISECONDS).sync();
        }
    }

    /** Passes on what comes. */
    private static final class To extends ChannelInboundHandlerAdapter {
        private final Channel sink;

        To(Channel sink) {
            this.sink = sink;
        }

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            sink.writeAndFlush(message);
        }

        @Override
        public void channelInactive(ChannelHandlerContext context) {
            sink.close();
        }
    }

    /** Listens on TCP; each connection goes on to the service. */
    private InetSocketAddress proxy(IoHandlerFactory handlers) {
        both = new MultiThreadIoEventLoopGroup(1, handlers);
        Channel server = new ServerBootstrap()
                .group(both)
                .channel(NioServerSocketChannel.class)
                .childOption(ChannelOption.AUTO_READ, false)
                .childHandler(new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel socket) {
                        Channel channel = new Bootstrap()
                                .group(both)
                                .channel(ComchChannel.class)
                                .handler(new To(socket))
                                .connect(service)
                                .addListener(connected -> socket.config().setAutoRead(true))
                                .channel();
                        socket.pipeline().addLast(new To(channel));
                        accepted.add(channel);
                        accepted.add(socket);
                    }
                })
                .bind(InetAddress.getLoopbackAddress(), 0)
                .syncUninterruptibly()
                .channel();
        return (InetSocketAddress) server.localAddress();
    }

    private static Socket connect(InetSocketAddress address) throws IOException {
        Socket socket = new Socket(address.getAddress(), address.getPort());
        socket.setTcpNoDelay(true);
        socket.setSoTimeout((int) PATIENCE);
        return socket;
    }

    private static void ask(Socket socket, byte[] bytes) throws IOException {
        socket.getOutputStream().write(bytes);
        byte[] back = socket.getInputStream().readNBytes(bytes.length);
        assertThat(Arrays.mismatch(back, bytes)).isEqualTo(-1);
    }

    /** If no socket ended its sleep, a request would wait for the end of the longest one, 50 ms, and all for 100 s. */
    @Test
    void aLoopThatSleepsServesSocketsAndChannels() throws Exception {
        bind(Echo::new);
        try (Socket socket = connect(proxy(ComchIoHandler.newFactoryWithNio(0)))) {
            for (int i = 0; i < 2000; i++) {
                Thread.sleep(1); // it sleeps by now
                ask(socket, new byte[] {(byte) i});
            }
            ask(socket, random(1_000_000));
        }
        assertThat(accepted.take().eventLoop()).isSameAs(accepted.take().eventLoop());
    }

    @Test
    void aChannelThatEndsEndsItsSocket() throws Exception {
        bind(Echo::new);
        try (Socket socket = connect(proxy(ComchIoHandler.newFactoryWithNio(0)))) {
            ask(socket, random(100));
            accepted.take().close();
            assertThat(socket.getInputStream().read()).isEqualTo(-1);
        }
    }

    @Test
    void aSocketIsServedWhereItsSelectorsDescriptorIsNotKnown() throws Exception {
        bind(Echo::new);
        IoHandlerFactory handlers = loop -> new ComchIoHandler(loop, new SpinThenSleep(0), new NioSide(loop, false));
        try (Socket socket = connect(proxy(handlers))) {
            for (int i = 0; i < 100; i++) {
                ask(socket, new byte[] {(byte) i});
            }
            ask(socket, random(1_000_000));
        }
    }

    /** With no channel over Comch the loop has no engine, and sleeps on its sockets alone. */
    @Test
    void aLoopTakesTasksAndSocketsWithoutAChannelOverComch() throws Exception {
        both = new MultiThreadIoEventLoopGroup(1, ComchIoHandler.newFactoryWithNio(0));
        Channel server = new ServerBootstrap()
                .group(both)
                .channel(NioServerSocketChannel.class)
                .childHandler(new Echo())
                .bind(InetAddress.getLoopbackAddress(), 0)
                .sync()
                .channel();
        try (Socket socket = connect((InetSocketAddress) server.localAddress())) {
            for (int i = 0; i < 100; i++) {
                ask(socket, new byte[] {(byte) i});
                both.submit(() -> {}).sync();
            }
        }
    }

    @Test
    void theEndOfALoopClosesItsSockets() throws Exception {
        bind(Echo::new);
        try (Socket socket = connect(proxy(ComchIoHandler.newFactoryWithNio(0)))) {
            ask(socket, random(100));
            both.shutdownGracefully(0, 5000, TimeUnit.MILLISECONDS).sync();
            assertThat(accepted).hasSize(2).noneMatch(Channel::isOpen);
            assertThat(socket.getInputStream().read()).isEqualTo(-1);
        }
    }

    @Test
    void otherLoopsTakeNoSockets() {
        assertThat(new Bootstrap()
                        .group(hostLoop)
                        .channel(NioSocketChannel.class)
                        .handler(new Echo())
                        .register()
                        .awaitUninterruptibly()
                        .cause())
                .isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> ComchIoHandler.newFactoryWithNio(-1)).isInstanceOf(IllegalArgumentException.class);
    }
}
