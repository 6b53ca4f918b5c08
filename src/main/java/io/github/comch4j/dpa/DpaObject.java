package io.github.comch4j.dpa;

import io.github.comch4j.DocaException;
import java.lang.foreign.MemorySegment;
import java.util.function.BiFunction;

/**
 * The common part of all objects of a DPA. Its public methods are not final: so each public subclass has them, and
 * programs can call them by reflection, too.
 */
abstract class DpaObject implements AutoCloseable {
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
    public Dpa dpa() {
        return dpa;
    }

    /**
     * Returns whether this object is closed.
     *
     * @return true as soon as closing has begun
     */
    public boolean isClosed() {
        return resource.isClosed();
    }

    /**
     * Closes the objects that depend on this one, then stops and destroys this one. Calling it again does nothing.
     *
     * @throws DocaException if DOCA refuses; the object is then still open, and you can call this method again
     */
    @Override
    public void close() {
        resource.close();
    }

    /**
     * Returns a description of this object, for logs.
     *
     * @return a text that identifies this object
     */
    @Override
    public String toString() {
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
