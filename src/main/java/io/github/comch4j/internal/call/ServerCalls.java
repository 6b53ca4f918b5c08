package io.github.comch4j.internal.call;

import io.github.comch4j.ffi.doca_h;
import io.github.comch4j.internal.load.NativeLibrary;
import io.github.comch4j.internal.load.Symbols;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** Calls of servers ({@code doca_comch_server_…}, before DOCA 2.7 {@code doca_cc_server_…}). */
public abstract sealed class ServerCalls extends EndpointCalls permits ComchServerCalls, CcServerCalls {
    /** {@code doca_comch_server_disconnect}. */
    public static final String DISCONNECT_NAME = "doca_comch_server_disconnect";

    /** For the two kinds. */
    ServerCalls() {}

    /** Those of the loaded libraries, chosen once. */
    public static ServerCalls get() {
        return Bound.CALLS;
    }

    /** Apart, so that the two kinds can be initialised in any order. */
    private static final class Bound {
        static final ServerCalls CALLS = NativeLibrary.isCc25() ? new CcServerCalls() : new ComchServerCalls();
    }

    /** {@code doca_comch_server_create}. */
    public static MemorySegment create(MemorySegment device, MemorySegment representor, String name, String action) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment text = arena.allocateFrom(name);
            return Calls.pointer(action, out -> doca_h.doca_comch_server_create(device, representor, text, out));
        }
    }

    @Override
    public MemorySegment asContext(MemorySegment endpoint) {
        return doca_h.doca_comch_server_as_ctx(endpoint);
    }

    @Override
    public void destroy(MemorySegment endpoint, String action) {
        doca_h.doca_comch_server_destroy(endpoint).check(action);
    }

    @Override
    public void registerMessages(MemorySegment endpoint, MemorySegment received, String action) {
        doca_h.doca_comch_server_event_msg_recv_register(endpoint, received).check(action);
    }

    @Override
    public void registerConsumers(MemorySegment endpoint, MemorySegment created, MemorySegment expired, String action) {
        doca_h.doca_comch_server_event_consumer_register(endpoint, created, expired)
                .check(action);
    }

    /** {@code doca_comch_server_event_connection_status_changed_register}. */
    public static void registerStatus(
            MemorySegment server, MemorySegment connected, MemorySegment disconnected, String action) {
        doca_h.doca_comch_server_event_connection_status_changed_register(server, connected, disconnected)
                .check(action);
    }

    /** {@code doca_comch_server_disconnect}; returns {@code doca_error_t}. */
    public static int disconnect(MemorySegment server, long connection) {
        return doca_h.doca_comch_server_disconnect(server, MemorySegment.ofAddress(connection))
                .code();
    }

    /** Fails where there is no {@link #disconnect}, before anything is done for it. */
    public static void checkDisconnect() {
        if (!Symbols.has(DISCONNECT_NAME)) {
            throw Symbols.missing(DISCONNECT_NAME);
        }
    }
}
