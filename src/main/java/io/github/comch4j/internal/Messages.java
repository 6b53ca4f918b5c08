package io.github.comch4j.internal;

import java.lang.foreign.MemorySegment;

/**
 * How the messages of a server or client are sent and received: with the native helper, or with a call for each step. All methods but {@link #ended} belong to
 * the engine's owner.
 */
public abstract class Messages {
    /** With what {@link #send} returns: it was not the allocation but the submit that was refused. */
    public static final int SUBMIT = 0x10000;

    /** Those of an endpoint that is bound, and not configured yet. */
    public static Messages create(ControlContext context, EndpointCalls calls) {
        return context.engine().ring() == null ? new PlainMessages(context, calls) : new BatchedMessages(context, calls);
    }

    /** Called by DOCA when a message went out. */
    public abstract MemorySegment sentCallback();

    /** Called by DOCA when a message could not go out. */
    public abstract MemorySegment notSentCallback();

    /** Called by DOCA when a message arrived. */
    public abstract MemorySegment receivedCallback();

    /**
     * Sends a copy of a native message; returns {@code doca_error_t}, if it is of the submit plus {@link #SUBMIT}.
     *
     * @param userData comes back when its task ends
     */
    public abstract int send(long connection, MemorySegment message, int length, long userData);

    /** A task that this side was told of has ended: frees it. */
    public abstract void free(long task);

    /** How many tasks have ended. Any thread may ask. */
    public abstract long ended();
}
