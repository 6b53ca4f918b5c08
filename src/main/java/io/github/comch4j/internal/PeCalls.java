package io.github.comch4j.internal;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.FunctionDescriptor;
import java.lang.invoke.MethodHandle;

/** Hot calls of the progress engine. */
public final class PeCalls {
    private static final MethodHandle PROGRESS = Symbols.downcall("doca_pe_progress",
            FunctionDescriptor.of(JAVA_BYTE, JAVA_LONG));

    private PeCalls() {
    }

    /** {@code doca_pe_progress}: 1 if something happened. */
    public static byte progress(long engine) {
        try {
            return (byte) PROGRESS.invokeExact(engine);
        } catch (Throwable t) {
            throw Symbols.unexpected(t);
        }
    }
}
