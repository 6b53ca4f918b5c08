package io.github.comch4j.internal.call;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.github.comch4j.ffi.doca_h;
import io.github.comch4j.internal.load.Symbols;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/** Calls of producers and their tasks ({@code doca_comch_producer.h}). */
public final class ProducerCalls extends FastPathCalls {
    /** The only one. */
    public static final ProducerCalls INSTANCE = new ProducerCalls();

    /** {@code doca_comch_producer_create}. */
    public static final String CREATE_NAME = "doca_comch_producer_create";
    /** {@code doca_comch_producer_task_send_alloc_init}. */
    public static final String ALLOCATE_NAME = "doca_comch_producer_task_send_alloc_init";

    private static final MethodHandle ALLOCATE = Symbols.downcall(
            ALLOCATE_NAME,
            FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_INT, JAVA_LONG));
    private static final MethodHandle SET_BUFFER =
            Symbols.downcall("doca_comch_producer_task_send_set_buf", FunctionDescriptor.ofVoid(JAVA_LONG, JAVA_LONG));
    private static final MethodHandle SET_CONSUMER = Symbols.downcall(
            "doca_comch_producer_task_send_set_consumer_id", FunctionDescriptor.ofVoid(JAVA_LONG, JAVA_INT));
    private static final MethodHandle SET_IMMEDIATE = Symbols.downcall(
            "doca_comch_producer_task_send_set_imm_data", FunctionDescriptor.ofVoid(JAVA_LONG, JAVA_LONG, JAVA_INT));
    private static final MethodHandle AS_TASK =
            Symbols.downcall("doca_comch_producer_task_send_as_task", FunctionDescriptor.of(JAVA_LONG, JAVA_LONG));

    private ProducerCalls() {}

    /** {@code doca_comch_producer_task_send_alloc_init}; the task's pointer is written to {@code out}. */
    public static int allocate(
            long producer, long buffer, long immediate, int immediateLength, int consumer, long out) {
        try {
            return (int) ALLOCATE.invokeExact(producer, buffer, immediate, immediateLength, consumer, out);
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

    /** {@code doca_comch_producer_task_send_set_imm_data}; the bytes are copied. */
    public static void setImmediate(long send, long immediate, int length) {
        try {
            SET_IMMEDIATE.invokeExact(send, immediate, length);
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

    /** {@code doca_comch_producer_create}. */
    public static MemorySegment create(long connection, String action) {
        return Calls.pointer(
                CREATE_NAME,
                action,
                out -> doca_h.doca_comch_producer_create(MemorySegment.ofAddress(connection), out));
    }

    @Override
    public MemorySegment asContext(MemorySegment object) {
        return doca_h.doca_comch_producer_as_ctx(object);
    }

    @Override
    public void destroy(MemorySegment object, String action) {
        Calls.check("doca_comch_producer_destroy", action, () -> doca_h.doca_comch_producer_destroy(object));
    }

    @Override
    public void configureTasks(
            MemorySegment object, MemorySegment completed, MemorySegment failed, int tasks, String action) {
        Calls.check(
                "doca_comch_producer_task_send_set_conf",
                action,
                () -> doca_h.doca_comch_producer_task_send_set_conf(object, completed, failed, tasks));
    }

    @Override
    public int id(MemorySegment object, String action) {
        return (int) Calls.uint32(
                "doca_comch_producer_get_id", action, out -> doca_h.doca_comch_producer_get_id(object, out));
    }
}
