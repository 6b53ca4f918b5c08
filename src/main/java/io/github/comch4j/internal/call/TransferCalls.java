package io.github.comch4j.internal.call;

import java.lang.foreign.MemorySegment;

/** What contexts with tasks that move data have in common under different names; none is hot. */
public abstract sealed class TransferCalls permits FastPathCalls, DmaCalls {
    private final String createFunction;
    private final String allocateFunction;

    /** For the kinds, with the C names of two functions. */
    TransferCalls(String createFunction, String allocateFunction) {
        this.createFunction = createFunction;
        this.allocateFunction = allocateFunction;
    }

    /** The C name of the function that creates one. */
    public final String createFunction() {
        return createFunction;
    }

    /** The C name of the function that allocates a task. */
    public final String allocateFunction() {
        return allocateFunction;
    }

    /** {@code …_as_ctx}; returns the view. */
    public abstract MemorySegment asContext(MemorySegment object);

    /** {@code …_destroy}. */
    public abstract void destroy(MemorySegment object, String action);

    /** {@code …_task_…_set_conf}; {@code tasks} as {@link Pools#size} says, where it is one of Comch. */
    public abstract void configureTasks(
            MemorySegment object, MemorySegment completed, MemorySegment failed, int tasks, String action);
}
