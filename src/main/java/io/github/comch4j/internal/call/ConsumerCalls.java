package io.github.comch4j.internal.call;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.github.comch4j.internal.load.NativeLibrary;
import io.github.comch4j.internal.load.Symbols;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/** Calls of consumers and their tasks ({@code doca_comch_consumer.h}, before DOCA 2.7 {@code doca_cc_consumer.h}). */
public abstract sealed class ConsumerCalls extends FastPathCalls permits ComchConsumerCalls, CcConsumerCalls {
    // of the same form in each release
    private static final MethodHandle ALLOCATE = Symbols.downcall(
            "doca_comch_consumer_task_post_recv_alloc_init",
            FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_LONG));
    private static final MethodHandle SET_BUFFER = Symbols.downcall(
            "doca_comch_consumer_task_post_recv_set_buf", FunctionDescriptor.ofVoid(JAVA_LONG, JAVA_LONG));
    private static final MethodHandle AS_TASK =
            Symbols.downcall("doca_comch_consumer_task_post_recv_as_task", FunctionDescriptor.of(JAVA_LONG, JAVA_LONG));

    /** For the two generations. */
    ConsumerCalls() {}

    /** Those of the loaded libraries, chosen once. */
    public static ConsumerCalls get() {
        return Bound.CALLS;
    }

    /** Apart, so that the two kinds can be initialised in any order. */
    private static final class Bound {
        static final ConsumerCalls CALLS = NativeLibrary.isCc() ? new CcConsumerCalls() : new ComchConsumerCalls();
    }

    /** {@code doca_comch_consumer_create}. */
    public abstract MemorySegment create(long connection, MemorySegment map, String action);

    /** {@code doca_comch_consumer_set_imm_data_len}, bytes. */
    public abstract void setImmediateLength(MemorySegment consumer, int length, String action);

    /** {@code doca_comch_consumer_get_imm_data_len}, bytes. */
    public abstract int immediateLength(MemorySegment consumer, String action);

    /** Fails where there is no immediate data, so that a receive without a buffer could receive nothing. */
    public abstract void checkImmediate();

    /** {@code doca_comch_consumer_task_post_recv_get_producer_id}: 0 where producers have no ids. */
    public abstract int producer(long receive);

    /** {@code doca_comch_consumer_task_post_recv_get_imm_data}: 0 if there are none. */
    public abstract long immediate(long receive);

    /** {@code doca_comch_consumer_task_post_recv_get_imm_data_len}, bytes. */
    public abstract int immediateLength(long receive);

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
}
