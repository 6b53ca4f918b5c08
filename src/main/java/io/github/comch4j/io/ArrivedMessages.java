package io.github.comch4j.io;

import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/** Messages in order, added by one thread and taken by one other at a time, neither of which waits for the other. */
final class ArrivedMessages {
    private static final int CHUNK = 256;

    /** Places for messages, each of which is used once. */
    private static final class MessageBlock extends AtomicReferenceArray<byte @Nullable []> {
        private static final long serialVersionUID = 1L;

        volatile @Nullable MessageBlock next;

        MessageBlock() {
            super(CHUNK);
        }
    }

    private MessageBlock last = new MessageBlock(); // of the thread that adds
    private int end; // in it
    private MessageBlock first = last; // of the thread that takes
    private int begin; // in it

    /** With nothing in it. */
    ArrivedMessages() {}

    void add(byte[] message) {
        if (end == CHUNK) {
            MessageBlock next = new MessageBlock();
            last.next = next;
            last = next;
            end = 0;
        }
        last.setRelease(end++, message);
    }

    /** The next message, or null. */
    byte @Nullable [] poll() {
        if (begin == CHUNK) {
            MessageBlock next = first.next;
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
        MessageBlock next = first.next;
        return next == null || next.getAcquire(0) == null;
    }
}
