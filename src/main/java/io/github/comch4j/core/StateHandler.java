package io.github.comch4j.core;

/**
 * Handles changes of state of a server, client, producer or consumer ({@code doca_ctx_state_changed_callback_t}). To
 * handle the end of a peer, set
 * {@link io.github.comch4j.comch.ControlPathEndpoint.Builder#onDisconnected onDisconnected}.
 *
 * @param <S> the type of object that changes its state
 */
@FunctionalInterface
public interface StateHandler<S> {
    /**
     * Called when the state has changed. Runs inside {@code progress()} of the object's engine, or inside the call that
     * caused the change, such as a start or {@code close()}.
     *
     * @param source the server, client, producer or consumer
     * @param previous the state before the change
     * @param next the state after the change, which {@code state()} returns too; {@link ContextState#IDLE} after
     *     {@link ContextState#STARTING} means that an attempt to connect has failed
     */
    void onStateChanged(S source, ContextState previous, ContextState next);
}
