package io.github.comch4j.io;

import io.github.comch4j.comch.ComchConnection;
import io.github.comch4j.comch.RemoteConsumerState;

/** Learns of consumers of the peer that have a label; see {@link ConsumerLabels}. */
@FunctionalInterface
public interface LabelledConsumerHandler {
    /**
     * A consumer with a label came or went. Runs inside {@code progress()} of the connection's engine.
     *
     * @param connection the connection it belongs to
     * @param label what the peer has told
     * @param consumerId its id, what {@link io.github.comch4j.comch.ComchProducer#trySend} takes
     * @param state {@link RemoteConsumerState#NEW} once it runs and its label has come;
     *     {@link RemoteConsumerState#EXPIRED} when it was stopped, not when its connection has ended
     */
    void onConsumer(ComchConnection connection, String label, int consumerId, RemoteConsumerState state);
}
