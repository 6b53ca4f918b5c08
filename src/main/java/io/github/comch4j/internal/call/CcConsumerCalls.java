package io.github.comch4j.internal.call;

import io.github.comch4j.ffi.cc.cc_h;
import io.github.comch4j.internal.load.Symbols;
import java.lang.foreign.MemorySegment;

/** Consumers of DOCA 2.5 and 2.6: without immediate data, and nobody says which producer has sent something. */
final class CcConsumerCalls extends ConsumerCalls {
    private static final String CREATE_NAME = "doca_cc_consumer_create";

    @Override
    public String createFunction() {
        return CREATE_NAME;
    }

    @Override
    public String allocateFunction() {
        return "doca_cc_consumer_post_recv_task_alloc_init";
    }

    @Override
    public MemorySegment create(long connection, MemorySegment map, String action) {
        return Calls.pointer(
                CREATE_NAME,
                action,
                out -> cc_h.doca_cc_consumer_create(MemorySegment.ofAddress(connection), map, out));
    }

    @Override
    public void setImmediateLength(MemorySegment consumer, int length, String action) {
        if (length > 0) {
            throw Symbols.missing("doca_comch_consumer_set_imm_data_len");
        }
    }

    @Override
    public int immediateLength(MemorySegment consumer, String action) {
        return 0;
    }

    @Override
    public void checkImmediate() {
        throw Symbols.missing("doca_comch_consumer_task_post_recv_get_imm_data");
    }

    @Override
    public int producer(long receive) {
        return 0;
    }

    @Override
    public long immediate(long receive) {
        return 0;
    }

    @Override
    public int immediateLength(long receive) {
        return 0;
    }

    @Override
    public MemorySegment asContext(MemorySegment object) {
        return cc_h.doca_cc_consumer_as_ctx(object);
    }

    @Override
    public void destroy(MemorySegment object, String action) {
        Calls.check("doca_cc_consumer_destroy", action, () -> cc_h.doca_cc_consumer_destroy(object));
    }

    @Override
    public void configureTasks(
            MemorySegment object, MemorySegment completed, MemorySegment failed, int tasks, String action) {
        Calls.check(
                "doca_cc_consumer_post_recv_task_set_conf",
                action,
                () -> cc_h.doca_cc_consumer_post_recv_task_set_conf(object, completed, failed, Pools.log(tasks)));
    }

    @Override
    public int id(MemorySegment object, String action) {
        return (int) Calls.uint32("doca_cc_consumer_get_id", action, out -> cc_h.doca_cc_consumer_get_id(object, out));
    }
}
