package io.github.comch4j.internal.call;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.github.comch4j.ffi.doca_h;
import io.github.comch4j.internal.load.Symbols;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.util.OptionalInt;

/** Calls of contexts ({@code doca_ctx.h}). */
public final class ContextCalls {
    /** {@code DOCA_CTX_STATE_IDLE}. */
    public static final int IDLE = doca_h.DOCA_CTX_STATE_IDLE();
    /** {@code DOCA_CTX_STATE_STARTING}. */
    public static final int STARTING = doca_h.DOCA_CTX_STATE_STARTING();
    /** {@code DOCA_CTX_STATE_RUNNING}. */
    public static final int RUNNING = doca_h.DOCA_CTX_STATE_RUNNING();
    /** {@code DOCA_CTX_STATE_STOPPING}. */
    public static final int STOPPING = doca_h.DOCA_CTX_STATE_STOPPING();

    /** {@code doca_ctx_start}. */
    public static final String START_NAME = "doca_ctx_start";
    /** {@code doca_ctx_stop}. */
    public static final String STOP_NAME = "doca_ctx_stop";

    private ContextCalls() {}

    /** {@code doca_ctx_set_user_data}. */
    public static void setUserData(MemorySegment context, long userData, String action) {
        Calls.check("doca_ctx_set_user_data", action, () -> ByHand.setUserData(context.address(), userData));
    }

    /** {@code doca_ctx_set_state_changed_cb}. */
    public static void setStateChanged(MemorySegment context, MemorySegment callback, String action) {
        Calls.check(
                "doca_ctx_set_state_changed_cb", action, () -> doca_h.doca_ctx_set_state_changed_cb(context, callback));
    }

    /** {@code doca_pe_connect_ctx}. */
    public static void connect(MemorySegment engine, MemorySegment context, String action) {
        Calls.check("doca_pe_connect_ctx", action, () -> doca_h.doca_pe_connect_ctx(engine, context));
    }

    /** {@code doca_ctx_start}; returns {@code doca_error_t}. */
    public static int start(MemorySegment context) {
        return Calls.code(START_NAME, () -> doca_h.doca_ctx_start(context));
    }

    /** {@code doca_ctx_stop}; returns {@code doca_error_t}. */
    public static int stop(MemorySegment context) {
        return Calls.code(STOP_NAME, () -> doca_h.doca_ctx_stop(context));
    }

    /** {@code doca_ctx_start} of a context that is on the DPA: it has started when this returns. */
    public static void start(MemorySegment context, String action) {
        Calls.check(START_NAME, action, () -> doca_h.doca_ctx_start(context));
    }

    /** {@code doca_ctx_stop} of a context that is on the DPA: it has stopped when this returns. */
    public static void stop(MemorySegment context, String action) {
        Calls.check(STOP_NAME, action, () -> doca_h.doca_ctx_stop(context));
    }

    /** {@code doca_ctx_get_state}: one of the four above. */
    public static int state(MemorySegment context) {
        return (int) Calls.uint32(
                "doca_ctx_get_state", "asking for a state", out -> doca_h.doca_ctx_get_state(context, out));
    }

    /** {@code doca_ctx_cap_get_num_completion_vectors}, of a device. */
    public static OptionalInt completionVectors(MemorySegment info) {
        return OptionalCalls.uint32(
                "doca_ctx_cap_get_num_completion_vectors",
                out -> doca_h.doca_ctx_cap_get_num_completion_vectors(info, out));
    }

    /**
     * Not in the generated bindings, because it takes a {@code union doca_data} by value; apart, so that the constants
     * can be had without the libraries.
     */
    private static final class ByHand {
        private static final MethodHandle SET_USER_DATA =
                Symbols.downcall("doca_ctx_set_user_data", FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG));

        static int setUserData(long context, long userData) {
            try {
                return (int) SET_USER_DATA.invokeExact(context, userData);
            } catch (Throwable t) {
                throw Symbols.unexpected(t);
            }
        }
    }
}
