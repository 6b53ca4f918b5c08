package io.github.comch4j.internal.call;

import static io.github.comch4j.internal.call.DocaFunction.present;

import io.github.comch4j.DocaError;
import io.github.comch4j.internal.load.DocaAnswer;
import io.github.comch4j.internal.load.Symbols;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.function.ToIntFunction;

/** What calls take and write: results through a last parameter, texts, and memory of a program. */
public final class Calls {
    /** {@code DOCA_SUCCESS}. */
    public static final int SUCCESS = DocaError.SUCCESS.code();

    /** One place for each thread: none of these calls makes another one before its result is taken. */
    private static final ThreadLocal<MemorySegment> OUT = new ThreadLocal<>();

    private Calls() {}

    /** Memory of a program as an argument: of whichever thread it is, but native and there. */
    static MemorySegment lent(MemorySegment memory) {
        return MemorySegment.ofAddress(Symbols.address(memory));
    }

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

    /** What was written there. */
    static MemorySegment result() {
        return OUT.get();
    }

    /**
     * A call that fills a buffer of {@code size} bytes with a NUL-terminated string; empty where the device has none.
     */
    static String text(String action, int size, String function, ToIntFunction<MemorySegment> call) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment out = arena.allocate(size);
            DocaAnswer answer = present(function).answer(call.applyAsInt(out));
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
