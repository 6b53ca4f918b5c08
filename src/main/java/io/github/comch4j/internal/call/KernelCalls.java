package io.github.comch4j.internal.call;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import io.github.comch4j.ffi.dpa.doca_dpa_dev_buf;
import io.github.comch4j.ffi.dpa.doca_dpa_dev_buf_arr;
import io.github.comch4j.ffi.dpa.dpa_h;
import io.github.comch4j.internal.load.LateLibrary;
import io.github.comch4j.internal.load.NativeAccess;
import io.github.comch4j.internal.load.Symbols;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/**
 * What kernels call ({@code doca_dpa_dev*.h}, {@code doca_emu_dpa.h}): for kernels of the emulated DPA, whose threads
 * are threads of this process. Objects are numbers. Misuse is the DPA's last error, and answers nothing.
 * */
public final class KernelCalls {
    /** {@code DOCA_DPA_DEV_SUBMIT_FLAG_FLUSH}. */
    public static final int FLUSH = dpa_h.DOCA_DPA_DEV_SUBMIT_FLAG_FLUSH();
    /** {@code DOCA_DPA_DEV_SUBMIT_FLAG_OPTIMIZE_REPORTS}. */
    public static final int OPTIMIZE_REPORTS = dpa_h.DOCA_DPA_DEV_SUBMIT_FLAG_OPTIMIZE_REPORTS();
    /** {@code DOCA_DPA_DEV_COMP_SEND}. */
    public static final int SEND = dpa_h.DOCA_DPA_DEV_COMP_SEND();
    /** {@code DOCA_DPA_DEV_COMP_RECV_RDMA_WRITE_IMM}. */
    public static final int RECV_RDMA_WRITE_IMM = dpa_h.DOCA_DPA_DEV_COMP_RECV_RDMA_WRITE_IMM();
    /** {@code DOCA_DPA_DEV_COMP_RECV_SEND}. */
    public static final int RECV_SEND = dpa_h.DOCA_DPA_DEV_COMP_RECV_SEND();
    /** {@code DOCA_DPA_DEV_COMP_RECV_SEND_IMM}. */
    public static final int RECV_SEND_IMM = dpa_h.DOCA_DPA_DEV_COMP_RECV_SEND_IMM();
    /** {@code DOCA_DPA_DEV_COMP_SEND_ERR}. */
    public static final int SEND_ERR = dpa_h.DOCA_DPA_DEV_COMP_SEND_ERR();
    /** {@code DOCA_DPA_DEV_COMP_RECV_ERR}. */
    public static final int RECV_ERR = dpa_h.DOCA_DPA_DEV_COMP_RECV_ERR();

    private static final String END_NAME = "doca_emu_dpa_end_on_return";

    static {
        LateLibrary.DPA.found(); // before its functions are looked up
    }

    private static final MethodHandle FAIL =
            Symbols.downcall("doca_emu_dpa_fail", FunctionDescriptor.ofVoid(JAVA_LONG));
    private static final MethodHandle END_ON_RETURN = Symbols.downcall(END_NAME, FunctionDescriptor.ofVoid(JAVA_INT));

    private static final MethodHandle LOG = Symbols.downcall(
            "doca_dpa_dev_log",
            FunctionDescriptor.ofVoid(JAVA_INT, ADDRESS, ADDRESS),
            Linker.Option.firstVariadicArg(2));
    private static final MemorySegment LOG_FORMAT = Arena.global().allocateFrom("%s");

    private static final MemorySegment MEMORY = NativeAccess.allMemory();

    private static final MethodHandle IMMEDIATE = Symbols.downcall(
            "doca_dpa_dev_comch_consumer_get_completion_imm", FunctionDescriptor.of(JAVA_LONG, JAVA_LONG, JAVA_LONG));

    private KernelCalls() {}

    /** Whether the libraries in use have an emulated DPA. */
    public static boolean present() {
        return LateLibrary.DPA.load() && Symbols.find(END_NAME).isPresent();
    }

