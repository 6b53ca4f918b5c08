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
import io.github.comch4j.comch.ComchClient;
import io.github.comch4j.comch.ComchConnection;
import io.github.comch4j.comch.ConnectionClosedException;
import io.github.comch4j.core.ProgressEngine;
import io.github.comch4j.link.EndReason;
import io.github.comch4j.link.Framing;
import io.github.comch4j.testing.EmulatedBlueField;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Who does not receive makes the peer wait, whether that is a socket or not. */
@Timeout(60)
@EmulatedBlueField(failOnLeaks = false) // full sockets are left to the end of their loops
class SocketBackPressureTest extends SocketScene {
    private static final Duration SHORT = Duration.ofMillis(300);
    /** What may be under way beyond the limit: the queue of the device, and tasks, with the longest messages. */
    private static final long UNDER_WAY = 4 << 20;

    /** A client that keeps as little as possible itself. */
    private MessageSocket connect(String to) {
        return MessageSocket.builder(hostLoop, host, to).sendBuffer(1).connect(Machine.PATIENCE);
    }

    /** What it keeps all the same. */
    private static long kept(MessageSocket socket) {
        return 8 * Framing.cost(socket.connection().endpoint().maxMessageSize());
    }

    private static byte[] numbered(int number, int length) {
        return ByteBuffer.allocate(length).putInt(number).array();
    }

    /** Sends until the peer makes it wait. Returns how many went out. */
    private static int fill(MessageSocket socket, int length) {
        int sent = 0;
        while (true) {
            Throwable thrown;
            int number = sent;
            thrown = catchThrowable(() -> socket.send(numbered(number, length), SHORT));
            if (thrown != null) {
                assertThat(thrown)
                        .isInstanceOfSatisfying(
                                DocaException.class, e -> assertThat(e.error()).isEqualTo(DocaError.TIME_OUT));
                return sent;
            }
            sent++;
        }
    }

    private static void receive(MessageSocket socket, int from, int to) {
        for (int i = from; i < to; i++) {
            byte[] message = socket.receive(Machine.PATIENCE);
            assertThat(message).isNotNull();
            assertThat(ByteBuffer.wrap(message).getInt()).isEqualTo(i);
        }
    }

    @Test
    void aPeerOfAReceiverThatDoesNotReadWaits() {
        MessageSocket socket = connect(name);
        MessageSocket accepted = server.accept(Machine.PATIENCE);
        int sent = fill(socket, 2000);
        assertThat(sent * 2000L).isBetween((1L << 20) * 3 / 4, (1 << 20) + UNDER_WAY);
        receive(accepted, 0, sent);
        assertThat(accepted.receive(Duration.ofMillis(5))).isNull();
        for (int round = 1; round <= 3; round++) { // and now windows only
            int more = fill(socket, 1000);
            assertThat(more * (1000L + Framing.OVERHEAD)).isBetween((1L << 20) / 2, (1L << 20) + kept(socket));
            receive(accepted, 0, more);
        }
    }

    @Test
    void smallMessagesCountAsWhatTheyCost() {
        MessageSocket socket = connect(name);
        MessageSocket accepted = server.accept(Machine.PATIENCE);
        receive(accepted, 0, fill(socket, 4));
        assertThat(fill(socket, 4) * Framing.cost(4)).isLessThanOrEqualTo((1 << 20) + kept(socket));
    }

    @Test
    void theOthersOfTheSameLoopsGoOn() throws Exception {
        MessageSocket stuck = MessageSocket.connect(hostLoop, host, name, Machine.PATIENCE);
        server.accept(Machine.PATIENCE);
        Thread sender = Thread.startVirtualThread(() -> {
            try {
                while (true) {
                    stuck.send(new byte[2000], Machine.PATIENCE);
                }
            } catch (ConnectionClosedException | IllegalStateException e) {
                // it is closed below
            }
        });
        try (MessageSocket socket = MessageSocket.connect(hostLoop, host, name, Machine.PATIENCE)) {
            MessageSocket accepted = server.accept(Machine.PATIENCE);
            for (int i = 0; i < 3000; i++) {
                socket.send(numbered(i, 2000), Machine.PATIENCE);
                receive(accepted, i, i + 1);
                accepted.send(numbered(i, 2000), Machine.PATIENCE);
                receive(socket, i, i + 1);
            }
        }
        hostLoop.call(() -> hostLoop.engine().setTimeout(SHORT)); // what is queued cannot go out
        Throwable told = catchThrowable(stuck::close); // unless the other thread was told
        if (told != null) {
            assertThat(told).isInstanceOf(ConnectionClosedException.class).hasMessageContaining("not sent");
        }
        sender.join();
    }

