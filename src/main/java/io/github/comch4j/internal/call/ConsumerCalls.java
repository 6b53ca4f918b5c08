package io.github.comch4j.internal.call;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.github.comch4j.ffi.doca_h;
import io.github.comch4j.internal.load.Symbols;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/** Calls of consumers and their tasks ({@code doca_comch_consumer.h}). */
public final class ConsumerCalls extends FastPathCalls {
    /** The only one. */
    public static final ConsumerCalls INSTANCE = new ConsumerCalls();

    /** {@code doca_comch_consumer_create}. */
    public static final String CREATE_NAME = "doca_comch_consumer_create";
    /** {@code doca_comch_consumer_task_post_recv_alloc_init}. */
    public static final String ALLOCATE_NAME = "doca_comch_consumer_task_post_recv_alloc_init";

    private static final MethodHandle ALLOCATE =
            Symbols.downcall(ALLOCATE_NAME, FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_LONG));
    private static final MethodHandle SET_BUFFER = Symbols.downcall(
            "doca_comch_consumer_task_post_recv_set_buf", FunctionDescriptor.ofVoid(JAVA_LONG, JAVA_LONG));
    private static final MethodHandle PRODUCER = Symbols.downcall(
            "doca_comch_consumer_task_post_recv_get_producer_id", FunctionDescriptor.of(JAVA_INT, JAVA_LONG));
    private static final MethodHandle IMMEDIATE = Symbols.downcall(
            "doca_comch_consumer_task_post_recv_get_imm_data", FunctionDescriptor.of(JAVA_LONG, JAVA_LONG));
    private static final MethodHandle IMMEDIATE_LENGTH = Symbols.downcall(
            "doca_comch_consumer_task_post_recv_get_imm_data_len", FunctionDescriptor.of(JAVA_INT, JAVA_LONG));
    private static final MethodHandle AS_TASK =
            Symbols.downcall("doca_comch_consumer_task_post_recv_as_task", FunctionDescriptor.of(JAVA_LONG, JAVA_LONG));

    private ConsumerCalls() {}

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

    /** {@code doca_comch_consumer_task_post_recv_get_producer_id}. */
    public static int producer(long receive) {
        try {
            return (int) PRODUCER.invokeExact(receive);
        } catch (Throwable t) {
            throw Symbols.unexpected(t);
        }
    }

    /** {@code doca_comch_consumer_task_post_recv_get_imm_data}: 0 if there are none. */
    public static long immediate(long receive) {
        try {
            return (long) IMMEDIATE.invokeExact(receive);
        } catch (Throwable t) {
            throw Symbols.unexpected(t);
        }
    }

    /** {@code doca_comch_consumer_task_post_recv_get_imm_data_len}, bytes. */
    public static int immediateLength(long receive) {
        try {
            return (int) IMMEDIATE_LENGTH.invokeExact(receive);
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

    /** {@code doca_comch_consumer_create}. */
    public static MemorySegment create(long connection, MemorySegment map, String action) {
        return Calls.pointer(
                CREATE_NAME,
                action,
                out -> doca_h.doca_comch_consumer_create(MemorySegment.ofAddress(connection), map, out));
    }

    /** {@code doca_comch_consumer_set_imm_data_len}, bytes. */
    public static void setImmediateLength(MemorySegment consumer, int length, String action) {
        Calls.check(
                "doca_comch_consumer_set_imm_data_len",
                action,
                () -> doca_h.doca_comch_consumer_set_imm_data_len(consumer, length));
    }

    /** {@code doca_comch_consumer_get_imm_data_len}, bytes. */
    public static int immediateLength(MemorySegment consumer, String action) {
        return (int) Calls.uint32(
                "doca_comch_consumer_get_imm_data_len",
                action,
                out -> doca_h.doca_comch_consumer_get_imm_data_len(consumer, out));
    }

    @Override
    public MemorySegment asContext(MemorySegment object) {
        return doca_h.doca_comch_consumer_as_ctx(object);
    }

    @Override
    public void destroy(MemorySegment object, String action) {
        Calls.check("doca_comch_consumer_destroy", action, () -> doca_h.doca_comch_consumer_destroy(object));
    }

    @Override
    public void configureTasks(
            MemorySegment object, MemorySegment completed, MemorySegment failed, int tasks, String action) {
        Calls.check(
                "doca_comch_consumer_task_post_recv_set_conf",
                action,
                () -> doca_h.doca_comch_consumer_task_post_recv_set_conf(object, completed, failed, tasks));
    }

    @Override
    public int id(MemorySegment object, String action) {
        return (int) Calls.uint32(
                "doca_comch_consumer_get_id", action, out -> doca_h.doca_comch_consumer_get_id(object, out));
    }
}
