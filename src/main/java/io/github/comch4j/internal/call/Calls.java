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
 * Cold calls with a result through their last parameter, {@link #out}: {@code uint32(action, call(…, out()))}.
 * {@code action} always continues "while …".
 */
public final class Calls {
    /** {@code DOCA_SUCCESS}. */
    public static final int SUCCESS = DocaError.SUCCESS.code();

    /** One place for each thread: none of these calls makes another one before its result is taken. */
    private static final ThreadLocal<MemorySegment> OUT = new ThreadLocal<>();

    private Calls() {}

    /** Where a call is to write one result, of up to 8 bytes. It is zero. */
    static MemorySegment out() {
        MemorySegment out = OUT.get();
        if (out == null) {
            out = Arena.ofAuto().allocate(ValueLayout.JAVA_LONG);
            OUT.set(out);
        }
        out.set(ValueLayout.JAVA_LONG, 0, 0);
        return out;
    }

    private static MemorySegment result(String action, Answer answer) {
        answer.check(action);
        return OUT.get();
    }

    /** A pointer. */
    static MemorySegment pointer(String action, Answer answer) {
        return MemorySegment.ofAddress(result(action, answer).get(ValueLayout.JAVA_LONG, 0));
    }

    /** A {@code uint32_t}. */
    static long uint32(String action, Answer answer) {
        return Integer.toUnsignedLong(result(action, answer).get(ValueLayout.JAVA_INT, 0));
    }

    /** A {@code uint64_t}. */
    static long uint64(String action, Answer answer) {
        return result(action, answer).get(ValueLayout.JAVA_LONG, 0);
    }

    /**
     * A {@code size_t} that fits into an {@code int} on every device there is; one that does not is refused, not cut.
     */
    static int size(String action, Answer answer) {
        long size = uint64(action, answer);
        if (size < 0 || size > Integer.MAX_VALUE) {
            throw Failures.refused(
                    DocaError.TOO_BIG,
                    Symbols.nameOf(answer.function()),
                    action + ", where it says " + Long.toUnsignedString(size));
        }
        return (int) size;
    }

    /** A {@code uint8_t} flag. */
    static boolean flag(String action, Answer answer) {
        return result(action, answer).get(ValueLayout.JAVA_BYTE, 0) != 0;
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
