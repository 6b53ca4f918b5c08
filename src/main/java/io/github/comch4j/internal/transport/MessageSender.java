package io.github.comch4j.internal.transport;

import java.lang.foreign.MemorySegment;

/**
 * Sends the messages of a server or client: with the batch library, or with a call for each step. All methods but
 * {@link #ended} belong to the engine's owner.
 */
public abstract sealed class MessageSender permits BatchedMessageSender, PlainMessageSender {
    /** With what {@link #send} returns: it was not the allocation but the submit that was refused. */
    public static final int SUBMIT = Batch.MESSAGES_SUBMIT;

    /** Called by DOCA when a message was sent. */
    public abstract MemorySegment sentCallback();

    /** Called by DOCA when a message could not be sent. */
    public abstract MemorySegment notSentCallback();

    /** Called by DOCA when a message arrived. */
    public abstract MemorySegment receivedCallback();

    /**
     * Sends a copy of a native message; returns {@code doca_error_t}, if it is of the submit plus {@link #SUBMIT}.
     *
     * @param userData comes back when its task ends
     */
    public abstract int send(long connection, MemorySegment message, int length, long userData);

    /** Frees a task that {@link ContextEvents#taskEnded} has got. */
    public abstract void free(long task);

    /** How many tasks have ended. Any thread may ask. */
    public abstract long ended();
}
