package io.github.comch4j.io;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.github.comch4j.DocaError;
import io.github.comch4j.DocaException;
import io.github.comch4j.Feature;
import io.github.comch4j.Machine;
import io.github.comch4j.Needs;
import io.github.comch4j.TwoLoopsInBothForms;
import io.github.comch4j.WaitInterruptedException;
import io.github.comch4j.comch.ConnectionClosedException;
import io.github.comch4j.comch.LinkState;
import io.github.comch4j.core.EventLoop;
import io.github.comch4j.core.ProgressEngine;
import io.github.comch4j.emulator.EmulatedMachine;
import io.github.comch4j.emulator.PeerProcess;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a socket keeps when {@code send} has returned: that it goes out, or that the program is told. */
@Timeout(120)
class SocketBufferTest extends TwoLoopsInBothForms {
    private static final Duration SHORT = Duration.ofMillis(200);
    private static final int LONGEST = 64;
    private static final int FRAMED = LONGEST + 8;
    /** Of the longest messages, in the smallest buffer. */
    private static final int FULL = 8;

    private MessageServerSocket server;

    @BeforeEach
    void open() {
        server = serve();
    }

    @AfterEach
    void close() {
        Thread.interrupted();
    }

    /** Of sockets that keep little in either direction. */
    private MessageServerSocket serve() {
        return MessageServerSocket.builder(dpuLoop, dpu, representor, name)
                .maxMessageSize(FRAMED)
                .receiveLimit(1)
                .sendBuffer(1)
                .open();
    }

    private MessageSocket.Builder small() {
        return MessageSocket.builder(hostLoop, host, name)
                .maxMessageSize(FRAMED)
                .receiveLimit(1)
                .sendBuffer(1);
    }

    private static byte[] numbered(int number) {
        return ByteBuffer.allocate(LONGEST).putInt(number).array();
    }

    private static int receive(MessageSocket socket) {
        return ByteBuffer.wrap(socket.receive(Machine.PATIENCE)).getInt();
    }

    private static DocaError errorOf(Throwable thrown) {
        assertThat(thrown).isInstanceOf(DocaException.class);
        return ((DocaException) thrown).error();
    }

    /** Sends to a peer that does not receive, until the buffer is full. Returns how many messages that took. */
    private int fill(MessageSocket socket) {
        int count = 0;
        while (true) {
            long before = socket.connection().sent();
            for (int i = 0; i < 20; i++) { // so that the time is not up because the loops have not run
                hostLoop.call(() -> null);
                dpuLoop.call(() -> null);
            }
            int number = count;
            Throwable thrown = catchThrowable(() -> socket.send(numbered(number), SHORT));
            if (thrown == null) {
                count++;
            } else {
                assertThat(errorOf(thrown)).isEqualTo(DocaError.TIME_OUT);
                if (socket.connection().sent() == before) {
                    return count;
                }
            }
        }
    }

    /** How long closing waits for what does not go out. */
    private static void patience(EventLoop loop, Duration timeout) {
        loop.call(() -> {
            loop.engine().setTimeout(timeout);
            return null;
        });
    }

    private static void isOfLost(Throwable thrown) {
        assertThat(thrown)
                .isInstanceOf(ConnectionClosedException.class)
                .hasMessageContaining(FULL + " messages that were queued were not sent");
    }

    @Test
    void aSendReturnsWhenTheBufferHasACopy() {
        try (MessageSocket socket = small().connect(Machine.PATIENCE)) {
            MessageSocket accepted = server.accept(Machine.PATIENCE);
            byte[] message = numbered(1);
            hostLoop.call(
                    () -> { // which sends nothing meanwhile
                        CompletableFuture<Void> sent = Machine.onThread(() -> {
                            socket.send(message, Machine.PATIENCE);
                            ByteBuffer.wrap(message).putInt(2);
                            return null;
                        });
                        assertThat(sent).succeedsWithin(Machine.PATIENCE);
                        return null;
                    });
            assertThat(receive(accepted)).isEqualTo(1);
        }
    }

    @Test
    void theBufferKeepsAsMuchAsWasSaid() {
        MessageSocket socket = small().connect(Machine.PATIENCE);
        MessageSocket accepted = server.accept(Machine.PATIENCE);
        int filled = fill(socket);
        long frames = 1; // that it observes windows
        assertThat(filled + frames - socket.connection().sent()).isEqualTo(FULL);
        for (int i = 0; i < filled; i++) {
            assertThat(receive(accepted)).isEqualTo(i);
        }
        assertThat(accepted.receive(SHORT)).as("what was refused").isNull();
        socket.close();
    }

