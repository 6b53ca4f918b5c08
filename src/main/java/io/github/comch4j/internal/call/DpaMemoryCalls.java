package io.github.comch4j.internal.call;

import static io.github.comch4j.internal.call.DocaFunction.present;

import io.github.comch4j.ffi.doca_h;
import java.lang.foreign.MemorySegment;

/** Calls of memory on a DPA ({@code doca_dpa.h}): addresses there are numbers. */
public final class DpaMemoryCalls {
    private DpaMemoryCalls() {}

    /** {@code doca_dpa_mem_alloc}. */
    public static long allocate(MemorySegment dpa, long bytes, String action) {
        return present("doca_dpa_mem_alloc").value(action, doca_h.doca_dpa_mem_alloc(dpa, bytes, Calls.out()));
    }

    /** {@code doca_dpa_mem_free}. */
    public static void free(MemorySegment dpa, long address, String action) {
        present("doca_dpa_mem_free").check(action, doca_h.doca_dpa_mem_free(dpa, address));
    }

    /** {@code doca_dpa_h2d_memcpy}: from the host to the DPA. */
    public static void write(MemorySegment dpa, long target, MemorySegment source, long bytes, String action) {
        present("doca_dpa_h2d_memcpy")
                .check(action, doca_h.doca_dpa_h2d_memcpy(dpa, target, Calls.lent(source), bytes));
    }

    /** {@code doca_dpa_d2h_memcpy}: from the DPA to the host. */
    public static void read(MemorySegment dpa, MemorySegment target, long source, long bytes, String action) {
        present("doca_dpa_d2h_memcpy")
                .check(action, doca_h.doca_dpa_d2h_memcpy(dpa, Calls.lent(target), source, bytes));
    }

    /** {@code doca_dpa_memset}. */
    public static void fill(MemorySegment dpa, long address, int value, long bytes, String action) {
        present("doca_dpa_memset").check(action, doca_h.doca_dpa_memset(dpa, address, value, bytes));
    }

    /** {@code doca_dpa_hash_table_create}. */
    public static MemorySegment createTable(MemorySegment dpa, int entries, String action) {
        return present("doca_dpa_hash_table_create")
                .pointer(action, doca_h.doca_dpa_hash_table_create(dpa, entries, Calls.out()));
    }

    /** {@code doca_dpa_hash_table_destroy}. */
    public static void destroyTable(MemorySegment table, String action) {
        present("doca_dpa_hash_table_destroy").check(action, doca_h.doca_dpa_hash_table_destroy(table));
    }

    /** {@code doca_dpa_hash_table_get_dpa_handle}. */
    public static long tableHandle(MemorySegment table, String action) {
        return present("doca_dpa_hash_table_get_dpa_handle")
                .value(action, doca_h.doca_dpa_hash_table_get_dpa_handle(table, Calls.out()));
    }
}
