package io.github.comch4j.internal.call;

import static io.github.comch4j.internal.call.DocaFunction.present;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.github.comch4j.ffi.dma.dma_h;
import io.github.comch4j.internal.load.LateLibrary;
import io.github.comch4j.internal.load.Symbols;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/** Calls of DMA ({@code doca_dma.h}), whose library is loaded before the first one. */
public final class DmaCalls extends TransferCalls {
    static {
        LateLibrary.DMA.found(); // before its functions are looked up
    }

    private static final MethodHandle ALLOCATE = Symbols.downcall(
            "doca_dma_task_memcpy_alloc_init",
            FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG));
    private static final MethodHandle AS_TASK =
            Symbols.downcall("doca_dma_task_memcpy_as_task", FunctionDescriptor.of(JAVA_LONG, JAVA_LONG));
    private static final MethodHandle SET_SOURCE =
            Symbols.downcall("doca_dma_task_memcpy_set_src", FunctionDescriptor.ofVoid(JAVA_LONG, JAVA_LONG));
    private static final MethodHandle SET_DESTINATION =
            Symbols.downcall("doca_dma_task_memcpy_set_dst", FunctionDescriptor.ofVoid(JAVA_LONG, JAVA_LONG));

    private static final DmaCalls CALLS = new DmaCalls();

    private DmaCalls() {
        super("doca_dma_create", "doca_dma_task_memcpy_alloc_init");
    }

    /** As what contexts have in common. */
    public static DmaCalls get() {
        return CALLS;
    }

    /** {@code doca_dma_create}; fails if the libraries in use have no DMA. */
    public static MemorySegment create(MemorySegment device, String action) {
        LateLibrary.DMA.check();
        return present("doca_dma_create").pointer(action, dma_h.doca_dma_create(device, Calls.out()));
    }

    @Override
    public MemorySegment asContext(MemorySegment dma) {
        present("doca_dma_as_ctx");
        return dma_h.doca_dma_as_ctx(dma);
    }

    @Override
    public void destroy(MemorySegment dma, String action) {
        present("doca_dma_destroy").check(action, dma_h.doca_dma_destroy(dma));
    }

    @Override
    public void configureTasks(
            MemorySegment dma, MemorySegment completed, MemorySegment failed, int tasks, String action) {
        present("doca_dma_task_memcpy_set_conf")
                .check(action, dma_h.doca_dma_task_memcpy_set_conf(dma, completed, failed, tasks));
    }

    /** {@code doca_dma_cap_task_memcpy_is_supported}; also no where the libraries have no DMA. */
    public static boolean isSupported(MemorySegment info) {
        return LateLibrary.DMA.load()
                && present("doca_dma_cap_task_memcpy_is_supported")
                        .succeeds(dma_h.doca_dma_cap_task_memcpy_is_supported(info));
    }

    /** {@code doca_dma_cap_task_memcpy_get_max_buf_size}, bytes. */
    public static long maxBufferSize(MemorySegment info, String action) {
        return present("doca_dma_cap_task_memcpy_get_max_buf_size")
                .value(action, dma_h.doca_dma_cap_task_memcpy_get_max_buf_size(info, Calls.out()));
    }

    /** {@code doca_dma_cap_task_memcpy_get_max_buf_list_len}. */
    public static long maxBufferListLength(MemorySegment info, String action) {
        return present("doca_dma_cap_task_memcpy_get_max_buf_list_len")
                .value(action, dma_h.doca_dma_cap_task_memcpy_get_max_buf_list_len(info, Calls.out()));
    }

    /** {@code doca_dma_cap_get_max_num_tasks}. */
    public static long maxTasks(MemorySegment dma, String action) {
        return present("doca_dma_cap_get_max_num_tasks")
                .value(action, dma_h.doca_dma_cap_get_max_num_tasks(dma, Calls.out()));
    }

    /** {@code doca_dma_task_memcpy_alloc_init}; the task's pointer is written to {@code out}. */
    public static int allocate(long dma, long source, long destination, long out) {
        try {
            return (int) ALLOCATE.invokeExact(dma, source, destination, 0L, out);
        } catch (Throwable t) {
            throw Symbols.unexpected(t);
        }
    }

    /** {@code doca_dma_task_memcpy_as_task}. */
    public static long asTask(long copy) {
        try {
            return (long) AS_TASK.invokeExact(copy);
        } catch (Throwable t) {
            throw Symbols.unexpected(t);
        }
    }

    /** {@code doca_dma_task_memcpy_set_src}. */
    public static void setSource(long copy, long source) {
        try {
            SET_SOURCE.invokeExact(copy, source);
        } catch (Throwable t) {
            throw Symbols.unexpected(t);
        }
    }

    /** {@code doca_dma_task_memcpy_set_dst}. */
    public static void setDestination(long copy, long destination) {
        try {
            SET_DESTINATION.invokeExact(copy, destination);
        } catch (Throwable t) {
            throw Symbols.unexpected(t);
        }
    }
}
