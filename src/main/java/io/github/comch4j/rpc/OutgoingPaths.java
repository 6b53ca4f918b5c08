package io.github.comch4j.rpc;

import io.github.comch4j.comch.ComchConnection;
import io.github.comch4j.comch.ConnectionClosedException;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * What goes out on a connection: over the control path, as many frames in a message as fit, and over the fast path what
 * is long, if both ends have that. Belongs to the loop.
 */
final class OutgoingPaths {
    private final ComchConnection connection;
    private final FrameQueue control = new FrameQueue();
    private final MemorySegment message;
    private final int capacity;
    private int filled; // of a message that there was no room for yet
    private final @Nullable LargeBodies fast;

    /** {@code settings} is null if nothing takes the fast path. */
    OutgoingPaths(LargeBodies.@Nullable Settings settings, ComchConnection connection, LargeBodies.Peer peer) {
        this.connection = connection;
        this.capacity = connection.endpoint().maxMessageSize() & ~7;
        if (capacity <= Frames.HEADER) {
            throw new IllegalArgumentException("messages of " + capacity + " bytes have no room for a frame");
        }
        this.message = MemorySegment.ofArray(new byte[capacity]);
        this.fast = settings == null ? null : new LargeBodies(settings, connection, this, peer);
    }

    /** The connection can be used: the peer is told of the fast path. */
    void begin() {
        if (fast != null) {
            fast.begin();
        }
    }

    /** A consumer of the peer has come. */
    void consumerKnown() {
        if (fast != null) {
            fast.consumerKnown();
        }
    }

    /** The peer has announced its consumer. Returns false if it may not do so. */
    boolean announced(MemorySegment announcement, long at) {
        return fast == null || fast.announced(Frames.value(announcement, at), Frames.extra(announcement, at));
    }

    void add(OutgoingFrame outgoing) {
        if (fast == null || !fast.add(outgoing)) {
            control.add(outgoing);
        }
    }

    /** As {@link #add}, over the control path. */
    void addShort(OutgoingFrame outgoing) {
        control.add(outgoing);
    }

    /** Nobody wants any more what {@link #add} has taken: the peer is told, if it knows of it. */
    void cancel(OutgoingFrame obsolete) {
        if (fast != null && obsolete.large) {
            fast.cancel(obsolete);
        } else {
            control.cancel(obsolete);
        }
    }

    /**
     * As {@link #cancel}, of what is going to be added again, or never.
     */
    void takeBack(OutgoingFrame unsent) {
        if (!unsent.large) {
            control.drop(unsent);
        }
        cancel(unsent);
    }

    /** Whether the message of the control path with this number may have had what is of no single call, or ends one. */
    boolean mayHaveNotices(long number) {
        return control.mayHaveNotices(number);
    }

    /** How long the bodies are together that wait, whole or in part. */
    long bytes() {
        return control.bytes() + (fast == null ? 0 : fast.bytes());
    }

    int size() {
        return control.size() + (fast == null ? 0 : fast.size());
    }

    /** Whether all has been handed to DOCA. */
    boolean isEmpty() {
        return size() == 0 && filled == 0;
    }

    /** Sends what there is room for; the rest when it is called again, as with {@code onWritable}. */
    void flush() {
        try {
            while (hasMessage()
                    && connection.trySend(message.asSlice(0, filled)).accepted()) {
                filled = 0;
            }
        } catch (ConnectionClosedException e) {
            // its end is reported soon
        }
        if (fast != null) {
            fast.flush();
        }
    }

    private boolean hasMessage() {
        if (filled == 0) {
            filled = control.fill(message, 0, capacity, connection.sent());
        }
        return filled > 0;
    }

    /** The connection has ended. */
    void end() {
        control.clear();
        filled = 0;
        if (fast != null) {
            fast.end();
        }
    }
}
