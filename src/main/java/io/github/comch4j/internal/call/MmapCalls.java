package io.github.comch4j.internal.call;

import static io.github.comch4j.internal.call.DocaFunction.present;

import io.github.comch4j.ffi.doca_h;
import io.github.comch4j.internal.load.DocaAnswer;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Calls of memory maps ({@code doca_mmap.h}). None is hot. */
public final class MmapCalls {
    /** {@code DOCA_ACCESS_FLAG_LOCAL_READ_WRITE}. */
    public static final int LOCAL_READ_WRITE = doca_h.DOCA_ACCESS_FLAG_LOCAL_READ_WRITE();
    /** {@code DOCA_ACCESS_FLAG_RDMA_READ}. */
    public static final int RDMA_READ = doca_h.DOCA_ACCESS_FLAG_RDMA_READ();
    /** {@code DOCA_ACCESS_FLAG_RDMA_WRITE}. */
    public static final int RDMA_WRITE = doca_h.DOCA_ACCESS_FLAG_RDMA_WRITE();
    /** {@code DOCA_ACCESS_FLAG_RDMA_ATOMIC}. */
    public static final int RDMA_ATOMIC = doca_h.DOCA_ACCESS_FLAG_RDMA_ATOMIC();
    /** {@code DOCA_ACCESS_FLAG_PCI_READ_ONLY}. */
    public static final int PCI_READ_ONLY = doca_h.DOCA_ACCESS_FLAG_PCI_READ_ONLY();
    /** {@code DOCA_ACCESS_FLAG_PCI_READ_WRITE}. */
    public static final int PCI_READ_WRITE = doca_h.DOCA_ACCESS_FLAG_PCI_READ_WRITE();
    /** {@code DOCA_ACCESS_FLAG_PCI_RELAXED_ORDERING}. */
    public static final int PCI_RELAXED_ORDERING = doca_h.DOCA_ACCESS_FLAG_PCI_RELAXED_ORDERING();

    private MmapCalls() {}

    /** {@code doca_mmap_create}. */
    public static MemorySegment create(String action) {
        return present("doca_mmap_create").pointer(action, doca_h.doca_mmap_create(Calls.out()));
    }

    /** {@code doca_mmap_set_memrange}. */
    public static void setRange(MemorySegment map, MemorySegment memory, String action) {
        present("doca_mmap_set_memrange")
                .check(action, doca_h.doca_mmap_set_memrange(map, Calls.lent(memory), memory.byteSize()));
    }

    /** {@code doca_mmap_set_dmabuf_memrange}; {@code memory} begins at {@code offset}, bytes, of the dma-buf. */
    public static void setDmaBufRange(
            MemorySegment map, int descriptor, long offset, MemorySegment memory, String action) {
        present("doca_mmap_set_dmabuf_memrange")
                .check(
                        action,
                        doca_h.doca_mmap_set_dmabuf_memrange(
                                map, descriptor, Calls.lent(memory), offset, memory.byteSize()));
    }

    /** {@code doca_mmap_set_dpa_memrange}. */
    public static void setDpaRange(MemorySegment map, MemorySegment dpa, long address, long bytes, String action) {
        present("doca_mmap_set_dpa_memrange")
                .check(action, doca_h.doca_mmap_set_dpa_memrange(map, dpa, address, bytes));
    }

    /** {@code doca_mmap_dev_get_dpa_handle}: what programs on the DPA of the device call the map. */
    public static long dpaHandle(MemorySegment map, MemorySegment device, String action) {
        return present("doca_mmap_dev_get_dpa_handle")
                .value(action, doca_h.doca_mmap_dev_get_dpa_handle(map, device, Calls.out()));
    }

    /** {@code doca_mmap_set_permissions}: {@link #LOCAL_READ_WRITE} and its like. */
    public static void setPermissions(MemorySegment map, int permissions, String action) {
        present("doca_mmap_set_permissions").check(action, doca_h.doca_mmap_set_permissions(map, permissions));
    }

    /** {@code doca_mmap_get_max_num_devices}. */
    public static long maxDevices(MemorySegment map, String action) {
        return present("doca_mmap_get_max_num_devices")
                .value(action, doca_h.doca_mmap_get_max_num_devices(map, Calls.out()));
    }

    /** {@code doca_mmap_set_max_num_devices}. */
    public static void setMaxDevices(MemorySegment map, int devices, String action) {
        present("doca_mmap_set_max_num_devices").check(action, doca_h.doca_mmap_set_max_num_devices(map, devices));
    }

