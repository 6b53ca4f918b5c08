package io.github.comch4j.rpc;

import io.github.comch4j.link.MpscQueue;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/** Something that is to be sent, in one frame or in several. */
class OutgoingFrame extends MpscQueue.Item<OutgoingFrame> {
    static final byte[] EMPTY = new byte[0];
    private static final long[] NONE = {};
    private static final MemorySegment NOTHING = MemorySegment.ofArray(EMPTY);

    final int kind;
    final int value;
    final long extra;
    final MemorySegment body;
    final int length; // of the body
    long id;
    int sent; // of the body
    boolean begun; // its first frame is in a message
    boolean large; // it goes over the fast path
    private long firstMessage; // with a frame of it, if it has begun
    private long[] otherMessages = NONE; // ascending
    private int others;

    OutgoingFrame(int kind, long id, int value, long extra, MemorySegment body) {
        this.kind = kind;
        this.id = id;
        this.value = value;
        this.extra = extra;
        this.body = body;
        this.length = (int) body.byteSize();
    }

    /** A frame with no body. */
    OutgoingFrame(int kind, long id, int value, long extra) {
        this(kind, id, value, extra, NOTHING);
    }

    /** What goes out right before it, as {@link Metadata} writes it; empty if there is nothing. */
    byte[] metadata() {
        return EMPTY;
    }

    /** So many more bytes of it are in the message with this number. */
    final void add(long message, int part) {
        if (begun) {
            if (others == otherMessages.length) {
                otherMessages = Arrays.copyOf(otherMessages, Math.max(4, 2 * others));
            }
            otherMessages[others++] = message;
        } else {
            begun = true;
            firstMessage = message;
        }
        sent += part;
    }

    /** Whether a part of it is in the message with this number. */
    final boolean isIn(long message) {
        return begun && (message == firstMessage || Arrays.binarySearch(otherMessages, 0, others, message) >= 0);
    }

    /** Nothing of it has been sent. */
    final void startAgain() {
        sent = 0;
        begun = false;
        large = false;
        others = 0;
    }

    /** Whether nobody wants it any more. */
    boolean isObsolete() {
        return false;
    }

    /** Its last part is about to be sent. Returns false if nobody wants it any more. */
    boolean leave() {
        return !isObsolete();
    }

    /** Its last frame is in a message, or it was left out as obsolete. */
    void gone() {}

    /** Its body cannot be read. */
    void unreadable(RuntimeException why) {
        throw why;
    }
}
