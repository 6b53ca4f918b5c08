package io.github.comch4j.internal.call;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.github.comch4j.ffi.doca_h;
import io.github.comch4j.internal.load.Symbols;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/** Calls of producers' send tasks. */
public final class ProducerCalls {
    private static final MethodHandle ALLOCATE = Symbols.downcall("doca_comch_producer_task_send_alloc_init",
            FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_INT, JAVA_LONG));
    private static final MethodHandle SET_BUFFER = Symbols.downcall("doca_comch_producer_task_send_set_buf",
            FunctionDescriptor.ofVoid(JAVA_LONG, JAVA_LONG));
    private static final MethodHandle SET_CONSUMER = Symbols.downcall("doca_comch_producer_task_send_set_consumer_id",
            FunctionDescriptor.ofVoid(JAVA_LONG, JAVA_INT));
    private static final MethodHandle SET_IMMEDIATE = Symbols.downcall("doca_comch_producer_task_send_set_imm_data",
            FunctionDescriptor.ofVoid(JAVA_LONG, JAVA_LONG, JAVA_INT));
    private static final MethodHandle AS_TASK = Symbols.downcall("doca_comch_producer_task_send_as_task",
            FunctionDescriptor.of(JAVA_LONG, JAVA_LONG));

    private ProducerCalls() {
    }

    /** {@code doca_comch_producer_task_send_alloc_init}; the task's pointer is written to {@code out}. */
    public static int allocate(long producer, long buffer, long immediate, int immediateLength, int consumer, long out) {
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
    public static int create(MemorySegment connection, MemorySegment out) {
        return doca_h.doca_comch_producer_create(connection, out);
    }
}
