package io.github.comch4j.rpc;

import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;

/** Frames that wait to go out on a connection. Long bodies take turns with what else there is. Belongs to the loop. */
final class FrameQueue {
    /** A smaller part of a body is not worth a frame if it could begin in the next message. */
    private static final int SMALLEST_PART = 512;

    private final ArrayDeque<OutgoingFrame> queue = new ArrayDeque<>();
    private final ArrayDeque<OutgoingFrame> cancels = new ArrayDeque<>(); // of what has begun; they go first
    private long waiting; // bytes of bodies
    private int obsolete; // of those that wait, at most
    private long lastNotice = -1; // the number of the last message with a frame that ends a call, or is of none

    void add(OutgoingFrame outgoing) {
        queue.add(outgoing);
        waiting += outgoing.length;
    }

    /** How long the bodies are together that wait, whole or in part. */
    long bytes() {
        return waiting;
    }

    int size() {
        return cancels.size() + queue.size();
    }

    /**
     * Writes as many frames as fit into so many bytes of {@code message}, which will have this number, from
     * {@code begin} on; returns how long they are.
     */
    int fill(MemorySegment message, long begin, int capacity, long number) {
        int at = 0;
        if (!cancels.isEmpty()) {
            lastNotice = number;
        }
        while (!cancels.isEmpty() && capacity - at > Frames.HEADER) {
            write(cancels.remove(), message, begin + at, 0);
            at += Frames.size(0);
        }
        // each at most once in a message
        for (int left = queue.size(); left > 0 && capacity - at > Frames.HEADER; left--) {
            OutgoingFrame next = queue.element();
            if (endIfObsolete(next)) {
                queue.remove();
                continue;
            }
            byte[] metadata = next.begun ? OutgoingFrame.EMPTY : next.metadata();
            int before = metadata.length == 0 ? 0 : Frames.size(metadata.length);
            int rest = next.length - next.sent;
            int room = capacity - at - before - Frames.HEADER;
            if (room < rest && room < SMALLEST_PART && at > 0) {
                break;
            }
            if (room < Math.min(rest, 1)) {
                queue.remove();
                next.unreadable(new IllegalArgumentException("metadata of " + metadata.length
                        + " bytes do not fit into a message of " + capacity + " bytes"));
                ended(next);
                continue;
            }
            int part = Math.min(rest, room);
            queue.remove();
            if (part == rest && !next.leave()) {
                ended(next);
                continue;
            }
            if (before > 0) {
                Frames.write(message, begin + at, metadata.length, Frames.METADATA, next.id, 0, metadata.length, 0);
                MemorySegment.copy(
                        MemorySegment.ofArray(metadata), 0, message, begin + at + Frames.HEADER, metadata.length);
            }
            if (!write(next, message, begin + at + before, part)) {
                ended(next);
                continue;
            }
            if (next.kind >= Frames.CONSUMER) {
                lastNotice = number;
            }
            next.add(number, part);
            at += before + Frames.size(part);
            if (next.sent < next.length) {
                queue.add(next);
            } else {
                ended(next);
            }
        }
        return at;
    }

    /** Returns false if the body cannot be read: it is the program's. */
    private boolean write(OutgoingFrame from, MemorySegment message, long at, int part) {
        int kind = from.begun ? Frames.MORE : from.kind;
        Frames.write(message, at, part, kind, from.id, from.value, from.length, from.extra);
        try {
            MemorySegment.copy(from.body, from.sent, message, at + Frames.HEADER, part);
            return true;
        } catch (RuntimeException e) {
            if (from.begun) {
                cancels.add(new OutgoingFrame(Frames.CANCEL, from.id, 0, 0));
            }
            from.unreadable(e);
            return false;
        }
    }

    /** Whether the message with this number may have had what is of no single call, or ends one. */
    boolean mayHaveNotices(long number) {
        return number <= lastNotice;
    }

    /** Takes back what nobody wants any more, if it still waits. */
    void drop(OutgoingFrame obsolete) {
        if (queue.remove(obsolete)) {
            ended(obsolete);
        }
    }

    /**
     * Nobody wants any more what {@link #add} has taken: the peer is told, if it knows of it. What waits of it is left
     * out when its turn comes; while nothing goes out, such does not pile up: once it may be more than half of all that
     * waits, it is taken out.
     */
    void cancel(OutgoingFrame unwanted) {
        if (++obsolete > queue.size() / 2) {
            obsolete = 0;
            queue.removeIf(this::endIfObsolete);
        }
        if (unwanted.begun) {
            cancels.add(new OutgoingFrame(Frames.CANCEL, unwanted.id, 0, 0));
        }
    }

    private boolean endIfObsolete(OutgoingFrame next) {
        if (next.isObsolete()) {
            ended(next);
            return true;
        }
        return false;
    }

    private void ended(OutgoingFrame last) {
        waiting -= last.length;
        last.gone();
    }

    /** The connection has ended. */
    void clear() {
        queue.clear();
        cancels.clear();
        waiting = 0;
        obsolete = 0;
    }
}
