package io.github.comch4j.netty;

import io.github.comch4j.TwoNettyLoops;
import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** Channels on two loops. */
@SuppressWarnings("FutureReturnValueIgnored") // what fails is told to the pipeline
abstract class NettyScene extends TwoNettyLoops {
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

    /** Accepts channels that go on after the end of their input. */
    void serve(ChannelHandler handler) {
        server(() -> handler)
                .childOption(ChannelOption.ALLOW_HALF_CLOSURE, true)
                .bind(service)
                .syncUninterruptibly();
    }

    Channel connect(ChannelHandler handler) {
        return client(handler).connect(service).syncUninterruptibly().channel();
    }

    static ByteBuf buffer(byte[] bytes) {
        return Unpooled.wrappedBuffer(bytes);
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
