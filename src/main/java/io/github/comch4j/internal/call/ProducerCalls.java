package io.github.comch4j.internal.call;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.github.comch4j.internal.load.NativeLibrary;
import io.github.comch4j.internal.load.Symbols;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/** Calls of producers and their tasks ({@code doca_comch_producer.h}, before DOCA 2.7 {@code doca_cc_producer.h}). */
public abstract sealed class ProducerCalls extends FastPathCalls permits ComchProducerCalls, CcProducerCalls {
    // of the same form in each release
    private static final MethodHandle SET_BUFFER =
            Symbols.downcall("doca_comch_producer_task_send_set_buf", FunctionDescriptor.ofVoid(JAVA_LONG, JAVA_LONG));
    private static final MethodHandle SET_CONSUMER = Symbols.downcall(
            "doca_comch_producer_task_send_set_consumer_id", FunctionDescriptor.ofVoid(JAVA_LONG, JAVA_INT));
    private static final MethodHandle AS_TASK =
            Symbols.downcall("doca_comch_producer_task_send_as_task", FunctionDescriptor.of(JAVA_LONG, JAVA_LONG));

    /** For the two generations. */
    ProducerCalls() {}

    /** Those of the loaded libraries, chosen once. */
    public static ProducerCalls get() {
        return Bound.CALLS;
    }

    /** Apart, so that the two kinds can be initialised in any order. */
    private static final class Bound {
        static final ProducerCalls CALLS = NativeLibrary.isCc() ? new CcProducerCalls() : new ComchProducerCalls();
    }

    /** {@code doca_comch_producer_create}. */
    public abstract MemorySegment create(long connection, String action);

    /** Fails where there is no immediate data. */
    public abstract void checkImmediate();

    /**
     * {@code doca_comch_producer_task_send_alloc_init}; the task's pointer is written to {@code out}. With immediate
     * data only where there are such.
     */
    public abstract int allocate(
            long producer, long buffer, long immediate, int immediateLength, int consumer, long out);

    /** {@code doca_comch_producer_task_send_set_imm_data}; the bytes are copied. */
    public abstract void setImmediate(long send, long immediate, int length);

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
