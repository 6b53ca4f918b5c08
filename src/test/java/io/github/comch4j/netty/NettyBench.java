package io.github.comch4j.netty;

import io.github.comch4j.Machine;
import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.ServerChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioDomainSocketChannel;
import io.netty.channel.socket.nio.NioServerDomainSocketChannel;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;

/**
 * Echoes over this transport and over a Unix-domain socket with Netty's NIO, in turns, in one process with a loop for
 * each side ({@code docs/netty.md} has the command). First argument: how many rounds.
 */
@SuppressWarnings("FutureReturnValueIgnored") // what fails is told to the pipeline
final class NettyBench {
    private static final int SMALL = 64;
    private static final int ECHOES = 50_000;
    private static final int PIECE = 16 << 10;
    private static final int WINDOW = 64; // pieces on their way
    private static final int PIECES = 40_000;

    private NettyBench() {}

    public static void main(String[] arguments) throws Exception {
        Machine.useEmulation();
        Path folder = Files.createTempDirectory("netty-bench");
        for (int round = 0; round < Integer.parseInt(arguments[0]); round++) {
            run(
                    "comch",
                    ComchIoHandler.newFactory(),
                    ComchServerChannel.class,
                    ComchChannel.class,
                    ComchAddress.of(Machine.DPU, Machine.HOST, Machine.uniqueName()));
            run(
                    "unix",
                    NioIoHandler.newFactory(),
                    NioServerDomainSocketChannel.class,
                    NioDomainSocketChannel.class,
                    UnixDomainSocketAddress.of(folder.resolve("socket" + round)));
        }
        System.exit(0);
    }

    private static void run(
            String name,
            IoHandlerFactory handlers,
            Class<? extends ServerChannel> server,
            Class<? extends Channel> client,
            SocketAddress address)
            throws Exception {
        EventLoopGroup serverLoop = new MultiThreadIoEventLoopGroup(1, handlers);
        EventLoopGroup clientLoop = new MultiThreadIoEventLoopGroup(1, handlers);
        Channel listening = new ServerBootstrap()
                .group(serverLoop)
                .channel(server)
                .childHandler(new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel child) {
                        child.pipeline().addLast(new NettyScene.Echo());
                    }
                })
                .bind(address)
                .sync()
                .channel();
        PingPong latency = new PingPong();
        connect(clientLoop, client, address, latency);
        long[] times = latency.done.get();
        Arrays.sort(times);
        Pieces throughput = new Pieces();
        connect(clientLoop, client, address, throughput);
        double seconds = throughput.done.get() / 1e9;
        System.out.printf(
                "%-6s echo of %d bytes: median %.1f us, 99 %%: %.1f us; echoes of %d KiB, %d at a time: %.0f MB/s%n",
                name,
                SMALL,
                times[times.length / 2] / 1e3,
                times[times.length / 100 * 99] / 1e3,
                PIECE >> 10,
                WINDOW,
                (double) PIECE * PIECES / seconds / 1e6);
        listening.close().sync();
        clientLoop.shutdownGracefully();
        serverLoop.shutdownGracefully();
        clientLoop.terminationFuture().sync();
        serverLoop.terminationFuture().sync();
    }

    private static void connect(
            EventLoopGroup loop,
            Class<? extends Channel> type,
            SocketAddress address,
            ChannelInboundHandlerAdapter handler)
            throws Exception {
        new Bootstrap()
                .group(loop)
                .channel(type)
                .handler(handler)
                .connect(address)
                .sync();
    }

    /** One small message at a time. */
    private static final class PingPong extends ChannelInboundHandlerAdapter {
        final CompletableFuture<long[]> done = new CompletableFuture<>();
        private final long[] times = new long[ECHOES];
        private int count = -ECHOES / 5; // warming up
        private int arrived;
        private long begun;

        @Override
        public void channelActive(ChannelHandlerContext context) {
            send(context);
        }

        private void send(ChannelHandlerContext context) {
            begun = System.nanoTime();
            context.writeAndFlush(context.alloc().directBuffer(SMALL).writeZero(SMALL));
        }

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            ByteBuf bytes = (ByteBuf) message;
            arrived += bytes.readableBytes();
            bytes.release();
            if (arrived < SMALL) {
                return;
            }
            arrived = 0;
            if (count >= 0) {
                times[count] = System.nanoTime() - begun;
            }
            if (++count < ECHOES) {
                send(context);
            } else {
                context.close();
                done.complete(times);
            }
        }
    }

    /** Many pieces on their way. */
    private static final class Pieces extends ChannelInboundHandlerAdapter {
        final CompletableFuture<Long> done = new CompletableFuture<>();
        private long sent;
        private long arrived;
        private long begun;

        @Override
        public void channelActive(ChannelHandlerContext context) {
            begun = System.nanoTime();
            for (int i = 0; i < WINDOW; i++) {
                send(context);
            }
            context.flush();
        }

        private void send(ChannelHandlerContext context) {
            context.write(context.alloc().directBuffer(PIECE).writeZero(PIECE));
            sent += PIECE;
        }

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            ByteBuf bytes = (ByteBuf) message;
            arrived += bytes.readableBytes();
            bytes.release();
            while (sent < (long) PIECE * PIECES && sent - arrived <= (long) PIECE * (WINDOW - 1)) {
                send(context);
            }
            if (arrived == (long) PIECE * PIECES) {
                done.complete(System.nanoTime() - begun);
                context.close();
            }
        }

        @Override
        public void channelReadComplete(ChannelHandlerContext context) {
            context.flush();
        }
    }
}
