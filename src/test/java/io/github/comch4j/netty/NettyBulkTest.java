package io.github.comch4j.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.comch4j.DocaError;
import io.github.comch4j.DocaException;
import io.github.comch4j.Feature;
import io.github.comch4j.FramedPeer;
import io.github.comch4j.Machine;
import io.github.comch4j.Needs;
import io.github.comch4j.comch.ComchClient;
import io.github.comch4j.comch.ComchConnection;
import io.github.comch4j.core.Device;
import io.github.comch4j.core.ProgressEngine;
import io.github.comch4j.emulator.EmulatedFaults;
import io.github.comch4j.internal.life.LiveHandles;
import io.github.comch4j.link.Framing;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelOption;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.DuplexChannel;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.Arrays;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What carries much goes on by the fast path, and nobody sees a difference. */
@SuppressWarnings("FutureReturnValueIgnored") // what fails is told to the pipeline
@Timeout(120)
class NettyBulkTest extends NettyScene {
    private static final int MUCH = 24 << 20;
    private static final int LONG = 256 << 10;

    private final Collector arrived = new Collector();
    private final Collector mine = new Collector();
    private final ByteArrayOutputStream written = new ByteArrayOutputStream();

    @AfterEach
    void clear() {
        EmulatedFaults.clear();
    }

    private Channel connect() {
        return client(mine)
                .option(ChannelOption.ALLOW_HALF_CLOSURE, true)
                .connect(service)
                .syncUninterruptibly()
                .channel();
    }

    private static <T> T inLoop(Channel channel, Callable<T> what) {
        return channel.eventLoop().submit(what).syncUninterruptibly().getNow();
    }

    private static boolean hasMoved(Channel channel) {
        return inLoop(channel, () -> ((ComchChannel) channel).wire().longest() > LONG / 2);
    }

    private static boolean isBlocked(Channel channel) {
        return inLoop(channel, () -> ((ComchChannel) channel).wire().isBlocked());
    }

    /** Its consumers and producers, and those of all channels of its loop. */
    private static int fastPaths(Channel channel) {
        ComchConnection connection = ((ComchChannel) channel).wire().connection();
        return inLoop(channel, () -> LiveHandles.of(connection.engine()).getOrDefault("FastPathContext", 0));
    }

    /** Writes until the direction has moved. */
    private void move(Channel channel) {
        byte[] piece = random(1 << 20);
        until("the change", () -> {
            written.writeBytes(piece);
            channel.writeAndFlush(buffer(piece)).syncUninterruptibly();
            return hasMoved(channel);
        });
    }

    private void isPrefix() {
        assertThat(arrived.length()).isLessThanOrEqualTo(written.size());
        assertThat(Arrays.equals(arrived.bytes(), Arrays.copyOf(written.toByteArray(), arrived.length())))
                .isTrue();
    }

