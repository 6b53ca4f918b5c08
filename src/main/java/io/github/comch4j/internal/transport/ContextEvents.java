package io.github.comch4j.internal.transport;

import java.lang.foreign.MemorySegment;

/**
 * A {@code doca_ctx}, as far as the transport knows it: where the events of a server, client, producer or consumer go.
 */
public interface ContextEvents {

    /** The transport of its engine. */
    Transport transport();

    /**
     * Has DOCA report changes of state to another callback, with other user data. Only while the context is not
     * started.
     */
    void reportStateTo(long userData, MemorySegment callback);

    /**
     * It runs no more, for DOCA; {@link #stateChanged} follows when what came before has been delivered. Until then
     * nothing may be submitted, which DOCA would not check.
     */
    void leavesRunning();

    /** The state changed ({@code enum doca_ctx_states}). */
    void stateChanged(int previous, int next);

    /**
     * A task ended that was submitted without the batch library.
     *
     * @param task the task by its own type, as DOCA's callback gets it
     */
    void taskEnded(long task, long userData, boolean success);

    /** What has handled one of these events has thrown this: it fails the progress, unless that is told elsewhere. */
    void failed(Throwable thrown);
}
