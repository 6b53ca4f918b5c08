package io.github.comch4j.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.comch4j.Child;
import io.github.comch4j.comch.ComchConnection;
import io.github.comch4j.internal.life.LiveHandles;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.resolver.AddressResolver;
import io.netty.util.concurrent.Future;
import java.io.File;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Host and DPU as two processes, of which one is killed. */
@SuppressWarnings("FutureReturnValueIgnored") // what fails is told to the pipeline
@Timeout(120)
class NettyTwoProcessIT extends NettyScene {
    private Child start(String what) {
        String netty = Stream.of(Channel.class, ByteBuf.class, Future.class, AddressResolver.class)
                .map(Child::locationOf)
                .collect(Collectors.joining(File.pathSeparator));
        return Child.start(
                NettyPeer.class,
                List.of("-cp", Child.classPath(NettyPeer.class) + File.pathSeparator + netty),
                Map.of(),
                what,
                name);
    }

    @Test
    void aKilledServerMakesItsClientsInactive() throws Exception {
        try (Child server = start("serve")) {
            assertThat(server.line()).isEqualTo("ready");
            Collector mine = new Collector();
            Channel channel = connect(mine);
            byte[] much = random(5 << 20);
            channel.writeAndFlush(buffer(much));
            assertThat(mine.await(much.length)).isEqualTo(much);
            server.kill();
            mine.awaitInactive();
            assertThat(channel.isActive()).isFalse();
        }
    }

    /** Echoes of much, which both directions carry on the fast path after a while. */
    @ParameterizedTest
    @ValueSource(ints = {3 << 20, 9 << 20, 40 << 20})
    void aServerThatIsKilledWithMuchOnItsWayLeavesAPrefixAndNothingElse(int after) throws Exception {
        try (Child server = start("serve")) {
            assertThat(server.line()).isEqualTo("ready");
            Collector mine = new Collector();
            Channel channel = connect(mine);
            byte[] much = random(48 << 20);
            channel.writeAndFlush(buffer(much));
            mine.await(after);
            server.kill();
            mine.awaitInactive();
            assertThat(Arrays.equals(mine.bytes(), Arrays.copyOf(much, mine.length())))
                    .isTrue();
            assertThat(mine.failures.poll(PATIENCE, TimeUnit.MILLISECONDS)).isInstanceOf(IOException.class);
            ComchConnection connection = ((ComchChannel) channel).wire().connection();
            until(
                    "the end of its consumers and producers",
                    () -> channel.eventLoop()
                            .submit(() -> !LiveHandles.of(connection.engine()).containsKey("FastPathContext"))
                            .syncUninterruptibly()
                            .getNow());
        }
    }

    @Test
    void aKilledClientIsAFailureAndTheServerGoesOn() throws Exception {
        Collector child = new Collector();
        Channel server = bind(() -> child);
        try (Child client = start("connect")) {
            assertThat(client.line()).isEqualTo("ready");
            child.await(3);
            client.kill();
            child.awaitInactive();
        }
        assertThat(child.failures).hasSize(1).first().asString().contains("vanished");
        assertThat(server.isActive()).isTrue();
        server.close().sync();
    }

    @Test
    void aClosedServersChannelEndsTheClientOfAnotherProcess() throws Exception {
        Collector child = new Collector();
        bind(() -> child);
        try (Child client = start("connect")) {
            assertThat(client.line()).isEqualTo("ready");
            child.await(3);
            child.channel().close().sync();
            assertThat(client.line()).isEqualTo("inactive");
            assertThat(client.exitCode()).isZero();
        }
        assertThat(child.failures).isEmpty();
    }
}
