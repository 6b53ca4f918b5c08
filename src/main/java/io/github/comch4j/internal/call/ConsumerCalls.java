package io.github.comch4j.internal.call;

import io.github.comch4j.ffi.cc.cc_h;
import io.github.comch4j.ffi.doca_h;
import io.github.comch4j.internal.load.NativeLibrary;
import io.github.comch4j.internal.load.Symbols;
import java.lang.foreign.MemorySegment;

/** Calls of consumers and their tasks ({@code doca_comch_consumer.h}, before DOCA 2.7 {@code doca_cc_consumer.h}). */
public final class ConsumerCalls extends FastPathCalls {
    private static final ConsumerCalls CALLS = new ConsumerCalls();

    private static final String CREATE_NAME = Symbols.nameOf("doca_comch_consumer_create");
    private static final String ALLOCATE_TODAY = "doca_comch_consumer_task_post_recv_alloc_init";
    private static final String ALLOCATE_NAME = Symbols.nameOf(ALLOCATE_TODAY);
    private static final String PRODUCER_NAME = "doca_comch_consumer_task_post_recv_get_producer_id";
    private static final boolean HAS_PRODUCER_IDS = Symbols.has(PRODUCER_NAME);
    private static final String IMMEDIATE_NAME = "doca_comch_consumer_task_post_recv_get_imm_data";
    private static final boolean HAS_IMMEDIATE = Symbols.has(IMMEDIATE_NAME);

    private ConsumerCalls() {}

    /** As what producers and consumers have in common. */
    public static ConsumerCalls get() {
        return CALLS;
    }

    @Override
    public String createFunction() {
        return CREATE_NAME;
    }

    @Override
    public String allocateFunction() {
        return ALLOCATE_NAME;
    }

    /** {@code doca_comch_consumer_create}. */
    public static MemorySegment create(long connection, MemorySegment map, String action) {
        return Calls.pointer(
                action, doca_h.doca_comch_consumer_create(MemorySegment.ofAddress(connection), map, Calls.out()));
    }

    @Override
    public MemorySegment asContext(MemorySegment consumer) {
        return doca_h.doca_comch_consumer_as_ctx(consumer);
    }

    @Override
    public void destroy(MemorySegment consumer, String action) {
        doca_h.doca_comch_consumer_destroy(consumer).check(action);
    }

    @Override
    public void configureTasks(
            MemorySegment consumer, MemorySegment completed, MemorySegment failed, int tasks, String action) {
        if (NativeLibrary.isCc25()) {
            cc_h.doca_cc_consumer_post_recv_task_set_conf(consumer, completed, failed, Pools.log(tasks))
                    .check(action);
        } else {
            doca_h.doca_comch_consumer_task_post_recv_set_conf(consumer, completed, failed, tasks)
                    .check(action);
        }
    }

    @Override
    public int id(MemorySegment consumer, String action) {
        return (int) Calls.uint32(action, doca_h.doca_comch_consumer_get_id(consumer, Calls.out()));
    }

    /** {@code doca_comch_consumer_set_imm_data_len}, bytes; without immediate data, only 0 of them. */
    public static void setImmediateLength(MemorySegment consumer, int length, String action) {
        if (HAS_IMMEDIATE || length > 0) {
            doca_h.doca_comch_consumer_set_imm_data_len(consumer, length).check(action);
        }
    }

    /** {@code doca_comch_consumer_get_imm_data_len}, bytes. */
    public static int immediateLength(MemorySegment consumer, String action) {
        return HAS_IMMEDIATE
                ? (int) Calls.uint32(action, doca_h.doca_comch_consumer_get_imm_data_len(consumer, Calls.out()))
                : 0;
    }

    /** Fails where there is no immediate data, so that a receive without a buffer could receive nothing. */
    public static void checkImmediate() {
        if (!HAS_IMMEDIATE) {
            throw Symbols.missing(IMMEDIATE_NAME);
        }
    }

    /** {@code doca_comch_consumer_task_post_recv_alloc_init}; the task's pointer is written to {@code out}. */
    public static int allocate(long consumer, long buffer, long out) {
        return doca_h.doca_comch_consumer_task_post_recv_alloc_init$hot(consumer, buffer, out);
    }

    /** {@code doca_comch_consumer_task_post_recv_set_buf}. */
    public static void setBuffer(long receive, long buffer) {
        doca_h.doca_comch_consumer_task_post_recv_set_buf$hot(receive, buffer);
    }

    /** {@code doca_comch_consumer_task_post_recv_as_task}. */
    public static long asTask(long receive) {
        return doca_h.doca_comch_consumer_task_post_recv_as_task$hot(receive);
    }

    /** {@code doca_comch_consumer_task_post_recv_get_producer_id}: 0 where producers have no ids. */
    public static int producer(long receive) {
        return HAS_PRODUCER_IDS ? doca_h.doca_comch_consumer_task_post_recv_get_producer_id$hot(receive) : 0;
    }

    /** {@code doca_comch_consumer_task_post_recv_get_imm_data}: 0 if there are none. */
    public static long immediate(long receive) {
        return HAS_IMMEDIATE ? doca_h.doca_comch_consumer_task_post_recv_get_imm_data$hot(receive) : 0;
    }

    /** {@code doca_comch_consumer_task_post_recv_get_imm_data_len}, bytes. */
    public static int immediateLength(long receive) {
        return HAS_IMMEDIATE ? doca_h.doca_comch_consumer_task_post_recv_get_imm_data_len$hot(receive) : 0;
    }
}
