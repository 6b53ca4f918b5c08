package io.github.comch4j.internal.call;

import io.github.comch4j.ffi.dma.dma_h;
import io.github.comch4j.internal.load.LateLibrary;
import java.lang.foreign.MemorySegment;

/** Calls of DMA ({@code doca_dma.h}), whose library is loaded before the first one. */
public final class DmaCalls extends TransferCalls {
    static {
        LateLibrary.DMA.found(); // before its functions are looked up
    }

    private static final DmaCalls CALLS = new DmaCalls();

    private DmaCalls() {}

    /** As what contexts have in common. */
    public static DmaCalls get() {
        return CALLS;
    }

    @Override
    public String createFunction() {
        return "doca_dma_create";
    }

    @Override
    public String allocateFunction() {
        return "doca_dma_task_memcpy_alloc_init";
    }

    /** {@code doca_dma_create}; fails if the libraries in use have no DMA. */
    public static MemorySegment create(MemorySegment device, String action) {
        LateLibrary.DMA.check();
        return Calls.pointer(action, dma_h.doca_dma_create(device, Calls.out()));
    }

    @Override
    public MemorySegment asContext(MemorySegment dma) {
        return dma_h.doca_dma_as_ctx(dma);
    }

    @Override
    public void destroy(MemorySegment dma, String action) {
        dma_h.doca_dma_destroy(dma).check(action);
    }

    @Override
    public void configureTasks(
            MemorySegment dma, MemorySegment completed, MemorySegment failed, int tasks, String action) {
        dma_h.doca_dma_task_memcpy_set_conf(dma, completed, failed, tasks).check(action);
    }

    /** {@code doca_dma_cap_task_memcpy_is_supported}; also no where the libraries have no DMA. */
    public static boolean isSupported(MemorySegment info) {
        return LateLibrary.DMA.load()
                && dma_h.doca_dma_cap_task_memcpy_is_supported(info).isSuccess();
    }

    /** {@code doca_dma_cap_task_memcpy_get_max_buf_size}, bytes. */
    public static long maxBufferSize(MemorySegment info, String action) {
        return Calls.uint64(action, dma_h.doca_dma_cap_task_memcpy_get_max_buf_size(info, Calls.out()));
    }

    /** {@code doca_dma_cap_task_memcpy_get_max_buf_list_len}. */
    public static long maxBufferListLength(MemorySegment info, String action) {
        return Calls.uint32(action, dma_h.doca_dma_cap_task_memcpy_get_max_buf_list_len(info, Calls.out()));
    }

    /** {@code doca_dma_cap_get_max_num_tasks}. */
    public static long maxTasks(MemorySegment dma, String action) {
        return Calls.uint32(action, dma_h.doca_dma_cap_get_max_num_tasks(dma, Calls.out()));
    }

    /** {@code doca_dma_task_memcpy_alloc_init}; the task's pointer is written to {@code out}. */
    public static int allocate(long dma, long source, long destination, long out) {
        return dma_h.doca_dma_task_memcpy_alloc_init$hot(dma, source, destination, 0, out);
    }

    /** {@code doca_dma_task_memcpy_as_task}. */
    public static long asTask(long copy) {
        return dma_h.doca_dma_task_memcpy_as_task$hot(copy);
    }

    /** {@code doca_dma_task_memcpy_set_src}. */
    public static void setSource(long copy, long source) {
        dma_h.doca_dma_task_memcpy_set_src$hot(copy, source);
    }

    /** {@code doca_dma_task_memcpy_set_dst}. */
    public static void setDestination(long copy, long destination) {
        dma_h.doca_dma_task_memcpy_set_dst$hot(copy, destination);
    }
}
