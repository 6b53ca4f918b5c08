package io.github.comch4j.internal.call;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.github.comch4j.ffi.doca_h;
import io.github.comch4j.internal.load.Symbols;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/** Producers as DOCA has them since 2.7. */
final class ComchProducerCalls extends ProducerCalls {
    private static final String CREATE_NAME = "doca_comch_producer_create";
    private static final String ALLOCATE_NAME = "doca_comch_producer_task_send_alloc_init";

    private static final MethodHandle ALLOCATE = Symbols.downcall(
            ALLOCATE_NAME,
            FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_INT, JAVA_LONG));
    private static final MethodHandle SET_IMMEDIATE = Symbols.downcall(
            "doca_comch_producer_task_send_set_imm_data", FunctionDescriptor.ofVoid(JAVA_LONG, JAVA_LONG, JAVA_INT));

    @Override
    public String createFunction() {
        return CREATE_NAME;
    }

    @Override
    public String allocateFunction() {
        return ALLOCATE_NAME;
    }

    @Override
    public MemorySegment create(long connection, String action) {
        return Calls.pointer(
                CREATE_NAME,
                action,
                out -> doca_h.doca_comch_producer_create(MemorySegment.ofAddress(connection), out));
    }

    @Override
    public void checkImmediate() {
        // there is
    }

    @Override
    public int allocate(long producer, long buffer, long immediate, int immediateLength, int consumer, long out) {
        try {
            return (int) ALLOCATE.invokeExact(producer, buffer, immediate, immediateLength, consumer, out);
        } catch (Throwable t) {
            throw Symbols.unexpected(t);
        }
    }

    @Override
    public void setImmediate(long send, long immediate, int length) {
        try {
            SET_IMMEDIATE.invokeExact(send, immediate, length);
        } catch (Throwable t) {
            throw Symbols.unexpected(t);
        }
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
