package io.github.comch4j.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.comch4j.Machine;
import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** Tests with a loop of Netty's on either side of the emulated device, and a service's name. */
@SuppressWarnings("FutureReturnValueIgnored") // what fails is told to the pipeline
abstract class NettyScene {
    static final long PATIENCE = Machine.PATIENCE.toMillis();

    final String name = Machine.uniqueName();
    final ComchAddress service = ComchAddress.of(Machine.DPU, Machine.HOST, name);
    EventLoopGroup hostLoop;
    EventLoopGroup dpuLoop;

    static {
        Machine.useEmulation();
    }

    @BeforeEach
    void startLoops() {
        hostLoop = new MultiThreadIoEventLoopGroup(1, ComchIoHandler.newFactory());
        dpuLoop = new MultiThreadIoEventLoopGroup(1, ComchIoHandler.newFactory());
    }

    @AfterEach
    void endLoops() {
        hostLoop.shutdownGracefully(1, 5000, TimeUnit.MILLISECONDS);
        dpuLoop.shutdownGracefully(1, 5000, TimeUnit.MILLISECONDS);
        assertThat(hostLoop.terminationFuture().awaitUninterruptibly(PATIENCE)).isTrue();
        assertThat(dpuLoop.terminationFuture().awaitUninterruptibly(PATIENCE)).isTrue();
    }

    ServerBootstrap server(Supplier<ChannelHandler> handlers) {
        return new ServerBootstrap()
                .group(dpuLoop)
                .channel(ComchServerChannel.class)
                .childHandler(new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel child) {
                        child.pipeline().addLast(handlers.get());
                    }
                });
    }

    Bootstrap client(ChannelHandler handler) {
        return new Bootstrap().group(hostLoop).channel(ComchChannel.class).handler(handler);
    }

    Channel bind(Supplier<ChannelHandler> handlers) {
        return server(handlers).bind(service).syncUninterruptibly().channel();
    }

    Channel connect(ChannelHandler handler) {
        return client(handler).connect(service).syncUninterruptibly().channel();
    }

    static byte[] random(int length) {
        byte[] bytes = new byte[length];
        new Random(length).nextBytes(bytes);
        return bytes;
    }

    static ByteBuf buffer(byte[] bytes) {
        return Unpooled.wrappedBuffer(bytes);
    }

    static void until(String what, BooleanSupplier condition) {
        long deadline = System.nanoTime() + Machine.PATIENCE.toNanos();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - deadline > 0) {
                throw new AssertionError("gave up waiting for: " + what);
            }
            Thread.onSpinWait();
        }
    }

    /** Sends back what comes. */
    static final class Echo extends ChannelInboundHandlerAdapter {
        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            context.writeAndFlush(message);
        }
    }

    /** Collects the stream, and what else happens. */
    static class Collector extends ChannelInboundHandlerAdapter {
        private final ByteBuf stream = Unpooled.buffer();
        private volatile int length;
        final CompletableFuture<Channel> active = new CompletableFuture<>();
        final CompletableFuture<Void> inactive = new CompletableFuture<>();
        final LinkedBlockingQueue<Throwable> failures = new LinkedBlockingQueue<>();
        final LinkedBlockingQueue<Object> events = new LinkedBlockingQueue<>();

        @Override
        public void channelActive(ChannelHandlerContext context) {
            active.complete(context.channel());
        }

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            ByteBuf bytes = (ByteBuf) message;
            synchronized (stream) {
                stream.writeBytes(bytes);
                length = stream.writerIndex();
            }
            bytes.release();
        }

        @Override
        public void channelInactive(ChannelHandlerContext context) {
            inactive.complete(null);
        }

        @Override
        public void userEventTriggered(ChannelHandlerContext context, Object event) {
            events.add(event);
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            failures.add(cause);
        }

        int length() {
            return length;
        }

        byte[] bytes() {
            synchronized (stream) {
                return Arrays.copyOf(stream.array(), stream.writerIndex());
            }
        }

        byte[] await(int atLeast) {
            until(atLeast + " bytes", () -> length >= atLeast);
            return bytes();
        }

        Channel channel() throws Exception {
            return active.get(PATIENCE, TimeUnit.MILLISECONDS);
        }

        void awaitInactive() throws Exception {
            inactive.get(PATIENCE, TimeUnit.MILLISECONDS);
        }
    }
}
