package io.github.comch4j.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.comch4j.Feature;
import io.github.comch4j.Machine;
import io.github.comch4j.Needs;
import io.github.comch4j.comch.ComchClient;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What is open says so and works; each method of what is closed refuses, and never asks DOCA about it. */
@Timeout(60)
class AfterCloseTest {

    @BeforeEach
    void emulated() {
        Machine.useEmulation();
    }

    private static void assertAllRefuse(ThrowingCallable... calls) {
        for (int i = 0; i < calls.length; i++) {
            assertThatThrownBy(calls[i]).as("call %d", i).isInstanceOf(IllegalStateException.class);
        }
    }

    @Test
    void memoryAndItsBuffers() {
        try (Device host = Device.openHost(Machine.HOST);
                BufferInventory inventory = BufferInventory.create(2)) {
            MemoryMap memory = MemoryMap.allocate(host, 4096, Access.PCI_READ_WRITE);
            Buffer buffer = inventory.acquire(memory, 16, 64);
            assertThat(memory.isClosed()).isFalse();
            assertThat(memory.isExported()).isFalse();
            assertThat(memory.buffers()).isEqualTo(1);
            assertThat(buffer.isClosed()).isFalse();
            assertThat(buffer.referenceCount()).isEqualTo(1);
            assertThat(buffer.toString()).contains("64");
            assertThat(memory.exportPci(host)).isNotEmpty();
            assertThat(memory.isExported()).isTrue();
            memory.close();
            assertThat(memory.isClosed()).isTrue();
            assertThat(buffer.isClosed()).isTrue();
            assertAllRefuse(
                    memory::segment,
                    memory::buffers,
                    memory::isExported,
                    () -> memory.exportPci(host),
                    () -> memory.exportRdma(host),
                    () -> inventory.acquire(memory, 0, 1),
                    buffer::segment,
                    buffer::data,
                    buffer::referenceCount,
                    buffer::clear,
                    () -> buffer.setLength(1));
        }
    }

    @Test
    @Needs(Feature.EXPANDING_INVENTORIES)
    void inventoriesAndDevices() {
        Device host = Device.openHost(Machine.HOST);
        MemoryMap memory = MemoryMap.allocate(host, 64, Access.LOCAL_READ_WRITE);
        BufferInventory inventory = BufferInventory.create(1);
        inventory.expand(1); // the least
        assertThatThrownBy(() -> inventory.expand(0)).isInstanceOf(IllegalArgumentException.class);
        Buffer first = inventory.acquire(memory, 0, 1);
        Buffer second = inventory.acquire(memory, 0, 1);
        assertThat(inventory.tryAcquire(memory, 0, 1)).isNull();
        inventory.close();
        assertThat(List.of(first.isClosed(), second.isClosed(), inventory.isClosed(), memory.isClosed()))
                .containsExactly(true, true, true, false);
        assertAllRefuse(() -> inventory.expand(1), () -> inventory.acquire(memory, 0, 1), first::segment);
        host.close();
        assertThat(memory.isClosed()).isTrue();
        assertAllRefuse(() -> MemoryMap.allocate(host, 64), memory::segment);
    }

    @Test
    void devicesAndRepresentors() {
        Device dpu = Device.openDpu(Machine.DPU);
        Representor representor = dpu.openRepresentor(Machine.HOST);
        assertThat(dpu.address()).isEqualTo(Machine.DPU);
        assertThat(dpu.isClosed()).isFalse();
        assertThat(dpu.toString()).contains(Machine.DPU.toString());
        assertThat(dpu.info().address()).isEqualTo(Machine.DPU);
        assertThat(representor.address()).isEqualTo(Machine.HOST);
        assertThat(representor.isClosed()).isFalse();
        assertThat(representor.toString()).contains(Machine.HOST.toString());
        dpu.close();
        assertThat(dpu.isClosed()).isTrue();
        assertThat(representor.isClosed()).as("closed with its device").isTrue();
        assertAllRefuse(
                dpu::info,
                dpu::properties,
                dpu::representors,
                () -> dpu.representors(RepresentorFilter.NET),
                dpu::supportsClients,
                dpu::supportsServers,
                () -> dpu.openRepresentor(Machine.HOST),
                () -> MemoryMap.allocate(dpu, 64));
    }

    @Test
    void pools() {
        try (Device host = Device.openHost(Machine.HOST);
                MemoryMap memory = MemoryMap.allocate(host, 100, Access.PCI_READ_WRITE)) {
            assertThatThrownBy(() -> BufferPool.create(memory, 0, 10)).isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> BufferPool.create(memory, 10, 0)).isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> BufferPool.create(memory, 11, 10)).isInstanceOf(IllegalArgumentException.class);
            BufferPool.create(memory, 100, 1).close(); // the smallest slots
            BufferPool pool = BufferPool.create(memory, 1, 100); // the fewest and largest
            assertThatThrownBy(() -> pool.tryAcquire(ByteBuffer.allocate(101)))
                    .isInstanceOf(IllegalArgumentException.class);
            assertThat(pool.tryAcquire(ByteBuffer.allocate(100)))
                    .as("a slot can be full")
                    .isNotNull();
            assertThat(pool.tryAcquire()).isNull();
            pool.close();
            assertAllRefuse(pool::tryAcquire, () -> pool.tryAcquire(ByteBuffer.allocate(1)));
        }
    }

    @Test
    void engines() {
        try (Machine machine = new Machine()) {
            machine.server().start();
            ComchClient client = machine.client().connect(Machine.PATIENCE);
            long before = machine.engine.inFlight();
            assertThat(client.connection().trySend(new byte[1]).accepted()).isTrue();
            assertThat(machine.engine.inFlight()).isEqualTo(before + 1);
            machine.until("the send's end", () -> client.inFlight() == 0);
            assertThat(machine.engine.inFlight()).isEqualTo(before);
            assertThat(machine.engine.setTimeout(Machine.PATIENCE)).isSameAs(machine.engine);
            assertThat(machine.engine.timeout()).isEqualTo(Machine.PATIENCE);
            assertThat(machine.engine.progress(1)).as("the least limit").isBetween(0, 1);
        }
        ProgressEngine closed = ProgressEngine.create();
        assertThat(closed.isClosed()).isFalse();
        closed.close();
        assertAllRefuse(
                closed::progress,
                () -> closed.progress(1),
                closed::inFlight,
                closed::notificationHandle,
                closed::requestNotification,
                closed::clearNotification,
                () -> closed.setSelectiveEvents(true),
                () -> closed.awaitEvent(Duration.ofMillis(1)),
                () -> closed.await(() -> true, Duration.ZERO),
                closed::release,
                closed::takeOver);
    }
}
