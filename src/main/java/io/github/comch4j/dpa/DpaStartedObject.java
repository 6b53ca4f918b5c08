package io.github.comch4j.dpa;

import io.github.comch4j.DocaError;
import io.github.comch4j.DocaException;

/**
 * The common part of DPA objects that are started. They can be stopped before they are closed, for programs that need
 * an order of their own. Any thread may use them.
 */
public abstract sealed class DpaStartedObject extends DpaObject
        permits DpaThread,
                DpaThreadGroup,
                DpaCompletion,
                DpaConsumerCompletion,
                DpaNotification,
                DpaAsyncOps,
                DpaConsumer,
                DpaProducer,
                SyncEvent {
    DpaStartedObject(Dpa dpa, DpaHandle resource) {
        super(dpa, resource);
    }

    /**
     * Returns whether this object is started. Closing also stops it.
     *
     * @return true from its creation to {@link #stop}
     */
    public final boolean isStarted() {
        return resource().isStarted();
    }

    /**
     * Stops this object ({@code doca_…_stop}). Does nothing if it is already stopped. A stopped object can only be
     * closed.
     *
     * @throws IllegalStateException if this object is closed
     * @throws DocaException if DOCA refuses; the object then continues. {@link DocaError#IN_USE} while an object
     *     attached to it is started, or a launched kernel still has to change it; {@link DocaError#DRIVER} for a thread
     *     whose kernel does not end
     */
    public final void stop() {
        resource().stop();
    }
}
