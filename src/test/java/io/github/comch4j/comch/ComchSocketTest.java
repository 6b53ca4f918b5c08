package io.github.comch4j.comch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.comch4j.DocaError;
import io.github.comch4j.DocaException;
import io.github.comch4j.Machine;
import io.github.comch4j.core.Device;
import io.github.comch4j.core.Devices;
import io.github.comch4j.core.EventLoop;
import io.github.comch4j.core.Representor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ComchSocketTest {
    private Device host;
    private Device dpu;
    private Representor representor;
    private EventLoop hostLoop;
    private EventLoop dpuLoop;
    private ComchServerSocket server;
    private String name;

    @BeforeEach
    void open() {
        Machine.useEmulation();
        host = Devices.openHost(Machine.HOST);
        dpu = Devices.openDpu(Machine.DPU);
        representor = dpu.openRepresentor(Machine.HOST);
        hostLoop = EventLoop.start("host");
        dpuLoop = EventLoop.start("dpu");
        name = Machine.uniqueName();
        server = ComchServerSocket.open(dpuLoop, dpu, representor, name);
    }

    @AfterEach
    void close() {
        server.close();
        hostLoop.close();
        dpuLoop.close();
        host.close();
        dpu.close();
    }

    private ComchSocket connect() {
        return ComchSocket.connect(hostLoop, host, name, Machine.PATIENCE);
    }

    @Test
    void virtualThreadsTalkAndWait() throws Exception {
        AtomicInteger answers = new AtomicInteger();
        int clients = 8;
        Thread acceptor = Thread.startVirtualThread(() -> {
            for (int i = 0; i < clients; i++) {
                ComchSocket accepted = server.accept(Machine.PATIENCE);
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
                try (ComchSocket socket = connect()) {
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
        try (ComchSocket socket = connect()) {
            assertThat(socket.receive(Duration.ofMillis(5))).isNull();
        }
        assertThatThrownBy(() -> ComchSocket.connect(hostLoop, host, "nobody", Duration.ofMillis(50))).isInstanceOfSatisfying(DocaException.class,
                e -> assertThat(e.error()).isIn(DocaError.CONNECTION_ABORTED, DocaError.TIME_OUT)); // the last attempt may be under way
    }

    @Test
    void theEndIsToldAfterTheLastMessage() {
        ComchSocket socket = connect();
        ComchSocket accepted = server.accept(Machine.PATIENCE);
        accepted.send(new byte[3], Machine.PATIENCE);
        accepted.close();
        accepted.close();
        assertThat(socket.receive(Machine.PATIENCE)).hasSize(3);
        assertThatThrownBy(() -> socket.receive(Machine.PATIENCE)).isInstanceOf(ConnectionClosedException.class);
        assertThatThrownBy(() -> socket.receive(Machine.PATIENCE)).isInstanceOf(ConnectionClosedException.class);
        assertThatThrownBy(() -> socket.send(new byte[1], Machine.PATIENCE)).isInstanceOf(ConnectionClosedException.class);
        assertThatThrownBy(() -> accepted.receive(Machine.PATIENCE)).isInstanceOf(ConnectionClosedException.class);
        socket.close();
    }

    @Test
    void closingTheServerEndsAllWhoWait() {
        ComchSocket socket = connect();
        ComchSocket accepted = server.accept(Machine.PATIENCE);
        server.close();
        assertThatThrownBy(() -> accepted.receive(Machine.PATIENCE)).isInstanceOf(ConnectionClosedException.class);
        assertThatThrownBy(() -> socket.receive(Machine.PATIENCE)).isInstanceOf(ConnectionClosedException.class);
        assertThatThrownBy(() -> server.accept(Machine.PATIENCE)).isInstanceOf(IllegalStateException.class);
        accepted.close();
        socket.close();
    }

    @Test
    void waitingInTheLoopIsRefused() {
        try (ComchSocket socket = connect()) {
            assertThatThrownBy(() -> hostLoop.call(() -> socket.receive(Machine.PATIENCE))).isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("loop");
            assertThat(socket.toString()).contains(name);
            Thread.currentThread().interrupt();
            assertThatThrownBy(() -> socket.receive(Machine.PATIENCE)).isInstanceOf(IllegalStateException.class).hasMessageContaining("interrupted");
            assertThat(Thread.interrupted()).isTrue();
        }
    }

    @Test
    void whoDoesNotReceiveLosesTheConnectionAndNotTheMemory() {
        ComchSocket socket = connect();
        ComchSocket accepted = server.accept(Machine.PATIENCE);
        assertThatThrownBy(() -> dpuLoop.call(() -> {
            while (true) {
                accepted.connection().send(new byte[1]);
            }
        })).isInstanceOf(ConnectionClosedException.class);
        for (int i = 0; i < ComchSocket.BACKLOG; i++) {
            assertThat(socket.receive(Duration.ZERO)).hasSize(1);
        }
        assertThatThrownBy(() -> socket.receive(Machine.PATIENCE)).isInstanceOf(ConnectionClosedException.class)
                .hasMessageContaining(ComchSocket.BACKLOG + " messages");
        socket.close();
    }
}
