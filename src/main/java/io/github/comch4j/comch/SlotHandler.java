package io.github.comch4j.comch;

import io.github.comch4j.DocaError;
import java.lang.foreign.MemorySegment;

/** Handles the messages of a slot consumer in the slots where they arrived. */
@FunctionalInterface
public interface SlotHandler {
    /**
     * Called when a message has arrived. When this method returns, normally or with an exception, the consumer posts
     * the slot again: copy the data that you want to keep.
     *
     * @param memory the consumer's memory, the same segment for every call
     * @param offset where the message begins in the memory, in bytes
     * @param length the length of the message in bytes
     * @param producerId the id of the producer that sent the message; 0 with DOCA 2.5, which does not report it
     */
    void onMessage(MemorySegment memory, long offset, int length, int producerId);

    /**
     * Called when a slot has come back without a message while the consumer is still running, at the slot's place among
     * the messages. The receive of this slot has failed, and a message may be lost with it. The consumer posts the slot
     * again. This method is not called if the consumer has a {@linkplain SlotConsumer.Builder#onReceiveFailed handler}
     * for such failures.
     *
     * @param status the cause
     * @return whether to continue; the default is false: the consumer ends, and no more messages are delivered
     */
    default boolean onReceiveFailed(DocaError status) {
        return false;
    }
}
