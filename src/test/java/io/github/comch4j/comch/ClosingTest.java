package io.github.comch4j.comch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.comch4j.DocaError;
import io.github.comch4j.DocaException;
import io.github.comch4j.Feature;
import io.github.comch4j.Machine;
import io.github.comch4j.Needs;
import io.github.comch4j.core.Access;
import io.github.comch4j.core.Buffer;
import io.github.comch4j.core.BufferInventory;
import io.github.comch4j.core.ContextState;
import io.github.comch4j.core.MemoryMap;
import io.github.comch4j.core.ProgressEngine;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Everything alive at once, with a receive posted and sends in flight, closed in any order. */
@Timeout(60)
class ClosingTest extends BothForms {

    private static final class Everything {
        final Machine machine = new Machine();
        final Map<String, AutoCloseable> parts = new LinkedHashMap<>();
        final Map<String, java.util.function.BooleanSupplier> closed = new LinkedHashMap<>();

        Everything() {
            MemoryMap hostMemory = MemoryMap.allocate(machine.host, 1 << 16, Access.PCI_READ_WRITE);
            MemoryMap dpuMemory = MemoryMap.allocate(machine.dpu, 1 << 16, Access.PCI_READ_WRITE);
            BufferInventory inventory = BufferInventory.create(8);
            ComchServer server = machine.server().start();
            ComchClient client = machine.client().connect(Machine.PATIENCE);
            machine.until("the connection", () -> !server.connections().isEmpty());
            ComchConsumer consumer = server.connections()
                    .iterator()
                    .next()
                    .consumer(machine.engine, dpuMemory)
                    .start(Machine.PATIENCE);
            consumer.tryPost(consumer.acquire(0, 1024));
            Buffer posted = inventory.acquireEmpty(dpuMemory, 4096, 1024);
            consumer.tryPost(posted);
            Buffer postedToo = inventory.acquireEmpty(dpuMemory, 8192, 1024);
            consumer.tryPost(postedToo);
            ComchProducer producer =
                    client.connection().producer(machine.engine).start();
            Buffer sending = producer.acquire(hostMemory, 0, 100);
            Buffer own = inventory.acquire(hostMemory, 100, 100);
            if (!producer.trySend(sending, consumer.id()).accepted()
                    || !producer.trySend(own, consumer.id()).accepted()) {
                throw new AssertionError("no room to send");
            }
            client.connection().send(new byte[100]);
            part("engine", machine.engine, machine.engine::isClosed);
            part("host device", machine.host, machine.host::isClosed);
            part("dpu device", machine.dpu, machine.dpu::isClosed);
            part("representor", machine.representor, machine.representor::isClosed);
            part("server", server, server::isClosed);
            part("client", client, client::isClosed);
            part("host memory", hostMemory, hostMemory::isClosed);
            part("dpu memory", dpuMemory, dpuMemory::isClosed);
            part("inventory", inventory, inventory::isClosed);
            part("consumer", consumer, consumer::isClosed);
            part("producer", producer, producer::isClosed);
            addSlots(server.connections().iterator().next(), client.connection());
        }

        /** One message has been committed to slots, another slot is claimed. */
        private void addSlots(ComchConnection serverSide, ComchConnection clientSide) {
            SlotConsumer slotConsumer =
                    serverSide.slotConsumer(machine.engine, 64).tasks(4).start(Machine.PATIENCE);
            SlotProducer slotProducer = clientSide
                    .slotProducer(machine.engine, 64)
                    .onSendFailed((self, offset, length, status) -> {})
                    .tasks(4)
                    .start();
            slotProducer.claim(10, slotConsumer.id());
            slotProducer.commit();
            slotProducer.claim(10, slotConsumer.id());
            part("slot consumer", slotConsumer, slotConsumer::isClosed);
            part("slot producer", slotProducer, slotProducer::isClosed);
        }

        private void part(String name, AutoCloseable part, java.util.function.BooleanSupplier isClosed) {
            parts.put(name, part);
            closed.put(name, isClosed);
        }
    }

