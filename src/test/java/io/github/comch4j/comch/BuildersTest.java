package io.github.comch4j.comch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.comch4j.DocaException;
import io.github.comch4j.Machine;
import io.github.comch4j.core.Access;
import io.github.comch4j.core.ContextState;
import io.github.comch4j.core.MemoryMap;
import java.lang.foreign.Arena;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A builder makes one object. */
@Timeout(60)
class BuildersTest {
    private final Machine machine = new Machine();

    @AfterEach
    void close() {
        machine.close();
    }

    private static void refused(String builder, Stream<ThrowingCallable> calls) {
        assertThat(calls)
                .isNotEmpty()
                .allSatisfy(call -> assertThatThrownBy(call)
                        .isExactlyInstanceOf(IllegalStateException.class)
                        .hasMessageContaining(builder)
                        .hasMessageContaining("has been used"));
    }

    private static Stream<ThrowingCallable> controlPath(ControlPathEndpoint.Builder<?> builder) {
        return Stream.of(
                () -> builder.onMessage((connection, message) -> {}),
                () -> builder.onConnected(connection -> {}),
                () -> builder.onDisconnected(connection -> {}),
                () -> builder.onConsumer((connection, id) -> {}),
                () -> builder.onConsumerExpired((connection, id) -> {}),
                () -> builder.onSendFailed((connection, error) -> {}),
                () -> builder.onStateChanged((endpoint, now) -> {}),
                () -> builder.onWritable(connection -> {}),
                () -> builder.onHandlerFailed((connection, exception) -> {}),
                () -> builder.sendBacklog(1),
                () -> builder.maxMessageSize(64),
                () -> builder.receiveQueueSize(1),
                () -> builder.sendTasks(1));
    }

    private static Stream<ThrowingCallable> fastPath(FastPathEndpoint.Builder<?> builder) {
        return Stream.of(() -> builder.tasks(1), () -> builder.onStateChanged((endpoint, now) -> {}));
    }

    @Test
    void aServersBuilderMakesOneServer() {
        ComchServer.Builder builder = machine.server();
        ComchServer server = builder.start();
        refused(
                "ComchServer.Builder of \"" + server.name(),
                Stream.concat(
                        controlPath(builder),
                        Stream.of(
                                builder::start,
                                () -> builder.warnIfStalled(Duration.ZERO),
                                () -> builder.disconnectIfStalled(Duration.ZERO))));
        assertThat(server.state()).isEqualTo(ContextState.RUNNING);
    }

    @Test
    void aClientsBuilderMakesOneClient() {
        machine.server().start();
        ComchClient.Builder builder = machine.client();
        ComchClient client = builder.connect(Machine.PATIENCE);
        refused(
                "ComchClient.Builder of \"" + client.name(),
                Stream.concat(
                        controlPath(builder),
                        Stream.of(
                                builder::start,
                                () -> builder.connect(Machine.PATIENCE),
                                () -> builder.onRefused(() -> {}))));
        assertThat(client.isConnected()).isTrue();
    }

    @Test
    void theBuildersOfAConnectionMakeOneObjectEach() {
        machine.server().start();
        ComchConnection connection = machine.client().connect(Machine.PATIENCE).connection();
        ComchProducer.Builder producers = connection.producer(machine.engine);
        producers.start();
        refused(
                "ComchProducer.Builder on " + connection,
                Stream.concat(
                        fastPath(producers),
                        Stream.of(
                                producers::start,
                                () -> producers.buffers(1),
                                () -> producers.onCompletion((producer, buffer, status) -> {}),
                                () -> producers.onListCompletion((producer, list, status) -> {}),
                                () -> producers.onWritable(producer -> {}),
                                producers::releaseSent)));
        MemoryMap memory = MemoryMap.allocate(machine.host, 64, Access.PCI_READ_WRITE);
        ComchConsumer.Builder consumers = connection.consumer(machine.engine, memory);
        consumers.start(Machine.PATIENCE);
        refused(
                "ComchConsumer.Builder on " + connection,
                Stream.concat(
                        fastPath(consumers),
                        Stream.of(
                                consumers::start,
                                () -> consumers.start(Machine.PATIENCE),
                                () -> consumers.buffers(1, 1),
                                () -> consumers.immediateReceives(1),
                                () -> consumers.immediateLength(1),
                                () -> consumers.repost(false),
                                () -> consumers.onReceive((consumer, buffer, id, immediate) -> {}),
                                () -> consumers.onReceiveFailed((consumer, buffer, error) -> {}))));
    }

