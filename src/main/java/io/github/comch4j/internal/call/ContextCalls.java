package io.github.comch4j.internal.call;

import static io.github.comch4j.internal.call.DocaFunction.present;

import io.github.comch4j.ffi.doca_data;
import io.github.comch4j.ffi.doca_h;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
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
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment data = arena.allocate(doca_data.layout());
            doca_data.u64(data, userData);
            present("doca_ctx_set_user_data").check(action, doca_h.doca_ctx_set_user_data(context, data));
        }
    }

    /** {@code doca_ctx_set_state_changed_cb}. */
    public static void setStateChanged(MemorySegment context, MemorySegment callback, String action) {
        present("doca_ctx_set_state_changed_cb").check(action, doca_h.doca_ctx_set_state_changed_cb(context, callback));
    }

    /** {@code doca_pe_connect_ctx}. */
    public static void connect(MemorySegment engine, MemorySegment context, String action) {
        present("doca_pe_connect_ctx").check(action, doca_h.doca_pe_connect_ctx(engine, context));
    }

    /** {@code doca_ctx_start}; returns {@code doca_error_t}. */
    public static int start(MemorySegment context) {
        present("doca_ctx_start");
        return doca_h.doca_ctx_start(context);
    }

    /** {@code doca_ctx_stop}; returns {@code doca_error_t}. */
    public static int stop(MemorySegment context) {
        present("doca_ctx_stop");
        return doca_h.doca_ctx_stop(context);
    }

    /** {@code doca_ctx_start} of a context that is on the DPA: it has started when this returns. */
    public static void start(MemorySegment context, String action) {
        present("doca_ctx_start").check(action, doca_h.doca_ctx_start(context));
    }

    /** {@code doca_ctx_stop} of a context that is on the DPA: it has stopped when this returns. */
    public static void stop(MemorySegment context, String action) {
        present("doca_ctx_stop").check(action, doca_h.doca_ctx_stop(context));
    }

    /** {@code doca_ctx_get_state}: one of the four above. */
    public static int state(MemorySegment context) {
        return present("doca_ctx_get_state")
                .number("asking for a state", doca_h.doca_ctx_get_state(context, Calls.out()));
    }

    /** {@code doca_ctx_cap_get_num_completion_vectors}, of a device. */
    public static OptionalInt completionVectors(MemorySegment info) {
        return OptionalCalls.number(
                "doca_ctx_cap_get_num_completion_vectors",
                out -> doca_h.doca_ctx_cap_get_num_completion_vectors(info, out));
    }
}
