package io.github.comch4j.internal.call;

import io.github.comch4j.ffi.doca_h;
import java.lang.foreign.MemorySegment;

/** Calls of memory on a DPA ({@code doca_dpa.h}): addresses there are numbers. */
public final class DpaMemoryCalls {
    private DpaMemoryCalls() {}

    /** {@code doca_dpa_mem_alloc}. */
    public static long allocate(MemorySegment dpa, long bytes, String action) {
        return Calls.uint64(action, doca_h.doca_dpa_mem_alloc(dpa, bytes, Calls.out()));
    }

    /** {@code doca_dpa_mem_free}. */
    public static void free(MemorySegment dpa, long address, String action) {
        doca_h.doca_dpa_mem_free(dpa, address).check(action);
    }

    /** {@code doca_dpa_h2d_memcpy}: from the host to the DPA. */
    public static void write(MemorySegment dpa, long target, MemorySegment source, long bytes, String action) {
        doca_h.doca_dpa_h2d_memcpy(dpa, target, source, bytes).check(action);
    }

    /** {@code doca_dpa_d2h_memcpy}: from the DPA to the host. */
    public static void read(MemorySegment dpa, MemorySegment target, long source, long bytes, String action) {
        doca_h.doca_dpa_d2h_memcpy(dpa, target, source, bytes).check(action);
    }

    /** {@code doca_dpa_memset}. */
    public static void fill(MemorySegment dpa, long address, int value, long bytes, String action) {
        doca_h.doca_dpa_memset(dpa, address, value, bytes).check(action);
    }

    /** {@code doca_dpa_hash_table_create}. */
    public static MemorySegment createTable(MemorySegment dpa, int entries, String action) {
        return Calls.pointer(action, doca_h.doca_dpa_hash_table_create(dpa, entries, Calls.out()));
    }

    /** {@code doca_dpa_hash_table_destroy}. */
    public static void destroyTable(MemorySegment table, String action) {
        doca_h.doca_dpa_hash_table_destroy(table).check(action);
    }

    /** {@code doca_dpa_hash_table_get_dpa_handle}. */
    public static long tableHandle(MemorySegment table, String action) {
        return Calls.uint64(action, doca_h.doca_dpa_hash_table_get_dpa_handle(table, Calls.out()));
    }
}
