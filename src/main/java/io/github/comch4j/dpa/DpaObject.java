package io.github.comch4j.dpa;

import io.github.comch4j.DocaException;
import java.lang.foreign.MemorySegment;
import java.util.function.BiFunction;

/** The common part of all objects of a DPA. Any thread may use them. */
public abstract sealed class DpaObject implements AutoCloseable
        permits DpaMemory, DpaMemoryMap, DpaEuAffinity, DpaHashTable, DpaStartedObject {
    private final Dpa dpa;
    private final DpaHandle resource;

    DpaObject(Dpa dpa, DpaHandle resource) {
        this.dpa = dpa;
        this.resource = resource;
    }

    /**
     * Returns the DPA of this object.
     *
     * @return the DPA on which it was created
     */
    public final Dpa dpa() {
        return dpa;
    }

    /**
     * Returns whether this object is closed.
     *
     * @return true as soon as closing has begun
     */
    public final boolean isClosed() {
        return resource.isClosed();
    }

    /**
     * Closes the objects that depend on this one, then stops and destroys this one. Calling it again does nothing.
     *
     * @throws DocaException if DOCA refuses; the object is then still open, and you can call this method again
     */
    @Override
    public final void close() {
        resource.close();
    }

    /**
     * Returns a description of this object, for logs.
     *
     * @return a text that identifies this object
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
