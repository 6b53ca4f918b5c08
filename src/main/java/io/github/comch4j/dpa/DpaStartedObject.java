package io.github.comch4j.dpa;

import io.github.comch4j.DocaError;
import io.github.comch4j.DocaException;

/** The common part of DPA objects that are started, and can be stopped before they are closed. */
abstract class DpaStartedObject extends DpaObject {
    DpaStartedObject(Dpa dpa, DpaHandle resource) {
        super(dpa, resource);
    }

    /**
     * Returns whether this object is started. Closing also stops it.
     *
     * @return true from its creation to {@link #stop}
     */
    public boolean isStarted() {
        return resource().isStarted();
    }

    /**
     * Stops this object ({@code doca_…_stop}), for programs that need an order of their own. Does nothing if it is
     * already stopped. A stopped object can only be closed.
     *
     * @throws IllegalStateException if this object is closed
     * @throws DocaException if DOCA refuses; the object then continues. {@link DocaError#IN_USE} while an object
     *     attached to it is started, or a launched kernel still has to change it; {@link DocaError#DRIVER} for a thread
     *     whose kernel does not end
     */
    public void stop() {
        resource().stop();
    }
}
