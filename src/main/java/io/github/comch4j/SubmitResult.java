package io.github.comch4j;

/**
 * What became of an attempt to submit a task: accepted, or what there was none of, and so which side has to do
 * something before another attempt can succeed.
 */
public enum SubmitResult {
    /** The task is submitted, or queued to be. */
    ACCEPTED,

    /**
     * No task is free: all of this producer or consumer, or of this server or client, are queued or in flight
     * ({@link DocaError#NO_MEMORY} of DOCA's {@code …_alloc_init}). A task is free again when it has ended, which
     * progress of this process's engine shows.
     */
    NO_TASK,

    /**
     * The peer has no receive for it ({@link DocaError#AGAIN} of {@code doca_task_submit}): the consumer has none
     * posted or does not run yet, or the receive queue of the other server or client is full. The peer has to do
     * something; progress in this process does not help. DOCA gives the same answer while the device's own send queue
     * is full, which passes by itself.
     */
    NO_RECEIVE;

    /**
     * Whether the task was accepted.
     *
     * @return true for {@link #ACCEPTED} only
     */
    public boolean accepted() {
        return this == ACCEPTED;
    }
}
