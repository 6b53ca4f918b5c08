package io.github.comch4j.rpc;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A body that arrives in parts. Takes memory as they come, whatever length the peer has told. */
final class PartialBody {
    private static final int FIRST_SIZE = 64 << 10;

    /** It has memory for so many times what has come first, so that parts of the fast path are rarely copied again. */
    private static final int AHEAD = 4;

    /** What its first frame said beside the body. */
    final int value;

    final long extra;

    /** What has come beside it; null if nothing has. */
    @Nullable
    Map<String, String> metadata;

    private byte[] bytes;
    private final int length;
    private int filled;

    /** {@code part} is how much of it the first frame has. */
    PartialBody(int length, int value, long extra, int part) {
        this.length = length;
        this.value = value;
        this.extra = extra;
        this.bytes = new byte[Math.min(length, Math.max(FIRST_SIZE, AHEAD * Frames.size(part)))];
    }

    /** Adds a part. Returns false if that is more than the body was said to have. */
    boolean add(MemorySegment message, long at, int part) {
        if (part > length - filled) {
            return false;
        }
        if (filled + part > bytes.length) {
            bytes = Arrays.copyOf(bytes, (int) Math.min(length, Math.max(2L * bytes.length, filled + part)));
        }
        MemorySegment.copy(message, ValueLayout.JAVA_BYTE, at + Frames.HEADER, bytes, filled, part);
        filled += part;
        return true;
    }

    boolean isWhole() {
        return filled == length;
    }

    int filled() {
        return filled;
    }

    byte[] bytes() {
        return bytes.length == length ? bytes : Arrays.copyOf(bytes, length);
    }

    /** A body that is in one frame. */
    static byte[] of(MemorySegment message, long at, int part) {
        byte[] bytes = new byte[part];
        MemorySegment.copy(message, ValueLayout.JAVA_BYTE, at + Frames.HEADER, bytes, 0, part);
        return bytes;
    }
}
