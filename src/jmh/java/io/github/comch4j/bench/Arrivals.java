package io.github.comch4j.bench;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Checks what arrives: the number that each payload begins with is the next one, always; the pattern behind it, in the
 * first messages of a run.
 */
final class Arrivals {
    private final int size;
    private long toCheck;
    private long received;
    private long checked;

    Arrivals(Options options) {
        size = options.size();
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
        if (number != received || length != size) {
            throw new IllegalStateException("message " + received + ": number " + number + ", " + length + " bytes");
        }
        received++;
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
