package io.github.comch4j.comch;

import io.github.comch4j.core.ContextState;

/** Learns of a producer's or consumer's state ({@code doca_ctx_state_changed_callback_t}). */
@FunctionalInterface
public interface FastPathStateHandler {
    /**
     * The state changed. Runs inside {@code progress()} of its engine, or inside the call that caused it, such as a
     * start or {@code close()}.
     *
     * @param object the producer or consumer
     * @param previous the state before
     * @param next the state now, which {@link FastPathEndpoint#state()} tells too
     */
    void onStateChanged(FastPathEndpoint object, ContextState previous, ContextState next);
}
