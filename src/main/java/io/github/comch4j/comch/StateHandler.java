package io.github.comch4j.comch;

import io.github.comch4j.core.ContextState;

/**
 * Learns of a server's or client's state ({@code doca_ctx_state_changed_callback_t}). For the end of the peer there is
 * {@link ControlPathEndpoint.Builder#onDisconnected onDisconnected}.
 */
@FunctionalInterface
public interface StateHandler {
    /**
     * The state changed. Runs inside {@code progress()} of its engine, or inside the call that caused it, such as a
     * start or {@code close()}.
     *
     * @param endpoint the server or client
     * @param previous the state before
     * @param next the state now, which {@link ControlPathEndpoint#state()} tells too; {@link ContextState#IDLE} after
     *     {@link ContextState#STARTING}: an attempt to connect has failed
     */
    void onStateChanged(ControlPathEndpoint endpoint, ContextState previous, ContextState next);
}
