package io.github.comch4j.internal.call;

import java.lang.foreign.MemorySegment;

/** What producers and consumers have in common under different names; none is hot. */
public abstract sealed class FastPathCalls permits ProducerCalls, ConsumerCalls {

    /** For the two kinds. */
    FastPathCalls() {}

    /** {@code …_as_ctx}; returns the view. */
    public abstract MemorySegment asContext(MemorySegment object);

    /** {@code …_destroy}. */
    public abstract void destroy(MemorySegment object, String action);

    /** {@code …_task_…_set_conf}. */
    public abstract void configureTasks(
            MemorySegment object, MemorySegment completed, MemorySegment failed, int tasks, String action);

    /** {@code …_get_id}. */
    public abstract int id(MemorySegment object, String action);
}
