package io.github.comch4j.io;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.github.comch4j.DocaError;
import io.github.comch4j.DocaException;
import io.github.comch4j.Feature;
import io.github.comch4j.FramedPeer;
import io.github.comch4j.Machine;
import io.github.comch4j.Needs;
import io.github.comch4j.Signals;
import io.github.comch4j.comch.ComchClient;
import io.github.comch4j.comch.ComchConnection;
import io.github.comch4j.comch.ConnectionClosedException;
import io.github.comch4j.comch.LinkState;
import io.github.comch4j.core.ProgressEngine;
import io.github.comch4j.emulator.EmulatedFaults;
import io.github.comch4j.emulator.EmulatedMachine;
import io.github.comch4j.emulator.PeerProcess;
import io.github.comch4j.link.EndReason;
import io.github.comch4j.link.Framing;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is sent arrives whole and in order, or both ends hear that it does not. */
@Timeout(60)
class SocketLossTest extends SocketScene {
    private static final int MESSAGES = 8;

    /** What a reader got until the end, and that end. */
    private record Got(List<Integer> numbers, Throwable end, boolean whole) {
        static Got of(MessageSocket socket) {
            List<Integer> numbers = new ArrayList<>();
            while (true) {
                byte[][] message = new byte[1][];
                Throwable end = catchThrowable(() -> message[0] = socket.receive(Machine.PATIENCE));
                if (end != null) {
                    return new Got(numbers, end, socket.isInputShutdown());
                }
                numbers.add(ByteBuffer.wrap(message[0]).getInt());
            }
        }

        void isPrefix(int atMost) {
            assertThat(numbers)
                    .hasSizeLessThanOrEqualTo(atMost)
                    .isEqualTo(IntStream.range(0, numbers.size()).boxed().toList());
            assertThat(end).isInstanceOf(ConnectionClosedException.class);
            assertThat(whole).isFalse();
        }
    }

    private static byte[] numbered(int number) {
        return ByteBuffer.allocate(8).putInt(number).array();
    }

    private static void failing(int nth) {
        new EmulatedFaults().failSend(nth, DocaError.IO_FAILED).apply();
    }

    /** All at once, so that those behind the one that fails are accepted, too. */
    private static void sendAll(MessageSocket socket) {
        for (int i = 0; i < MESSAGES; i++) {
            socket.send(numbered(i), Machine.PATIENCE);
        }
    }

    private static void isToldOfLoss(Throwable told) {
        assertThat(told)
                .isInstanceOf(ConnectionClosedException.class)
                .hasMessageContaining("may not have arrived")
                .message() // which of the two is first
                .containsAnyOf(
                        "this process has ended: a message that was accepted could not be delivered (IO_FAILED)",
                        "the peer has ended: messages are missing in the middle");
    }

