package io.github.comch4j.dpa;

import io.github.comch4j.DocaException;
import java.lang.foreign.MemorySegment;
import java.util.function.BiFunction;

/** What the objects of a DPA have in common. Any thread may use them. */
public abstract sealed class DpaObject implements AutoCloseable
        permits DpaMemory, DpaMemoryMap, DpaEuAffinity, DpaHashTable, DpaStartedObject {
    private final Dpa dpa;
    private final DpaHandle resource;

    DpaObject(Dpa dpa, DpaHandle resource) {
        this.dpa = dpa;
        this.resource = resource;
    }

    /**
     * The DPA.
     *
     * @return what it was made on
     */
    public final Dpa dpa() {
        return dpa;
    }

    /**
     * Whether it is closed.
     *
     * @return true from the beginning of closing
     */
    public final boolean isClosed() {
        return resource.isClosed();
    }

    /**
     * Closes what depends on it, then stops and ends it. The second call does nothing.
     *
     * @throws DocaException if DOCA refuses; it is still open then, and closing can be tried again
     */
    @Override
    public final void close() {
        resource.close();
    }

    /**
     * For logs.
     *
     * @return what it is
     */
    @Override
    public final String toString() {
        return resource.name();
    }

    /** What kernels call it. */
    final long handle(BiFunction<MemorySegment, String, Long> question) {
        return resource.askUnstopped("doca_…_get_dpa_handle", "asking " + this + " for its handle", question);
    }

    final DpaHandle resource() {
        return resource;
    }
}
