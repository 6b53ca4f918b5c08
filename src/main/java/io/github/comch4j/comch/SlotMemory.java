package io.github.comch4j.comch;

import io.github.comch4j.core.Access;
import io.github.comch4j.core.BufferInventory;
import io.github.comch4j.core.Device;
import io.github.comch4j.core.MemoryMap;
import io.github.comch4j.internal.life.Teardown;
import io.github.comch4j.transfer.CoreObjects;
import java.lang.foreign.MemorySegment;

/** The slots of a slot producer or consumer: one piece of registered memory, and a {@code doca_buf} for each slot. */
final class SlotMemory {
    private static final int CACHE_LINE = 64;
    private static final int PAGE = 4096;

    private final MemoryMap map;
    private final MemorySegment segment;
    private final long base;
    private final int slotSize;
    private final long stride; // whole cache lines or pages: two threads write to neighbours at the same time
    private final long[] buffers; // struct doca_buf *

    SlotMemory(Device device, int slots, int slotSize) {
        int unit = slotSize >= PAGE ? PAGE : CACHE_LINE;
        this.slotSize = slotSize;
        this.stride = ((long) slotSize + unit - 1) / unit * unit;
        this.map = MemoryMap.allocate(device, stride * slots, Access.PCI_READ_WRITE);
        this.segment = map.segment();
        this.base = segment.address();
        this.buffers = new long[slots];
    }

    static int checkSize(int slotSize) {
        if (slotSize < 1) {
            throw new IllegalArgumentException("slotSize must be at least 1 byte, not " + slotSize);
        }
        return slotSize;
    }

    /** Takes the slots' buffers, which end with the inventory. */
    void acquire(BufferInventory inventory) {
        for (int slot = 0; slot < buffers.length; slot++) {
            buffers[slot] = CoreObjects.of(inventory.acquireEmpty(map, offset(slot), slotSize))
                    .address();
        }
    }

    /** The {@code struct doca_mmap *}. */
    MemorySegment map() {
        return CoreObjects.of(map).handle();
    }

    int slots() {
        return buffers.length;
    }

    int slotSize() {
        return slotSize;
    }

    MemorySegment segment() {
        return segment;
    }

    /** How far apart slots begin. */
    long stride() {
        return stride;
    }

    /** Where the slot begins in the segment. */
    long offset(int slot) {
        return slot * stride;
    }

    /** Where the slot begins. */
    long address(int slot) {
        return base + slot * stride;
    }

    /** The {@code struct doca_buf *} of the slot. */
    long buffer(int slot) {
        return buffers[slot];
    }

    void close(Teardown teardown) {
        try {
            map.close();
        } catch (RuntimeException e) {
            teardown.add(e);
        }
    }

    void closeAfter(Throwable failure) {
        try {
            map.close();
        } catch (RuntimeException e) {
            failure.addSuppressed(e);
        }
    }
}
