package io.github.comch4j.comch;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.comch4j.Feature;
import io.github.comch4j.Machine;
import io.github.comch4j.Needs;
import io.github.comch4j.SubmitResult;
import io.github.comch4j.core.Access;
import io.github.comch4j.core.Buffer;
import io.github.comch4j.core.BufferList;
import io.github.comch4j.core.BufferPool;
import io.github.comch4j.core.MemoryMap;
import io.github.comch4j.testing.EmulatedBlueField;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.util.Objects;
import jdk.jfr.Recording;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Sending, receiving and completing allocate nothing per message. Measured in bytes of this thread over many messages,
 * so that what the JIT compiler or a class initialiser adds once does not matter; a single object per message would be
 * at least 16 bytes each.
 */
@Timeout(60)
@EmulatedBlueField(limits = "max_buf_list_len 8")
class AllocationTest extends BothForms {
    private static final int WARM_UP = 30_000;
    private static final int MESSAGES = 50_000;
    private static final com.sun.management.ThreadMXBean THREADS =
            (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();

    private long messages;
    private long bytes;

    private void assertNothingAllocated(Runnable oneMessage) {
        for (int i = 0; i < WARM_UP; i++) {
            oneMessage.run();
        }
        long before = THREADS.getCurrentThreadAllocatedBytes();
        for (int i = 0; i < MESSAGES; i++) {
            oneMessage.run();
        }
        long allocated = THREADS.getCurrentThreadAllocatedBytes() - before;
        assertThat(messages).isEqualTo(WARM_UP + MESSAGES);
        assertThat(allocated / (double) MESSAGES).as("bytes per message").isLessThan(1);
    }

    @Test
    void onTheControlPath() {
        try (Machine machine = new Machine();
                Arena arena = Arena.ofConfined()) {
            machine.server()
                    .onMessage((connection, message) -> {
                        messages++;
                        bytes += message.byteSize() + message.get(ValueLayout.JAVA_BYTE, 0);
                    })
                    .start();
            ComchClient client = machine.client().connect(Machine.PATIENCE);
            ComchConnection connection = client.connection();
            MemorySegment message = arena.allocate(64);
            byte[] heap = new byte[100];
            assertNothingAllocated(() -> {
                long expected = messages + 1;
                while (!((messages & 1) == 0
                        ? connection.trySend(message).accepted()
                        : connection.trySend(heap).accepted())) {
                    machine.engine.progress();
                }
                while (messages < expected || client.inFlight() > 0) {
                    machine.engine.progress();
                }
            });
            assertThat(bytes).isEqualTo((WARM_UP + MESSAGES) / 2 * 164L);
        }
    }

    @Test
    void aMessageThatIsRefusedAndRoomForItOnceThereWasARecording() {
        try (Recording recording = new Recording()) {
            recording.start();
        }
        try (Machine machine = new Machine()) {
            machine.server().onMessage((connection, message) -> messages++).start();
            byte[] message = new byte[64];
            boolean[] sent = new boolean[1];
            ComchClient client = machine.client()
                    .sendTasks(1)
                    .onWritable(connection -> {
                        bytes++;
                        sent[0] = connection.trySend(message).accepted();
                    })
                    .connect(Machine.PATIENCE);
            ComchConnection connection = client.connection();
            long[] number = new long[1];
            assertNothingAllocated(
                    () -> { // the first of two fills the only task, the second is refused
                        number[0]++;
                        sent[0] = connection.trySend(message).accepted();
                        while (!sent[0] || ((number[0] & 1) == 0 && messages < number[0])) {
                            machine.engine.progress();
                        }
                    });
            assertThat(bytes).as("told").isGreaterThanOrEqualTo(MESSAGES / 2);
        }
    }

    @Test
    void onTheFastPath() {
        try (Machine machine = new Machine();
                Arena arena = Arena.ofConfined();
                MemoryMap from = MemoryMap.allocate(machine.host, 4096, Access.PCI_READ_WRITE);
                MemoryMap to = MemoryMap.allocate(machine.dpu, 4096, Access.PCI_READ_WRITE)) {
            ComchServer server = machine.server().start();
            ComchClient client = machine.client().connect(Machine.PATIENCE);
            machine.until("the connection", () -> !server.connections().isEmpty());
            ComchConsumer consumer = server.connections()
                    .iterator()
                    .next()
                    .consumer(machine.engine, to)
                    .buffers(8, 64)
                    .onReceive((self, buffer, producerId, immediate) -> {
                        messages++;
                        bytes += buffer.segment().get(ValueLayout.JAVA_LONG, 0) + immediate.byteSize();
                    })
                    .start(Machine.PATIENCE);
            ComchProducer producer = client.connection()
                    .producer(machine.engine)
                    .tasks(4)
                    .onCompletion((self, buffer, status) -> {})
                    .start();
            Buffer buffer = producer.acquire(from, 0, 64);
            MemorySegment immediate = arena.allocate(4);
            boolean immediates = Feature.IMMEDIATE_DATA.isThere();
            assertNothingAllocated(() -> {
                long expected = messages + 1;
                buffer.segment().set(ValueLayout.JAVA_LONG, 0, 3);
                buffer.setLength(8 + (messages & 15));
                while (!(((messages & 1) == 0 || !immediates)
                        ? producer.trySend(buffer, consumer.id()).accepted()
                        : producer.trySend(buffer, consumer.id(), immediate).accepted())) {
                    machine.engine.progress();
                }
                while (messages < expected || producer.inFlight() > 0) {
                    machine.engine.progress();
                }
            });
            assertThat(bytes).isEqualTo((WARM_UP + MESSAGES) * (immediates ? 5L : 3L));
        }
    }

    @Test
    @Needs(Feature.BUFFER_LISTS)
    void onTheFastPathWithLists() {
        try (Machine machine = new Machine();
                MemoryMap from = MemoryMap.allocate(machine.host, 4096, Access.PCI_READ_WRITE);
                MemoryMap to = MemoryMap.allocate(machine.dpu, 4096, Access.PCI_READ_WRITE)) {
            ComchServer server = machine.server().start();
            ComchClient client = machine.client().connect(Machine.PATIENCE);
            machine.until("the connection", () -> !server.connections().isEmpty());
            ComchConsumer consumer = server.connections()
                    .iterator()
                    .next()
                    .consumer(machine.engine, to)
                    .buffers(8, 64)
                    .onReceive((self, buffer, producerId, immediate) -> {
                        messages++;
                        bytes += buffer.length();
                    })
                    .start(Machine.PATIENCE);
            ComchProducer keeping = client.connection()
                    .producer(machine.engine)
                    .tasks(4)
                    .onListCompletion((self, list, status) -> {})
                    .start();
            ComchProducer releasing = client.connection()
                    .producer(machine.engine)
                    .tasks(4)
                    .releaseSent()
                    .start();
            BufferList kept = BufferList.of(
                    keeping.acquire(from, 2048, 8), keeping.acquire(from, 2056, 8), keeping.acquire(from, 2064, 8));
            BufferPool pool = BufferPool.create(from, 6, 64);
            BufferList released = BufferList.of();
            assertNothingAllocated(() -> {
                long expected = messages + 1;
                kept.get(1).setLength(messages & 7);
                for (int i = 0; i < 6 && (messages & 1) == 0; i++) {
                    released.add(pool.tryAcquire().commit(i).buffer());
                }
                while (!((messages & 1) == 0
                        ? releasing.enqueue(released, consumer.id()).accepted()
                        : keeping.trySend(kept, consumer.id()).accepted())) {
                    machine.engine.progress();
                }
                while (messages < expected || keeping.inFlight() + releasing.inFlight() > 0) {
                    machine.engine.progress();
                }
            });
            assertThat(bytes).isEqualTo((WARM_UP + MESSAGES) / 2 * (15L + 16 + 4));
        }
    }

    @Test
    @Needs(Feature.IMMEDIATE_DATA)
    void onTheFastPathWithoutBuffers() {
        try (Machine machine = new Machine();
                Arena arena = Arena.ofConfined();
                MemoryMap to = MemoryMap.allocate(machine.dpu, 4096, Access.PCI_READ_WRITE)) {
            ComchServer server = machine.server().start();
            ComchClient client = machine.client().connect(Machine.PATIENCE);
            machine.until("the connection", () -> !server.connections().isEmpty());
            ComchConsumer consumer = server.connections()
                    .iterator()
                    .next()
                    .consumer(machine.engine, to)
                    .immediateReceives(8)
                    .onReceive((self, buffer, producerId, immediate) -> {
                        messages++;
                        bytes += immediate.byteSize();
                    })
                    .start(Machine.PATIENCE);
            ComchProducer producer = client.connection()
                    .producer(machine.engine)
                    .tasks(4)
                    .onCompletion((self, buffer, status) -> {})
                    .start();
            MemorySegment immediate = arena.allocate(4);
            assertNothingAllocated(() -> {
                long expected = messages + 1;
                while (!producer.trySendImmediate(consumer.id(), immediate).accepted()) {
                    machine.engine.progress();
                }
                while (messages < expected || producer.inFlight() > 0) {
                    machine.engine.progress();
                }
            });
            assertThat(bytes).isEqualTo((WARM_UP + MESSAGES) * 4L);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void inSlots(boolean rows) {
        try (Machine machine = new Machine();
                Arena arena = Arena.ofConfined()) {
            MemorySegment immediate = arena.allocate(4);
            boolean immediates = Feature.IMMEDIATE_DATA.isThere();
            ComchServer server = machine.server().start();
            ComchClient client = machine.client().connect(Machine.PATIENCE);
            machine.until("the connection", () -> !server.connections().isEmpty());
            SlotConsumer consumer = server.connections()
                    .iterator()
                    .next()
                    .slotConsumer(machine.engine, 64)
                    .tasks(8)
                    .start(Machine.PATIENCE);
            SlotProducer producer = client.connection()
                    .slotProducer(machine.engine, 64)
                    .tasks(4)
                    .start();
            SlotHandler handler = (memory, offset, length, id) -> bytes += memory.get(ValueLayout.JAVA_LONG, offset)
                    + consumer.immediate().byteSize();
            long stride = consumer.stride();
            SlotRowHandler rowHandler = (memory, offset, count, length, id) -> {
                for (int i = 0; i < count; i++) {
                    handler.onMessage(memory, offset + i * stride, length, id);
                }
            };
            long[] expected = {0};
            assertNothingAllocated(() -> {
                long at;
                while ((at = rows
                                ? producer.claimMany(3, 8, consumer.id())
                                : producer.claim(8 + (int) (messages & 15), consumer.id()))
                        < 0) {
                    machine.engine.progress(); // what it brings waits for the poll
                }
                for (int i = 0; i < producer.claimed(); i++) {
                    producer.memory().set(ValueLayout.JAVA_LONG, at + i * producer.stride(), 3);
                    expected[0] += 3;
                }
                if (!rows && immediates && (messages & 3) == 0) {
                    producer.commit(8, immediate);
                    expected[0] += 4;
                } else {
                    producer.commit();
                }
                messages++;
                while (bytes < expected[0] || producer.inFlight() > 0) {
                    if (rows) {
                        consumer.pollRows(rowHandler, 3);
                    } else {
                        consumer.poll(handler, 2);
                    }
                    if ((messages & 1) == 0) {
                        machine.engine.progress();
                    }
                }
            });
            assertThat(bytes).isEqualTo(expected[0]);
            if (!rows) {
                assertThat(bytes).isEqualTo((WARM_UP + MESSAGES) * (immediates ? 4L : 3L));
            }
        }
    }

    @Test
    void outOfAPool() {
        try (Pair pair = new Pair()) {
            BufferPool pool = BufferPool.create(pair.sendMemory, 4, 64);
            BufferList list = BufferList.of();
            ByteBuffer onTheHeap = ByteBuffer.allocate(64);
            ByteBuffer direct = ByteBuffer.allocateDirect(64);
            assertNothingAllocated(() -> {
                messages++;
                Objects.requireNonNull(pool.tryAcquire()).commit(1).release();
                Objects.requireNonNull(pool.tryAcquire(onTheHeap.clear())).release();
                Objects.requireNonNull(pool.tryAcquire(direct.clear())).release();
                if (!pool.tryAcquire(list, 200)) {
                    throw new AssertionError("four slots are free");
                }
                pool.release(list);
            });
        }
    }

    @Test
    void inABroadcast() {
        try (Pair pair = new Pair()) {
            Broadcast.Pool pool = Broadcast.Pool.create(pair.sendMemory, 2, 64, broadcast -> {});
            ComchConsumer consumer = pair.dpuSide
                    .consumer(pair.machine.engine, pair.receiveMemory)
                    .buffers(8, 64)
                    .onReceive((self, buffer, producerId, immediate) ->
                            bytes += buffer.segment().get(ValueLayout.JAVA_LONG, 0))
                    .start(Machine.PATIENCE);
            ComchProducer producer = pair.hostSide
                    .producer(pair.machine.engine)
                    .releaseSent()
                    .onCompletion((self, buffer, status) -> {})
                    .start();
            assertNothingAllocated(() -> {
                messages++;
                Broadcast broadcast = Objects.requireNonNull(pool.tryAcquire());
                broadcast.segment().set(ValueLayout.JAVA_LONG, 0, 3);
                broadcast.commit(8);
                while (!broadcast.trySend(producer, consumer.id()).accepted()) {
                    pair.machine.engine.progress();
                }
                broadcast.release();
                while (bytes < 3 * messages || pool.available() < 2) {
                    pair.machine.engine.progress();
                }
            });
        }
    }

    @Test
    void whereThereIsNoRoom() {
        try (Machine machine = new Machine();
                MemoryMap from = MemoryMap.allocate(machine.host, 4096, Access.PCI_READ_WRITE);
                MemoryMap to = MemoryMap.allocate(machine.dpu, 4096, Access.PCI_READ_WRITE)) {
            ComchServer server = machine.server().start();
            ComchClient client = machine.client().sendTasks(2).connect(Machine.PATIENCE);
            machine.until("the connection", () -> !server.connections().isEmpty());
            ComchConsumer consumer = server.connections()
                    .iterator()
                    .next()
                    .consumer(machine.engine, to)
                    .tasks(1)
                    .start(Machine.PATIENCE);
            ComchProducer producer =
                    client.connection().producer(machine.engine).start();
            Buffer buffer = producer.acquire(from, 0, 64);
            byte[] message = new byte[8];
            assertNothingAllocated(() -> {
                SubmitResult onFastPath = producer.trySend(buffer, consumer.id());
                SubmitResult onControlPath = client.connection().trySend(message);
                while (onControlPath.accepted()) { // the first time
                    onControlPath = client.connection().trySend(message);
                }
                if (onFastPath == SubmitResult.NO_RECEIVE && onControlPath == SubmitResult.NO_TASK) {
                    messages++;
                }
            });
            assertThat(producer.refused()).isEqualTo(WARM_UP + MESSAGES);
        }
    }
}
