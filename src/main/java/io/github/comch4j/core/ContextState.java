package io.github.comch4j.core;

import io.github.comch4j.internal.call.ContextCalls;

/** The states of a server, client, producer or consumer ({@code enum doca_ctx_states}). */
public enum ContextState {
    /** Not started, or at its end. */
    IDLE(ContextCalls.IDLE),
    /** On the way to {@link #RUNNING}; progress brings it there, or back to {@link #IDLE} when the attempt fails. */
    STARTING(ContextCalls.STARTING),
    /** In use. */
    RUNNING(ContextCalls.RUNNING),
    /** On the way to {@link #IDLE}: what is in flight ends, nothing new is accepted. */
    STOPPING(ContextCalls.STOPPING);

    private final int code;

    ContextState(int code) {
        this.code = code;
    }

    /**
     * The number in {@code enum doca_ctx_states}.
     *
     * @return the number
     */
    public int code() {
        return code;
    }

    /**
     * The constant for a number of {@code enum doca_ctx_states}.
     *
     * @param code the number
     * @return the constant
     * @throws IllegalArgumentException if DOCA has no such state
     */
    public static ContextState of(int code) {
        for (ContextState state : values()) {
            if (state.code == code) {
                return state;
            }
        }
        throw new IllegalArgumentException("no context state has the number " + code);
    }
}
