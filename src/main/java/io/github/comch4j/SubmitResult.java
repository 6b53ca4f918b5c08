package io.github.comch4j;

/**
 * The result of an attempt to submit a task. If the task was not accepted, the result shows which resource was missing,
 * and therefore which side must act before another attempt can succeed.
 */
public enum SubmitResult {
    /** The task was submitted, or queued for submission. */
    ACCEPTED,

    /**
     * No task is free: all tasks of this producer or consumer, or of this server or client, are queued or in flight
     * ({@link DocaError#NO_MEMORY} from DOCA's {@code …_alloc_init}). A task becomes free when it ends, during progress
     * of this process's engine.
     */
    NO_TASK,

    /**
     * The peer has no receive for the task ({@link DocaError#AGAIN} from {@code doca_task_submit}): its consumer has
     * posted none or is not running yet, or the receive queue of its server or client is full. The peer must act;
     * progress in this process does not help. DOCA returns the same error while the device's own send queue is full, a
     * condition that ends by itself.
     */
    NO_RECEIVE;

    /**
     * Returns whether the task was accepted.
     *
     * @return true for {@link #ACCEPTED} only
     */
    public boolean accepted() {
        return this == ACCEPTED;
    }
}
