package io.github.comch4j.comch;

/** Learns of consumers of the peer ({@code doca_comch_event_consumer_cb_t}). */
@FunctionalInterface
public interface RemoteConsumerHandler {
    /**
     * A consumer of the peer came or went. Runs inside {@code progress()} of the connection's engine.
     *
     * @param connection the connection it belongs to
     * @param consumerId its id, what {@link ComchProducer#trySend} takes; unique among the peer's consumers on this
     *     connection, at least 1
     * @param state what happened
     */
    void onConsumer(ComchConnection connection, int consumerId, RemoteConsumerState state);
}
