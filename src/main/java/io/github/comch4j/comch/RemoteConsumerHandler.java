package io.github.comch4j.comch;

/** Handles changes of the peer's consumers ({@code doca_comch_event_consumer_cb_t}). */
@FunctionalInterface
public interface RemoteConsumerHandler {
    /**
     * Called when a consumer of the peer has started or stopped. Runs inside {@code progress()} of the connection's
     * engine.
     *
     * @param connection the connection that the consumer belongs to
     * @param consumerId the id of the consumer, to be passed to {@link ComchProducer#trySend}; unique among the peer's
     *     consumers on this connection, at least 1
     * @param state the change
     */
    void onConsumer(ComchConnection connection, int consumerId, RemoteConsumerState state);
}
