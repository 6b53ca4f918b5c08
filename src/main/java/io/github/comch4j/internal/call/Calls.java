package io.github.comch4j.internal.call;

import io.github.comch4j.DocaError;
import io.github.comch4j.internal.failure.Failures;
import io.github.comch4j.internal.load.Answer;
import io.github.comch4j.internal.load.Symbols;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.function.Function;

/**
 * Cold calls with a result through their last parameter. {@code action} always continues "while …".
 */
public final class Calls {
    /** {@code DOCA_SUCCESS}. */
    public static final int SUCCESS = DocaError.SUCCESS.code();

    private Calls() {}

    /** A call with one pointer as result, through its last parameter. */
    static MemorySegment pointer(String action, Function<MemorySegment, Answer> call) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment out = arena.allocate(ValueLayout.ADDRESS);
            call.apply(out).check(action);
            return out.get(ValueLayout.ADDRESS, 0);
        }
    }

    /** A call with one {@code uint32_t} as result, through its last parameter. */
    static long uint32(String action, Function<MemorySegment, Answer> call) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment out = arena.allocate(ValueLayout.JAVA_INT);
            call.apply(out).check(action);
            return Integer.toUnsignedLong(out.get(ValueLayout.JAVA_INT, 0));
        }
    }

    /** A call with one {@code uint64_t} as result, through its last parameter. */
    static long uint64(String action, Function<MemorySegment, Answer> call) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment out = arena.allocate(ValueLayout.JAVA_LONG);
            call.apply(out).check(action);
            return out.get(ValueLayout.JAVA_LONG, 0);
        }
    }

    /**
     * As {@link #uint64}, of a {@code size_t} that fits into an {@code int} on every device there is; one that does not
     * is refused, not cut.
     */
    static int size(String action, Function<MemorySegment, Answer> call) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment out = arena.allocate(ValueLayout.JAVA_LONG);
            Answer answer = call.apply(out);
            answer.check(action);
            long size = out.get(ValueLayout.JAVA_LONG, 0);
            if (size < 0 || size > Integer.MAX_VALUE) {
                throw Failures.refused(
                        DocaError.TOO_BIG,
                        Symbols.nameOf(answer.function()),
                        action + ", where it says " + Long.toUnsignedString(size));
            }
            return (int) size;
        }
    }

    /** A call with one {@code uint8_t} flag as result, through its last parameter. */
    static boolean flag(String action, Function<MemorySegment, Answer> call) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment out = arena.allocate(ValueLayout.JAVA_BYTE);
            call.apply(out).check(action);
            return out.get(ValueLayout.JAVA_BYTE, 0) != 0;
        }
    }

    /**
     * A call that fills a buffer of {@code size} bytes with a NUL-terminated string; empty where the device has none.
     */
    static String text(String action, int size, Function<MemorySegment, Answer> call) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment out = arena.allocate(size);
            Answer answer = call.apply(out);
            if (answer.is(DocaError.NOT_SUPPORTED)
                    || answer.is(DocaError.NOT_FOUND)
                    || answer.is(DocaError.OPERATING_SYSTEM)) {
                return "";
            }
            answer.check(action);
            byte[] bytes = out.toArray(ValueLayout.JAVA_BYTE);
            int length = 0;
            while (length < bytes.length && bytes[length] != 0) {
                length++;
            }
            return new String(bytes, 0, length, StandardCharsets.UTF_8);
        }
    }
}
