package io.github.comch4j.internal.call;

import io.github.comch4j.ffi.doca_h;
import java.lang.foreign.MemorySegment;

/** Calls of buffer inventories ({@code doca_buf_inventory.h}). */
public final class InventoryCalls {
    /** {@code doca_buf_inventory_buf_get_by_args}. */
    public static final String TAKE_NAME = "doca_buf_inventory_buf_get_by_args";

    private InventoryCalls() {}

    /** {@code doca_buf_inventory_create}. */
    public static MemorySegment create(int buffers, String action) {
        return Calls.pointer(action, doca_h.doca_buf_inventory_create(buffers, Calls.out()));
    }

    /** {@code doca_buf_inventory_start}. */
    public static void start(MemorySegment inventory, String action) {
        doca_h.doca_buf_inventory_start(inventory).check(action);
    }

    /** {@code doca_buf_inventory_destroy}. */
    public static void destroy(MemorySegment inventory, String action) {
        doca_h.doca_buf_inventory_destroy(inventory).check(action);
    }

    /** {@code doca_buf_inventory_destroy}, after another call has failed: whatever it returns. */
    public static void discard(MemorySegment inventory) {
        doca_h.doca_buf_inventory_destroy(inventory);
    }

    /**
     * {@code doca_buf_inventory_buf_get_by_args}: a buffer whose data are the first {@code dataLength} bytes of
     * {@code window}; its pointer is written to {@code out}. Returns {@code doca_error_t}.
     */
    public static int take(
            MemorySegment inventory, MemorySegment map, MemorySegment window, long dataLength, MemorySegment out) {
        return doca_h.doca_buf_inventory_buf_get_by_args(
                        inventory, map, window, window.byteSize(), window, dataLength, out)
                .code();
    }

    /** {@code doca_buf_inventory_buf_reuse_by_data}. */
    public static void move(long buffer, MemorySegment window, String action) {
        doca_h.doca_buf_inventory_buf_reuse_by_data(MemorySegment.ofAddress(buffer), window, window.byteSize())
                .check(action);
    }

    /** {@code doca_buf_inventory_expand}. */
    public static void expand(MemorySegment inventory, int buffers, String action) {
        doca_h.doca_buf_inventory_expand(inventory, buffers).check(action);
    }

    /** {@code doca_buf_inventory_get_num_elements}. */
    public static int capacity(MemorySegment inventory) {
        return (int)
                Calls.uint32("counting buffers", doca_h.doca_buf_inventory_get_num_elements(inventory, Calls.out()));
    }

    /** {@code doca_buf_inventory_get_num_free_elements}. */
    public static int available(MemorySegment inventory) {
        return (int) Calls.uint32(
                "counting free buffers", doca_h.doca_buf_inventory_get_num_free_elements(inventory, Calls.out()));
    }
}
