package io.github.comch4j.io;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.github.comch4j.DocaError;
import io.github.comch4j.DocaException;
import io.github.comch4j.Feature;
import io.github.comch4j.Machine;
import io.github.comch4j.Needs;
import io.github.comch4j.WaitInterruptedException;
import io.github.comch4j.comch.ComchClient;
import io.github.comch4j.comch.ConnectionClosedException;
import io.github.comch4j.comch.LinkState;
import io.github.comch4j.internal.life.LiveHandles;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class MessageSocketTest extends SocketScene {
    private static final Duration FOR_EVER = Duration.ofSeconds(Long.MAX_VALUE);

    private MessageSocket connect() {
        return MessageSocket.connect(hostLoop, host, name, Machine.PATIENCE);
    }

    @Test
    void theServerBehindASocketIsForItsLoop() {
        assertThat(dpuLoop.call(() -> server.server().name())).isEqualTo(name);
    }

    @Test
    void virtualThreadsTalkAndWait() throws Exception {
        AtomicInteger answers = new AtomicInteger();
        int clients = 8;
        Thread acceptor = Thread.startVirtualThread(() -> {
            for (int i = 0; i < clients; i++) {
                MessageSocket accepted = server.accept(Machine.PATIENCE);
                Thread.startVirtualThread(() -> {
                    for (int j = 0; j < 10; j++) {
                        accepted.send(accepted.receive(Machine.PATIENCE), Machine.PATIENCE);
                    }
                });
            }
        });
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < clients; i++) {
            threads.add(Thread.startVirtualThread(() -> {
                try (MessageSocket socket = connect()) {
                    for (int j = 1; j <= 10; j++) {
                        socket.send(new byte[j], Machine.PATIENCE);
                        answers.addAndGet(socket.receive(Machine.PATIENCE).length);
                    }
                }
            }));
        }
        for (Thread thread : threads) {
            thread.join();
        }
        acceptor.join();
        assertThat(answers).hasValue(clients * 55);
    }

    @Test
    void waitingEndsInTime() {
        assertThat(server.accept(Duration.ofMillis(5))).isNull();
        try (MessageSocket socket = connect()) {
            assertThat(socket.receive(Duration.ofMillis(5))).isNull();
        }
        assertThatThrownBy(() -> MessageSocket.connect(hostLoop, host, "nobody", Duration.ofMillis(50)))
                .isInstanceOfSatisfying(
                        DocaException.class,
                        e -> assertThat(e.error())
                                .isIn(
                                        DocaError.CONNECTION_ABORTED,
                                        DocaError.TIME_OUT)); // the last attempt may be under way
    }

    @Test
    @Needs(Feature.DISCONNECT)
    void theEndIsToldAfterTheLastMessage() {
        MessageSocket socket = connect();
        MessageSocket accepted = server.accept(Machine.PATIENCE);
        accepted.send(new byte[3], Machine.PATIENCE);
        accepted.close();
        accepted.close();
        assertThat(socket.receive(Machine.PATIENCE)).hasSize(3);
        assertThatThrownBy(() -> socket.receive(Machine.PATIENCE)).isInstanceOf(ConnectionClosedException.class);
        assertThatThrownBy(() -> socket.receive(Machine.PATIENCE)).isInstanceOf(ConnectionClosedException.class);
        assertThatThrownBy(() -> socket.send(new byte[1], Machine.PATIENCE))
                .isInstanceOf(ConnectionClosedException.class);
        assertThatThrownBy(() -> accepted.receive(Machine.PATIENCE)).isInstanceOf(ConnectionClosedException.class);
        socket.close();
    }

    @Test
    void closingTheServerEndsAllWhoWait() {
        MessageSocket socket = connect();
        MessageSocket accepted = server.accept(Machine.PATIENCE);
        server.close();
        assertThatThrownBy(() -> accepted.receive(Machine.PATIENCE)).isInstanceOf(ConnectionClosedException.class);
        assertThatThrownBy(() -> socket.receive(Machine.PATIENCE)).isInstanceOf(ConnectionClosedException.class);
        assertThatThrownBy(() -> server.accept(Machine.PATIENCE)).isInstanceOf(IllegalStateException.class);
        accepted.close();
        socket.close();
    }

    @Test
    void waitingInTheLoopIsRefused() {
        try (MessageSocket socket = connect()) {
            assertThatThrownBy(() -> hostLoop.call(() -> socket.receive(Machine.PATIENCE)))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("loop");
            assertThat(socket.toString()).contains(name);
            Thread.currentThread().interrupt();
            assertThatThrownBy(() -> socket.receive(Machine.PATIENCE))
                    .isInstanceOf(WaitInterruptedException.class)
                    .hasMessageContaining("interrupted");
            assertThat(Thread.interrupted()).isTrue();
        }
    }

    @Test
    void closingTheLoopEndsAllWhoWait() throws Exception {
        MessageSocket socket = connect();
        MessageSocket accepted = server.accept(Machine.PATIENCE);
        BlockingQueue<Throwable> ends = new LinkedBlockingQueue<>();
        List<Thread> waiting = List.of(
                Thread.startVirtualThread(() -> ends.add(catchThrowable(() -> socket.receive(FOR_EVER)))),
                Thread.startVirtualThread(() -> ends.add(catchThrowable(() -> accepted.receive(FOR_EVER)))),
                Thread.startVirtualThread(() -> ends.add(catchThrowable(() -> server.accept(FOR_EVER)))));
        hostLoop.close();
        dpuLoop.close();
        for (Thread thread : waiting) {
            thread.join();
        }
        assertThat(ends).filteredOn(ConnectionClosedException.class::isInstance).hasSize(2);
        assertThat(ends).filteredOn(IllegalStateException.class::isInstance).hasSize(1);
        assertThatThrownBy(() -> socket.send(new byte[1], Machine.PATIENCE))
                .isInstanceOf(RejectedExecutionException.class);
        socket.close();
        accepted.close();
    }

    @Test
    void waitingForEverEndsWithWhatComes() {
        MessageSocket socket = MessageSocket.connect(hostLoop, host, name, FOR_EVER);
        MessageSocket accepted = server.accept(FOR_EVER);
        socket.send(new byte[2], FOR_EVER);
        assertThat(accepted.receive(FOR_EVER)).hasSize(2);
        assertThat(accepted.receive(Duration.ofSeconds(Long.MIN_VALUE))).isNull();
        socket.close();
    }

    @Test
    void aSocketMayBeClosedInACallback() throws Exception {
        MessageSocket socket = connect();
        MessageSocket accepted = server.accept(Machine.PATIENCE);
        CompletableFuture<Boolean> closed = new CompletableFuture<>();
        ComchClient other = hostLoop.call(() -> ComchClient.builder(hostLoop.engine(), host, name)
                .onConnected(connection -> {
                    socket.close();
                    closed.complete(socket.state() == LinkState.CLOSED);
                })
                .start());
        assertThat(closed.join()).isTrue();
        assertThatThrownBy(() -> accepted.receive(Machine.PATIENCE)).isInstanceOf(ConnectionClosedException.class);
        hostLoop.call(() -> {
            other.close();
            return null;
        });
    }

    /** Many times: the interrupt comes before the attempt, or while it is made, or once it has failed. */
    @Test
    void anInterruptedConnectLeavesNothingBehind() throws Exception {
        for (int i = 0; i < 2000; i++) {
            Thread.currentThread().interrupt();
            assertThatThrownBy(() -> MessageSocket.connect(hostLoop, host, "nobody", FOR_EVER))
                    .isInstanceOf(WaitInterruptedException.class)
                    .hasMessageContaining("interrupted");
            assertThat(Thread.interrupted()).isTrue();
        }
        assertThat(hostLoop.<Boolean, RuntimeException>call(
                        () -> LiveHandles.of(hostLoop.engine()).containsKey("EndpointContext")))
                .isFalse();
    }
}