    /** {@code doca_emu_dpa_fail}. */
    public static void fail(String what) {
        try (Arena arena = Arena.ofConfined()) {
            FAIL.invokeExact(arena.allocateFrom(what).address());
        } catch (Throwable t) {
            throw Symbols.unexpected(t);
        }
    }

    /** {@code doca_emu_dpa_fail}, for want of memory to say more. */
    public static void fail() {
        try {
            FAIL.invokeExact(0L);
        } catch (Throwable t) {
            throw Symbols.unexpected(t);
        }
    }

    /** {@code doca_emu_dpa_end_on_return}. */
    public static void endOnReturn(boolean again) {
        try {
            END_ON_RETURN.invokeExact(again ? 1 : 0);
        } catch (Throwable t) {
            throw Symbols.unexpected(t);
        }
    }

    /** Memory of this process; what is there is not checked. */
    public static MemorySegment memory(long address, long bytes) {
        return MEMORY.asSlice(address, bytes);
    }

    /** {@code doca_dpa_dev_log}. The text is an argument of a format: it may have a percent sign. */
    public static void log(int level, String text) {
        try (Arena arena = Arena.ofConfined()) {
            LOG.invokeExact(level, LOG_FORMAT, arena.allocateFrom(text));
        } catch (Throwable t) {
            throw Symbols.unexpected(t);
        }
    }

    /**
     * {@code doca_dpa_dev_comch_consumer_get_completion_imm}: copies it, and returns its length.
     *
     * @param length room for an int
     */
    public static int immediate(long element, MemorySegment length, MemorySegment target) {
        long immediate;
        try {
            immediate = (long) IMMEDIATE.invokeExact(element, length.address());
        } catch (Throwable t) {
            throw Symbols.unexpected(t);
        }
        if (immediate == 0) {
            return 0; // the completion has ended since
        }
        int bytes = length.get(JAVA_INT, 0);
        MemorySegment.copy(MEMORY, immediate, target, 0, bytes);
        return bytes;
    }

    /** {@code doca_dpa_dev_buf_array_get_buf}. */
    public static long bufferOf(long array, long index) {
        return MEMORY.get(JAVA_LONG, array + doca_dpa_dev_buf_arr.bufs$offset()) + index * doca_dpa_dev_buf.sizeof();
    }

    /** {@code doca_dpa_dev_buf_get_addr}. */
    public static long bufferAddress(long buffer) {
        return MEMORY.get(JAVA_LONG_UNALIGNED, buffer + doca_dpa_dev_buf.addr$offset());
    }

    /** {@code doca_dpa_dev_buf_set_addr}. */
    public static void setBufferAddress(long buffer, long address) {
        MEMORY.set(JAVA_LONG_UNALIGNED, buffer + doca_dpa_dev_buf.addr$offset(), address);
    }

    /** {@code doca_dpa_dev_buf_get_len}. */
    public static long bufferLength(long buffer) {
        return MEMORY.get(JAVA_LONG_UNALIGNED, buffer + doca_dpa_dev_buf.len$offset());
    }

    /** {@code doca_dpa_dev_buf_set_len}. */
    public static void setBufferLength(long buffer, long length) {
        MEMORY.set(JAVA_LONG_UNALIGNED, buffer + doca_dpa_dev_buf.len$offset(), length);
    }

    /** {@code doca_dpa_dev_buf_get_mmap}. */
    public static int bufferMap(long buffer) {
        return MEMORY.get(JAVA_INT_UNALIGNED, buffer + doca_dpa_dev_buf.mmap$offset());
    }

    /** {@code doca_dpa_dev_buf_set_mmap}. */
    public static void setBufferMap(long buffer, int map) {
        MEMORY.set(JAVA_INT_UNALIGNED, buffer + doca_dpa_dev_buf.mmap$offset(), map);
    }

    /** {@code doca_dpa_dev_device_set}. */
    public static void device(long dpa) {
        dpa_h.doca_dpa_dev_device_set(dpa);
    }

