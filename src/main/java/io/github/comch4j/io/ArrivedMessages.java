package io.github.comch4j.io;

import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/** Messages in order, added by one thread and taken by one other at a time, neither of which waits for the other. */
final class ArrivedMessages {
    private static final int CHUNK = 256;

    /** Places for messages, each of which is used once. */
    private static final class Chunk extends AtomicReferenceArray<byte @Nullable []> {
        private static final long serialVersionUID = 1L;

        volatile @Nullable Chunk next;

        Chunk() {
            super(CHUNK);
        }
    }

    private Chunk last = new Chunk(); // of the thread that adds
    private int end; // in it
    private Chunk first = last; // of the thread that takes
    private int begin; // in it

    /** With nothing in it. */
    ArrivedMessages() {}

    void add(byte[] message) {
        if (end == CHUNK) {
            Chunk next = new Chunk();
            last.next = next;
            last = next;
            end = 0;
        }
        last.setRelease(end++, message);
    }

    /** The next message, or null. */
    byte @Nullable [] poll() {
        if (begin == CHUNK) {
            Chunk next = first.next;
            if (next == null) {
                return null;
            }
            first = next;
            begin = 0;
        }
        byte[] message = first.getAcquire(begin);
        if (message != null) {
            first.setPlain(begin++, null);
        }
        return message;
    }

    /** Whether there is a message. For the thread that takes. */
    boolean isEmpty() {
        if (begin < CHUNK) {
            return first.getAcquire(begin) == null;
        }
        Chunk next = first.next;
        return next == null || next.getAcquire(0) == null;
    }
}