    /** The last one is what tells of the end. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 4, MESSAGES, MESSAGES + 1})
    void aMessageThatFailsIsToldAtBothEnds(int nth) {
        MessageSocket socket = MessageSocket.connect(hostLoop, host, name, Machine.PATIENCE);
        MessageSocket accepted = server.accept(Machine.PATIENCE);
        failing(nth);
        Throwable told = catchThrowable(() -> {
            sendAll(socket);
            socket.close();
        });
        EmulatedFaults.clear();
        isToldOfLoss(told);
        socket.close();
        Got got = Got.of(accepted);
        got.isPrefix(nth - 1);
        assertThat(got.numbers).hasSize(nth - 1);
        assertThat(socket.isInputShutdown()).isFalse();
    }

    @Test
    void theNumberOfTheLostIsTold() {
        MessageSocket socket = MessageSocket.connect(hostLoop, host, name, Machine.PATIENCE);
        MessageSocket accepted = server.accept(Machine.PATIENCE);
        failing(3);
        hostLoop.call(
                () -> { // which sends all of them in one go
                    for (int i = 0; i < MESSAGES; i++) {
                        var _ = socket.sendAsync(numbered(i));
                    }
                    return null;
                });
        Throwable told = catchThrowable(() -> socket.flush(Machine.PATIENCE));
        isToldOfLoss(told);
        assertThat(told) // one more if the peer's word is first, as what it has taken is not known yet
                .hasMessageMatching("(?s).*\\b[67] messages that were sent may not have arrived.*");
        socket.flush(Machine.PATIENCE);
        Got.of(accepted).isPrefix(2);
        socket.close();
    }

    @Test
    @SuppressWarnings("try") // that it is closed is part of the test
    void aSocketThatReconnectsBeginsAnew() {
        try (MessageSocket socket = MessageSocket.builder(hostLoop, host, name)
                .reconnect(Duration.ofMillis(1), Duration.ofMillis(20))
                .connect(Machine.PATIENCE)) {
            MessageSocket accepted = server.accept(Machine.PATIENCE);
            failing(4);
            isToldOfLoss(catchThrowable(() -> {
                sendAll(socket);
                socket.flush(Machine.PATIENCE);
            }));
            EmulatedFaults.clear();
            Got.of(accepted).isPrefix(3);
            assertThatThrownBy(() -> socket.receive(Machine.PATIENCE)).isInstanceOf(ConnectionClosedException.class);
            assertThat(socket.awaitConnected(Machine.PATIENCE)).isTrue();
            sendAll(socket);
            MessageSocket next = server.accept(Machine.PATIENCE);
            CompletableFuture<Got> got = Machine.onThread(() -> Got.of(next));
            socket.close();
            assertThat(got.join().numbers).hasSize(MESSAGES);
            assertThat(got.join().whole).isTrue();
        }
    }

    @Test
    void aServersSocketTellsTheSame() {
        MessageSocket socket = MessageSocket.connect(hostLoop, host, name, Machine.PATIENCE);
        MessageSocket accepted = server.accept(Machine.PATIENCE);
        failing(5);
        isToldOfLoss(catchThrowable(() -> {
            sendAll(accepted);
            accepted.shutdownOutput(Machine.PATIENCE);
        }));
        Got.of(socket).isPrefix(4);
        accepted.close();
        socket.close();
    }

    /** It has no number to see a gap by: its connection ends, without the end that it would have had. */
    @Test
    @Needs(Feature.DISCONNECT) // the peer is none that ends its side
    void theWriterToAPlainPeerIsTold() {
        server.close();
        server = MessageServerSocket.builder(dpuLoop, dpu, representor, name)
                .plainPeer()
                .open();
        List<byte[]> arrived = new ArrayList<>();
        try (ProgressEngine engine = ProgressEngine.create();
                ComchClient client = ComchClient.builder(engine, host, name)
                        .onMessage((connection, message) -> arrived.add(new byte[1]))
                        .connect(Machine.PATIENCE)) {
            MessageSocket accepted = server.accept(Machine.PATIENCE);
            failing(4);
            isToldOfLoss(catchThrowable(() -> {
                sendAll(accepted);
                accepted.flush(Machine.PATIENCE);
            }));
            Machine.until("the end", () -> !client.isConnected(), engine);
            accepted.close();
        }
    }

    /** A message of the sockets' own that is lost is a gap, too. */
    @Test
    void aWindowThatIsLostEndsTheConnection() {
        MessageSocket socket =
                MessageSocket.builder(hostLoop, host, name).receiveLimit(1).connect(Machine.PATIENCE);
        MessageSocket accepted = server.accept(Machine.PATIENCE);
        CompletableFuture<Throwable> sending = Machine.onThread(() -> catchThrowable(() -> {
            while (true) {
                accepted.send(new byte[1000], Machine.PATIENCE);
            }
        }));
        assertThat(socket.receive(Machine.PATIENCE)).isNotNull();
        Machine.until("that the sender waits", () -> accepted.connection().sent() > 8, new ProgressEngine[0]);
        failing(1); // mostly a window
        assertThatThrownBy(() -> {
                    while (true) {
                        assertThat(socket.receive(Machine.PATIENCE)).hasSize(1000);
                    }
                })
                .isInstanceOf(ConnectionClosedException.class);
        assertThat(sending.join()).isInstanceOf(ConnectionClosedException.class);
        var _ = catchThrowable(accepted::close);
        var _ = catchThrowable(socket::close);
    }

