package io.github.comch4j.internal.call;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.github.comch4j.ffi.doca_h;
import io.github.comch4j.internal.load.Symbols;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/** Calls of contexts ({@code doca_ctx.h}). Methods return {@code doca_error_t}. */
public final class ContextCalls {
    /** {@code DOCA_CTX_STATE_IDLE}. */
    public static final int IDLE = doca_h.DOCA_CTX_STATE_IDLE();
    /** {@code DOCA_CTX_STATE_STARTING}. */
    public static final int STARTING = doca_h.DOCA_CTX_STATE_STARTING();
    /** {@code DOCA_CTX_STATE_RUNNING}. */
    public static final int RUNNING = doca_h.DOCA_CTX_STATE_RUNNING();
    /** {@code DOCA_CTX_STATE_STOPPING}. */
    public static final int STOPPING = doca_h.DOCA_CTX_STATE_STOPPING();

    /** By hand and not in the generated bindings: takes a {@code union doca_data} by value. */
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

    /** {@code doca_ctx_set_state_changed_cb}. */
    public static int setStateChanged(MemorySegment context, MemorySegment callback) {
        return doca_h.doca_ctx_set_state_changed_cb(context, callback);
    }

    /** {@code doca_pe_connect_ctx}. */
    public static int connect(MemorySegment engine, MemorySegment context) {
        return doca_h.doca_pe_connect_ctx(engine, context);
    }

    /** {@code doca_ctx_start}. */
    public static int start(MemorySegment context) {
        return Calls.code("doca_ctx_start", () -> doca_h.doca_ctx_start(context));
    }

    /** {@code doca_ctx_stop}. */
    public static int stop(MemorySegment context) {
        return Calls.code("doca_ctx_stop", () -> doca_h.doca_ctx_stop(context));
    }
}
