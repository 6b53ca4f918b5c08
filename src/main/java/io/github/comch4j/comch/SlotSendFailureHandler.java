package io.github.comch4j.comch;

import io.github.comch4j.DocaError;

/**
 * Handles messages of a slot producer that were committed but not sent
 * ({@code doca_comch_producer_task_send_completion_cb_t}, the error callback).
 */
@FunctionalInterface
public interface SlotSendFailureHandler {
    /**
     * Called when a message was not sent. Runs inside {@code progress()}. When this method returns, the slot is free.
     *
     * @param producer the producer
     * @param offset where the message begins in {@link SlotProducer#memory()}, in bytes; the message is as the program
     *     wrote it
     * @param length the length of the message in bytes
     * @param status the cause
     */
    void onSendFailed(SlotProducer producer, long offset, int length, DocaError status);
}
