package io.github.comch4j.internal.call;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.github.comch4j.ffi.doca_h;
import io.github.comch4j.internal.load.Symbols;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/** Calls of consumers' post-receive tasks. */
public final class ConsumerCalls {
    private static final MethodHandle ALLOCATE = Symbols.downcall("doca_comch_consumer_task_post_recv_alloc_init",
            FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_LONG));
    private static final MethodHandle SET_BUFFER = Symbols.downcall("doca_comch_consumer_task_post_recv_set_buf",
            FunctionDescriptor.ofVoid(JAVA_LONG, JAVA_LONG));
    private static final MethodHandle PRODUCER = Symbols.downcall("doca_comch_consumer_task_post_recv_get_producer_id",
            FunctionDescriptor.of(JAVA_INT, JAVA_LONG));
    private static final MethodHandle IMMEDIATE = Symbols.downcall("doca_comch_consumer_task_post_recv_get_imm_data",
            FunctionDescriptor.of(JAVA_LONG, JAVA_LONG));
    private static final MethodHandle IMMEDIATE_LENGTH = Symbols.downcall("doca_comch_consumer_task_post_recv_get_imm_data_len",
            FunctionDescriptor.of(JAVA_INT, JAVA_LONG));
    private static final MethodHandle AS_TASK = Symbols.downcall("doca_comch_consumer_task_post_recv_as_task",
            FunctionDescriptor.of(JAVA_LONG, JAVA_LONG));

    private ConsumerCalls() {
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
    public static int create(MemorySegment connection, MemorySegment memoryMap, MemorySegment out) {
        return doca_h.doca_comch_consumer_create(connection, memoryMap, out);
    }

    /** {@code doca_comch_consumer_set_imm_data_len}, bytes. */
    public static int setImmediateLength(MemorySegment consumer, int length) {
        return doca_h.doca_comch_consumer_set_imm_data_len(consumer, length);
    }

    /** {@code doca_comch_consumer_get_imm_data_len}, bytes. */
    public static int getImmediateLength(MemorySegment consumer, MemorySegment out) {
        return doca_h.doca_comch_consumer_get_imm_data_len(consumer, out);
    }
}
