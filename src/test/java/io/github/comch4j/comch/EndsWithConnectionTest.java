package io.github.comch4j.comch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.comch4j.Machine;
import io.github.comch4j.core.Access;
import io.github.comch4j.core.Buffer;
import io.github.comch4j.core.ContextState;
import io.github.comch4j.core.MemoryMap;
import io.github.comch4j.core.ProgressEngine;
import io.github.comch4j.internal.life.LiveHandles;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What belongs to a connection is closed by the library when that has ended. */
@Timeout(60)
class EndsWithConnectionTest extends BothForms {
    private final Machine machine = new Machine();
    private final ProgressEngine other = ProgressEngine.create();
    private final MemoryMap sink = MemoryMap.allocate(machine.dpu, 4096, Access.PCI_READ_WRITE);
    private final MemoryMap source = MemoryMap.allocate(machine.host, 4096, Access.PCI_READ_WRITE);
    private final ComchServer server = machine.server().start();
    private final ComchClient client = machine.client().connect(Machine.PATIENCE);
    private final ComchConnection dpuSide = dpuSide();

    private ComchConnection dpuSide() {
        machine.until("the connection", () -> !server.connections().isEmpty());
        return server.connections().iterator().next();
    }

    @AfterEach
    void close() {
        machine.engine.close();
        other.close();
        sink.close();
        source.close();
        machine.close();
    }

    private void until(String what, java.util.function.BooleanSupplier condition) {
        Machine.until(what, condition, machine.engine, other);
    }

    @Test
    void producersAndConsumersAreClosedAndTheirCountsRemain() {
        SlotConsumer consumer = dpuSide.slotConsumer(machine.engine, 64)
                .onMessage((memory, offset, length, producer) -> {})
                .start(Machine.PATIENCE);
        SlotProducer back = dpuSide.slotProducer(machine.engine, 64).start();
        SlotProducer producer = client.connection().slotProducer(other, 64).start();
        until("its announcement", () -> client.connection().remoteConsumers().length == 1 && producer.isRunning());
        producer.claim(8, consumer.id());
        producer.commit();
        until("the message", () -> consumer.received() == 1 && producer.sent() == 1);
        producer.close();
        client.close();
        until("the end", () -> consumer.isClosed() && back.isClosed());
        assertThat(consumer.received()).isEqualTo(1);
        assertThat(consumer.receivedBytes()).isEqualTo(8);
        assertThat(back.sent()).isZero();
        assertThat(back.retries()).isZero();
        assertThat(back.flush()).isTrue();
        assertThatThrownBy(() -> back.claim(8, 1)).isInstanceOf(ConnectionClosedException.class);
        assertThatThrownBy(() -> back.memory().get(ValueLayout.JAVA_BYTE, 0)).isInstanceOf(IllegalStateException.class);
        consumer.close(); // does nothing
    }

    @Test
    void thoseOnAnotherEngineAreClosedByItsOwnProgress() {
        ComchProducer producer = dpuSide.producer(other).start();
        until("it", producer::isRunning);
        client.close();
        machine.until("the end of the connection", () -> !dpuSide.isOpen());
        assertThat(producer.isClosed()).isFalse();
        Machine.until("its end", producer::isClosed, other);
        assertThatThrownBy(() -> producer.acquire(source, 0, 8)).isInstanceOf(ConnectionClosedException.class);
    }

    private ComchProducer sender() {
        return client.connection()
                .producer(machine.engine)
                .onCompletion((self, buffer, status) -> {})
                .start();
    }

    @Test
    void whatWasReceivedAndKeptCanStillBeRead() {
        List<Buffer> kept = new ArrayList<>();
        ComchConsumer consumer = dpuSide.consumer(machine.engine, sink)
                .buffers(4, 64)
                .onReceive((self, buffer, producerId, immediate) -> {
                    self.keep();
                    kept.add(buffer);
                })
                .start(Machine.PATIENCE);
        ComchProducer producer = sender();
        until("its announcement", () -> client.connection().remoteConsumers().length == 1);
        source.segment().fill((byte) 7);
        producer.trySend(producer.acquire(source, 0, 8), consumer.id());
        until("the data", () -> kept.size() == 1);
        producer.close();
        client.close();
        machine.until("the end", consumer::isClosed);
        Buffer buffer = kept.getFirst();
        assertThat(buffer.data().byteSize()).isEqualTo(8);
        assertThat(buffer.data().get(ValueLayout.JAVA_BYTE, 7)).isEqualTo((byte) 7);
        buffer.close();
        assertThatThrownBy(() -> consumer.acquire(0, 64)).isInstanceOf(ConnectionClosedException.class);
    }

