package io.github.comch4j.internal.call;

import io.github.comch4j.DocaError;
import io.github.comch4j.internal.failure.Failures;
import io.github.comch4j.internal.load.NativeLibrary;
import io.github.comch4j.internal.load.Symbols;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.function.IntSupplier;
import java.util.function.Supplier;
import java.util.function.ToIntFunction;

/**
 * Cold calls through the generated bindings: libraries loaded first, missing functions explained, codes turned into
 * exceptions. Functions are named as they are called today; exceptions name them as the loaded release does.
 *
 * <p>{@code action} always continues "while …".
 */
public final class Calls {
    /** {@code DOCA_SUCCESS}. */
    public static final int SUCCESS = DocaError.SUCCESS.code();

    private Calls() {}

    /** Runs a call that returns {@code doca_error_t}; anything but success is an exception. */
    static void check(String function, String action, IntSupplier call) {
        int code = code(function, call);
        if (code != SUCCESS) {
            throw Failures.refused(code, Symbols.nameOf(function), action);
        }
    }

    /** Runs a call that returns {@code doca_error_t} and returns the code. */
    static int code(String function, IntSupplier call) {
        NativeLibrary.load();
        try {
            return call.getAsInt();
        } catch (LinkageError | AssertionError e) {
            throw translated(function, e);
        }
    }

    /** Runs a call that returns something else. */
    static <T> T value(String function, Supplier<T> call) {
        NativeLibrary.load();
        try {
            return call.get();
        } catch (LinkageError | AssertionError e) {
            throw translated(function, e);
        }
    }

    /** A call with one pointer as result, through its last parameter. */
    static MemorySegment pointer(String function, String action, ToIntFunction<MemorySegment> call) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment out = arena.allocate(ValueLayout.ADDRESS);
            check(function, action, () -> call.applyAsInt(out));
            return out.get(ValueLayout.ADDRESS, 0);
        }
    }

    /** A call with one {@code uint32_t} as result, through its last parameter. */
    static long uint32(String function, String action, ToIntFunction<MemorySegment> call) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment out = arena.allocate(ValueLayout.JAVA_INT);
            check(function, action, () -> call.applyAsInt(out));
            return Integer.toUnsignedLong(out.get(ValueLayout.JAVA_INT, 0));
        }
    }

    /** A call with one {@code uint64_t} as result, through its last parameter. */
    static long uint64(String function, String action, ToIntFunction<MemorySegment> call) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment out = arena.allocate(ValueLayout.JAVA_LONG);
            check(function, action, () -> call.applyAsInt(out));
            return out.get(ValueLayout.JAVA_LONG, 0);
        }
    }

    /**
     * As {@link #uint64}, of a {@code size_t} that fits into an {@code int} on every device there is; one that does not
     * is refused, not cut.
     */
    static int size(String function, String action, ToIntFunction<MemorySegment> call) {
        long size = uint64(function, action, call);
        if (size < 0 || size > Integer.MAX_VALUE) {
            throw Failures.refused(
                    DocaError.TOO_BIG,
                    Symbols.nameOf(function),
                    action + ", where it says " + Long.toUnsignedString(size));
        }
        return (int) size;
    }

    /** A call with one {@code uint8_t} flag as result, through its last parameter. */
    static boolean flag(String function, String action, ToIntFunction<MemorySegment> call) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment out = arena.allocate(ValueLayout.JAVA_BYTE);
            check(function, action, () -> call.applyAsInt(out));
            return out.get(ValueLayout.JAVA_BYTE, 0) != 0;
        }
    }

    /**
     * A call that fills a buffer of {@code size} bytes with a NUL-terminated string; empty where the device has none.
     */
    static String text(String function, String action, int size, ToIntFunction<MemorySegment> call) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment out = arena.allocate(size);
            int code = code(function, () -> call.applyAsInt(out));
            if (code == DocaError.NOT_SUPPORTED.code()
                    || code == DocaError.NOT_FOUND.code()
                    || code == DocaError.OPERATING_SYSTEM.code()) {
                return "";
            }
            if (code != SUCCESS) {
                throw Failures.refused(code, Symbols.nameOf(function), action);
            }
            byte[] bytes = out.toArray(ValueLayout.JAVA_BYTE);
            int length = 0;
            while (length < bytes.length && bytes[length] != 0) {
                length++;
            }
            return new String(bytes, 0, length, StandardCharsets.UTF_8);
        }
    }

    /** A capability that is only a return value: success is yes, anything else is no. */
    static boolean supported(String function, IntSupplier call) {
        return code(function, call) == SUCCESS;
    }

    /**
     * What the generated code throws: a {@link LinkageError} where the libraries lack the function, and an
     * {@link AssertionError} around what a downcall threw, for example because an argument's arena is closed.
     */
    private static RuntimeException translated(String function, Error error) {
        if (error instanceof LinkageError && !Symbols.has(function)) {
            return Symbols.missing(function);
        }
        if (error instanceof AssertionError && error.getCause() instanceof RuntimeException cause) {
            return cause;
        }
        throw error;
    }
}
