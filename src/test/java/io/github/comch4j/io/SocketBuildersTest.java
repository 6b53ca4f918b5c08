package io.github.comch4j.io;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.comch4j.DocaException;
import io.github.comch4j.Machine;
import io.github.comch4j.core.Device;
import io.github.comch4j.core.EventLoop;
import io.github.comch4j.core.Representor;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Settings of sockets. */
@Timeout(60)
class SocketBuildersTest {
    private Device host;
    private Device dpu;
    private Representor representor;
    private EventLoop loop;

    @BeforeEach
    void open() {
        Machine.useEmulation();
        host = Device.openHost(Machine.HOST);
        dpu = Device.openDpu(Machine.DPU);
        representor = dpu.openRepresentor(Machine.HOST);
        loop = EventLoop.start("loop");
    }

    @AfterEach
    void close() {
        loop.close();
        host.close();
        dpu.close();
    }

    private static Stream<Runnable> settings(SocketBuilder<?> builder) {
        return Stream.of(
                () -> builder.sendTasks(1),
                () -> builder.maxMessageSize(64),
                () -> builder.receiveQueueSize(1),
                () -> builder.receiveLimit(1),
                () -> builder.sendBuffer(1),
                () -> builder.sendLimit(1),
                builder::plainPeer);
    }

    @Test
    void eachMakesOneObjectWithTheSettings() {
        String name = Machine.uniqueName();
        MessageServerSocket.Builder servers = MessageServerSocket.builder(loop, dpu, representor, name)
                .sendTasks(8)
                .maxMessageSize(512)
                .receiveQueueSize(5)
                .receiveLimit(Long.MAX_VALUE)
                .sendBuffer(Long.MAX_VALUE)
                .sendLimit(Long.MAX_VALUE)
                .warnIfStalled(Machine.PATIENCE);
        MessageSocket.Builder clients = MessageSocket.builder(loop, host, name).maxMessageSize(256);
        try (MessageServerSocket server = servers.open();
                MessageSocket socket = clients.connect(Machine.PATIENCE)) {
            assertThat(server.server().maxMessageSize()).isEqualTo(512);
            assertThat(server.server().receiveQueueSize()).isEqualTo(5);
            assertThat(server.server().sendTasks()).isEqualTo(8);
            assertThat(socket.connection().endpoint().maxMessageSize()).isEqualTo(256);
            MessageSocket accepted = server.accept(Machine.PATIENCE);
            accepted.sendAsync(new byte[248]).join();
            assertThat(socket.receive(Machine.PATIENCE)).hasSize(248);
            socket.sendAsync(new byte[248]).join();
            assertThat(accepted.receive(Machine.PATIENCE)).hasSize(248);
            assertThat(Stream.concat(
                            Stream.concat(settings(servers), settings(clients)),
                            Stream.<Runnable>of(
                                    servers::open,
                                    () -> servers.warnIfStalled(Machine.PATIENCE),
                                    () -> servers.disconnectIfStalled(Machine.PATIENCE),
                                    () -> clients.connect(Machine.PATIENCE),
                                    () -> clients.reconnect(Machine.PATIENCE, Machine.PATIENCE),
                                    () -> clients.onState((self, state) -> {}))))
                    .allSatisfy(call -> assertThatThrownBy(call::run)
                            .isExactlyInstanceOf(IllegalStateException.class)
                            .hasMessageContaining(name)
                            .hasMessageContaining("has been used"));
        }
    }

    @Test
    void impossibleSettingsAreRefused() {
        MessageSocket.Builder builder = MessageSocket.builder(loop, host, Machine.uniqueName());
        List<Consumer<MessageSocket.Builder>> wrong = List.of(
                b -> b.sendTasks(0),
                b -> b.maxMessageSize(63),
                b -> b.receiveQueueSize(-1),
                b -> b.receiveLimit(0),
                b -> b.sendBuffer(0),
                b -> b.sendLimit(Long.MIN_VALUE));
        assertThat(wrong)
                .allSatisfy(setting ->
                        assertThatThrownBy(() -> setting.accept(builder)).isInstanceOf(IllegalArgumentException.class));
        assertThatThrownBy(() -> MessageServerSocket.builder(loop, dpu, representor, Machine.uniqueName())
                        .sendTasks(1 << 30)
                        .open())
                .isInstanceOf(DocaException.class)
                .hasMessageContaining("sendTasks");
    }
}
