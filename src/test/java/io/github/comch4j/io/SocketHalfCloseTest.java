package io.github.comch4j.io;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.comch4j.Machine;
import io.github.comch4j.comch.ConnectionClosedException;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A socket that says that it sends no more. */
@Timeout(60)
class SocketHalfCloseTest extends SocketScene {
    private MessageSocket connect() {
        return MessageSocket.connect(hostLoop, host, name, Machine.PATIENCE);
    }

    @Test
    void theOtherDirectionGoesOn() {
        try (MessageSocket client = connect()) {
            for (int i = 1; i <= 100; i++) {
                client.send(new byte[i], Machine.PATIENCE);
            }
            client.shutdownOutput(Machine.PATIENCE);
            MessageSocket atServer = server.accept(Machine.PATIENCE);
            for (int i = 1; i <= 100; i++) {
                assertThat(atServer.isInputShutdown()).as("%d wait", 101 - i).isFalse();
                assertThat(atServer.receive(Machine.PATIENCE)).hasSize(i);
            }
            assertThat(atServer.receive(Machine.PATIENCE)).isNull();
            assertThat(atServer.isInputShutdown()).isTrue();
            assertThat(client.isInputShutdown()).isFalse();
            atServer.send(new byte[7], Machine.PATIENCE);
            assertThat(client.receive(Machine.PATIENCE)).hasSize(7);
        }
    }

    @Test
    void whoWaitsForAMessageLearnsOfIt() throws Exception {
        try (MessageSocket client = connect()) {
            MessageSocket atServer = server.accept(Machine.PATIENCE);
            CompletableFuture<byte[]> received = Machine.onThread(() -> atServer.receive(Machine.PATIENCE));
            client.shutdownOutput(Machine.PATIENCE);
            assertThat(received.get()).isNull();
            assertThat(atServer.isInputShutdown()).isTrue();
        }
    }

    @Test
    void anEndTellsWhetherAllWasSaid() {
        MessageSocket said = connect();
        MessageSocket first = server.accept(Machine.PATIENCE);
        said.send(new byte[1], Machine.PATIENCE);
        said.shutdownOutput(Machine.PATIENCE);
        said.close();
        assertThat(first.receive(Machine.PATIENCE)).hasSize(1);
        assertThatThrownBy(() -> untilTheEnd(first)).isInstanceOf(ConnectionClosedException.class);
        assertThat(first.isInputShutdown()).isTrue();

        MessageSocket closed = connect();
        MessageSocket second = server.accept(Machine.PATIENCE);
        closed.send(new byte[1], Machine.PATIENCE);
        closed.close();
        assertThat(second.receive(Machine.PATIENCE)).hasSize(1);
        assertThatThrownBy(() -> untilTheEnd(second))
                .isInstanceOf(ConnectionClosedException.class)
                .hasMessageNotContaining("whose peer");
        assertThat(second.isInputShutdown()).isTrue();

        connect();
        MessageSocket third = server.accept(Machine.PATIENCE);
        hostLoop.close(); // which does not wait for sockets
        assertThatThrownBy(() -> untilTheEnd(third))
                .isInstanceOf(ConnectionClosedException.class)
                .hasMessageContaining("whose peer did not announce the end of its messages");
        assertThat(third.isInputShutdown()).isFalse();
    }

    private static void untilTheEnd(MessageSocket socket) {
        while (true) {
            socket.receive(Machine.PATIENCE);
        }
    }

    @Test
    void aPlainPeerIsNotTold() {
        try (MessageSocket client =
                MessageSocket.builder(hostLoop, host, name).plainPeer().connect(Machine.PATIENCE)) {
            assertThatThrownBy(() -> client.shutdownOutput(Machine.PATIENCE))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("plain");
        }
    }

    @Test
    void nothingIsSentAfterTheEnd() {
        try (MessageSocket client = connect()) {
            MessageSocket accepted = server.accept(Machine.PATIENCE);
            client.shutdownOutput(Machine.PATIENCE);
            assertThatThrownBy(() -> client.send(new byte[1], Machine.PATIENCE))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("shut down");
            assertThatThrownBy(() -> client.sendAsync(new byte[1])).isInstanceOf(IllegalStateException.class);
            assertThat(accepted.receive(Machine.PATIENCE)).isNull();
            client.shutdownOutput(Machine.PATIENCE);
        }
    }
}
