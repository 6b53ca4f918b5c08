package io.github.comch4j.internal.call;

import static io.github.comch4j.internal.call.DocaFunction.present;

import io.github.comch4j.ffi.doca_h;
import io.github.comch4j.internal.load.Symbols;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** Calls of servers ({@code doca_comch_server_…}, before DOCA 2.7 {@code doca_cc_server_…}). */
public final class ServerCalls extends EndpointCalls {
    /** {@code doca_comch_server_disconnect}. */
    public static final String DISCONNECT_NAME = "doca_comch_server_disconnect";

    private static final ServerCalls CALLS = new ServerCalls();

    private ServerCalls() {
        super(true);
    }

    /** As what servers and clients have in common. */
    public static ServerCalls get() {
        return CALLS;
    }

    /** {@code doca_comch_server_create}. */
    public static MemorySegment create(MemorySegment device, MemorySegment representor, String name, String action) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment text = arena.allocateFrom(name);
            return present("doca_comch_server_create")
                    .pointer(action, doca_h.doca_comch_server_create(device, representor, text, Calls.out()));
        }
    }

    /** {@code doca_comch_server_event_connection_status_changed_register}. */
    public static void registerStatus(
            MemorySegment server, MemorySegment connected, MemorySegment disconnected, String action) {
        present("doca_comch_server_event_connection_status_changed_register")
                .check(
                        action,
                        doca_h.doca_comch_server_event_connection_status_changed_register(
                                server, connected, disconnected));
    }

    /** {@code doca_comch_server_disconnect}; returns {@code doca_error_t}. */
    public static int disconnect(MemorySegment server, long connection) {
        present("doca_comch_server_disconnect");
        return doca_h.doca_comch_server_disconnect(server, MemorySegment.ofAddress(connection));
    }

    /** Fails where there is no {@link #disconnect}, before anything is done for it. */
    public static void checkDisconnect() {
        if (!Symbols.has(DISCONNECT_NAME)) {
            throw Symbols.missing(DISCONNECT_NAME);
        }
    }
}
