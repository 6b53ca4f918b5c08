package io.github.comch4j.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.comch4j.Machine;
import io.github.comch4j.comch.ComchClient;
import io.github.comch4j.comch.ComchProducer;
import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class BufferPoolTest {
    private Machine machine;
    private MemoryMap memory;
    private BufferPool pool;

    @BeforeEach
    void open() {
        machine = new Machine();
        memory = MemoryMap.builder(machine.host, machine.dpu)
                .access(Access.PCI_READ_WRITE)
                .allocate(1000);
        pool = BufferPool.create(memory, 3, 100);
    }

    @AfterEach
    void close() {
        machine.close();
        memory.close();
        pool.close();
        System.clearProperty(Doca.DEBUG_PROPERTY);
    }

    @Test
    void slotsAreClaimedUntilNoneIsLeft() {
        List<BufferPool.Slot> slots = List.of(pool.tryAcquire(), pool.tryAcquire(), pool.tryAcquire());
        assertThat(slots).extracting(slot -> slot.buffer().offset()).containsExactly(0L, 100L, 200L);
        assertThat(pool.tryAcquire()).isNull();
        assertThat(pool.tryAcquire(ByteBuffer.allocate(1))).isNull();
        assertThat(pool.available()).isZero();
        slots.get(1).abort();
        assertThat(pool.available()).isEqualTo(1);
        assertThat(pool.tryAcquire()).as("the last one given back").isSameAs(slots.get(1));
    }

    @Test
    void aListIsAsManySlotsAsItNeeds() {
        BufferList list = BufferList.of();
        assertThat(pool.tryAcquire(list, 250)).isTrue();
        assertThat(list.size()).isEqualTo(3);
        assertThat(List.of(
                        list.get(0).length(), list.get(1).length(), list.get(2).length()))
                .containsExactly(100L, 100L, 50L);
        assertThat(pool.available()).isZero();
        assertThat(pool.tryAcquire(list, 1)).isFalse();
        pool.release(list);
        assertThat(list.size()).isZero();
        assertThat(pool.available()).isEqualTo(3);
        assertThat(pool.tryAcquire(list, 200)).isTrue();
        assertThat(list.size()).isEqualTo(2);
        assertThat(pool.tryAcquire(list, 101)).as("two more").isFalse();
        assertThat(pool.available()).isEqualTo(1);
        assertThat(pool.tryAcquire(list, 100)).as("appended").isTrue();
        assertThat(list.size()).isEqualTo(3);
    }

    @Test
    void aListOfWhatIsNotClaimedIsNotReleased() {
        BufferList list = BufferList.of();
        assertThatThrownBy(() -> pool.tryAcquire(list, 0)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> pool.tryAcquire(list, 301)).isInstanceOf(IllegalArgumentException.class);
        pool.tryAcquire(list, 200);
        pool.slotOf(list.get(1)).release();
        assertThatThrownBy(() -> pool.release(list)).isInstanceOf(IllegalStateException.class);
        assertThat(pool.available()).as("nothing was released").isEqualTo(2);
        try (BufferInventory inventory = BufferInventory.create(1)) {
            BufferList foreign = BufferList.of(inventory.acquire(memory, 400, 100));
            assertThatThrownBy(() -> pool.release(foreign)).isInstanceOf(IllegalArgumentException.class);
        }
        pool.close();
        assertThatThrownBy(() -> pool.tryAcquire(BufferList.of(), 1)).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void aClaimedSlotIsWrittenInPlaceAndCommitted() {
        BufferPool.Slot slot = pool.tryAcquire();
        slot.segment().set(ValueLayout.JAVA_BYTE, 0, (byte) 7);
        slot.byteBuffer().put(1, (byte) 8);
        assertThat(slot.buffer().length()).isZero();
        slot.commit(2);
        assertThat(slot.buffer().data().toArray(ValueLayout.JAVA_BYTE)).containsExactly(7, 8);
        assertThatThrownBy(() -> slot.commit(101))
                .isInstanceOf(IndexOutOfBoundsException.class)
                .hasMessageContaining("101 bytes");
        slot.release();
        assertThat(pool.tryAcquire().buffer().length())
                .as("a new claim has no data")
                .isZero();
    }

    @Test
    void dataCanBeCopiedIn() {
        ByteBuffer data = ByteBuffer.wrap(new byte[] {1, 2, 3, 4});
        data.position(1);
        BufferPool.Slot slot = pool.tryAcquire(data);
        assertThat(slot.buffer().data().toArray(ValueLayout.JAVA_BYTE)).containsExactly(2, 3, 4);
        assertThat(data.hasRemaining()).isFalse();
        ByteBuffer gone;
        try (Arena arena = Arena.ofConfined()) {
            gone = arena.allocate(1).asByteBuffer();
        }
        int before = pool.available();
        assertThatThrownBy(() -> pool.tryAcquire(gone)).isInstanceOf(IllegalStateException.class);
        assertThat(pool.available()).as("no slot is lost").isEqualTo(before);
        assertThatThrownBy(() -> pool.tryAcquire(ByteBuffer.allocate(101)))
                .isInstanceOf(IllegalArgumentException.class);
        assertThat(pool.available()).isEqualTo(2);
    }

    @Test
    void misuseIsNoticed() {
        BufferPool.Slot slot = pool.tryAcquire();
        slot.release();
        assertThatThrownBy(slot::release)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("twice");
        assertThatThrownBy(slot::segment).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> slot.commit(1)).isInstanceOf(IllegalStateException.class);
        try (BufferInventory inventory = BufferInventory.create(1)) {
            assertThatThrownBy(() -> pool.slotOf(inventory.acquire(memory, 0, 100)))
                    .isInstanceOf(IllegalArgumentException.class);
        }
        assertThatThrownBy(() -> BufferPool.create(memory, 11, 100)).isInstanceOf(IllegalArgumentException.class);
        pool.close();
        pool.close();
        assertThatThrownBy(pool::tryAcquire)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("pool of 3 buffers");
    }

    @Test
    void leaksAreNamedAndInDebugModeTraced() {
        assertThat(pool.leaks()).isEmpty();
        pool.tryAcquire();
        assertThat(pool.leaks()).contains("slot 0").contains(Doca.DEBUG_PROPERTY);
        System.setProperty(Doca.DEBUG_PROPERTY, "true");
        try (BufferPool traced = BufferPool.create(memory, 2, 100)) {
            traced.tryAcquire();
            assertThat(traced.leaks())
                    .contains("slot 0")
                    .contains("BufferPoolTest")
                    .doesNotContain("slot 1");
        }
    }

    @Test
    void aSlotIsSentAndReleasedByItsCompletion() {
        int[] received = new int[1];
        machine.server()
                .onConnected(connection -> connection
                        .consumer(machine.engine, memory)
                        .buffers(1, 100)
                        .onReceive((consumer, buffer, producer, immediate) -> received[0] += (int) buffer.length())
                        .start())
                .start();
        int[] consumer = new int[1];
        ComchClient client = machine.client()
                .onConsumer((connection, id) -> consumer[0] = id)
                .connect(Machine.PATIENCE);
        try (MemoryMap source = MemoryMap.allocate(machine.host, 400);
                BufferPool slots = BufferPool.create(source, 2, 200)) {
            ComchProducer producer = client.connection()
                    .producer(machine.engine)
                    .onCompletion(
                            (sender, buffer, status) -> slots.slotOf(buffer).release())
                    .start();
            machine.until("the consumer", () -> consumer[0] != 0);
            BufferPool.Slot slot = slots.tryAcquire().commit(42);
            machine.until(
                    "room", () -> producer.trySend(slot.buffer(), consumer[0]).accepted());
            if (slot.buffer().isInFlight()) {
                assertThatThrownBy(slot::release)
                        .isInstanceOf(IllegalStateException.class)
                        .hasMessageContaining("in flight");
            }
            machine.until("the data", () -> received[0] == 42 && slots.available() == 2);
        }
    }

    @Test
    void aClosedMapUnderAPoolIsNoticed() {
        BufferPool.Slot slot = pool.tryAcquire();
        memory.close();
        for (int i = 0; i < 2; i++) {
            assertThatThrownBy(pool::tryAcquire)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("closed");
        }
        assertThatThrownBy(slot::segment)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("closed");
        assertThat(pool.available()).as("what could not be claimed is not out").isEqualTo(2);
        assertThat(pool.leaks()).contains("slot 0").doesNotContain("slot 1");
        slot.release();
        assertThat(pool.leaks()).isEmpty();
    }
}
