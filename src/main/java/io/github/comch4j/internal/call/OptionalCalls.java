package io.github.comch4j.internal.call;

import static io.github.comch4j.internal.call.DocaFunction.present;

import io.github.comch4j.internal.load.Symbols;
import java.lang.foreign.Arena;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.function.Function;
import java.util.function.ToIntFunction;

/**
 * Calls whose result is optional, through their last parameter: not every device has an answer, and not every release
 * has the function.
 */
final class OptionalCalls {

    private OptionalCalls() {}

    static OptionalInt uint16(String function, ToIntFunction<MemorySegment> call) {
        return ask(
                        ValueLayout.JAVA_SHORT,
                        function,
                        call,
                        out -> OptionalInt.of(Short.toUnsignedInt(out.get(ValueLayout.JAVA_SHORT, 0))))
                .orElse(OptionalInt.empty());
    }

    static OptionalInt uint32(String function, ToIntFunction<MemorySegment> call) {
        return ask(ValueLayout.JAVA_INT, function, call, out -> OptionalInt.of(out.get(ValueLayout.JAVA_INT, 0)))
                .orElse(OptionalInt.empty());
    }

    static OptionalLong uint64(String function, ToIntFunction<MemorySegment> call) {
        return ask(ValueLayout.JAVA_LONG, function, call, out -> OptionalLong.of(out.get(ValueLayout.JAVA_LONG, 0)))
                .orElse(OptionalLong.empty());
    }

    /** A {@code uint8_t}; no answer means no. */
    static boolean flag(String function, ToIntFunction<MemorySegment> call) {
        return ask(ValueLayout.JAVA_BYTE, function, call, out -> out.get(ValueLayout.JAVA_BYTE, 0) != 0)
                .orElse(false);
    }

    static Optional<byte[]> bytes(int size, String function, ToIntFunction<MemorySegment> call) {
        return ask(
                MemoryLayout.sequenceLayout(size, ValueLayout.JAVA_BYTE),
                function,
                call,
                out -> out.toArray(ValueLayout.JAVA_BYTE));
    }

    /** No answer is as good as a function that this release lacks. */
    private static <T> Optional<T> ask(
            MemoryLayout layout, String function, ToIntFunction<MemorySegment> call, Function<MemorySegment, T> read) {
        if (!Symbols.has(function)) {
            return Optional.empty();
        }
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment out = arena.allocate(layout);
            return present(function).succeeds(call.applyAsInt(out)) ? Optional.of(read.apply(out)) : Optional.empty();
        }
    }
}
