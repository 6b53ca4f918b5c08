package io.github.comch4j.core;

/**
 * Learns of the state of a server, client, producer or consumer ({@code doca_ctx_state_changed_callback_t}). For the
 * end of a peer there is {@link io.github.comch4j.comch.ControlPathEndpoint.Builder#onDisconnected onDisconnected}.
 *
 * @param <S> whose state
 */
@FunctionalInterface
public interface StateHandler<S> {
    /**
     * The state changed. Runs inside {@code progress()} of its engine, or inside the call that caused it, such as a
     * start or {@code close()}.
     *
     * @param source the server, client, producer or consumer
     * @param previous the state before
     * @param next the state now, which {@code state()} tells too; {@link ContextState#IDLE} after
     *     {@link ContextState#STARTING}: an attempt to connect has failed
     */
    void onStateChanged(S source, ContextState previous, ContextState next);
}
