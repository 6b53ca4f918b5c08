package io.github.comch4j.rpc;

import io.github.comch4j.comch.ComchConnection;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * What goes out on a connection: over the control path, and over the fast path what is long, if both ends have that.
 * Belongs to the loop.
 */
final class OutgoingPaths {
    private final MessageFrames control;
    private final @Nullable LargeBodies fast;

    /** {@code settings} is null if nothing takes the fast path. */
    OutgoingPaths(LargeBodies.@Nullable Settings settings, ComchConnection connection, LargeBodies.Peer peer) {
        this.control = new MessageFrames(connection);
        this.fast = settings == null ? null : new LargeBodies(settings, connection, control, peer);
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
    boolean announced(MemorySegment message, long at) {
        return fast == null || fast.announced(Frames.value(message, at), Frames.extra(message, at));
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
        if (fast != null && unsent.large) {
            fast.cancel(unsent);
        } else {
            control.drop(unsent);
            control.cancel(unsent);
        }
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
        return size() == 0 && control.isSent();
    }

    /** Sends what there is room for; the rest when it is called again, as with {@code onWritable}. */
    void flush() {
        control.flush();
        if (fast != null) {
            fast.flush();
        }
    }

    /** The connection has ended. */
    void end() {
        control.clear();
        if (fast != null) {
            fast.end();
        }
    }
}
