package io.github.comch4j.internal.call;

import java.lang.foreign.MemorySegment;

/** What producers and consumers have in common under different names; none is hot. */
public abstract sealed class FastPathCalls extends TransferCalls permits ProducerCalls, ConsumerCalls {

    /** For the two kinds. */
    FastPathCalls(String createFunction, String allocateFunction) {
        super(createFunction, allocateFunction);
    }

    /** {@code …_get_id}; 0 for producers of DOCA 2.5, which have none. */
    public abstract int id(MemorySegment object, String action);
}