    /** {@code doca_dpa_dev_thread_rank}. */
    public static int rank() {
        return dpa_h.doca_dpa_dev_thread_rank();
    }

    /** {@code doca_dpa_dev_num_threads}. */
    public static int numThreads() {
        return dpa_h.doca_dpa_dev_num_threads();
    }

    /** {@code doca_dpa_dev_thread_get_local_storage}. */
    public static long localStorage() {
        return dpa_h.doca_dpa_dev_thread_get_local_storage();
    }

    /** {@code doca_dpa_dev_yield}. */
    public static void yieldNow() {
        dpa_h.doca_dpa_dev_yield();
    }

    /** {@code doca_dpa_dev_thread_notify}. */
    public static void notifyThread(long notification) {
        dpa_h.doca_dpa_dev_thread_notify(notification);
    }

    /** {@code doca_dpa_dev_trace}. */
    public static void trace(long one, long two, long three, long four, long five) {
        dpa_h.doca_dpa_dev_trace(one, two, three, four, five);
    }

    /** {@code doca_dpa_dev_trace_flush}. */
    public static void flushTrace() {
        dpa_h.doca_dpa_dev_trace_flush();
    }

    /** {@code doca_dpa_dev_hash_table_add}. */
    public static void tableAdd(long table, int key, long value) {
        dpa_h.doca_dpa_dev_hash_table_add(table, key, value);
    }

    /** {@code doca_dpa_dev_hash_table_remove}. */
    public static void tableRemove(long table, int key) {
        dpa_h.doca_dpa_dev_hash_table_remove(table, key);
    }

    /** {@code doca_dpa_dev_hash_table_find}. */
    public static boolean tableFind(long table, int key, MemorySegment value) {
        return dpa_h.doca_dpa_dev_hash_table_find(table, key, value) != 0;
    }

    /** {@code doca_dpa_dev_get_completion}. */
    public static boolean completion(long completion, MemorySegment element) {
        return dpa_h.doca_dpa_dev_get_completion(completion, element) != 0;
    }

    /** {@code doca_dpa_dev_get_completion_type}. */
    public static int completionType(long element) {
        return dpa_h.doca_dpa_dev_get_completion_type(element);
    }

    /** {@code doca_dpa_dev_get_completion_user_data}. */
    public static int completionUserData(long element) {
        return dpa_h.doca_dpa_dev_get_completion_user_data(element);
    }

    /** {@code doca_dpa_dev_get_completion_immediate}. */
    public static int completionImmediate(long element) {
        return dpa_h.doca_dpa_dev_get_completion_immediate(element);
    }

    /** {@code doca_dpa_dev_completion_element_get_wqe_counter}. */
    public static int completionCounter(long element) {
        return dpa_h.doca_dpa_dev_completion_element_get_wqe_counter(element);
    }

    /** {@code doca_dpa_dev_completion_element_get_timestamp}. */
    public static long completionTime(long element) {
        return dpa_h.doca_dpa_dev_completion_element_get_timestamp(element);
    }

    /** {@code doca_dpa_dev_completion_ack}. */
    public static void acknowledge(long completion, long elements) {
        dpa_h.doca_dpa_dev_completion_ack(completion, elements);
    }

    /** {@code doca_dpa_dev_completion_request_notification}. */
    public static void requestNotification(long completion) {
        dpa_h.doca_dpa_dev_completion_request_notification(completion);
    }

    /** {@code doca_dpa_dev_comch_consumer_ack}. */
    public static void postReceives(long consumer, int messages) {
        dpa_h.doca_dpa_dev_comch_consumer_ack(consumer, messages);
    }

    /** {@code doca_dpa_dev_comch_consumer_get_completion}. */
    public static boolean received(long completion, MemorySegment element) {
        return dpa_h.doca_dpa_dev_comch_consumer_get_completion(completion, element) != 0;
    }

