package io.github.comch4j.dpa;

import io.github.comch4j.internal.call.MmapCalls;

/**
 * Memory of a DPA as kernels copy from it and to it ({@code doca_mmap}), by
 * {@code doca_dpa_dev_comch_producer_dma_copy} and the like; made by {@link DpaMemory#map}.
 */
public final class DpaMemoryMap extends DpaObject {
    private static final DpaHandle.Kind KIND = DpaHandle.Kind.of(MmapCalls::destroy);

    DpaMemoryMap(DpaMemory memory) {
        super(memory.dpa(), make(memory));
    }

    private static DpaHandle make(DpaMemory memory) {
        Dpa dpa = memory.dpa();
        DpaHandle made = dpa.make(
                KIND,
                "map of " + memory.size() + " bytes",
                (owner, action) -> MmapCalls.create(action),
                memory.resource());
        made.start((map, action) -> {
            MmapCalls.setDpaRange(map, dpa.resource().handle(), memory.address(), memory.size(), action);
            MmapCalls.setPermissions(map, MmapCalls.LOCAL_READ_WRITE, action);
            MmapCalls.start(map, action);
        });
        return made;
    }

    /**
     * What kernels call it ({@code doca_mmap_dev_get_dpa_handle}).
     *
     * @return the handle, of 32 bits
     * @throws IllegalStateException if it is closed
     */
    public long handle() {
        return handle((map, action) -> MmapCalls.dpaHandle(map, dpa().deviceHandle(), action));
    }
}