    @Test
    void bothDirectionsCanBeFullAndAreEmptiedAgain() {
        MessageSocket socket = MessageSocket.connect(hostLoop, host, name, Machine.PATIENCE);
        MessageSocket accepted = server.accept(Machine.PATIENCE);
        for (int round = 0; round < 2; round++) {
            int there = fill(socket, 1500);
            int back = fill(accepted, 1500);
            receive(accepted, 0, there);
            receive(socket, 0, back);
        }
        socket.send(numbered(7, 4), Machine.PATIENCE);
        receive(accepted, 7, 8);
    }

    @Test
    void theLimitCanBeSet() {
        String small = Machine.uniqueName();
        try (MessageServerSocket other = MessageServerSocket.builder(dpuLoop, dpu, representor, small)
                .receiveLimit(100_000)
                .open()) {
            MessageSocket socket = connect(small);
            MessageSocket accepted = other.accept(Machine.PATIENCE);
            receive(accepted, 0, fill(socket, 1000));
            int sent = fill(socket, 1000);
            assertThat(sent * 1064L).isBetween(30_000L, 100_000 + kept(socket));
            receive(accepted, 0, sent);
            socket.close();
        }
    }

    /** A peer that is no socket: a client on an engine of this thread. */
    private final class Plain implements AutoCloseable {
        final ProgressEngine engine = ProgressEngine.create();
        final List<byte[]> received = new ArrayList<>();
        final FramedPeer framed = new FramedPeer();
        final ComchClient client;
        final ComchConnection connection;

        Plain() {
            this(true);
        }

        Plain(boolean headers) {
            client = ComchClient.builder(engine, host, name)
                    .onMessage((from, message) -> {
                        if (headers) {
                            framed.arrived(from, message);
                        } else {
                            received.add(message.toArray(ValueLayout.JAVA_BYTE));
                        }
                    })
                    .connect(Machine.PATIENCE);
            connection = client.connection();
        }

        void send(byte[] message) {
            framed.send(connection, message);
        }

        @Override
        public void close() {
            engine.close();
        }
    }

    @Test
    @Needs(Feature.DISCONNECT)
    void aPlainPeerIsToldHowMuchItMaySendAndWhyItIsCut() {
        try (Plain plain = new Plain()) {
            MessageSocket accepted = server.accept(Machine.PATIENCE);
            byte[] message = new byte[2000];
            int sent = 0;
            try {
                while (true) { // whatever it is told
                    plain.send(message);
                    sent++;
                }
            } catch (ConnectionClosedException e) {
                Machine.until("the end", () -> !plain.connection.isOpen(), plain.engine);
            }
            assertThat(sent * 2064L).isGreaterThan((1 << 20) + UNDER_WAY);
            assertThat(plain.framed.received)
                    .extracting(FramedPeer.Message::kind)
                    .containsExactly(Framing.WINDOW, Framing.ENDING);
            assertThat(plain.framed.received.getFirst().value()).isEqualTo(1 << 20);
            assertThat(plain.framed.received.getLast().value()).isEqualTo(EndReason.NOT_RECEIVED.code());
            long arrived = 0;
            Throwable end = null;
            while (end == null) {
                byte[][] next = new byte[1][];
                end = catchThrowable(() -> next[0] = accepted.receive(Machine.PATIENCE));
                arrived += next[0] == null ? 0 : Framing.cost(next[0].length);
            }
            assertThat(arrived).isBetween((long) (1 << 20), (1 << 20) + UNDER_WAY);
            assertThat(end)
                    .isInstanceOf(ConnectionClosedException.class)
                    .hasMessageContaining("this process has ended")
                    .hasMessageContaining("more messages were sent than");
        }
    }

    @Test
    @Needs(Feature.DISCONNECT)
    void aPeerThatIsKnownToBePlainGetsNothingButMessages() {
        server.close();
        server = MessageServerSocket.builder(dpuLoop, dpu, representor, name)
                .plainPeer()
                .open();
        byte[] mark = "1....c4j and more".getBytes(StandardCharsets.US_ASCII);
        try (Plain plain = new Plain(false)) {
            MessageSocket accepted = server.accept(Machine.PATIENCE);
            plain.connection.send(mark);
            assertThat(accepted.receive(Machine.PATIENCE))
                    .as("a message like others")
                    .isEqualTo(mark);
            accepted.send(mark, Machine.PATIENCE);
            Machine.until("the message", () -> !plain.received.isEmpty(), plain.engine);
            try {
                while (true) {
                    plain.connection.send(new byte[2000]);
                }
            } catch (ConnectionClosedException e) {
                Machine.until("the end", () -> !plain.connection.isOpen(), plain.engine);
            }
            assertThat(plain.received).hasSize(1);
            Throwable end = null;
            while (end == null) {
                end = catchThrowable(() -> accepted.receive(Machine.PATIENCE));
            }
            assertThat(end).hasMessageContaining("more messages were sent than");
        }
    }

