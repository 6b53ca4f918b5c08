package io.github.comch4j.internal.call;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.github.comch4j.ffi.doca_h;
import io.github.comch4j.internal.load.Symbols;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/** Consumers as DOCA has them since 2.7. */
final class ComchConsumerCalls extends ConsumerCalls {
    private static final String CREATE_NAME = "doca_comch_consumer_create";

    private static final MethodHandle PRODUCER = Symbols.downcall(
            "doca_comch_consumer_task_post_recv_get_producer_id", FunctionDescriptor.of(JAVA_INT, JAVA_LONG));
    private static final MethodHandle IMMEDIATE = Symbols.downcall(
            "doca_comch_consumer_task_post_recv_get_imm_data", FunctionDescriptor.of(JAVA_LONG, JAVA_LONG));
    private static final MethodHandle IMMEDIATE_LENGTH = Symbols.downcall(
            "doca_comch_consumer_task_post_recv_get_imm_data_len", FunctionDescriptor.of(JAVA_INT, JAVA_LONG));

    @Override
    public String createFunction() {
        return CREATE_NAME;
    }

    @Override
    public String allocateFunction() {
        return "doca_comch_consumer_task_post_recv_alloc_init";
    }

    @Override
    public MemorySegment create(long connection, MemorySegment map, String action) {
        return Calls.pointer(
                CREATE_NAME,
                action,
                out -> doca_h.doca_comch_consumer_create(MemorySegment.ofAddress(connection), map, out));
    }

    @Override
    public void setImmediateLength(MemorySegment consumer, int length, String action) {
        Calls.check(
                "doca_comch_consumer_set_imm_data_len",
                action,
                () -> doca_h.doca_comch_consumer_set_imm_data_len(consumer, length));
    }

    @Override
    public int immediateLength(MemorySegment consumer, String action) {
        return (int) Calls.uint32(
                "doca_comch_consumer_get_imm_data_len",
                action,
                out -> doca_h.doca_comch_consumer_get_imm_data_len(consumer, out));
    }

    @Override
    public void checkImmediate() {
        // there is
    }

    @Override
    public int producer(long receive) {
        try {
            return (int) PRODUCER.invokeExact(receive);
        } catch (Throwable t) {
            throw Symbols.unexpected(t);
        }
    }

    @Override
    public long immediate(long receive) {
        try {
            return (long) IMMEDIATE.invokeExact(receive);
        } catch (Throwable t) {
            throw Symbols.unexpected(t);
        }
    }

    @Override
    public int immediateLength(long receive) {
        try {
            return (int) IMMEDIATE_LENGTH.invokeExact(receive);
        } catch (Throwable t) {
            throw Symbols.unexpected(t);
        }
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
