package io.github.comch4j.comch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.comch4j.Child;
import io.github.comch4j.Machine;
import io.github.comch4j.core.Access;
import io.github.comch4j.core.Buffer;
import io.github.comch4j.core.ContextState;
import io.github.comch4j.core.MemoryMap;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Host and DPU in two JVMs, which see nothing of each other but the emulated device. */
@Timeout(120)
class TwoProcessIT {
    private final Machine machine = new Machine();
    private final List<String> answers = new ArrayList<>();
    private final List<ConnectionState> ends = new ArrayList<>();
    private int consumer;

    @AfterEach
    void close() {
        machine.close();
    }

    private Child server() {
        Child child = Child.start(Peer.class, List.of(), Map.of("DOCA_EMU_SIDE", "dpu"), "serve", machine.name);
        assertThat(child.line()).isEqualTo("READY RUNNING");
        return child;
    }

    private ComchClient connect() {
        return machine.client()
                .onMessage((connection, message) ->
                        answers.add(new String(message.toArray(ValueLayout.JAVA_BYTE), StandardCharsets.US_ASCII)))
                .onConsumer((connection, id) -> consumer = id)
                .onConsumerExpired((connection, id) -> consumer = 0)
                .onDisconnected(connection -> ends.add(connection.state()))
                .connect(Machine.PATIENCE);
    }

    @Test
    void bothPathsWorkBetweenProcesses() {
        try (Child child = server()) {
            ComchClient client = connect();
            client.connection().send("hello".getBytes(StandardCharsets.US_ASCII));
            machine.until("the echo and the consumer", () -> answers.size() == 1 && consumer != 0);
            assertThat(answers).containsExactly("hello");
            answers.clear();
            MemoryMap memory = MemoryMap.allocate(machine.host, 200L * Peer.SLOT, Access.PCI_READ_WRITE);
            Random random = new Random(11);
            ComchProducer producer =
                    client.connection().producer(machine.engine).tasks(32).start();
            List<String> expected = new ArrayList<>();
            for (int i = 0; i < 200; i++) {
                byte[] bytes = new byte[1 + random.nextInt(Peer.SLOT)];
                random.nextBytes(bytes);
                Buffer buffer = producer.acquire(memory, (long) i * Peer.SLOT, bytes.length);
                buffer.segment().copyFrom(MemorySegment.ofArray(bytes));
                expected.add(i + " " + bytes.length + " " + Peer.checksum(MemorySegment.ofArray(bytes)));
                MemorySegment number = MemorySegment.ofArray(new int[] {i});
                machine.until(
                        "room", () -> producer.trySend(buffer, consumer, number).accepted());
            }
            machine.until("the answers", () -> answers.size() == 200 && producer.inFlight() == 0);
            assertThat(answers).containsExactlyElementsOf(expected);
            producer.close();
            client.close();
            assertThat(child.line()).isEqualTo("DONE");
            assertThat(child.exitCode()).isZero();
        }
    }

    @Test
    void aServerThatIsKilledIsNoticedAndAnotherOneServes() {
        try (Child child = server()) {
            ComchClient client = connect();
            machine.until("the consumer", () -> consumer != 0);
            MemoryMap memory = MemoryMap.allocate(machine.host, Peer.SLOT, Access.PCI_READ_WRITE);
            ComchProducer producer = client.connection()
                    .producer(machine.engine)
                    .onCompletion((self, buffer, status) -> {})
                    .start();
            Buffer buffer = producer.acquire(memory, 0, Peer.SLOT);
            MemorySegment number = MemorySegment.ofArray(new int[] {1});
            machine.until("traffic", () -> {
                producer.trySend(buffer, consumer, number);
                return answers.size() > 50;
            });
            child.kill();
            machine.until(
                    "the client's end",
                    () -> client.state() == ContextState.IDLE && producer.state() == ContextState.IDLE);
            assertThat(ends).containsExactly(ConnectionState.CLOSED);
            assertThatThrownBy(() -> client.connection().send(new byte[1]))
                    .isInstanceOf(ConnectionClosedException.class);
            assertThatThrownBy(() -> producer.trySend(buffer, consumer, number))
                    .isInstanceOf(ConnectionClosedException.class);
            assertThat(buffer.isInFlight()).isFalse();
        }
        answers.clear();
        try (Child next = server()) {
            ComchClient client = connect();
            client.connection().send("again".getBytes(StandardCharsets.US_ASCII));
            machine.until("the echo", () -> answers.contains("again"));
            client.close();
            assertThat(next.exitCode()).isZero();
        }
    }

    @Test
    void aClientThatIsKilledIsNoticedAndTheServerGoesOn() {
        MemoryMap memory = MemoryMap.allocate(machine.dpu, 4L * Peer.SLOT, Access.PCI_READ_WRITE);
        List<ComchConsumer> consumers = new ArrayList<>();
        long[] received = new long[2];
        ComchServer server = machine.server()
                .onConnected(connection -> consumers.add(connection
                        .consumer(machine.engine, memory)
                        .buffers(4, Peer.SLOT)
                        .onReceive((self, buffer, producerId, immediate) -> received[0]++)
                        .start()))
                .onMessage((connection, message) -> received[1]++)
                .onDisconnected(connection -> ends.add(connection.state()))
                .start();
        try (Child child = Child.start(Peer.class, List.of(), Map.of("DOCA_EMU_SIDE", "host"), "flood", machine.name)) {
            machine.until("traffic", () -> received[0] > 100 && received[1] > 100);
            ComchClient witness = machine.client()
                    .onMessage((connection, message) -> answers.add("witness"))
                    .connect(Machine.PATIENCE);
            child.kill();
            machine.until("the end", () -> !ends.isEmpty());
            assertThat(ends).containsExactly(ConnectionState.LOST);
            machine.until("the consumer's end", () -> consumers.getFirst().state() == ContextState.IDLE);
            assertThat(server.connections()).hasSize(1);
            server.connections().iterator().next().send(new byte[1]);
            machine.until("the message to the other client", () -> answers.contains("witness"));
            assertThat(witness.isConnected()).isTrue();
        }
    }
}