    /** {@code doca_dpa_dev_comch_consumer_get_completion_producer_id}. */
    public static int producerId(long element) {
        return dpa_h.doca_dpa_dev_comch_consumer_get_completion_producer_id(element);
    }

    /** {@code doca_dpa_dev_comch_consumer_completion_ack}. */
    public static void acknowledgeReceived(long completion, long elements) {
        dpa_h.doca_dpa_dev_comch_consumer_completion_ack(completion, elements);
    }

    /** {@code doca_dpa_dev_comch_consumer_completion_request_notification}. */
    public static void requestNotificationOfReceived(long completion) {
        dpa_h.doca_dpa_dev_comch_consumer_completion_request_notification(completion);
    }

    /** {@code doca_dpa_dev_comch_producer_is_consumer_empty}. */
    public static boolean consumerEmpty(long producer, int consumerId) {
        return dpa_h.doca_dpa_dev_comch_producer_is_consumer_empty(producer, consumerId) != 0;
    }

    /** {@code doca_dpa_dev_comch_producer_post_send_imm_only}. */
    public static void send(long producer, int consumerId, MemorySegment immediate, int length, int flags) {
        dpa_h.doca_dpa_dev_comch_producer_post_send_imm_only(producer, consumerId, immediate, length, flags);
    }

    /** {@code doca_dpa_dev_comch_producer_dma_copy}. */
    public static void copyAndSend(
            long producer,
            int consumerId,
            int targetMap,
            long target,
            int sourceMap,
            long source,
            long bytes,
            MemorySegment immediate,
            int length,
            int flags) {
        dpa_h.doca_dpa_dev_comch_producer_dma_copy(
                producer, consumerId, targetMap, target, sourceMap, source, bytes, immediate, length, flags);
    }

    /** {@code doca_dpa_dev_buf_get_external_ptr}. */
    public static long bufferPointer(long buffer) {
        return dpa_h.doca_dpa_dev_buf_get_external_ptr(buffer);
    }

    /** {@code doca_dpa_dev_mmap_get_external_ptr}. */
    public static long mapPointer(int map, long address) {
        return dpa_h.doca_dpa_dev_mmap_get_external_ptr(map, address);
    }

    /** {@code doca_dpa_dev_post_buf_memcpy}. */
    public static void copyBuffer(long operations, long target, long source, int flags) {
        dpa_h.doca_dpa_dev_post_buf_memcpy(operations, target, source, flags);
    }

    /** {@code doca_dpa_dev_post_memcpy}. */
    public static void copy(
            long operations, int targetMap, long target, int sourceMap, long source, long bytes, int flags) {
        dpa_h.doca_dpa_dev_post_memcpy(operations, targetMap, target, sourceMap, source, bytes, flags);
    }

    /** {@code doca_dpa_dev_sync_event_get}. */
    public static void eventValue(long event, MemorySegment value) {
        dpa_h.doca_dpa_dev_sync_event_get(event, value);
    }

    /** {@code doca_dpa_dev_sync_event_update_add}. */
    public static void eventAdd(long event, long value) {
        dpa_h.doca_dpa_dev_sync_event_update_add(event, value);
    }

    /** {@code doca_dpa_dev_sync_event_update_set}. */
    public static void eventSet(long event, long value) {
        dpa_h.doca_dpa_dev_sync_event_update_set(event, value);
    }

    /** {@code doca_dpa_dev_sync_event_wait_gt}. */
    public static void eventAwaitGreater(long event, long value, long mask) {
        dpa_h.doca_dpa_dev_sync_event_wait_gt(event, value, mask);
    }

    /** {@code doca_dpa_dev_sync_event_post_wait_gt}. */
    public static void postEventGreater(long operations, long event, long value) {
        dpa_h.doca_dpa_dev_sync_event_post_wait_gt(operations, event, value);
    }

    /** {@code doca_dpa_dev_sync_event_post_wait_ne}. */
    public static void postEventUnequal(long operations, long event, long value) {
        dpa_h.doca_dpa_dev_sync_event_post_wait_ne(operations, event, value);
    }
}
