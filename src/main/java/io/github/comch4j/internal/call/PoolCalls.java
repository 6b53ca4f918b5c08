package io.github.comch4j.internal.call;

import io.github.comch4j.ffi.doca_h;
import java.lang.foreign.MemorySegment;

/** Calls of pools of buffers ({@code doca_buf_pool.h}). */
public final class PoolCalls {
    /** {@code doca_buf_pool_buf_alloc}. */
    public static final String TAKE_NAME = "doca_buf_pool_buf_alloc";

    private PoolCalls() {}

    /** {@code doca_buf_pool_create}. */
    public static MemorySegment create(int elements, long size, MemorySegment map, String action) {
        return Calls.pointer(
                "doca_buf_pool_create", action, out -> doca_h.doca_buf_pool_create(elements, size, map, out));
    }

    /** {@code doca_buf_pool_set_element_alignment}. */
    public static void setAlignment(MemorySegment pool, long alignment, String action) {
        Calls.check(
                "doca_buf_pool_set_element_alignment",
                action,
                () -> doca_h.doca_buf_pool_set_element_alignment(pool, alignment));
    }

    /** {@code doca_buf_pool_start}. */
    public static void start(MemorySegment pool, String action) {
        Calls.check("doca_buf_pool_start", action, () -> doca_h.doca_buf_pool_start(pool));
    }

    /** {@code doca_buf_pool_stop}. */
    public static void stop(MemorySegment pool, String action) {
        Calls.check("doca_buf_pool_stop", action, () -> doca_h.doca_buf_pool_stop(pool));
    }

    /** {@code doca_buf_pool_destroy}. */
    public static void destroy(MemorySegment pool, String action) {
        Calls.check("doca_buf_pool_destroy", action, () -> doca_h.doca_buf_pool_destroy(pool));
    }

    /** {@code doca_buf_pool_destroy}, after another call has failed: whatever it returns. */
    public static void discard(MemorySegment pool) {
        doca_h.doca_buf_pool_destroy(pool);
    }

    /** {@code doca_buf_pool_buf_alloc}: writes the buffer's pointer to {@code out}. Returns {@code doca_error_t}. */
    public static int take(MemorySegment pool, MemorySegment out) {
        return Calls.code(TAKE_NAME, () -> doca_h.doca_buf_pool_buf_alloc(pool, out));
    }

    /** {@code doca_buf_pool_get_num_elements}. */
    public static int capacity(MemorySegment pool) {
        return (int) Calls.uint32(
                "doca_buf_pool_get_num_elements",
                "counting buffers",
                out -> doca_h.doca_buf_pool_get_num_elements(pool, out));
    }

    /** {@code doca_buf_pool_get_num_free_elements}. */
    public static int available(MemorySegment pool) {
        return (int) Calls.uint32(
                "doca_buf_pool_get_num_free_elements",
                "counting free buffers",
                out -> doca_h.doca_buf_pool_get_num_free_elements(pool, out));
    }

    /** {@code doca_buf_pool_get_element_alignment}, bytes. */
    public static long alignment(MemorySegment pool) {
        return Calls.uint64(
                "doca_buf_pool_get_element_alignment",
                "asking for the alignment",
                out -> doca_h.doca_buf_pool_get_element_alignment(pool, out));
    }
}
