package io.github.comch4j.internal.call;

import java.lang.foreign.MemorySegment;

/** What contexts with tasks that move data have in common under different names; none is hot. */
public abstract sealed class TransferCalls permits FastPathCalls, DmaCalls {

    /** For the kinds. */
    TransferCalls() {}

    /** The C name of the function that creates one. */
    public abstract String createFunction();

    /** The C name of the function that allocates a task. */
    public abstract String allocateFunction();

    /** {@code …_as_ctx}; returns the view. */
    public abstract MemorySegment asContext(MemorySegment object);

    /** {@code …_destroy}. */
    public abstract void destroy(MemorySegment object, String action);

    /** {@code …_task_…_set_conf}; {@code tasks} as {@link Pools#size} says, where it is one of Comch. */
    public abstract void configureTasks(
            MemorySegment object, MemorySegment completed, MemorySegment failed, int tasks, String action);
}