    /** A client on an engine of this thread, which does what the manual says, or does not. */
    private final class Peer implements AutoCloseable {
        final ProgressEngine engine = ProgressEngine.create();
        final FramedPeer framed = new FramedPeer();
        final ComchClient client = ComchClient.builder(engine, host, name)
                .onMessage(framed::arrived)
                .connect(Machine.PATIENCE);
        final ComchConnection connection = client.connection();
        final MessageSocket accepted = server.accept(Machine.PATIENCE);

        void send(int number) {
            framed.send(connection, numbered(number));
        }

        Got got() {
            return Got.of(accepted);
        }

        long told() {
            Machine.until("the end", () -> !client.isConnected(), engine);
            return framed.received(Framing.ENDING).getFirst().value();
        }

        @Override
        public void close() {
            engine.close();
        }
    }

    @Test
    @Needs(Feature.DISCONNECT) // the peer is none that ends its side
    void aGapIsAnExceptionInItsPlaceAndAGoodbyeToThePeer() {
        try (Peer peer = new Peer()) {
            peer.send(0);
            peer.send(1);
            peer.framed.skip();
            peer.framed.skip();
            peer.send(4);
            peer.send(5);
            Got got = peer.got();
            got.isPrefix(2);
            assertThat(got.numbers).hasSize(2);
            assertThat(got.end)
                    .hasMessageContaining("this process has ended: messages are missing in the middle: 2 of them");
            assertThat(peer.told()).isEqualTo(EndReason.MISSING.code());
        }
    }

    @Test
    @Needs(Feature.DISCONNECT) // the peer is none that ends its side
    void anEndThatSaysMoreThanHasArrivedIsNone() {
        try (Peer peer = new Peer()) {
            peer.send(0);
            peer.framed.send(peer.connection, Framing.FINISHED, 2);
            Got got = peer.got();
            got.isPrefix(1);
            assertThat(got.end).hasMessageContaining("there were 2, and 1 arrived");
            assertThat(peer.told()).isEqualTo(EndReason.MISSING.code());
        }
    }

    @Test
    @Needs(Feature.DISCONNECT) // the peer is none that ends its side
    void whatComesAfterTheEndIsNotTaken() {
        try (Peer peer = new Peer()) {
            peer.send(0);
            peer.framed.send(peer.connection, Framing.FINISHED, 1);
            assertThat(peer.accepted.receive(Machine.PATIENCE)).isNotNull();
            assertThat(peer.accepted.receive(Machine.PATIENCE)).isNull();
            peer.send(1);
            assertThat(peer.told()).isEqualTo(EndReason.AFTER_END.code());
            Machine.until("the end", () -> peer.accepted.state() == LinkState.DISCONNECTED, new ProgressEngine[0]);
            assertThatThrownBy(() -> peer.accepted.send(new byte[1], Machine.PATIENCE))
                    .isInstanceOf(ConnectionClosedException.class)
                    .hasMessageContaining("after the announced end");
        }
    }

    @Test
    void aSocketWhosePeerIsPlainSaysSo() {
        try (MessageSocket plain =
                MessageSocket.builder(hostLoop, host, name).plainPeer().connect(Machine.PATIENCE)) {
            MessageSocket accepted = server.accept(Machine.PATIENCE);
            plain.send(numbered(0), Machine.PATIENCE);
            Got got = Got.of(accepted);
            got.isPrefix(0);
            assertThat(got.end)
                    .hasMessageContaining("this process has ended: one end sends messages without the header");
            assertThatThrownBy(() -> plain.receive(Machine.PATIENCE))
                    .isInstanceOf(ConnectionClosedException.class)
                    .hasMessageContaining("this process has ended: one end sends messages without the header");
        }
    }

