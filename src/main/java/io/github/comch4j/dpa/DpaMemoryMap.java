package io.github.comch4j.dpa;

import io.github.comch4j.internal.call.MmapCalls;

/**
 * A map of a DPA's memory ({@code doca_mmap}). Kernels use it to copy, with
 * {@code doca_dpa_dev_comch_producer_dma_copy} and similar functions. {@link DpaMemory#map} creates it.
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
     * Returns the handle by which kernels refer to this map ({@code doca_mmap_dev_get_dpa_handle}).
     *
     * @return the handle, 32 bits
     * @throws IllegalStateException if this map is closed
     */
    public long handle() {
        return handle((map, action) -> MmapCalls.dpaHandle(map, dpa().deviceHandle(), action));
    }
}
