package io.github.comch4j.internal.transport;

/**
 * A producer or consumer, as far as its {@link TaskQueue} knows it: where the ends of its tasks go. Each task has a
 * slot.
 */
public interface SlotEvents {

    /**
     * A task ended that was refused when its turn in the queue came, or that was submitted without the batch library.
     *
     * @param status {@code doca_error_t}
     */
    void slotEnded(int slot, int status);

    /**
     * Tasks ended: the one whose entry the ring has taken, and those that {@link CompletionRing#next} has for
     * {@code context}. Each implementation has a loop of its own, so that the compiler joins it with what it calls.
     *
     * @param context the index of the producer or consumer in the ring
     */
    void slotsEnded(CompletionRing ring, int context);

    /** What has handled ends of its tasks has thrown this. */
    void failed(Throwable thrown);

    /** Of a consumer that is polled: as {@link #slotsEnded}, of one receive, which has succeeded. */
    default void slotReceived(CompletionRing ring, int slot) {
        throw new AssertionError(this + " is not polled");
    }

    /** Of a consumer that is polled: whether {@link #slotsEnded} takes messages in rows. */
    default boolean takesRows() {
        return false;
    }

    /** Of a consumer: whether immediate data can come with what it receives. */
    default boolean takesImmediates() {
        return true;
    }

    /**
     * Whether sends that succeed need not be told one by one, and each in its turn among other events: those are for
     * {@link #slotsFreed} then, which costs less. Asked once.
     */
    default boolean isFreedInBulk() {
        return false;
    }

    /** Sends succeeded, as {@link #isFreedInBulk} asks for. */
    default void slotsFreed(FreedSlots slots) {
        throw new AssertionError(this + " is not told so");
    }
}
