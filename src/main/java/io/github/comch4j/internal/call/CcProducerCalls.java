package io.github.comch4j.internal.call;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.github.comch4j.ffi.cc.cc_h;
import io.github.comch4j.internal.load.Symbols;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/** Producers of DOCA 2.5 and 2.6: without immediate data and without ids. */
final class CcProducerCalls extends ProducerCalls {
    private static final String CREATE_NAME = "doca_cc_producer_create";
    private static final String ALLOCATE_NAME = "doca_cc_producer_send_task_alloc_init";
    /** What they lack. */
    private static final String IMMEDIATE_NAME = "doca_comch_producer_task_send_set_imm_data";

    private static final MethodHandle ALLOCATE =
            Symbols.downcall(ALLOCATE_NAME, FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_LONG));

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
                CREATE_NAME, action, out -> cc_h.doca_cc_producer_create(MemorySegment.ofAddress(connection), out));
    }

    @Override
    public void checkImmediate() {
        throw Symbols.missing(IMMEDIATE_NAME);
    }

    @Override
    public int allocate(long producer, long buffer, long immediate, int immediateLength, int consumer, long out) {
        if (immediateLength > 0) {
            checkImmediate();
        }
        try {
            return (int) ALLOCATE.invokeExact(producer, buffer, consumer, out);
        } catch (Throwable t) {
            throw Symbols.unexpected(t);
        }
    }

    @Override
    public void setImmediate(long send, long immediate, int length) {
        checkImmediate();
    }

    @Override
    public MemorySegment asContext(MemorySegment object) {
        return cc_h.doca_cc_producer_as_ctx(object);
    }

    @Override
    public void destroy(MemorySegment object, String action) {
        Calls.check("doca_cc_producer_destroy", action, () -> cc_h.doca_cc_producer_destroy(object));
    }

    @Override
    public void configureTasks(
            MemorySegment object, MemorySegment completed, MemorySegment failed, int tasks, String action) {
        Calls.check(
                "doca_cc_producer_send_task_set_conf",
                action,
                () -> cc_h.doca_cc_producer_send_task_set_conf(object, completed, failed, Pools.log(tasks)));
    }

    @Override
    public int id(MemorySegment object, String action) {
        return 0;
    }
}
