package io.github.comch4j.internal.call;

import io.github.comch4j.DocaError;
import io.github.comch4j.ffi.Lookup;
import io.github.comch4j.internal.failure.Failures;
import io.github.comch4j.internal.load.DocaAnswer;
import io.github.comch4j.internal.load.NativeLibrary;
import io.github.comch4j.internal.load.Symbols;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A function that the loaded libraries have, and what its {@code doca_error_t} means:
 * {@code present("f").check(action, doca_h.f(…))}. As the function comes before the call, it is asked for first: a
 * binding that does not find its function fails with an error that does not tell why, and for good. {@code action}
 * always continues "while …".
 *
 * <p>Results are those that the call has written to {@link Calls#out}.
 *
 * @param name its name of today
 */
record DocaFunction(String name) {
    private static final Map<String, DocaFunction> PRESENT = new ConcurrentHashMap<>();

    static {
        Lookup.set(Symbols::find); // by older names too
    }

    /**
     * The function of a name of today.
     *
     * @throws io.github.comch4j.MissingFunctionException if the loaded libraries lack it
     */
    static DocaFunction present(String name) {
        DocaFunction function = PRESENT.get(name);
        if (function == null) {
            NativeLibrary.load();
            if (!Symbols.has(name)) {
                throw Symbols.missing(name);
            }
            function = new DocaFunction(name);
            PRESENT.put(name, function);
        }
        return function;
    }

    DocaAnswer answer(int code) {
        return new DocaAnswer(name, code);
    }

    boolean succeeds(int code) {
        return code == Calls.SUCCESS;
    }

    /** Throws what is not {@code DOCA_SUCCESS}. */
    void check(String action, int code) {
        if (code != Calls.SUCCESS) {
            throw answer(code).refused(action);
        }
    }

    /** A pointer. */
    MemorySegment pointer(String action, int code) {
        return MemorySegment.ofAddress(value(action, code));
    }

    /** An unsigned number of up to 64 bits, or a flag: what the call has not written to is zero. */
    long value(String action, int code) {
        check(action, code);
        return Calls.result().get(ValueLayout.JAVA_LONG, 0);
    }

    /** A {@code uint32_t}, or less. */
    int number(String action, int code) {
        return (int) value(action, code);
    }

    /**
     * A {@code size_t} that fits into an {@code int} on every device there is; one that does not is refused, not cut.
     */
    int size(String action, int code) {
        long size = value(action, code);
        if (size < 0 || size > Integer.MAX_VALUE) {
            throw Failures.refused(
                    DocaError.TOO_BIG, Symbols.nameOf(name), action + ": it returned " + Long.toUnsignedString(size));
        }
        return (int) size;
    }
}
