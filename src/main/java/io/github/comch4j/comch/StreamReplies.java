package io.github.comch4j.comch;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * What readers of streams on the fast path say to the writers: one word for each stream, in a message on the control
 * path that the program does not see. Only a connection on which this process writes such a stream looks for them.
 */
final class StreamReplies {
    private static final int LENGTH = 16;
    private static final int MARK = 0x73346a63; // cj4s
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final long GONE = 1; // that of a consumer which has ended without a word

    private final ConcurrentMap<Integer, AtomicLong> words = new ConcurrentHashMap<>(); // by the consumer's id

    /** The message for a word about the stream at a consumer of this process. */
    static byte[] message(int consumerId, long word) {
        return ByteBuffer.allocate(LENGTH)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putInt(MARK)
                .putInt(consumerId)
                .putLong(word)
                .array();
    }

    /** The last word about the stream to a consumer of the peer, 0: none. */
    AtomicLong of(int consumerId) {
        return words.computeIfAbsent(consumerId, id -> new AtomicLong());
    }

    /** Takes the message if it is one of these. */
    boolean takes(MemorySegment message) {
        if (message.byteSize() != LENGTH || message.get(INT, 0) != MARK) {
            return false;
        }
        of(message.get(INT, 4)).set(message.get(LONG, 8));
        return true;
    }

    /** A consumer of the peer has come or gone. */
    void consumer(int id, boolean created) {
        if (created) {
            words.computeIfPresent(id, (same, word) -> word.get() == 0 ? word : new AtomicLong());
        } else if (words.containsKey(id)) {
            of(id).compareAndSet(0, GONE);
        }
    }
}
