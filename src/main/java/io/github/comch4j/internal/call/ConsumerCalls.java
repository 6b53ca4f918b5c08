package io.github.comch4j.internal.call;

import static io.github.comch4j.internal.call.DocaFunction.present;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.github.comch4j.ffi.cc.cc_h;
import io.github.comch4j.ffi.doca_h;
import io.github.comch4j.internal.load.NativeLibrary;
import io.github.comch4j.internal.load.Symbols;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/** Calls of consumers and their tasks ({@code doca_comch_consumer.h}, before DOCA 2.7 {@code doca_cc_consumer.h}). */
public final class ConsumerCalls extends FastPathCalls {

    private static final String PRODUCER_NAME = "doca_comch_consumer_task_post_recv_get_producer_id";
    private static final boolean HAS_PRODUCER_IDS = Symbols.has(PRODUCER_NAME);
    private static final String IMMEDIATE_NAME = "doca_comch_consumer_task_post_recv_get_imm_data";
    private static final boolean HAS_IMMEDIATE = Symbols.has(IMMEDIATE_NAME);

    private static final MethodHandle ALLOCATE = Symbols.downcall(
            "doca_comch_consumer_task_post_recv_alloc_init",
            FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_LONG));
    private static final MethodHandle SET_BUFFER = Symbols.downcall(
            "doca_comch_consumer_task_post_recv_set_buf", FunctionDescriptor.ofVoid(JAVA_LONG, JAVA_LONG));
    private static final MethodHandle AS_TASK =
            Symbols.downcall("doca_comch_consumer_task_post_recv_as_task", FunctionDescriptor.of(JAVA_LONG, JAVA_LONG));
    private static final MethodHandle PRODUCER = Symbols.downcall(
            "doca_comch_consumer_task_post_recv_get_producer_id", FunctionDescriptor.of(JAVA_INT, JAVA_LONG));
    private static final MethodHandle IMMEDIATE = Symbols.downcall(
            "doca_comch_consumer_task_post_recv_get_imm_data", FunctionDescriptor.of(JAVA_LONG, JAVA_LONG));
    private static final MethodHandle IMMEDIATE_LENGTH = Symbols.downcall(
            "doca_comch_consumer_task_post_recv_get_imm_data_len", FunctionDescriptor.of(JAVA_INT, JAVA_LONG));

    private static final ConsumerCalls CALLS = new ConsumerCalls();

    private ConsumerCalls() {
        super(
                Symbols.nameOf("doca_comch_consumer_create"),
                Symbols.nameOf("doca_comch_consumer_task_post_recv_alloc_init"));
    }

    /** As what producers and consumers have in common. */
    public static ConsumerCalls get() {
        return CALLS;
    }

    /** {@code doca_comch_consumer_create}. */
    public static MemorySegment create(long connection, MemorySegment map, String action) {
        return present("doca_comch_consumer_create")
                .pointer(
                        action,
                        doca_h.doca_comch_consumer_create(MemorySegment.ofAddress(connection), map, Calls.out()));
    }

    @Override
    public MemorySegment asContext(MemorySegment consumer) {
        present("doca_comch_consumer_as_ctx");
        return doca_h.doca_comch_consumer_as_ctx(consumer);
    }

    @Override
    public void destroy(MemorySegment consumer, String action) {
        present("doca_comch_consumer_destroy").check(action, doca_h.doca_comch_consumer_destroy(consumer));
    }

    @Override
    public void configureTasks(
            MemorySegment consumer, MemorySegment completed, MemorySegment failed, int tasks, String action) {
        if (NativeLibrary.isCc25()) {
            present("doca_cc_consumer_post_recv_task_set_conf")
                    .check(
                            action,
                            cc_h.doca_cc_consumer_post_recv_task_set_conf(
                                    consumer, completed, failed, Pools.log(tasks)));
        } else {
            present("doca_comch_consumer_task_post_recv_set_conf")
                    .check(
                            action,
                            doca_h.doca_comch_consumer_task_post_recv_set_conf(consumer, completed, failed, tasks));
        }
    }

    @Override
    public int id(MemorySegment consumer, String action) {
        return present("doca_comch_consumer_get_id")
                .number(action, doca_h.doca_comch_consumer_get_id(consumer, Calls.out()));
    }

    /** {@code doca_comch_consumer_set_imm_data_len}, bytes; without immediate data, only 0 of them. */
    public static void setImmediateLength(MemorySegment consumer, int length, String action) {
        if (HAS_IMMEDIATE || length > 0) {
            present("doca_comch_consumer_set_imm_data_len")
                    .check(action, doca_h.doca_comch_consumer_set_imm_data_len(consumer, length));
        }
    }

    /** {@code doca_comch_consumer_get_imm_data_len}, bytes. */
    public static int immediateLength(MemorySegment consumer, String action) {
        return HAS_IMMEDIATE
                ? present("doca_comch_consumer_get_imm_data_len")
                        .number(action, doca_h.doca_comch_consumer_get_imm_data_len(consumer, Calls.out()))
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
        try {
            return (int) ALLOCATE.invokeExact(consumer, buffer, out);
        } catch (Throwable t) {
            throw Symbols.unexpected(t);
        }
    }

    /** {@code doca_comch_consumer_task_post_recv_set_buf}. */
    public static void setBuffer(long receive, long buffer) {
        try {
            SET_BUFFER.invokeExact(receive, buffer);
        } catch (Throwable t) {
            throw Symbols.unexpected(t);
        }
    }

    /** {@code doca_comch_consumer_task_post_recv_as_task}. */
    public static long asTask(long receive) {
        try {
            return (long) AS_TASK.invokeExact(receive);
        } catch (Throwable t) {
            throw Symbols.unexpected(t);
        }
    }

    /** {@code doca_comch_consumer_task_post_recv_get_producer_id}: 0 where producers have no ids. */
    public static int producer(long receive) {
        try {
            return HAS_PRODUCER_IDS ? (int) PRODUCER.invokeExact(receive) : 0;
        } catch (Throwable t) {
            throw Symbols.unexpected(t);
        }
    }

    /** {@code doca_comch_consumer_task_post_recv_get_imm_data}: 0 if there are none. */
    public static long immediate(long receive) {
        try {
            return HAS_IMMEDIATE ? (long) IMMEDIATE.invokeExact(receive) : 0;
        } catch (Throwable t) {
            throw Symbols.unexpected(t);
        }
    }

    /** {@code doca_comch_consumer_task_post_recv_get_imm_data_len}, bytes. */
    public static int immediateLength(long receive) {
        try {
            return HAS_IMMEDIATE ? (int) IMMEDIATE_LENGTH.invokeExact(receive) : 0;
        } catch (Throwable t) {
            throw Symbols.unexpected(t);
        }
    }
}
