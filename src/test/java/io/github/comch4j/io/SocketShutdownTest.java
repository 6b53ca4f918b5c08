package io.github.comch4j.io;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.comch4j.Feature;
import io.github.comch4j.Machine;
import io.github.comch4j.Needs;
import io.github.comch4j.WaitInterruptedException;
import io.github.comch4j.comch.ConnectionClosedException;
import io.github.comch4j.core.ProgressEngine;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A server of sockets that accepts no more clients, and those that it has. */
@Timeout(60)
class SocketShutdownTest extends SocketScene {
    private static final Duration MOMENT = Duration.ofMillis(30);

    private MessageSocket connect() {
        return MessageSocket.connect(hostLoop, host, name, Machine.PATIENCE);
    }

    @Test
    @Needs(Feature.DISCONNECT)
    void whatIsConnectedGoesOnAndNobodyElseComes() {
        MessageSocket first = connect();
        MessageSocket atServer = server.accept(Machine.PATIENCE);
        MessageSocket second = connect();
        second.send(new byte[2], Machine.PATIENCE);
        second.flush(Machine.PATIENCE);
        Machine.until(
                "the second",
                () -> dpuLoop.<Integer, RuntimeException>call(
                                () -> server.server().connections().size())
                        == 2,
                new ProgressEngine[0]);
        server.shutdown();
        server.shutdown();
        assertThat(server.awaitTermination(MOMENT)).isFalse();
        assertThat(server.accept(Machine.PATIENCE).receive(Machine.PATIENCE))
                .as("it has come before")
                .hasSize(2);
        assertThatThrownBy(() -> server.accept(Machine.PATIENCE))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("shut down");
        assertThatThrownBy(() -> server.accept(Machine.PATIENCE)).hasMessageContaining("shut down");
        MessageSocket late = connect(); // DOCA knows nothing of it
        assertThatThrownBy(() -> late.receive(Machine.PATIENCE))
                .isInstanceOf(ConnectionClosedException.class)
                .hasMessageContaining("shutting down");
        first.send(new byte[1], Machine.PATIENCE);
        assertThat(atServer.receive(Machine.PATIENCE)).as("goes on").hasSize(1);
        first.close();
        assertThat(server.awaitTermination(MOMENT)).isFalse();
        second.close();
        assertThat(server.awaitTermination(Machine.PATIENCE)).isTrue();
        late.close();
    }

    @Test
    void aServerWithoutClientsEndsAtOnce() {
        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> server.awaitTermination(Machine.PATIENCE))
                .isInstanceOf(WaitInterruptedException.class);
        assertThat(Thread.interrupted()).isTrue();
        assertThatThrownBy(() -> dpuLoop.call(() -> server.awaitTermination(Machine.PATIENCE)))
                .isInstanceOf(IllegalStateException.class);
        server.shutdown();
        assertThat(server.awaitTermination(Machine.PATIENCE)).isTrue();
    }

    @Test
    void aServerThatIsClosedHasEnded() {
        MessageSocket client = connect();
        assertThat(server.accept(Machine.PATIENCE)).isNotNull();
        assertThat(server.awaitTermination(MOMENT)).isFalse();
        server.close();
        assertThat(server.awaitTermination(Machine.PATIENCE)).isTrue();
        server.shutdown();
        client.close();
    }
}
