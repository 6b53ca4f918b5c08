package io.github.comch4j.internal.call;

import static io.github.comch4j.internal.call.DocaFunction.present;

import io.github.comch4j.internal.load.Symbols;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.function.ToIntFunction;

/**
 * Calls whose result is optional, through their last parameter: not every device has an answer, and not every release
 * has the function.
 */
final class OptionalCalls {

    private OptionalCalls() {}

    /** A {@code uint32_t}, or less. */
    static OptionalInt number(String function, ToIntFunction<MemorySegment> call) {
        OptionalLong value = value(function, call);
        return value.isPresent() ? OptionalInt.of((int) value.getAsLong()) : OptionalInt.empty();
    }

    /** An unsigned number of up to 64 bits. */
    static OptionalLong value(String function, ToIntFunction<MemorySegment> call) {
        return succeeds(function, call, Calls.out())
                ? OptionalLong.of(Calls.result().get(ValueLayout.JAVA_LONG, 0))
                : OptionalLong.empty();
    }

    /** A {@code uint8_t}; no answer means no. */
    static boolean flag(String function, ToIntFunction<MemorySegment> call) {
        return value(function, call).orElse(0) != 0;
    }

    static Optional<byte[]> bytes(int size, String function, ToIntFunction<MemorySegment> call) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment out = arena.allocate(size);
            return succeeds(function, call, out) ? Optional.of(out.toArray(ValueLayout.JAVA_BYTE)) : Optional.empty();
        }
    }

    /** No answer is as good as a function that this release lacks. */
    private static boolean succeeds(String function, ToIntFunction<MemorySegment> call, MemorySegment out) {
        return Symbols.has(function) && present(function).succeeds(call.applyAsInt(out));
    }
}