    @Test
    void theBuildersOfSlotsMakeOneObjectEach() {
        machine.server().start();
        ComchConnection connection = machine.client().connect(Machine.PATIENCE).connection();
        SlotProducer.Builder producers = connection.slotProducer(machine.engine, 8);
        producers.start();
        refused(
                "SlotProducer.Builder on " + connection,
                Stream.concat(
                        fastPath(producers),
                        Stream.of(
                                producers::start,
                                () -> producers.onWritable(producer -> {}),
                                () -> producers.onSendFailed((producer, offset, length, error) -> {}))));
        SlotConsumer.Builder consumers = connection.slotConsumer(machine.engine, 8);
        consumers.start(Machine.PATIENCE);
        refused(
                "SlotConsumer.Builder on " + connection,
                Stream.concat(
                        fastPath(consumers),
                        Stream.of(
                                consumers::start,
                                () -> consumers.start(Machine.PATIENCE),
                                () -> consumers.immediateLength(1),
                                () -> consumers.onMessage((memory, offset, length, id) -> {}))));
    }

    @Test
    void aMapsBuilderMakesOneMap() {
        try (Arena arena = Arena.ofConfined()) {
            MemoryMap.Builder builder = MemoryMap.builder(machine.host);
            MemoryMap memory = builder.allocate(64);
            refused(
                    "MemoryMap.Builder",
                    Stream.concat(makers(builder, arena), Stream.of(() -> builder.access(Access.PCI_READ_WRITE))));
            memory.close();
        }
    }

    private static Stream<ThrowingCallable> makers(MemoryMap.Builder builder, Arena arena) {
        return Stream.of(
                () -> builder.allocate(64),
                () -> builder.wrap(arena.allocate(64)),
                () -> builder.wrapDmaBuf(0, 0, arena.allocate(64)));
    }

    @Test
    void whatDocaRefusesIsAUseAndWhatTheLibraryRefusesIsNot() {
        try (Arena arena = Arena.ofConfined()) {
            MemoryMap.Builder builder = MemoryMap.builder(machine.host);
            assertThatThrownBy(() -> builder.allocate(0)).isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> builder.access().wrapDmaBuf(-1, 0, arena.allocate(64)))
                    .isInstanceOf(DocaException.class);
            refused("MemoryMap.Builder", Stream.of(() -> builder.allocate(64)));
        }
    }

    @Test
    void everyBuilderIsTriedHere() {
        List<Class<?>> known = List.of(
                ComchServer.Builder.class,
                ComchClient.Builder.class,
                ComchProducer.Builder.class,
                ComchConsumer.Builder.class,
                SlotProducer.Builder.class,
                SlotConsumer.Builder.class);
        assertThat(known)
                .containsExactlyInAnyOrderElementsOf(
                        Stream.of(ControlPathEndpoint.Builder.class, FastPathEndpoint.Builder.class)
                                .flatMap(BuildersTest::kinds)
                                .toList());
    }

    /** What programs make of a builder: itself, or the kinds of it. */
    private static Stream<Class<?>> kinds(Class<?> builder) {
        return builder.isSealed()
                ? Arrays.stream(builder.getPermittedSubclasses()).flatMap(BuildersTest::kinds)
                : Stream.of(builder);
    }

    @Test
    void aHandlerIsSetOnce() {
        ComchServer.Builder server = machine.server();
        for (ThrowingCallable setting : controlPath(server).limit(9).toList()) {
            assertThatCode(setting).doesNotThrowAnyException();
            assertThatThrownBy(setting)
                    .isExactlyInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("is set already");
        }
        assertThatThrownBy(() -> server.onHandlerFailed((connection, exception) -> {}))
                .hasMessageContaining("onHandlerFailed of the ComchServer.Builder");
    }
}
