package io.github.comch4j.comch;

import io.github.comch4j.DocaError;

/**
 * Told of messages of a slot producer that were committed and not sent
 * ({@code doca_comch_producer_task_send_completion_cb_t}, the error callback).
 */
@FunctionalInterface
public interface SlotSendFailureHandler {
    /**
     * A message was not sent. Runs inside {@code progress()}; when it returns, the slot is free.
     *
     * @param producer the producer
     * @param offset where the message begins in {@link SlotProducer#memory()}, bytes; it is as the program wrote it
     * @param length how long it is, bytes
     * @param status why
     */
    void onSendFailed(SlotProducer producer, long offset, int length, DocaError status);
}