    @Test
    void messagesOfFuturesTakeRoomToo() {
        MessageSocket socket = small().connect(Machine.PATIENCE);
        MessageSocket accepted = server.accept(Machine.PATIENCE);
        int filled = fill(socket);
        List<CompletableFuture<?>> futures = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            futures.add(socket.sendAsync(numbered(filled + i)));
        }
        receive(accepted);
        assertThat(errorOf(catchThrowable(() -> socket.send(numbered(-1), SHORT))))
                .isEqualTo(DocaError.TIME_OUT);
        for (int i = 1; i < filled + 20; i++) {
            assertThat(receive(accepted)).isEqualTo(i);
        }
        socket.flush(Machine.PATIENCE);
        assertThat(futures).allMatch(CompletableFuture::isDone);
        socket.close();
    }

    @Test
    void anInterruptEndsTheWaitForRoomAndForAFlush() {
        MessageSocket socket = small().connect(Machine.PATIENCE);
        MessageSocket accepted = server.accept(Machine.PATIENCE);
        int filled = fill(socket);
        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> socket.send(numbered(-1), Machine.PATIENCE))
                .isInstanceOf(WaitInterruptedException.class)
                .hasMessageContaining("interrupted while waiting for room");
        assertThatThrownBy(() -> socket.flush(Machine.PATIENCE))
                .isInstanceOf(WaitInterruptedException.class)
                .hasMessageContaining("interrupted while waiting for what was sent");
        assertThat(Thread.interrupted()).isTrue();
        for (int i = 0; i < filled; i++) {
            assertThat(receive(accepted)).isEqualTo(i);
        }
        Thread.currentThread().interrupt();
        socket.send(numbered(filled), Machine.PATIENCE); // there is room: it waits for nothing
        assertThat(Thread.interrupted()).isTrue();
        assertThat(receive(accepted)).isEqualTo(filled);
        socket.close();
    }

    @Test
    void aFlushWaitsUntilAllIsAccepted() throws Exception {
        MessageSocket socket = small().connect(Machine.PATIENCE);
        MessageSocket accepted = server.accept(Machine.PATIENCE);
        socket.flush(Duration.ZERO);
        int filled = fill(socket);
        assertThat(errorOf(catchThrowable(() -> socket.flush(SHORT)))).isEqualTo(DocaError.TIME_OUT);
        CompletableFuture<Long> flushed = Machine.onThread(() -> {
            socket.flush(Machine.PATIENCE);
            return socket.connection().sent();
        });
        for (int i = 0; i < filled; i++) {
            assertThat(flushed.isDone() && i == 0).isFalse();
            assertThat(receive(accepted)).isEqualTo(i);
        }
        assertThat(flushed.get()).isGreaterThanOrEqualTo(filled);
        assertThatThrownBy(() -> hostLoop.call(() -> {
                    socket.flush(Machine.PATIENCE);
                    return null;
                }))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("in the loop");
        socket.close();
    }

    /** Each thread's messages arrive in its order, and threads take turns when they wait. */
    @Test
    void manyVirtualThreadsShareALittleBuffer() throws Exception {
        MessageSocket socket = small().connect(Machine.PATIENCE);
        MessageSocket accepted = server.accept(Machine.PATIENCE);
        int threads = 50;
        int each = 200;
        List<Thread> senders = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
            int thread = i;
            senders.add(Thread.startVirtualThread(() -> {
                for (int j = 0; j < each; j++) {
                    socket.send(numbered(thread * each + j), Machine.PATIENCE);
                }
            }));
        }
        int[] next = new int[threads];
        for (int i = 0; i < threads * each; i++) {
            int number = receive(accepted);
            assertThat(number % each).isEqualTo(next[number / each]++);
        }
        for (Thread sender : senders) {
            sender.join();
        }
        socket.close();
    }

    @Test
    void whatIsLostWithTheConnectionIsToldOnce() {
        MessageSocket socket = small().connect(Machine.PATIENCE);
        server.accept(Machine.PATIENCE);
        fill(socket);
        server.close();
        assertThatThrownBy(() -> {
                    while (socket.receive(Machine.PATIENCE) != null) {}
                })
                .isInstanceOf(ConnectionClosedException.class);
        isOfLost(catchThrowable(() -> socket.send(numbered(-1), Machine.PATIENCE)));
        assertThatThrownBy(() -> socket.send(numbered(-1), Machine.PATIENCE))
                .isInstanceOf(ConnectionClosedException.class)
                .hasMessageNotContaining("queued");
        assertThatCode(() -> socket.flush(Machine.PATIENCE))
                .as("nothing is left that could not be sent")
                .doesNotThrowAnyException();
        assertThatCode(socket::close).doesNotThrowAnyException();
    }

    @Test
    void whoeverFlushesWhileMessagesAreLostIsTold() {
        MessageSocket socket = small().connect(Machine.PATIENCE);
        server.accept(Machine.PATIENCE);
        fill(socket);
        List<CompletableFuture<Throwable>> flushes = new ArrayList<>();
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            CompletableFuture<Throwable> thrown = new CompletableFuture<>();
            flushes.add(thrown);
            threads.add(Thread.ofPlatform()
                    .start(() -> thrown.complete(catchThrowable(() -> socket.flush(Machine.PATIENCE)))));
        }
        threads.forEach(
                thread -> Machine.until("the thread to wait", () -> Machine.waits(thread), new ProgressEngine[0]));
        server.close();
        flushes.forEach(thrown -> isOfLost(thrown.join()));
        socket.close();
    }

    @Test
    void whatIsLostIsToldOnTheNextConnectionAndNotSentThere() {
        try (MessageSocket socket =
                small().reconnect(Duration.ofMillis(1), Duration.ofMillis(20)).connect(Machine.PATIENCE)) {
            server.accept(Machine.PATIENCE);
            fill(socket);
            server.close();
            assertThatThrownBy(() -> socket.receive(Machine.PATIENCE)).isInstanceOf(ConnectionClosedException.class);
            server = serve();
            assertThat(socket.awaitConnected(Machine.PATIENCE)).isTrue();
            isOfLost(catchThrowable(() -> socket.send(numbered(-1), Machine.PATIENCE)));
            socket.send(numbered(1000), Machine.PATIENCE);
            socket.flush(Machine.PATIENCE);
            assertThat(receive(server.accept(Machine.PATIENCE))).isEqualTo(1000);
        }
    }

    /** The server's messages are shorter at most: what was sent after one of the longest does not arrive either. */
    @Test
    void whatDocaRefusesEndsTheConnection() {
        try (MessageSocket socket = small().maxMessageSize(2 * FRAMED)
                .reconnect(Duration.ofMillis(1), Duration.ofMillis(20))
                .connect(Machine.PATIENCE)) {
            MessageSocket accepted = server.accept(Machine.PATIENCE);
            socket.send(numbered(6), Machine.PATIENCE);
            hostLoop.call(
                    () -> { // which sends nothing meanwhile
                        Machine.onThread(() -> {
                                    socket.send(new byte[2 * LONGEST], Machine.PATIENCE);
                                    socket.send(numbered(-1), Machine.PATIENCE);
                                    return null;
                                })
                                .join();
                        return null;
                    });
            hostLoop.call(() -> null); // all of them are counted
            Throwable told = catchThrowable(() -> socket.flush(Machine.PATIENCE));
            assertThat(errorOf(told)).isEqualTo(DocaError.INVALID_VALUE);
            assertThat(told)
                    .hasMessageContaining("2 messages that were queued were not sent")
                    .hasCauseInstanceOf(DocaException.class);
            assertThat(receive(accepted)).isEqualTo(6);
            assertThatThrownBy(() -> accepted.receive(Machine.PATIENCE))
                    .isInstanceOf(ConnectionClosedException.class)
                    .hasMessageContaining("the peer has ended");
            assertThat(accepted.isInputShutdown()).isFalse();
            assertThat(socket.awaitConnected(Machine.PATIENCE)).isTrue();
            socket.send(numbered(7), Machine.PATIENCE);
            assertThat(receive(server.accept(Machine.PATIENCE))).isEqualTo(7);
        }
    }

    @Test
    @Needs(Feature.DISCONNECT)
    void whatIsQueuedStillGoesOutWhenASocketIsClosed() throws Exception {
        for (boolean inLoop : new boolean[] {false, true}) {
            MessageSocket socket = small().sendBuffer(1 << 20).connect(Machine.PATIENCE);
            MessageSocket accepted = server.accept(Machine.PATIENCE);
            CompletableFuture<Integer> arrived = Machine.onThread(() -> {
                int count = 0;
                try {
                    while (true) {
                        assertThat(receive(accepted)).isEqualTo(count);
                        count++;
                    }
                } catch (ConnectionClosedException e) {
                    return count;
                }
            });
            for (int i = 0; i < 5000; i++) {
                socket.send(numbered(i), Machine.PATIENCE);
            }
            if (inLoop) {
                hostLoop.call(() -> {
                    socket.close();
                    return null;
                });
            } else {
                socket.close();
            }
            assertThat(arrived.get()).isEqualTo(5000);
        }
    }

    @Test
    void whatIsQueuedStillGoesOutWhenTheServerIsClosed() throws Exception {
        server.close();
        server = MessageServerSocket.builder(dpuLoop, dpu, representor, name)
                .maxMessageSize(FRAMED)
                .open();
        List<CompletableFuture<Integer>> arrived = new ArrayList<>();
        for (int client = 0; client < 2; client++) {
            MessageSocket socket = small().connect(Machine.PATIENCE);
            arrived.add(Machine.onThread(() -> {
                int count = 0;
                try {
                    while (true) {
                        assertThat(receive(socket)).isEqualTo(count);
                        count++;
                    }
                } catch (ConnectionClosedException e) {
                    return count;
                }
            }));
            MessageSocket accepted = server.accept(Machine.PATIENCE);
            for (int i = 0; i < 5000; i++) {
                accepted.send(numbered(i), Machine.PATIENCE);
            }
        }
        server.close();
        for (CompletableFuture<Integer> count : arrived) {
            assertThat(count.get()).isEqualTo(5000);
        }
    }

    @Test
    @Needs(Feature.DISCONNECT)
    void closingTellsWhatCouldNotGoOut() {
        patience(hostLoop, SHORT);
        patience(dpuLoop, SHORT);
        MessageSocket socket = small().connect(Machine.PATIENCE);
        MessageSocket accepted = server.accept(Machine.PATIENCE);
        fill(socket);
        fill(accepted);
        isOfLost(catchThrowable(socket::close));
        assertThat(socket.state()).isEqualTo(LinkState.CLOSED);
        assertThatCode(socket::close).doesNotThrowAnyException();
        isOfLost(catchThrowable(() -> accepted.flush(Machine.PATIENCE)));
        assertThatCode(accepted::close).doesNotThrowAnyException();

        small().connect(Machine.PATIENCE);
        MessageSocket acceptedToo = server.accept(Machine.PATIENCE);
        fill(acceptedToo);
        isOfLost(catchThrowable(server::close));
        assertThat(server.server().isClosed()).isTrue();
        assertThatCode(server::close).doesNotThrowAnyException();
    }

    @Test
    void whatIsQueuedWhenTheLoopIsClosedIsTold() {
        MessageSocket socket = small().connect(Machine.PATIENCE);
        server.accept(Machine.PATIENCE);
        fill(socket);
        hostLoop.close();
        isOfLost(catchThrowable(() -> socket.send(numbered(-1), Machine.PATIENCE)));
        assertThatThrownBy(() -> socket.send(numbered(-1), Machine.PATIENCE))
                .isInstanceOf(RejectedExecutionException.class);
        assertThatCode(() -> socket.flush(Machine.PATIENCE)).doesNotThrowAnyException();
        assertThatCode(socket::close).doesNotThrowAnyException();
    }

    @Test
    void whoWaitsForRoomLearnsOfTheEnd() {
        MessageSocket socket = small().connect(Machine.PATIENCE);
        server.accept(Machine.PATIENCE);
        fill(socket);
        CompletableFuture<Object> waiting = Machine.onThread(() -> {
            socket.send(numbered(-1), Duration.ofSeconds(Long.MAX_VALUE));
            return null;
        });
        hostLoop.call(() -> null);
        server.close();
        assertThat(waiting)
                .failsWithin(Machine.PATIENCE)
                .withThrowableThat()
                .withCauseInstanceOf(ConnectionClosedException.class);
        assertThatCode(socket::close).doesNotThrowAnyException();
    }

    @Test
    void aPeerThatIsKilledInTheMiddleIsTold(EmulatedMachine machine) {
        String victims = Machine.uniqueName();
        PeerProcess victim = machine.peer(EmulatedMachine.Side.BOTH, SocketVictim.class, victims, "1000")
                .start();
        victim.awaitLine("open");
        MessageSocket socket = MessageSocket.connect(hostLoop, host, victims, Machine.PATIENCE);
        CompletableFuture<Throwable> told = Machine.onThread(() -> catchThrowable(() -> {
            while (true) {
                socket.send(numbered(0), Machine.PATIENCE);
            }
        }));
        victim.awaitLine("received");
        victim.kill();
        assertThat(told.join()).isInstanceOf(ConnectionClosedException.class);
        assertThatCode(() -> {
                    assertThat(catchThrowable(() -> socket.flush(Machine.PATIENCE)))
                            .satisfiesAnyOf(
                                    thrown -> assertThat(thrown).isNull(),
                                    thrown -> assertThat(thrown).isInstanceOf(ConnectionClosedException.class));
                    socket.close();
                })
                .doesNotThrowAnyException();
    }
}
