package io.github.comch4j.core;

import io.github.comch4j.internal.call.MmapCalls;
import java.util.EnumSet;
import java.util.Set;

/**
 * Permissions of devices on a memory map ({@code enum doca_access_flag}). The local device can always read.
 *
 * <p>A consumer's map needs {@link #PCI_READ_WRITE}. A producer's map can have any permissions.
 */
public enum Access {
    /** The local device can read and write. */
    LOCAL_READ_WRITE(MmapCalls.LOCAL_READ_WRITE),
    /** Remote peers can read by RDMA. */
    RDMA_READ(MmapCalls.RDMA_READ),
    /** Remote peers can write by RDMA. Needs {@link #LOCAL_READ_WRITE}. */
    RDMA_WRITE(MmapCalls.RDMA_WRITE),
    /** Remote peers can use RDMA atomics. Needs {@link #LOCAL_READ_WRITE}. */
    RDMA_ATOMIC(MmapCalls.RDMA_ATOMIC),
    /** The other machine, host or DPU, can read over the PCI bus. Excludes {@link #PCI_READ_WRITE}. */
    PCI_READ_ONLY(MmapCalls.PCI_READ_ONLY),
    /** The other machine, host or DPU, can read and write over the PCI bus. */
    PCI_READ_WRITE(MmapCalls.PCI_READ_WRITE),
    /** The device may reorder its PCI accesses. */
    PCI_RELAXED_ORDERING(MmapCalls.PCI_RELAXED_ORDERING);

    private final int flag;

    Access(int flag) {
        this.flag = flag;
    }

    /** The flags of a number. */
    static Set<Access> of(int permissions) {
        Set<Access> set = EnumSet.noneOf(Access.class);
        for (Access access : values()) {
            if ((permissions & access.flag) != 0) {
                set.add(access);
            }
        }
        return set;
    }

    /**
     * Returns the bit in {@code enum doca_access_flag}.
     *
     * @return the bit
     */
    public int flag() {
        return flag;
    }
}