    static Stream<Arguments> orders() {
        List<String> names = List.of(
                "engine",
                "host device",
                "dpu device",
                "representor",
                "server",
                "client",
                "host memory",
                "dpu memory",
                "inventory",
                "consumer",
                "producer",
                "slot consumer",
                "slot producer");
        List<List<String>> orders = new ArrayList<>();
        orders.add(names);
        orders.add(names.reversed());
        for (String first : names) {
            List<String> order = new ArrayList<>(names);
            order.remove(first);
            order.addFirst(first);
            orders.add(order);
        }
        Random random = new Random(20);
        IntStream.range(0, 40).forEach(i -> {
            List<String> order = new ArrayList<>(names);
            Collections.shuffle(order, random);
            orders.add(order);
        });
        return orders.stream().map(order -> Arguments.of(String.join(", ", order), order));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("orders")
    void anyOrderWorks(String title, List<String> order) throws Exception {
        Everything everything = new Everything();
        for (String name : order) {
            everything.parts.get(name).close();
            assertThat(everything.closed.get(name).getAsBoolean()).as(name).isTrue();
        }
        for (AutoCloseable part : everything.parts.values()) {
            part.close(); // a second time
        }
        assertThat(everything.closed.values()).allMatch(java.util.function.BooleanSupplier::getAsBoolean);
    }

    @Test
    void useAfterCloseIsAnException() {
        Everything everything = new Everything();
        ComchClient client = (ComchClient) everything.parts.get("client");
        ComchServer server = (ComchServer) everything.parts.get("server");
        ComchProducer producer = (ComchProducer) everything.parts.get("producer");
        ComchConsumer consumer = (ComchConsumer) everything.parts.get("consumer");
        MemoryMap memory = (MemoryMap) everything.parts.get("host memory");
        BufferInventory inventory = (BufferInventory) everything.parts.get("inventory");
        Machine machine = everything.machine;
        ComchConnection connection = client.connection();
        producer.close();
        consumer.close();
        assertThatThrownBy(() -> producer.acquire(memory, 0, 1)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> producer.trySendImmediate(1, java.lang.foreign.MemorySegment.ofArray(new byte[1])))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("closed");
        assertThatThrownBy(() -> consumer.acquire(0, 1)).isInstanceOf(IllegalStateException.class);
        inventory.close();
        assertThatThrownBy(() -> inventory.acquire(memory, 0, 1)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(inventory::available).isInstanceOf(IllegalStateException.class);
        memory.close();
        assertThatThrownBy(memory::segment).isInstanceOf(IllegalStateException.class);
        client.close();
        assertThatThrownBy(() -> connection.send(new byte[1])).isInstanceOf(ConnectionClosedException.class);
        assertThatThrownBy(() -> connection.producer(machine.engine).start())
                .isInstanceOf(ConnectionClosedException.class);
        assertThatCode(connection::counters).doesNotThrowAnyException();
        machine.engine.close();
        assertThat(server.isClosed()).isTrue();
        assertThatThrownBy(machine.engine::progress)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("closed");
        assertThatThrownBy(machine.engine::takeOver).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> machine.client().start()).isInstanceOf(IllegalStateException.class);
        machine.host.close();
        assertThatThrownBy(machine.host::representors).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> MemoryMap.allocate(machine.host, 1)).isInstanceOf(IllegalStateException.class);
        machine.representor.close();
        machine.dpu.close();
    }

    @Test
    void segmentsOfAllocatedMemoryEndWithTheMap() {
        try (Machine machine = new Machine()) {
            MemoryMap memory = MemoryMap.allocate(machine.host, 4096);
            java.lang.foreign.MemorySegment segment = memory.segment();
            memory.close();
            assertThatThrownBy(() -> segment.get(java.lang.foreign.ValueLayout.JAVA_BYTE, 0))
                    .isInstanceOf(IllegalStateException.class);
        }
    }

    @Test
    void nothingIsLeftOfAnInventoryThatWasUsed() {
        Everything everything = new Everything();
        BufferInventory inventory = (BufferInventory) everything.parts.get("inventory");
        everything.parts.keySet().stream()
                .filter(name -> name.endsWith("memory"))
                .forEach(name -> ((MemoryMap) everything.parts.get(name)).close());
        assertThat(inventory.available())
                .as("closing the maps closed the buffers on them")
                .isEqualTo(inventory.capacity());
        everything.machine.close();
        inventory.close();
    }

    @Test
    void aClientThatComesWhileItsServerIsBeingClosedIsNoObstacle() {
        Everything everything = new Everything(); // its consumer takes a while to close, in which the server accepts
        ComchServer server = (ComchServer) everything.parts.get("server");
        try (ProgressEngine other = ProgressEngine.create()) {
            ComchClient late = ComchClient.builder(other, everything.machine.host, everything.machine.name)
                    .start();
            while (other.progress()) {
                Thread.onSpinWait();
            }
            server.close();
            assertThat(server.isClosed()).isTrue();
            Machine.until("the end of the late client", () -> late.state() == ContextState.IDLE, other);
        }
        everything.machine.close();
    }