    @Test
    void aPlainSocketWhosePeerIsNoneSaysSo() {
        MessageSocket plain =
                MessageSocket.builder(hostLoop, host, name).plainPeer().connect(Machine.PATIENCE);
        MessageSocket accepted = server.accept(Machine.PATIENCE);
        accepted.send(numbered(0), Machine.PATIENCE);
        assertThatThrownBy(() -> plain.receive(Machine.PATIENCE))
                .isInstanceOf(ConnectionClosedException.class)
                .hasMessageContaining("this process has ended: one end sends messages without the header");
        Got.of(accepted).isPrefix(0);
        plain.close();
    }

    /** What does not fit into the device's queue waits for the peer, and is not given up before. */
    @Test
    void aSlowReaderIsNoLoss(EmulatedMachine machine) throws Exception {
        String slow = Machine.uniqueName();
        try (PeerProcess reader =
                machine.peer(EmulatedMachine.Side.BOTH, SlowReader.class, slow).start()) {
            reader.awaitLine("open");
            MessageSocket socket = MessageSocket.connect(hostLoop, host, slow, Machine.PATIENCE);
            reader.awaitLine("accepted");
            Signals.stop(reader.pid());
            for (int i = 0; i < 150; i++) {
                socket.send(numbered(i), Machine.PATIENCE);
            }
            Thread later = Thread.ofPlatform().start(() -> {
                try {
                    Thread.sleep(Duration.ofSeconds(3));
                    Signals.send(reader.pid(), Signals.CONTINUE);
                } catch (Exception e) {
                    throw new AssertionError(e);
                }
            });
            long begin = System.nanoTime();
            socket.close();
            assertThat(Duration.ofNanos(System.nanoTime() - begin)).isGreaterThan(Duration.ofSeconds(2));
            later.join();
            assertThat(reader.awaitLine("received")).isEqualTo("received 150, whole");
        }
    }

    @Test
    void aReaderThatStandsStillTooLongIsTold(EmulatedMachine machine) throws Exception {
        String slow = Machine.uniqueName();
        try (PeerProcess reader =
                machine.peer(EmulatedMachine.Side.BOTH, SlowReader.class, slow).start()) {
            reader.awaitLine("open");
            MessageSocket socket = MessageSocket.connect(hostLoop, host, slow, Machine.PATIENCE);
            reader.awaitLine("accepted");
            Signals.stop(reader.pid());
            for (int i = 0; i < 150; i++) {
                socket.send(numbered(i), Machine.PATIENCE);
            }
            assertThatThrownBy(() -> socket.flush(Duration.ofMillis(200)))
                    .isInstanceOfSatisfying(
                            DocaException.class, e -> assertThat(e.error()).isEqualTo(DocaError.TIME_OUT));
            hostLoop.call(() -> hostLoop.engine().setTimeout(Duration.ofMillis(200)));
            assertThat(catchThrowable(socket::close)).isInstanceOf(DocaException.class);
            Signals.send(reader.pid(), Signals.CONTINUE);
            assertThat(reader.awaitLine("received"))
                    .as("all arrives still, or it is no good end")
                    .matches("received (150, whole|[0-9]+, cut)");
            hostLoop.call(() -> hostLoop.engine().setTimeout(Machine.PATIENCE));
            var _ = catchThrowable(socket::close);
        }
    }

    /** A server's process that receives all of its one client. */
    static final class SlowReader {
        private SlowReader() {}

        /** The server's name. */
        public static void main(String[] arguments) {
            var dpu = io.github.comch4j.core.Device.openDpu(Machine.DPU);
            var loop = io.github.comch4j.core.EventLoop.start("reader");
            var server = MessageServerSocket.open(loop, dpu, dpu.openRepresentor(Machine.HOST), arguments[0]);
            System.out.println("open");
            MessageSocket client = server.accept(Machine.PATIENCE);
            System.out.println("accepted");
            Got got = Got.of(client);
            assertThat(got.numbers)
                    .isEqualTo(IntStream.range(0, got.numbers.size()).boxed().toList());
            System.out.println("received " + got.numbers.size() + ", " + (got.whole ? "whole" : "cut"));
            loop.close();
        }
    }
}
