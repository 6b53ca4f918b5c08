package io.github.comch4j.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.comch4j.DocaError;
import io.github.comch4j.FramedPeer;
import io.github.comch4j.Machine;
import io.github.comch4j.comch.ComchClient;
import io.github.comch4j.core.Device;
import io.github.comch4j.core.ProgressEngine;
import io.github.comch4j.emulator.EmulatedFaults;
import io.github.comch4j.link.EndReason;
import io.github.comch4j.link.Framing;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelOption;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.DuplexChannel;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is written arrives whole and in order, or both ends hear that it does not. */
@SuppressWarnings("FutureReturnValueIgnored") // what fails is told to the pipeline
@Timeout(60)
class NettyLossTest extends NettyScene {
    private static final int PIECES = 8;
    private static final int PIECE = 1000;

    private final Collector arrived = new Collector();

    @AfterEach
    void clear() {
        EmulatedFaults.clear();
    }

    /** Each is a message. */
    private static void write(Channel channel, byte[] all) {
        for (int i = 0; i < PIECES; i++) {
            ByteBuf piece = Unpooled.wrappedBuffer(all, i * PIECE, PIECE);
            channel.writeAndFlush(piece);
        }
    }

    private void isCut(byte[] all, int mostPieces) throws Exception {
        arrived.awaitInactive();
        assertThat(arrived.bytes())
                .hasSizeLessThanOrEqualTo(mostPieces * PIECE)
                .isEqualTo(java.util.Arrays.copyOf(all, arrived.length()));
        assertThat(arrived.failures.poll(PATIENCE, TimeUnit.MILLISECONDS)).isInstanceOf(IOException.class);
        assertThat(arrived.events).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3, PIECES, PIECES + 1})
    void aMessageThatFailsIsToldAtBothEnds(int nth) throws Exception {
        serve(arrived);
        Collector mine = new Collector();
        Channel channel = connect(mine);
        arrived.channel();
        byte[] all = random(PIECES * PIECE);
        new EmulatedFaults().failSend(nth, DocaError.IO_FAILED).apply();
        channel.eventLoop().execute(() -> {
            write(channel, all);
            ((DuplexChannel) channel).shutdownOutput();
        });
        isCut(all, nth - 1);
        mine.awaitInactive();
        assertThat(mine.failures.poll(PATIENCE, TimeUnit.MILLISECONDS)).isInstanceOf(IOException.class);
    }

    @Test
    void aCloseIsAGoodEnd() throws Exception {
        serve(arrived);
        Channel channel = connect(new Collector());
        byte[] all = random(PIECES * PIECE);
        channel.eventLoop().execute(() -> {
            write(channel, all);
            channel.close();
        });
        assertThat(arrived.events.poll(PATIENCE, TimeUnit.MILLISECONDS)).isEqualTo(ChannelInputShutdownEvent.INSTANCE);
        assertThat(arrived.bytes()).isEqualTo(all);
        arrived.channel().close().sync();
        assertThat(arrived.failures).isEmpty();
    }

    @Test
    void aCloseByTheLastWriteIsAGoodEnd() throws Exception {
        serve(arrived);
        Channel channel = connect(new Collector());
        channel.writeAndFlush(buffer(random(PIECE))).addListener(ChannelFutureListener.CLOSE);
        assertThat(arrived.events.poll(PATIENCE, TimeUnit.MILLISECONDS)).isEqualTo(ChannelInputShutdownEvent.INSTANCE);
        assertThat(arrived.length()).isEqualTo(PIECE);
        arrived.channel().close().sync();
        assertThat(arrived.failures).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void whatWasFlushedAndHasNotGoneIsNoGoodEnd(boolean closes) throws Exception {
        server(() -> arrived)
                .childOption(ChannelOption.AUTO_READ, false)
                .childOption(ChannelOption.ALLOW_HALF_CLOSURE, true)
                .bind(service)
                .sync();
        DuplexChannel channel = (DuplexChannel) connect(new Collector());
        Channel far = arrived.channel();
        byte[] all = random(16 << 20);
        ChannelFuture written = channel.writeAndFlush(buffer(all));
        until("that it waits", () -> isBlocked(channel));
        if (closes) {
            channel.close().sync();
        } else {
            channel.shutdownOutput().sync();
        }
        assertThat(written.await().cause()).isNotNull();
        far.config().setAutoRead(true);
        arrived.awaitInactive();
        assertThat(arrived.length()).isLessThan(all.length);
        assertThat(arrived.bytes()).isEqualTo(java.util.Arrays.copyOf(all, arrived.length()));
        assertThat(arrived.failures.poll(PATIENCE, TimeUnit.MILLISECONDS)).isInstanceOf(IOException.class);
    }

    private static boolean isBlocked(Channel channel) {
        return channel.eventLoop()
                .submit(() -> ((ComchChannel) channel).wire().isBlocked())
                .syncUninterruptibly()
                .getNow();
    }

    @Test
    void aGapIsAnExceptionInItsPlaceAndAGoodbyeToThePeer() throws Exception {
        serve(arrived);
        byte[] all = random(PIECES * PIECE);
        FramedPeer framed = new FramedPeer();
        try (Device host = Device.openHost(Machine.HOST);
                ProgressEngine engine = ProgressEngine.create()) {
            ComchClient peer = ComchClient.builder(engine, host, name)
                    .onMessage(framed::arrived)
                    .connect(Machine.PATIENCE);
            framed.send(peer.connection(), java.util.Arrays.copyOf(all, PIECE));
            framed.skip();
            framed.send(peer.connection(), new byte[PIECE]);
            Machine.until("the end", () -> !peer.isConnected(), engine);
        }
        arrived.awaitInactive();
        assertThat(arrived.bytes()).isEqualTo(java.util.Arrays.copyOf(all, PIECE));
        assertThat(arrived.failures.poll())
                .isInstanceOf(IOException.class)
                .hasMessage("messages are missing in the middle: 1 of them");
        assertThat(framed.received(Framing.ENDING))
                .extracting(FramedPeer.Message::value)
                .containsExactly((long) EndReason.MISSING.code());
    }

    @Test
    void anEndOfTheConnectionIsNoEndOfTheStream() throws Exception {
        serve(arrived);
        FramedPeer framed = new FramedPeer();
        try (Device host = Device.openHost(Machine.HOST);
                ProgressEngine engine = ProgressEngine.create()) {
            ComchClient peer = ComchClient.builder(engine, host, name).connect(Machine.PATIENCE);
            framed.send(peer.connection(), new byte[PIECE]);
            peer.close();
        }
        arrived.awaitInactive();
        assertThat(arrived.length()).isEqualTo(PIECE);
        assertThat(arrived.events).isEmpty();
        assertThat(arrived.failures.poll())
                .isInstanceOf(IOException.class)
                .hasMessageContaining("before the peer said that it had sent all");
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void endsThatDisagreeSaySo(boolean plainServer) throws Exception {
        server(() -> arrived)
                .option(ComchChannelOption.PLAIN_PEER, plainServer)
                .childOption(ComchChannelOption.PLAIN_PEER, plainServer)
                .bind(service)
                .sync();
        Collector mine = new Collector();
        Channel channel = client(mine)
                .option(ComchChannelOption.PLAIN_PEER, !plainServer)
                .connect(service)
                .sync()
                .channel();
        channel.writeAndFlush(buffer(random(100)));
        arrived.awaitInactive();
        assertThat(arrived.length()).isZero();
        assertThat(arrived.failures.poll())
                .isInstanceOf(IOException.class)
                .hasMessageContaining("one end sends messages without the header of sockets");
        mine.awaitInactive();
    }
}
