package io.github.comch4j.core;

import io.github.comch4j.DocaError;

/**
 * Learns that a message that was accepted was not sent: of the control path, or of a queue to or from a DPA.
 *
 * @param <S> {@link io.github.comch4j.comch.ComchConnection} or {@link io.github.comch4j.dpa.MessageQueueProducer}
 */
@FunctionalInterface
public interface SendFailureHandler<S> {
    /**
     * A message was lost. Runs inside {@code progress()} of the engine.
     *
     * @param sender where it should have gone, or what should have sent it
     * @param status of its task
     */
    void onSendFailed(S sender, DocaError status);
}