    /**
     * A client that sends as fast as it can, on an engine of its own thread, and a server whose handlers use what is
     * closed with it.
     */
    private static final class Busy implements AutoCloseable {
        final Machine machine = new Machine();
        final MemoryMap memory = MemoryMap.allocate(machine.dpu, 1 << 16, Access.PCI_READ_WRITE);
        final List<String> told = new ArrayList<>();
        final ComchServer server;
        final Thread sender;
        ComchConsumer consumer;
        ComchConnection connection;
        volatile boolean over;
        boolean closing;

        Busy() {
            server = machine.server()
                    .onConnected(connected -> {
                        connection = connected;
                        consumer = connected
                                .consumer(machine.engine, memory)
                                .buffers(4, 1024)
                                .onReceive((receiver, buffer, producerId, immediate) -> tell("onReceive"))
                                .start();
                    })
                    .onMessage((from, message) -> {
                        tell("onMessage");
                        if (consumer.state() != ContextState.STARTING) {
                            Buffer more = consumer.acquire(8192, 16);
                            if (!consumer.tryPost(more).accepted()) {
                                more.close();
                            }
                        }
                    })
                    .onConsumer((from, id) -> tell("onConsumer"))
                    .onDisconnected(from -> tell("onDisconnected"))
                    .onStateChanged((endpoint, now) -> tell(now.name()))
                    .start();
            sender = new Thread(this::keepSending);
            sender.start();
            machine.until(
                    "traffic on both paths",
                    () -> consumer != null && consumer.received() > 100 && connection.received() > 100);
            told.clear();
            closing = true;
        }

        private void tell(String what) {
            if (closing) {
                told.add(what);
            }
        }

        private void keepSending() {
            int[] id = new int[1];
            try (ProgressEngine engine = ProgressEngine.create();
                    MemoryMap from = MemoryMap.allocate(machine.host, 64, Access.PCI_READ_WRITE);
                    ComchClient client = ComchClient.builder(engine, machine.host, machine.name)
                            .onSendFailed((to, error) -> {})
                            .onConsumer((of, number) -> id[0] = number)
                            .onConsumerExpired((of, number) -> id[0] = 0)
                            .connect(Machine.PATIENCE);
                    ComchProducer producer = client.connection()
                            .producer(engine)
                            .onCompletion((self, buffer, status) -> {})
                            .start();
                    Buffer buffer = producer.acquire(from, 0, 16)) {
                while (client.isConnected() && !over) {
                    client.connection().trySend(new byte[1]);
                    if (id[0] != 0) {
                        producer.trySend(buffer, id[0]);
                    }
                    engine.progress();
                }
            } catch (ConnectionClosedException e) {
                // what this waits for
            } catch (DocaException e) {
                if (e.error() != DocaError.INVALID_VALUE) { // the consumer has gone before its connection
                    throw e;
                }
            }
        }

        @Override
        public void close() {
            over = true;
            while (sender.isAlive()) {
                Thread.onSpinWait();
            }
            machine.close();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"server", "engine", "device"})
    void nothingIsDeliveredToWhatIsBeingClosed(String what) throws Exception {
        try (Busy busy = new Busy()) {
            AutoCloseable closed = switch (what) {
                case "server" -> busy.server;
                case "engine" -> busy.machine.engine;
                default -> busy.machine.dpu;
            };
            closed.close();
            assertThat(busy.server.isClosed()).isTrue();
            assertThat(busy.told).as("its state is all that it is told of").containsExactly("STOPPING", "IDLE");
        }
    }

    @Test
    @Needs(Feature.DISCONNECT)
    void nothingIsDeliveredOnAConnectionThatIsBeingEnded() throws Exception {
        try (Busy busy = new Busy()) {
            busy.connection.disconnect();
            assertThat(busy.connection.isOpen()).isFalse();
            assertThat(busy.told).isEmpty();
        }
    }

    @Test
    void aCloseThatTakesTooLongCanBeRepeated() {
        Everything everything = new Everything();
        Machine machine = everything.machine;
        ComchClient client = (ComchClient) everything.parts.get("client");
        machine.engine.setTimeout(Duration.ZERO);
        assertThatThrownBy(client::close)
                .isInstanceOfSatisfying(
                        DocaException.class, e -> assertThat(e.error()).isEqualTo(DocaError.TIME_OUT));
        assertThat(client.isClosed()).isFalse();
        machine.engine.setTimeout(Machine.PATIENCE);
        client.close();
        assertThat(client.isClosed()).isTrue();
        machine.close();
    }
}
