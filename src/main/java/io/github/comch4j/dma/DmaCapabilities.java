package io.github.comch4j.dma;

import io.github.comch4j.core.Device;
import io.github.comch4j.internal.call.DeviceCalls;
import io.github.comch4j.internal.call.DmaCalls;
import io.github.comch4j.transfer.CoreObjects;
import java.lang.foreign.MemorySegment;
import java.util.Optional;

/**
 * Describes the DMA capabilities of a device.
 *
 * @param maxBufferSize the largest copy, in bytes ({@code doca_dma_cap_task_memcpy_get_max_buf_size})
 * @param maxBufferListLength the most buffers in a list, on either side
 *     ({@code doca_dma_cap_task_memcpy_get_max_buf_list_len})
 * @param maxTasks the most tasks of a context ({@code doca_dma_cap_get_max_num_tasks})
 */
public record DmaCapabilities(long maxBufferSize, long maxBufferListLength, long maxTasks) {

    /**
     * Returns the DMA capabilities of a device. Any thread may call it.
     *
     * @param device an open device
     * @return empty if the device or the libraries in use have no DMA
     * @throws IllegalStateException if the device is closed
     * @throws io.github.comch4j.DocaException if DOCA refuses
     */
    public static Optional<DmaCapabilities> of(Device device) {
        if (!DmaContext.isSupported(device)) {
            return Optional.empty();
        }
        String action = "asking " + device + " for its limits of DMA";
        MemorySegment handle = CoreObjects.of(device).handle();
        MemorySegment dma = DmaCalls.create(handle, action); // only a context tells of tasks
        try {
            return Optional.of(of(dma, handle, action));
        } finally {
            DmaCalls.get().destroy(dma, action);
        }
    }

    /** As a context and its device tell. */
    static DmaCapabilities of(MemorySegment dma, MemorySegment device, String action) {
        MemorySegment info = DeviceCalls.infoOf(device);
        return new DmaCapabilities(
                DmaCalls.maxBufferSize(info, action),
                DmaCalls.maxBufferListLength(info, action),
                DmaCalls.maxTasks(dma, action));
    }
}