    @Test
    void messagesInSlotsAreWaitedForUntilTheyArePolled() {
        SlotConsumer consumer = dpuSide.slotConsumer(other, 64).start();
        until("it", consumer::isRunning);
        SlotProducer producer =
                client.connection().slotProducer(machine.engine, 64).start();
        until("its announcement", () -> client.connection().remoteConsumers().length == 1);
        for (int i = 0; i < 3; i++) {
            long at = producer.claim(4, consumer.id());
            producer.memory().set(ValueLayout.JAVA_INT, at, i);
            producer.commit();
        }
        until("three messages", () -> consumer.received() == 3 && producer.inFlight() == 0);
        producer.close();
        client.close();
        until("the end", () -> !dpuSide.isOpen() && !consumer.isRunning());
        machine.settle();
        while (other.progress()) {
            Thread.onSpinWait();
        }
        assertThat(consumer.isClosed()).isFalse();
        List<Integer> received = new ArrayList<>();
        SlotHandler reader = (memory, offset, length, id) -> received.add(memory.get(ValueLayout.JAVA_INT, offset));
        assertThat(consumer.poll(reader, 2)).isEqualTo(2);
        assertThat(consumer.isClosed()).isFalse();
        assertThat(consumer.poll(reader, 5)).isEqualTo(1);
        assertThat(received).containsExactly(0, 1, 2);
        assertThat(consumer.isClosed()).isTrue();
        assertThat(consumer.poll(reader, 5)).isZero();
    }

    /** The recipe of the cookbook: nobody closes the producers. */
    @Test
    void nothingIsLeftOfClientsThatComeAndGo() {
        Map<ComchConnection, ComchProducer> subscribers = new HashMap<>();
        String name = Machine.uniqueName();
        ComchServer publisher = ComchServer.builder(machine.engine, machine.dpu, machine.representor, name)
                .onConsumer((connection, id) -> {
                    ComchProducer producer = connection
                            .producer(machine.engine)
                            .releaseSent()
                            .onCompletion((self, buffer, status) -> {})
                            .start();
                    subscribers.put(connection, producer);
                })
                .onDisconnected(subscribers::remove)
                .start();
        Map<String, Integer> before = null;
        for (int i = 0; i < 20; i++) {
            int[] received = new int[1];
            ComchClient guest =
                    ComchClient.builder(machine.engine, machine.host, name).connect(Machine.PATIENCE);
            SlotConsumer consumer = guest.connection()
                    .slotConsumer(machine.engine, 64)
                    .onMessage((memory, offset, length, id) -> received[0]++)
                    .start(Machine.PATIENCE);
            machine.until("the subscription", () -> subscribers.size() == 1);
            ComchProducer producer = subscribers.values().iterator().next();
            machine.until("it", producer::isRunning);
            Buffer buffer = producer.acquire(sink, 0, 8);
            machine.until("room", () -> producer.trySend(buffer, consumer.id()).accepted());
            machine.until("the data", () -> received[0] == 1);
            if (i % 2 == 0) {
                consumer.close();
            }
            guest.close();
            machine.until("its end", () -> subscribers.isEmpty() && producer.isClosed());
            Map<String, Integer> now = LiveHandles.of(machine.engine);
            if (before == null) {
                before = now;
            }
            assertThat(now).isEqualTo(before);
        }
        publisher.close();
    }

    @Test
    void whatIsClosedInItsOwnHandlerIsClosedOnce() {
        List<SlotConsumer> closed = new ArrayList<>();
        SlotConsumer consumer = dpuSide.slotConsumer(machine.engine, 64)
                .onStateChanged((self, now) -> {
                    if (now == ContextState.IDLE) {
                        self.close();
                        closed.add((SlotConsumer) self);
                    }
                })
                .start(Machine.PATIENCE);
        client.close();
        machine.until("the end", () -> !closed.isEmpty() && consumer.isClosed());
        assertThat(closed).containsExactly(consumer);
    }
}
