package io.github.comch4j.rpc;

import io.github.comch4j.comch.ComchConnection;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;

/**
 * What goes out on a connection: as many frames in a message as fit. Long bodies take turns with what else there is.
 * Belongs to the loop.
 */
final class FrameQueue {
    /** A smaller part of a body is not worth a frame if it could begin in the next message. */
    private static final int SMALLEST_PART = 512;

    private final ComchConnection connection;
    private final MemorySegment message;
    private final int capacity;
    private final ArrayDeque<Outgoing> queue = new ArrayDeque<>();
    private long waiting; // bytes of bodies
    private int filled; // of a message that there was no room for yet

    FrameQueue(ComchConnection connection) {
        this.connection = connection;
        this.capacity = connection.endpoint().maxMessageSize() & ~7;
        if (capacity <= Frames.HEADER) {
            throw new IllegalArgumentException("messages of " + capacity + " bytes have no room for a frame");
        }
        this.message = MemorySegment.ofArray(new byte[capacity]);
    }

    void add(Outgoing outgoing) {
        queue.add(outgoing);
        waiting += outgoing.body.length;
    }

    /** How long the bodies are together that wait, whole or in part. */
    long bytes() {
        return waiting;
    }

    int size() {
        return queue.size();
    }

    /**
     * Sends what there is room for; the rest when it is called again, as with {@code onRoom}.
     *
     * @throws io.github.comch4j.comch.ConnectionClosedException if the connection has ended
     */
    void flush() {
        while (true) {
            if (filled == 0) {
                fill();
                if (filled == 0) {
                    return;
                }
            }
            if (!connection.trySend(message.asSlice(0, filled)).accepted()) {
                return;
            }
            filled = 0;
        }
    }

    private void fill() {
        int at = 0;
        // each at most once in a message
        for (int left = queue.size(); left > 0 && capacity - at > Frames.HEADER; left--) {
            Outgoing next = queue.element();
            if (next.isObsolete()) {
                queue.remove();
                ended(next);
                continue;
            }
            int rest = next.body.length - next.sent;
            int room = capacity - at - Frames.HEADER;
            if (room < rest && room < SMALLEST_PART && at > 0) {
                break;
            }
            int part = Math.min(rest, room);
            int kind = next.begun ? Frames.MORE : next.kind;
            Frames.write(message, at, part, kind, next.id, next.value, next.body.length, next.extra);
            MemorySegment.copy(MemorySegment.ofArray(next.body), next.sent, message, at + Frames.HEADER, part);
            next.begun = true;
            next.sent += part;
            at += Frames.size(part);
            queue.remove();
            if (next.sent < next.body.length) {
                queue.add(next);
            } else {
                ended(next);
            }
        }
        filled = at;
    }

    private void ended(Outgoing last) {
        waiting -= last.body.length;
        last.gone();
    }

    /** The connection has ended. */
    void clear() {
        queue.clear();
        waiting = 0;
        filled = 0;
    }
}
