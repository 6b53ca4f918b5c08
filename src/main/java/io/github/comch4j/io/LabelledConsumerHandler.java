package io.github.comch4j.io;

import io.github.comch4j.comch.ComchConnection;

/** Handles the arrival and end of the peer's labelled consumers; see {@link ConsumerLabels}. */
@FunctionalInterface
public interface LabelledConsumerHandler {
    /**
     * Called when a consumer with a label came or went. Runs inside {@code progress()} of the connection's engine.
     *
     * @param connection the connection that the consumer belongs to
     * @param label the label that the peer has sent
     * @param consumerId the consumer's id, for {@link io.github.comch4j.comch.ComchProducer#trySend}
     * @param running true once the consumer is running and its label has arrived; false when it was stopped, but not
     *     when its connection has ended
     */
    void onConsumer(ComchConnection connection, String label, int consumerId, boolean running);
}
