package io.github.comch4j.internal;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.FunctionDescriptor;
import java.lang.invoke.MethodHandle;

/** Calls of contexts that take a {@code union doca_data} by value. */
public final class ContextCalls {
    private static final MethodHandle SET_USER_DATA = Symbols.downcall("doca_ctx_set_user_data",
            FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG));

    private ContextCalls() {
    }

    /** {@code doca_ctx_set_user_data}. */
    public static int setUserData(long context, long userData) {
        try {
            return (int) SET_USER_DATA.invokeExact(context, userData);
        } catch (Throwable t) {
            throw Symbols.unexpected(t);
        }
    }
}