    @Test
    void bothDirectionsMoveAndEndByThemselves() throws Exception {
        serve(arrived);
        Channel channel = connect();
        Channel far = arrived.channel();
        byte[] there = random(MUCH);
        byte[] back = random(MUCH + 1);
        for (int at = 0; at < MUCH; at += 3 << 10) {
            channel.write(buffer(Arrays.copyOfRange(there, at, Math.min(at + (3 << 10), MUCH))));
            if (at % 7 == 0) {
                channel.flush();
            }
        }
        channel.flush();
        far.writeAndFlush(buffer(back));
        assertThat(arrived.await(MUCH)).isEqualTo(there);
        assertThat(mine.await(MUCH + 1)).isEqualTo(back);
        assertThat(hasMoved(channel)).isTrue();
        assertThat(hasMoved(far)).isTrue();
        ((DuplexChannel) channel).shutdownOutput().sync();
        assertThat(arrived.events.poll(PATIENCE, TimeUnit.MILLISECONDS)).isEqualTo(ChannelInputShutdownEvent.INSTANCE);
        far.writeAndFlush(buffer(there)).addListener(ChannelFutureListener.CLOSE);
        assertThat(mine.await(2 * MUCH + 1)).endsWith(Arrays.copyOfRange(there, MUCH - 100, MUCH));
        until("the end of input", () -> mine.events.contains(ChannelInputShutdownEvent.INSTANCE));
        channel.close().sync();
        assertThat(arrived.failures).isEmpty();
        assertThat(mine.failures).isEmpty();
        until("the end of the fast paths", () -> fastPaths(channel) + fastPaths(far) == 0);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aCloseAfterMuchIsAGoodEnd(boolean reads) throws Exception {
        serve(arrived);
        Channel channel = connect();
        move(channel);
        Channel far = arrived.channel();
        arrived.await(written.size());
        far.config().setAutoRead(reads);
        byte[] last = random(1 << 20);
        written.writeBytes(last);
        channel.writeAndFlush(buffer(last)).addListener(ChannelFutureListener.CLOSE);
        mine.awaitInactive();
        far.config().setAutoRead(true);
        assertThat(arrived.events.poll(PATIENCE, TimeUnit.MILLISECONDS)).isEqualTo(ChannelInputShutdownEvent.INSTANCE);
        assertThat(arrived.length()).isEqualTo(written.size());
        isPrefix();
        far.close().sync();
        assertThat(arrived.failures).isEmpty();
    }

    @Test
    void whoDoesNotReadMakesThePeerWait() throws Exception {
        serve(arrived);
        Channel channel = connect();
        move(channel);
        Channel far = arrived.channel();
        arrived.await(written.size());
        far.config().setAutoRead(false);
        byte[] more = random(MUCH);
        written.writeBytes(more);
        var all = channel.writeAndFlush(buffer(more));
        until("that it waits", () -> isBlocked(channel));
        assertThat(all.isDone()).isFalse();
        far.config().setAutoRead(true);
        arrived.await(written.size());
        isPrefix();
        assertThat(all.await(PATIENCE)).isTrue();
    }

    @Test
    void littleAndShortMessagesStay() throws Exception {
        serve(arrived);
        Channel channel = connect();
        byte[] little = random(2 << 20);
        channel.writeAndFlush(buffer(little)).sync();
        byte[] piece = random(900);
        for (int i = 0; i < 3000; i++) {
            channel.writeAndFlush(buffer(piece)).sync();
        }
        arrived.await((2 << 20) + 900 * 3000);
        assertThat(fastPaths(channel)).isZero();
        assertThat(fastPaths(arrived.channel())).isZero();
    }

    @Test
    void whoWantsLittleToWaitGetsMessages() throws Exception {
        server(() -> arrived)
                .childOption(ChannelOption.SO_RCVBUF, 512 << 10)
                .bind(service)
                .sync();
        Channel channel = connect();
        byte[] much = random(MUCH);
        channel.writeAndFlush(buffer(much)).sync();
        assertThat(arrived.await(MUCH)).isEqualTo(much);
        assertThat(hasMoved(channel)).isFalse();
        assertThat(fastPaths(arrived.channel())).isZero();
    }

    @Test
    @Needs(Feature.DISCONNECT)
    void aServerThatEndsStalledClientsSendsMessages() throws Exception {
        server(() -> arrived)
                .option(ComchChannelOption.DISCONNECT_IF_STALLED, Machine.PATIENCE)
                .bind(service)
                .sync();
        connect();
        byte[] much = random(MUCH);
        arrived.channel().writeAndFlush(buffer(much)).sync();
        assertThat(mine.await(MUCH)).isEqualTo(much);
        assertThat(hasMoved(arrived.channel())).isFalse();
    }

    /** What is done to a receive, or to a send, of the fast path. */
    enum BulkFault {
        LOST_RECEIVE,
        FAILED_RECEIVE,
        BROKEN_RECEIVE,
        FAILED_SEND,
        BROKEN_SEND,
        DROP;

        EmulatedFaults of(int nth) {
            EmulatedFaults faults = new EmulatedFaults();
            return switch (this) {
                case LOST_RECEIVE -> faults.loseReceive(nth, DocaError.IO_FAILED);
                case FAILED_RECEIVE -> faults.failReceive(nth, DocaError.IO_FAILED);
                case BROKEN_RECEIVE -> faults.breakReceive(nth, DocaError.IO_FAILED);
                case FAILED_SEND -> faults.failSend(nth, DocaError.IO_FAILED);
                case BROKEN_SEND -> faults.breakSend(nth, DocaError.IO_FAILED);
                case DROP -> faults.drop(nth);
            };
        }
    }

    @ParameterizedTest
    @CsvSource({
        "LOST_RECEIVE, 1", "LOST_RECEIVE, 3", "LOST_RECEIVE, 4", "FAILED_RECEIVE, 2", "BROKEN_RECEIVE, 2",
        "FAILED_SEND, 1", "FAILED_SEND, 3", "FAILED_SEND, 4", "BROKEN_SEND, 2", "DROP, 2"
    })
    void aFaultIsNoGoodEndAndNoHole(BulkFault fault, int nth) throws Exception {
        serve(arrived);
        Channel channel = connect();
        move(channel);
        arrived.await(written.size());
        byte[] more = random(3 * (LONG - Framing.HEADER)); // three messages, and one that says that this is all
        fault.of(nth).apply();
        int before = written.size();
        written.writeBytes(more);
        channel.eventLoop().execute(() -> {
            channel.writeAndFlush(buffer(more));
            ((DuplexChannel) channel).shutdownOutput();
        });
        arrived.awaitInactive();
        isPrefix();
        assertThat(arrived.length() - before).isLessThanOrEqualTo((nth - 1) * (LONG - Framing.HEADER));
        assertThat(arrived.failures.poll(PATIENCE, TimeUnit.MILLISECONDS)).isInstanceOf(IOException.class);
        assertThat(arrived.events).isEmpty();
        mine.awaitInactive();
        assertThat(mine.failures.poll(PATIENCE, TimeUnit.MILLISECONDS)).isInstanceOf(IOException.class);
        until("the end of the fast path", () -> fastPaths(channel) == 0);
    }

    @ParameterizedTest
    @EnumSource
    void aFaultDuringTheChangeIsNoHole(BulkFault fault) throws Exception {
        serve(arrived);
        Channel channel = connect();
        byte[] all = random(MUCH);
        written.writeBytes(all);
        fault.of(fault == BulkFault.LOST_RECEIVE || fault == BulkFault.FAILED_RECEIVE ? 1 : 1200)
                .apply();
        channel.eventLoop().execute(() -> {
            channel.writeAndFlush(buffer(all));
            channel.close();
        });
        arrived.channel();
        until("an end", () -> arrived.inactive.isDone() || !arrived.events.isEmpty() || !arrived.failures.isEmpty());
        arrived.channel().close().sync();
        isPrefix();
        assertThat(arrived.length()).isLessThan(MUCH);
        assertThat(arrived.failures).isNotEmpty();
    }

    /** A client that knows the frames, and is no channel. */
    private final class RawPeer implements AutoCloseable {
        final FramedPeer framed = new FramedPeer();
        final Device host = Device.openHost(Machine.HOST);
        final ProgressEngine engine = ProgressEngine.create();
        final ComchClient client = ComchClient.builder(engine, host, name)
                .onMessage(framed::arrived)
                .connect(Machine.PATIENCE);

        void await(int kind) {
            Machine.until(
                    "a message of kind " + kind, () -> !framed.received(kind).isEmpty(), engine);
        }

        int dataLength() {
            return framed.received(Framing.DATA).stream()
                    .mapToInt(message -> message.bytes().length)
                    .sum();
        }

        @Override
        public void close() {
            client.close();
            engine.close();
            host.close();
        }
    }

    @Test
    void aPeerThatDoesNotKnowTheFastPathGoesOnWithMessages() throws Exception {
        serve(arrived);
        try (RawPeer peer = new RawPeer()) {
            byte[] piece = random(peer.client.maxMessageSize() - Framing.HEADER);
            while (written.size() < 5 << 20) {
                peer.framed.send(peer.client.connection(), piece);
                written.writeBytes(piece);
            }
            Machine.until("all of it", () -> arrived.length() == written.size(), peer.engine);
            isPrefix();
            peer.await(Framing.OFFERS);
            Channel far = arrived.channel();
            byte[] much = random(8 << 20);
            far.writeAndFlush(buffer(much));
            Machine.until("all of it", () -> peer.dataLength() == much.length, peer.engine);
            assertThat(fastPaths(far)).isZero();
            far.close().sync();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void anOfferWithoutAConsumerIsWaitedForInVain(boolean says) throws Exception {
        serve(arrived);
        try (RawPeer peer = new RawPeer()) {
            peer.framed.send(peer.client.connection(), Framing.OFFERS, LONG);
            peer.framed.send(peer.client.connection(), new byte[1]);
            arrived.await(1);
            Channel far = arrived.channel();
            far.writeAndFlush(buffer(random(100)));
            peer.await(Framing.MOVES);
            assertThat(isBlocked(far)).isTrue();
            if (says) {
                peer.framed.send(peer.client.connection(), Framing.OFFERS, 0);
            }
            Machine.until("all of it", () -> peer.dataLength() == 100, peer.engine);
            far.close().sync();
        }
    }

    @Test
    @Needs(Feature.DISCONNECT)
    void aCloseDuringTheChangeLeavesNothing() throws Exception {
        serve(arrived);
        try (RawPeer peer = new RawPeer()) {
            peer.framed.send(peer.client.connection(), Framing.OFFERS, LONG);
            peer.framed.send(peer.client.connection(), Framing.MOVES, 0); // so there is a consumer here
            peer.framed.send(peer.client.connection(), new byte[1]);
            arrived.await(1);
            Channel far = arrived.channel();
            assertThat(fastPaths(far)).isEqualTo(1);
            far.writeAndFlush(buffer(random(100)));
            peer.await(Framing.MOVES);
            far.close().sync();
            Machine.until("the goodbye", () -> !peer.client.isConnected(), peer.engine);
            until("the end of the consumer", () -> fastPaths(far) == 0);
        }
    }

    @Test
    void aPeerThatGoesDuringTheChangeLeavesNothing() throws Exception {
        serve(arrived);
        Channel far;
        try (RawPeer peer = new RawPeer()) {
            peer.framed.send(peer.client.connection(), Framing.OFFERS, LONG);
            peer.framed.send(peer.client.connection(), Framing.MOVES, 0);
            peer.framed.send(peer.client.connection(), new byte[1]);
            arrived.await(1);
            far = arrived.channel();
            far.writeAndFlush(buffer(random(100)));
            peer.await(Framing.MOVES);
        }
        arrived.awaitInactive();
        assertThat(arrived.failures.poll(PATIENCE, TimeUnit.MILLISECONDS)).isInstanceOf(IOException.class);
        until("the end of the consumer", () -> fastPaths(far) == 0);
    }

    @Test
    void withoutRoomForAConsumerMessagesGoOn() throws Exception {
        serve(arrived);
        Channel channel = connect();
        Channel far = arrived.channel();
        ComchConnection connection = ((ComchChannel) far).wire().connection();
        inLoop(far, () -> {
            while (true) {
                try {
                    connection.slotConsumer(connection.engine(), 64).tasks(1).start();
                } catch (DocaException e) {
                    return e; // the device has no more
                }
            }
        });
        byte[] much = random(MUCH);
        channel.writeAndFlush(buffer(much)).sync();
        assertThat(arrived.await(MUCH)).isEqualTo(much);
        assertThat(hasMoved(channel)).isFalse();
        assertThat(fastPaths(channel)).isZero();
    }

    @RepeatedTest(8) // how far the end has come when a send fails is not always the same
    @Needs(Feature.DISCONNECT)
    void aPeerThatClosesWhileMuchIsSentToItEndsWell() throws Exception {
        serve(arrived);
        Channel channel = connect();
        move(channel);
        Channel far = arrived.channel();
        channel.writeAndFlush(buffer(random(MUCH)));
        byte[] last = random(1000);
        far.writeAndFlush(buffer(last)).addListener(ChannelFutureListener.CLOSE);
        assertThat(mine.await(last.length)).isEqualTo(last);
        until(
                "the end",
                () -> inLoop(channel, () -> ((ComchChannel) channel).wire().isOver()));
        channel.close().sync();
        assertThat(mine.events).contains(ChannelInputShutdownEvent.INSTANCE);
        assertThat(mine.failures).isEmpty();
        until("the end of the fast path", () -> fastPaths(channel) == 0);
    }
}