    @Test
    void aPlainPeerThatObservesWindowsIsNeverCut() {
        try (Plain plain = new Plain()) {
            MessageSocket accepted = server.accept(Machine.PATIENCE);
            byte[] message = new byte[1000];
            long cost = Framing.cost(message.length);
            long sent = 0;
            long got = 0;
            long window = Long.MAX_VALUE;
            for (int i = 0; i < 5000; i++) {
                while (sent + cost > window) { // as the document says
                    got += accepted.receive(Duration.ofMillis(1)) == null ? 0 : 1;
                    plain.engine.progress(64); // its messages go out, and windows come in
                    window = lastWindow(plain);
                }
                plain.send(message);
                sent += cost;
                plain.engine.progress(64);
                long told = lastWindow(plain);
                if (told != window && window == Long.MAX_VALUE) {
                    plain.framed.send(plain.connection, Framing.OBSERVES, 0);
                }
                window = told;
            }
            while (got < 5000) {
                got += accepted.receive(Duration.ofMillis(1)) == null ? 0 : 1;
                plain.engine.progress(64);
            }
            assertThat(plain.connection.isOpen()).isTrue();
        }
    }

    private static long lastWindow(Plain plain) {
        return plain.framed.received.isEmpty()
                ? Long.MAX_VALUE
                : plain.framed.received.getLast().value();
    }

    @Test
    @Needs(Feature.DISCONNECT)
    void whoSaysThatItObservesWindowsIsTakenAtItsWord() {
        try (Plain plain = new Plain()) {
            MessageSocket accepted = server.accept(Machine.PATIENCE);
            byte[] message = new byte[1000];
            while (plain.framed.received.isEmpty()) {
                plain.send(message);
                plain.engine.progress();
            }
            plain.framed.send(plain.connection, Framing.OBSERVES, 0);
            try {
                while (true) {
                    plain.send(message);
                }
            } catch (ConnectionClosedException e) {
                Machine.until("the end", () -> !plain.connection.isOpen(), plain.engine);
            }
            long arrived = 0;
            try {
                while (true) {
                    arrived += Framing.cost(accepted.receive(Machine.PATIENCE).length);
                }
            } catch (ConnectionClosedException e) {
                assertThat(e).hasMessageContaining("more messages were sent than");
            }
            assertThat(arrived).isBetween((1L << 20) - 1064, 1L << 20);
        }
    }

    @Test
    @Needs(Feature.DISCONNECT)
    void aSocketIsToldWhyItsPeerHasEndedTheConnection() {
        MessageSocket socket = MessageSocket.connect(hostLoop, host, name, Machine.PATIENCE);
        MessageSocket accepted = server.accept(Machine.PATIENCE);
        fill(socket, 2000);
        var waits = socket.sendAsync(new byte[1]);
        assertThatThrownBy(() -> hostLoop.call(
                        () -> { // past the socket, which would wait
                            FramedPeer past = new FramedPeer();
                            for (long sent = socket.connection().sent(); sent > 0; sent--) {
                                past.skip();
                            }
                            while (true) {
                                past.send(socket.connection(), new byte[2000]);
                            }
                        }))
                .isInstanceOf(ConnectionClosedException.class);
        assertThat(catchThrowable(waits::join).getCause())
                .isInstanceOf(ConnectionClosedException.class)
                .hasMessageContaining("the peer has ended: more messages were sent than");
        assertThatThrownBy(() -> socket.send(new byte[1], Machine.PATIENCE))
                .isInstanceOf(ConnectionClosedException.class)
                .hasMessageContaining("the peer has ended: more messages were sent than");
        assertThatThrownBy(() -> socket.receive(Machine.PATIENCE))
                .isInstanceOf(ConnectionClosedException.class)
                .hasMessageContaining("the peer has ended: more messages were sent than");
        assertThatThrownBy(() -> accepted.send(new byte[1], Machine.PATIENCE))
                .isInstanceOf(ConnectionClosedException.class)
                .hasMessageContaining("this process has ended: more messages were sent than");
        socket.close();
    }

    @Test
    void aMessageThatLooksLikeASocketsOwnIsAMessage() {
        MessageSocket socket = MessageSocket.connect(hostLoop, host, name, Machine.PATIENCE);
        MessageSocket accepted = server.accept(Machine.PATIENCE);
        byte[] message = ByteBuffer.allocate(16).putLong(0x63_34_6a_01L).array();
        socket.send(message, Machine.PATIENCE);
        assertThat(accepted.receive(Machine.PATIENCE)).isEqualTo(message);
        socket.close();
    }
}
