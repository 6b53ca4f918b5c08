package io.github.comch4j.internal.call;

import static io.github.comch4j.internal.call.DocaFunction.present;

import io.github.comch4j.ffi.doca_h;
import java.lang.foreign.MemorySegment;

/** Calls of buffer inventories ({@code doca_buf_inventory.h}). */
public final class InventoryCalls {
    /** {@code doca_buf_inventory_buf_get_by_args}. */
    public static final String TAKE_NAME = "doca_buf_inventory_buf_get_by_args";

    private InventoryCalls() {}

    /** {@code doca_buf_inventory_create}. */
    public static MemorySegment create(int buffers, String action) {
        return present("doca_buf_inventory_create")
                .pointer(action, doca_h.doca_buf_inventory_create(buffers, Calls.out()));
    }

    /** {@code doca_buf_inventory_start}. */
    public static void start(MemorySegment inventory, String action) {
        present("doca_buf_inventory_start").check(action, doca_h.doca_buf_inventory_start(inventory));
    }

    /** {@code doca_buf_inventory_destroy}. */
    public static void destroy(MemorySegment inventory, String action) {
        present("doca_buf_inventory_destroy").check(action, doca_h.doca_buf_inventory_destroy(inventory));
    }

    /** {@code doca_buf_inventory_destroy}, after another call has failed: whatever it returns. */
    public static void discard(MemorySegment inventory) {
        present("doca_buf_inventory_destroy");
        doca_h.doca_buf_inventory_destroy(inventory);
    }

    /**
     * {@code doca_buf_inventory_buf_get_by_args}: a buffer whose data are the first {@code dataLength} bytes of
     * {@code window}; its pointer is written to {@code out}. Returns {@code doca_error_t}.
     */
    public static int take(
            MemorySegment inventory, MemorySegment map, MemorySegment window, long dataLength, MemorySegment out) {
        MemorySegment start = Calls.lent(window);
        present("doca_buf_inventory_buf_get_by_args");
        return doca_h.doca_buf_inventory_buf_get_by_args(
                inventory, map, start, window.byteSize(), start, dataLength, out);
    }

    /** {@code doca_buf_inventory_buf_reuse_by_data}. */
    public static void move(long buffer, MemorySegment window, String action) {
        present("doca_buf_inventory_buf_reuse_by_data")
                .check(
                        action,
                        doca_h.doca_buf_inventory_buf_reuse_by_data(
                                MemorySegment.ofAddress(buffer), Calls.lent(window), window.byteSize()));
    }

    /** {@code doca_buf_inventory_expand}. */
    public static void expand(MemorySegment inventory, int buffers, String action) {
        present("doca_buf_inventory_expand").check(action, doca_h.doca_buf_inventory_expand(inventory, buffers));
    }

    /** {@code doca_buf_inventory_get_num_elements}. */
    public static int capacity(MemorySegment inventory) {
        return present("doca_buf_inventory_get_num_elements")
                .number("counting buffers", doca_h.doca_buf_inventory_get_num_elements(inventory, Calls.out()));
    }

    /** {@code doca_buf_inventory_get_num_free_elements}. */
    public static int available(MemorySegment inventory) {
        return present("doca_buf_inventory_get_num_free_elements")
                .number(
                        "counting free buffers",
                        doca_h.doca_buf_inventory_get_num_free_elements(inventory, Calls.out()));
    }
}
