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

/** Calls of producers and their tasks ({@code doca_comch_producer.h}, before DOCA 2.7 {@code doca_cc_producer.h}). */
public final class ProducerCalls extends FastPathCalls {

    private static final String ID_NAME = "doca_comch_producer_get_id";
    private static final boolean HAS_IDS = Symbols.has(ID_NAME);
    private static final String IMMEDIATE_NAME = "doca_comch_producer_task_send_set_imm_data";
    private static final boolean HAS_IMMEDIATE = Symbols.has(IMMEDIATE_NAME);

    private static final String ALLOCATE_NAME = HAS_IMMEDIATE
            ? "doca_comch_producer_task_send_alloc_init"
            : NativeLibrary.isCc25()
                    ? "doca_cc_producer_send_task_alloc_init"
                    : "doca_cc_producer_task_send_alloc_init";
    /** Of releases without immediate data: in two of them, under two names. */
    private static final MethodHandle ALLOCATE_PLAIN =
            Symbols.downcall(ALLOCATE_NAME, FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_LONG));

    private static final MethodHandle ALLOCATE = Symbols.downcall(
            "doca_comch_producer_task_send_alloc_init",
            FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_INT, JAVA_LONG));
    private static final MethodHandle SET_IMMEDIATE = Symbols.downcall(
            "doca_comch_producer_task_send_set_imm_data", FunctionDescriptor.ofVoid(JAVA_LONG, JAVA_LONG, JAVA_INT));
    private static final MethodHandle SET_BUFFER =
            Symbols.downcall("doca_comch_producer_task_send_set_buf", FunctionDescriptor.ofVoid(JAVA_LONG, JAVA_LONG));
    private static final MethodHandle SET_CONSUMER = Symbols.downcall(
            "doca_comch_producer_task_send_set_consumer_id", FunctionDescriptor.ofVoid(JAVA_LONG, JAVA_INT));
    private static final MethodHandle AS_TASK =
            Symbols.downcall("doca_comch_producer_task_send_as_task", FunctionDescriptor.of(JAVA_LONG, JAVA_LONG));

    private static final ProducerCalls CALLS = new ProducerCalls();

    private ProducerCalls() {
        super(Symbols.nameOf("doca_comch_producer_create"), ALLOCATE_NAME);
    }

    /** As what producers and consumers have in common. */
    public static ProducerCalls get() {
        return CALLS;
    }

    /** {@code doca_comch_producer_create}. */
    public static MemorySegment create(long connection, String action) {
        return present("doca_comch_producer_create")
                .pointer(action, doca_h.doca_comch_producer_create(MemorySegment.ofAddress(connection), Calls.out()));
    }

    @Override
    public MemorySegment asContext(MemorySegment producer) {
        present("doca_comch_producer_as_ctx");
        return doca_h.doca_comch_producer_as_ctx(producer);
    }

    @Override
    public void destroy(MemorySegment producer, String action) {
        present("doca_comch_producer_destroy").check(action, doca_h.doca_comch_producer_destroy(producer));
    }

    @Override
    public void configureTasks(
            MemorySegment producer, MemorySegment completed, MemorySegment failed, int tasks, String action) {
        if (NativeLibrary.isCc25()) {
            present("doca_cc_producer_send_task_set_conf")
                    .check(
                            action,
                            cc_h.doca_cc_producer_send_task_set_conf(producer, completed, failed, Pools.log(tasks)));
        } else {
            present("doca_comch_producer_task_send_set_conf")
                    .check(action, doca_h.doca_comch_producer_task_send_set_conf(producer, completed, failed, tasks));
        }
    }

    @Override
    public int id(MemorySegment producer, String action) {
        return HAS_IDS
                ? present("doca_comch_producer_get_id")
                        .number(action, doca_h.doca_comch_producer_get_id(producer, Calls.out()))
                : 0;
    }

    /** Fails where there is no immediate data. */
    public static void checkImmediate() {
        if (!HAS_IMMEDIATE) {
            throw Symbols.missing(IMMEDIATE_NAME);
        }
    }

    /**
     * {@code doca_comch_producer_task_send_alloc_init}; the task's pointer is written to {@code out}. With immediate
     * data only where there are such.
     */
    public static int allocate(
            long producer, long buffer, long immediate, int immediateLength, int consumer, long out) {
        if (HAS_IMMEDIATE) {
            try {
                return (int) ALLOCATE.invokeExact(producer, buffer, immediate, immediateLength, consumer, out);
            } catch (Throwable t) {
                throw Symbols.unexpected(t);
            }
        }
        if (immediateLength > 0) {
            checkImmediate();
        }
        try {
            return (int) ALLOCATE_PLAIN.invokeExact(producer, buffer, consumer, out);
        } catch (Throwable t) {
            throw Symbols.unexpected(t);
        }
    }

    /** {@code doca_comch_producer_task_send_set_imm_data}; the bytes are copied. */
    public static void setImmediate(long send, long immediate, int length) {
        try {
            SET_IMMEDIATE.invokeExact(send, immediate, length);
        } catch (Throwable t) {
            throw Symbols.unexpected(t);
        }
    }

    /** {@code doca_comch_producer_task_send_set_buf}. */
    public static void setBuffer(long send, long buffer) {
        try {
            SET_BUFFER.invokeExact(send, buffer);
        } catch (Throwable t) {
            throw Symbols.unexpected(t);
        }
    }

    /** {@code doca_comch_producer_task_send_set_consumer_id}. */
    public static void setConsumer(long send, int consumer) {
        try {
            SET_CONSUMER.invokeExact(send, consumer);
        } catch (Throwable t) {
            throw Symbols.unexpected(t);
        }
    }

    /** {@code doca_comch_producer_task_send_as_task}. */
    public static long asTask(long send) {
        try {
            return (long) AS_TASK.invokeExact(send);
        } catch (Throwable t) {
            throw Symbols.unexpected(t);
        }
    }
}
