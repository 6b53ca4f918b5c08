package io.github.comch4j.dpa;

import io.github.comch4j.DocaError;

/** Told of messages that a queue's producer on the CPU had accepted, and that were not sent. */
@FunctionalInterface
public interface MessageQueueFailureHandler {
    /**
     * A message was not sent ({@code doca_comch_producer_task_send_completion_cb_t}, the error callback). Runs inside
     * {@code progress()} of the producer's engine.
     *
     * @param producer what should have sent it
     * @param status why
     */
    void onSendFailed(MessageQueueProducer producer, DocaError status);
}
