package io.github.comch4j.bench;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Checks what arrives: the number that each payload begins with is its producer's next one, always; the pattern behind
 * it, in the first messages of a run.
 */
final class Arrivals {
    private final int size;
    private final long[] receivedOf; // by the producer's index; null: there is one
    private long toCheck;
    private long received;
    private long checked;

    Arrivals(Options options) {
        size = options.size();
        receivedOf = options.producers() == 1 ? null : new long[options.producers()];
        toCheck = 4L * options.depth();
    }

    static void fill(MemorySegment payload) {
        for (long i = Long.BYTES; i < payload.byteSize(); i++) {
            payload.set(ValueLayout.JAVA_BYTE, i, pattern(i));
        }
    }

    private static byte pattern(long i) {
        return (byte) (i * 31 + (i >> 8) + 7);
    }

    /** A message with this number and length. */
    void arrived(long number, long length) {
        if (number != expected(number) || length != size) {
            throw new IllegalStateException("message " + received + ": number " + number + ", " + length + " bytes");
        }
        received++;
    }

    /** As many messages of one length, of which each begins {@code stride} bytes after the one before. */
    void arrived(MemorySegment memory, long first, long stride, int count, long length) {
        long wrong = length - size;
        long next = received;
        for (int i = 0; i < count; i++) {
            long number = memory.get(ValueLayout.JAVA_LONG, first + i * stride);
            wrong |= number ^ (receivedOf == null ? next + i : expected(number));
        }
        if (wrong != 0) {
            throw new IllegalStateException("one of the messages from " + received + " on: another number or length");
        }
        received += count;
    }

    /** What the next payload of this one's producer must begin with. */
    private long expected(long number) {
        if (receivedOf == null) {
            return received;
        }
        int producer = (int) (number >>> 56) % receivedOf.length;
        return SeveralOutlets.number(producer, receivedOf[producer]++);
    }

    /** Whether the whole payload is to be checked too, before {@link #arrived}. */
    boolean isChecking() {
        return toCheck > 0;
    }

    void check(MemorySegment payload) {
        for (long i = Long.BYTES; i < payload.byteSize(); i++) {
            if (payload.get(ValueLayout.JAVA_BYTE, i) != pattern(i)) {
                throw new IllegalStateException("message " + received + ": wrong data at " + i);
            }
        }
        toCheck--;
        checked++;
    }

    long received() {
        return received;
    }

    long checked() {
        return checked;
    }
}
