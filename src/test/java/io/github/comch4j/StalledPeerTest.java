package io.github.comch4j;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.github.comch4j.comch.ComchClient;
import io.github.comch4j.comch.ConnectionClosedException;
import io.github.comch4j.core.ProgressEngine;
import io.github.comch4j.io.MessageServerSocket;
import io.github.comch4j.io.MessageSocket;
import io.github.comch4j.netty.ComchAddress;
import io.github.comch4j.netty.ComchChannelOption;
import io.github.comch4j.netty.ComchIoHandler;
import io.github.comch4j.netty.ComchServerChannel;
import io.github.comch4j.rpc.RpcClient;
import io.github.comch4j.rpc.RpcException;
import io.github.comch4j.rpc.RpcServer;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Servers of sockets, calls and Netty end the connection of a client that does not read, if they are told to. */
@SuppressWarnings("FutureReturnValueIgnored") // what fails is told to the pipeline
@Timeout(60)
@Needs(Feature.DISCONNECT)
class StalledPeerTest extends TwoLoops {
    private static final Duration LIMIT = Duration.ofMillis(50);

    /** A client that reads nothing once it is connected. */
    private final class Frozen implements AutoCloseable {
        final ProgressEngine engine = ProgressEngine.create();
        final ComchClient client = ComchClient.builder(engine, host, name).connect(Machine.PATIENCE);

        void hasNotLooked() {
            assertThat(client.isConnected()).as("it knows nothing of its end").isTrue();
        }

        @Override
        public void close() {
            engine.close();
        }
    }

    @Test
    void aServersSocketTellsWhyItHasEnded() {
        try (MessageServerSocket server = MessageServerSocket.builder(dpuLoop, dpu, representor, name)
                        .warnIfStalled(Duration.ZERO)
                        .disconnectIfStalled(LIMIT)
                        .open();
                Frozen frozen = new Frozen()) {
            MessageSocket accepted = server.accept(Machine.PATIENCE);
            Throwable end = null;
            while (end == null) {
                end = catchThrowable(() -> accepted.send(new byte[1000], Machine.PATIENCE));
            }
            assertThat(end).isInstanceOf(ConnectionClosedException.class);
            assertThat(end).rootCause().hasMessageContaining("has not read for");
            assertThat(accepted.connection().stalls()).isEqualTo(1);
            frozen.hasNotLooked();
        }
    }

    @Test
    void theCallsOfAClientThatStandsStillFail() {
        CountDownLatch answer = new CountDownLatch(1);
        int calls = 40;
        CountDownLatch arrived = new CountDownLatch(calls);
        try (RpcServer server = RpcServer.builder(dpuLoop, dpu, representor, name)
                        .warnIfStalled(Duration.ZERO)
                        .disconnectIfStalled(LIMIT)
                        .blocking(1, request -> {
                            arrived.countDown();
                            answer.await();
                            return new byte[1 << 20];
                        })
                        .start();
                RpcClient client = RpcClient.builder(hostLoop, host, name).connect(Machine.PATIENCE)) {
            List<CompletableFuture<byte[]>> answers = IntStream.range(0, calls)
                    .mapToObj(call -> client.callAsync(1, new byte[1], Machine.PATIENCE))
                    .toList();
            arrived.await();
            CountDownLatch held = Machine.hold(hostLoop);
            answer.countDown();
            while (!dpuLoop.call(() -> server.server().connections().isEmpty())) {
                Thread.onSpinWait();
            }
            held.countDown();
            assertThatThrownBy(answers.getLast()::join).hasCauseInstanceOf(RpcException.class);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void aChannelBecomesInactive() {
        CompletableFuture<Void> inactive = new CompletableFuture<>();
        EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, ComchIoHandler.newFactory());
        try (Frozen frozen = served(group, inactive)) {
            inactive.orTimeout(Machine.PATIENCE.toSeconds(), TimeUnit.SECONDS).join();
            frozen.hasNotLooked();
        } finally {
            group.shutdownGracefully(0, 5, TimeUnit.SECONDS).syncUninterruptibly();
        }
    }

    private Frozen served(EventLoopGroup group, CompletableFuture<Void> inactive) {
        new ServerBootstrap()
                .group(group)
                .channel(ComchServerChannel.class)
                .option(ComchChannelOption.DISCONNECT_IF_STALLED, LIMIT)
                .childHandler(new ChannelInboundHandlerAdapter() {
                    @Override
                    public void channelActive(ChannelHandlerContext context) {
                        context.writeAndFlush(Unpooled.wrappedBuffer(new byte[8 << 20]));
                    }

                    @Override
                    public void channelInactive(ChannelHandlerContext context) {
                        inactive.complete(null);
                    }
                })
                .bind(ComchAddress.of(Machine.DPU, Machine.HOST, name))
                .syncUninterruptibly();
        return new Frozen();
    }
}