    /** {@code doca_mmap_add_dev}. */
    public static void addDevice(MemorySegment map, MemorySegment device, String action) {
        present("doca_mmap_add_dev").check(action, doca_h.doca_mmap_add_dev(map, device));
    }

    /** {@code doca_mmap_start}. */
    public static void start(MemorySegment map, String action) {
        present("doca_mmap_start").check(action, doca_h.doca_mmap_start(map));
    }

    /** {@code doca_mmap_destroy}. */
    public static void destroy(MemorySegment map, String action) {
        present("doca_mmap_destroy").check(action, doca_h.doca_mmap_destroy(map));
    }

    /** {@code doca_mmap_destroy}, after another call has failed: whatever it returns. */
    public static void discard(MemorySegment map) {
        present("doca_mmap_destroy");
        doca_h.doca_mmap_destroy(map);
    }

    /** {@code doca_mmap_create_from_export}, for {@code device}. */
    public static MemorySegment createFromExport(MemorySegment device, byte[] descriptor, String action) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment bytes = arena.allocate(Math.max(1, descriptor.length));
            MemorySegment.copy(descriptor, 0, bytes, ValueLayout.JAVA_BYTE, 0, descriptor.length);
            return present("doca_mmap_create_from_export")
                    .pointer(
                            action,
                            doca_h.doca_mmap_create_from_export(
                                    MemorySegment.NULL, bytes, descriptor.length, device, Calls.out()));
        }
    }

    /** {@code doca_mmap_export_pci}; returns a copy of the descriptor. */
    public static byte[] exportPci(MemorySegment map, MemorySegment device, String action) {
        return export(
                map,
                device,
                action,
                (of, to, descriptor, length) -> present("doca_mmap_export_pci")
                        .answer(doca_h.doca_mmap_export_pci(of, to, descriptor, length)));
    }

    /** {@code doca_mmap_export_rdma}; returns a copy of the descriptor. */
    public static byte[] exportRdma(MemorySegment map, MemorySegment device, String action) {
        return export(
                map,
                device,
                action,
                (of, to, descriptor, length) -> present("doca_mmap_export_rdma")
                        .answer(doca_h.doca_mmap_export_rdma(of, to, descriptor, length)));
    }

    private interface Export {
        DocaAnswer call(MemorySegment map, MemorySegment device, MemorySegment descriptor, MemorySegment length);
    }

    @SuppressWarnings("restricted")
    private static byte[] export(MemorySegment map, MemorySegment device, String action, Export call) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment descriptor = arena.allocate(ValueLayout.ADDRESS);
            MemorySegment length = arena.allocate(ValueLayout.JAVA_LONG);
            call.call(map, device, descriptor, length).check(action);
            return descriptor
                    .get(ValueLayout.ADDRESS, 0)
                    .reinterpret(length.get(ValueLayout.JAVA_LONG, 0))
                    .toArray(ValueLayout.JAVA_BYTE);
        }
    }

    /** {@code doca_mmap_get_memrange}. */
    @SuppressWarnings("restricted")
    public static MemorySegment range(MemorySegment map, String action) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment address = arena.allocate(ValueLayout.ADDRESS);
            MemorySegment length = arena.allocate(ValueLayout.JAVA_LONG);
            present("doca_mmap_get_memrange").check(action, doca_h.doca_mmap_get_memrange(map, address, length));
            return address.get(ValueLayout.ADDRESS, 0).reinterpret(length.get(ValueLayout.JAVA_LONG, 0));
        }
    }

    /** {@code doca_mmap_get_exported}. */
    public static boolean isExported(MemorySegment map, String action) {
        return present("doca_mmap_get_exported").value(action, doca_h.doca_mmap_get_exported(map, Calls.out())) != 0;
    }

    /** {@code doca_mmap_get_num_bufs}. */
    public static int buffers(MemorySegment map, String action) {
        return present("doca_mmap_get_num_bufs").number(action, doca_h.doca_mmap_get_num_bufs(map, Calls.out()));
    }

    /** {@code doca_mmap_cap_is_export_pci_supported}, of a device. */
    public static boolean exportsPci(MemorySegment info) {
        return OptionalCalls.flag(
                "doca_mmap_cap_is_export_pci_supported",
                out -> doca_h.doca_mmap_cap_is_export_pci_supported(info, out));
    }

    /** {@code doca_mmap_cap_is_create_from_export_pci_supported}, of a device. */
    public static boolean importsPci(MemorySegment info) {
        return OptionalCalls.flag(
                "doca_mmap_cap_is_create_from_export_pci_supported",
                out -> doca_h.doca_mmap_cap_is_create_from_export_pci_supported(info, out));
    }
}
