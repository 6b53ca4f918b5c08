package io.github.comch4j.core;

import io.github.comch4j.internal.call.ContextCalls;

/** The states of a server, client, producer or consumer ({@code enum doca_ctx_states}). */
public enum ContextState {
    /** Not started yet, or ended. */
    IDLE(ContextCalls.IDLE),
    /**
     * Changing to {@link #RUNNING}. Progress brings the object there, or back to {@link #IDLE} if the attempt fails.
     */
    STARTING(ContextCalls.STARTING),
    /** In use. */
    RUNNING(ContextCalls.RUNNING),
    /** Changing to {@link #IDLE}: operations in flight end, and new ones are refused. */
    STOPPING(ContextCalls.STOPPING);

    private final int code;

    ContextState(int code) {
        this.code = code;
    }

    /**
     * Returns the number in {@code enum doca_ctx_states}.
     *
     * @return the number
     */
    public int code() {
        return code;
    }

    /**
     * Returns the constant for a number of {@code enum doca_ctx_states}.
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
