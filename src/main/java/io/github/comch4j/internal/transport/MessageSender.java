package io.github.comch4j.internal.transport;

import io.github.comch4j.internal.call.TaskCalls;
import java.lang.foreign.MemorySegment;

/**
 * Sends the messages of a server or client: with the batch library, or with a call for each step. All methods but
 * {@link #ended()} belong to the engine's owner.
 */
public abstract sealed class MessageSender permits BatchedMessageSender, PlainMessageSender {
    /** With what {@link #send} returns: it was not the allocation but the submit that was refused. */
    public static final int SUBMIT = Batch.MESSAGES_SUBMIT;

    /** A task's user data is a place and, from this bit on, the number of a message: addresses are shorter. */
    private static final int NUMBER = 48; // MESSAGES_NUMBER

    private final MessagePlaces places = new MessagePlaces();

    /** Called by DOCA when a message was sent. */
    public abstract MemorySegment sentCallback();

    /** Called by DOCA when a message could not be sent. */
    public abstract MemorySegment notSentCallback();

    /** Called by DOCA when a message arrived. */
    public abstract MemorySegment receivedCallback();

    /** A connection has begun, whose events have this key. Returns its place. */
    public final long join(long key) {
        return places.take(key);
    }

    /** The connection has ended, on which so many messages were accepted. */
    public final void leave(long place, long accepted) {
        places.leave(place, accepted);
    }

    /**
     * Sends a copy of a native message; returns {@code doca_error_t}, if it is of the submit plus {@link #SUBMIT}.
     *
     * @param place that of the connection
     * @param number of the message: how many were accepted on the connection before
     */
    public final int send(long connection, MemorySegment message, int length, long place, long number) {
        return send(connection, message, length, place | (number << NUMBER));
    }

    abstract int send(long connection, MemorySegment message, int length, long userData);

    /** The lower bits of the number of a task's message, before the task is freed. */
    public static int number(long task) {
        return (int) (TaskCalls.userData(task) >>> NUMBER);
    }

    /** The number with these lower bits, of a connection that has accepted so many messages: the last one that fits. */
    public static long whole(int lower, long accepted) {
        return accepted - 1 - ((accepted - 1 - lower) & ((1L << (Long.SIZE - NUMBER)) - 1));
    }

    static long place(long userData) {
        return userData & ((1L << NUMBER) - 1);
    }

    /**
     * Frees a task that {@link ContextEvents#taskEnded} has got with this user data; returns the key of its
     * connection's events.
     */
    public abstract long free(long task, long userData);

    /** How many tasks have ended. Any thread may ask. */
    public abstract long ended();

    /** How many of the connection with this place have. */
    public final long ended(long place) {
        return MessagePlaces.ended(place);
    }
}
