package io.github.comch4j.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.comch4j.DocaError;
import io.github.comch4j.DocaException;
import io.github.comch4j.Feature;
import io.github.comch4j.Machine;
import io.github.comch4j.Needs;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MemoryTest {
    private Device device;

    @BeforeEach
    void open() {
        Machine.useEmulation();
        device = Device.open(Machine.HOST);
    }

    @AfterEach
    void close() {
        device.close();
    }

    @Test
    void allocatedMemoryIsZeroedAndAPage() {
        try (MemoryMap memory = MemoryMap.allocate(device, 10_000, Access.LOCAL_READ_WRITE)) {
            assertThat(memory.size()).isEqualTo(10_000);
            assertThat(memory.segment().address() % 4096).isZero();
            assertThat(memory.segment().mismatch(MemorySegment.ofArray(new byte[10_000])))
                    .isEqualTo(-1);
        }
    }

    @Test
    void whatCannotBeMappedIsRefused() {
        assertThatThrownBy(() -> MemoryMap.allocate(device, 0)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> MemoryMap.wrap(device, MemorySegment.ofArray(new byte[10])))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("Java heap");
        assertThatThrownBy(() -> MemoryMap.wrap(device, Arena.ofAuto().allocate(0)))
                .isInstanceOf(IllegalArgumentException.class);
        MemorySegment gone;
        try (Arena arena = Arena.ofShared()) {
            gone = arena.allocate(10);
        }
        assertThatThrownBy(() -> MemoryMap.wrap(device, gone)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> MemoryMap.allocate(device, 10, Access.PCI_READ_ONLY, Access.PCI_READ_WRITE))
                .isInstanceOfSatisfying(
                        DocaException.class, e -> assertThat(e.function()).isEqualTo("doca_mmap_set_permissions"));
    }

    @Test
    void aMappedFileCanBeWrapped(@TempDir Path folder) throws Exception {
        Path file = Files.write(folder.resolve("data"), new byte[] {1, 2, 3, 4, 5});
        try (FileChannel channel = FileChannel.open(file);
                Arena arena = Arena.ofShared();
                BufferInventory inventory = BufferInventory.create(1);
                MemoryMap memory = MemoryMap.wrap(
                        device, channel.map(FileChannel.MapMode.READ_ONLY, 0, 5, arena), Access.PCI_READ_ONLY)) {
            Buffer buffer = inventory.acquire(memory, 2, 3);
            assertThat(buffer.data().toArray(ValueLayout.JAVA_BYTE)).containsExactly(3, 4, 5);
            assertThatThrownBy(() -> buffer.segment().fill((byte) 0)).isInstanceOf(RuntimeException.class);
        }
    }

    @Test
    void aWindowMustLieWithinTheMap() {
        try (MemoryMap memory = MemoryMap.allocate(device, 100);
                BufferInventory inventory = BufferInventory.create(1)) {
            assertThatThrownBy(() -> inventory.acquire(memory, 50, 51)).isInstanceOf(IndexOutOfBoundsException.class);
            assertThatThrownBy(() -> inventory.acquire(memory, -1, 10)).isInstanceOf(IndexOutOfBoundsException.class);
            assertThatThrownBy(() -> inventory.acquire(memory, 0, 0)).isInstanceOf(IndexOutOfBoundsException.class);
            assertThatThrownBy(() -> inventory.acquire(memory, 1, Long.MAX_VALUE))
                    .isInstanceOf(IndexOutOfBoundsException.class);
            assertThat(inventory.available()).isEqualTo(1);
        }
    }

    @Test
    void aWindowMayBeGivenAsASegment() {
        try (MemoryMap memory = MemoryMap.allocate(device, 100);
                BufferInventory inventory = BufferInventory.create(4)) {
            MemorySegment all = memory.segment();
            Buffer buffer = inventory.acquire(memory, all.asSlice(30, 20));
            assertThat(buffer.offset()).isEqualTo(30);
            assertThat(buffer.data()).isEqualTo(all.asSlice(30, 20));
            Buffer empty = inventory.acquireEmpty(memory, all);
            assertThat(empty.offset()).isZero();
            assertThat(empty.capacity()).isEqualTo(100);
            assertThat(empty.length()).isZero();
            assertThat(inventory.acquire(memory, all.asSlice(99)).offset()).isEqualTo(99);
        }
    }

    @Test
    @SuppressWarnings("restricted")
    void aSegmentMustBeAPartOfTheMap() {
        MemorySegment gone;
        try (Arena arena = Arena.ofConfined();
                Device dpu = Device.openDpu(Machine.DPU);
                MemoryMap memory = MemoryMap.wrap(device, arena.allocate(100).asSlice(20, 60));
                MemoryMap other = MemoryMap.allocate(device, 100, Access.PCI_READ_ONLY);
                MemoryMap remote = MemoryMap.importFrom(dpu, other.exportPci(device));
                BufferInventory inventory = BufferInventory.create(1)) {
            MemorySegment around = memory.segment().reinterpret(100);
            MemorySegment before = MemorySegment.ofAddress(memory.segment().address() - 1);
            for (MemorySegment wrong : List.of(
                    around,
                    around.asSlice(59, 2),
                    around.asSlice(61, 1),
                    before.reinterpret(2),
                    before.reinterpret(1),
                    before.reinterpret(Long.MAX_VALUE),
                    MemorySegment.NULL,
                    MemorySegment.ofArray(new byte[8]),
                    other.segment())) {
                assertThatThrownBy(() -> inventory.acquire(memory, wrong))
                        .as("%s", wrong)
                        .isInstanceOf(IllegalArgumentException.class)
                        .hasMessageContaining("is not a part of");
            }
            assertThatThrownBy(() -> inventory.acquire(memory, memory.segment().asSlice(60)))
                    .as("an empty segment")
                    .isInstanceOf(IndexOutOfBoundsException.class);
            assertThatThrownBy(() -> inventory.acquire(remote, other.segment()))
                    .isInstanceOf(UnsupportedOperationException.class);
            try (Arena inner = Arena.ofConfined()) {
                gone = memory.segment().reinterpret(inner, null);
            }
            assertThatThrownBy(() -> inventory.acquire(memory, gone))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("closed");
            assertThat(inventory.available()).isEqualTo(1);
        }
    }

    @Test
    void anInventoryRunsOutAndRefills() {
        try (MemoryMap memory = MemoryMap.allocate(device, 100);
                BufferInventory inventory = BufferInventory.create(2)) {
            Buffer one = inventory.acquire(memory, 0, 10);
            inventory.acquireEmpty(memory, 0, 10);
            assertThat(inventory.available()).isZero();
            assertThat(inventory.tryAcquire(memory, 0, 10)).isNull();
            assertThatThrownBy(() -> inventory.acquire(memory, 0, 10))
                    .isInstanceOfSatisfying(
                            DocaException.class, e -> assertThat(e.error()).isEqualTo(DocaError.NO_MEMORY));
            one.close();
            one.close();
            assertThat(inventory.available()).isEqualTo(1);
            assertThat(inventory.tryAcquire(memory, 0, 10)).isNotNull();
        }
        assertThatThrownBy(() -> BufferInventory.create(0)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void closingAMapClosesItsBuffers() {
        BufferInventory inventory = BufferInventory.create(2);
        MemoryMap memory = MemoryMap.allocate(device, 100);
        Buffer buffer = inventory.acquire(memory, 0, 10);
        MemorySegment segment = buffer.segment();
        memory.close();
        assertThat(buffer.isClosed()).isTrue();
        assertThat(inventory.available()).isEqualTo(2);
        assertThatThrownBy(buffer::segment).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> segment.get(ValueLayout.JAVA_BYTE, 0)).isInstanceOf(IllegalStateException.class);
        inventory.close();
    }

    @Test
    @Needs(Feature.EXPANDING_INVENTORIES)
    void anInventoryGrows() {
        try (BufferInventory inventory = BufferInventory.create(1)) {
            assertThat(inventory.expand(3).capacity()).isEqualTo(4);
            assertThat(inventory.available()).isEqualTo(4);
            assertThatThrownBy(() -> inventory.expand(0)).isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    @Needs(Feature.MOVING_BUFFERS)
    void aBufferIsMovedWithoutBeingGivenBack() {
        try (BufferInventory inventory = BufferInventory.create(1);
                MemoryMap memory = MemoryMap.allocate(device, 100)) {
            Buffer buffer = inventory.acquire(memory, 0, 10).setData(2, 3);
            memory.segment().set(ValueLayout.JAVA_BYTE, 50, (byte) 7);
            assertThat(inventory.move(buffer, 50, 20)).isSameAs(buffer);
            assertThat(buffer.offset()).isEqualTo(50);
            assertThat(buffer.capacity()).isEqualTo(20);
            assertThat(buffer.position()).isZero();
            assertThat(buffer.length()).isEqualTo(20);
            assertThat(buffer.data().get(ValueLayout.JAVA_BYTE, 0)).isEqualTo((byte) 7);
            assertThat(inventory.available()).isZero();
            assertThat(buffer.clear().length()).isZero();
        }
    }

    @Test
    @Needs(Feature.MOVING_BUFFERS)
    void aBufferIsMovedWithinItsMapByItsOwnInventoryOnly() {
        try (BufferInventory inventory = BufferInventory.create(1);
                BufferInventory other = BufferInventory.create(1);
                MemoryMap memory = MemoryMap.allocate(device, 100)) {
            Buffer buffer = inventory.acquire(memory, 5, 10);
            assertThatThrownBy(() -> inventory.move(buffer, 91, 10)).isInstanceOf(IndexOutOfBoundsException.class);
            assertThatThrownBy(() -> inventory.move(buffer, 0, 0)).isInstanceOf(IndexOutOfBoundsException.class);
            assertThatThrownBy(() -> other.move(buffer, 0, 10)).isInstanceOf(IllegalArgumentException.class);
            assertThat(buffer.offset()).isEqualTo(5);
            assertThat(buffer.capacity()).isEqualTo(10);
            buffer.close();
            assertThatThrownBy(() -> inventory.move(buffer, 0, 10)).isInstanceOf(IllegalStateException.class);
        }
    }

    @Test
    void aMapMayServeSeveralDevices() {
        Device other = Device.open(Machine.DPU);
        try (MemoryMap memory = MemoryMap.builder(device, other)
                        .access(Access.LOCAL_READ_WRITE)
                        .allocate(100);
                BufferInventory inventory = BufferInventory.create(1)) {
            assertThat(memory.devices()).containsExactly(device, other);
            assertThat(memory.buffers()).isZero();
            inventory.acquire(memory, 0, 10);
            assertThat(memory.buffers()).isEqualTo(1);
            assertThat(memory.isRemote()).isFalse();
            other.close();
            assertThat(memory.isClosed())
                    .as("it depends on each of its devices")
                    .isTrue();
        }
        assertThatThrownBy(MemoryMap::builder).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void exportedMemoryCanBeImportedButNotLookedAt() {
        try (Device dpu = Device.open(Machine.DPU);
                MemoryMap memory = MemoryMap.allocate(device, 8192, Access.PCI_READ_WRITE);
                BufferInventory inventory = BufferInventory.create(1)) {
            assertThat(memory.isExported()).isFalse();
            byte[] descriptor = memory.exportPci(device);
            assertThat(memory.isExported()).isTrue();
            try (MemoryMap imported = MemoryMap.importFrom(dpu, descriptor)) {
                assertThat(imported.isRemote()).isTrue();
                assertThat(imported.size()).isEqualTo(8192);
                assertThatThrownBy(imported::segment).isInstanceOf(UnsupportedOperationException.class);
                Buffer buffer = inventory.acquire(imported, 4096, 10);
                assertThat(buffer.length()).isEqualTo(10);
                assertThatThrownBy(buffer::segment).isInstanceOf(UnsupportedOperationException.class);
                assertThatThrownBy(buffer::data).isInstanceOf(UnsupportedOperationException.class);
                assertThatThrownBy(() -> imported.exportPci(dpu))
                        .isInstanceOfSatisfying(
                                DocaException.class, e -> assertThat(e.error()).isEqualTo(DocaError.NOT_PERMITTED));
            }
            assertThatThrownBy(() -> memory.exportPci(dpu))
                    .isInstanceOfSatisfying(
                            DocaException.class, e -> assertThat(e.error()).isEqualTo(DocaError.NOT_FOUND));
            assertThatThrownBy(() -> memory.exportRdma(device))
                    .isInstanceOfSatisfying(
                            DocaException.class, e -> assertThat(e.function()).isEqualTo("doca_mmap_export_rdma"));
            assertThatThrownBy(() -> MemoryMap.importFrom(dpu, new byte[10])).isInstanceOf(DocaException.class);
            assertThatThrownBy(() -> MemoryMap.importFrom(dpu, new byte[0])).isInstanceOf(DocaException.class);
        }
    }

    @Test
    void anExportedMapIsVoidOnceClosed() {
        try (Device dpu = Device.open(Machine.DPU)) {
            byte[] descriptor;
            try (MemoryMap memory = MemoryMap.allocate(device, 8192, Access.PCI_READ_ONLY)) {
                descriptor = memory.exportPci(device);
            }
            assertThatThrownBy(() -> MemoryMap.importFrom(dpu, descriptor)).isInstanceOf(DocaException.class);
        }
    }

    @Test
    void whatIsNoDmaBufIsRefused() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment memory = arena.allocate(4096, 4096);
            assertThatThrownBy(() -> MemoryMap.builder(device).wrapDmaBuf(-1, 0, memory))
                    .isInstanceOfSatisfying(
                            DocaException.class,
                            e -> assertThat(e.function()).isEqualTo("doca_mmap_set_dmabuf_memrange"));
        }
    }

    /** The emulated device takes any open descriptor, and reaches the memory through the mapping. */
    @Test
    void aDmaBufIsAMapLikeOthers(@TempDir Path folder) throws Exception {
        Path file = Files.write(folder.resolve("dmabuf"), new byte[8192]);
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE);
                Arena arena = Arena.ofShared();
                BufferInventory inventory = BufferInventory.create(1)) {
            int descriptor = descriptorOf(file);
            MemorySegment mapped = channel.map(FileChannel.MapMode.READ_WRITE, 0, 8192, arena);
            try (MemoryMap memory = MemoryMap.builder(device)
                    .access(Access.PCI_READ_WRITE)
                    .wrapDmaBuf(descriptor, 4096, mapped.asSlice(4096, 4096))) {
                assertThat(memory.size()).isEqualTo(4096);
                assertThat(memory.isRemote()).isFalse();
                inventory.acquire(memory, 1, 3).segment().fill((byte) 7);
                assertThat(memory.exportPci(device)).isNotEmpty();
            }
            assertThatThrownBy(
                            () -> MemoryMap.builder(device).wrapDmaBuf(descriptor, Long.MAX_VALUE, MemorySegment.NULL))
                    .isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> MemoryMap.builder(device).wrapDmaBuf(descriptor, -1, mapped))
                    .isInstanceOf(DocaException.class);
            assertThat(mapped.asSlice(4095, 6).toArray(ValueLayout.JAVA_BYTE))
                    .as("closing the map leaves the memory alone")
                    .containsExactly(0, 0, 7, 7, 7, 0);
        }
    }

    private static int descriptorOf(Path file) throws IOException {
        try (Stream<Path> entries = Files.list(Path.of("/proc/self/fd"))) {
            for (Path entry : entries.toList()) {
                if (Files.isSymbolicLink(entry) && Files.readSymbolicLink(entry).equals(file.toRealPath())) {
                    return Integer.parseInt(entry.getFileName().toString());
                }
            }
        }
        throw new AssertionError(file + " is not open");
    }

    @Test
    void nothingMayWriteToAReadOnlySegment(@TempDir Path folder) throws Exception {
        Path file = Files.write(folder.resolve("data"), new byte[4096]);
        try (FileChannel channel = FileChannel.open(file);
                Arena arena = Arena.ofShared()) {
            MemorySegment mapped = channel.map(FileChannel.MapMode.READ_ONLY, 0, 4096, arena);
            for (Access access :
                    List.of(Access.LOCAL_READ_WRITE, Access.PCI_READ_WRITE, Access.RDMA_WRITE, Access.RDMA_ATOMIC)) {
                assertThatThrownBy(() -> MemoryMap.wrap(device, mapped, access))
                        .isInstanceOf(IllegalArgumentException.class)
                        .hasMessageContaining("read-only");
            }
            MemoryMap.wrap(device, mapped, Access.PCI_READ_ONLY, Access.RDMA_READ)
                    .close();
        }
    }

    @Test
    void whatPeersChangeTheDeviceMustBeAbleToChange() {
        for (Access access : List.of(Access.RDMA_WRITE, Access.RDMA_ATOMIC)) {
            assertThatThrownBy(() -> MemoryMap.allocate(device, 64, access, Access.RDMA_READ))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("LOCAL_READ_WRITE");
            MemoryMap.allocate(device, 64, access, Access.LOCAL_READ_WRITE).close();
        }
    }
}
