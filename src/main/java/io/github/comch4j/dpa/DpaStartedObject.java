package io.github.comch4j.dpa;

import io.github.comch4j.DocaError;
import io.github.comch4j.DocaException;

/**
 * What the objects of a DPA have in common that are started: they can be stopped before they are closed, which some
 * programs do in an order of their own. Any thread may use them.
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
     * Whether it is started. Closing stops it.
     *
     * @return true from its creation to {@link #stop}
     */
    public final boolean isStarted() {
        return resource().isStarted();
    }

    /**
     * Stops it ({@code doca_…_stop}). Does nothing if it is stopped. What is stopped can only be closed.
     *
     * @throws IllegalStateException if it is closed
     * @throws DocaException if DOCA refuses, and it goes on; {@link DocaError#IN_USE} while what is attached to it is
     *     started, or a kernel that was launched is going to change it; {@link DocaError#DRIVER} for a thread whose
     *     kernel does not end
     */
    public final void stop() {
        resource().stop();
    }
}
