package io.github.comch4j.internal.call;

import static io.github.comch4j.internal.call.DocaFunction.present;

import io.github.comch4j.ffi.doca_h;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** Calls of clients ({@code doca_comch_client_…}, before DOCA 2.7 {@code doca_cc_client_…}). */
public final class ClientCalls extends EndpointCalls {

    private static final ClientCalls CALLS = new ClientCalls();

    private ClientCalls() {
        super(false);
    }

    /** As what servers and clients have in common. */
    public static ClientCalls get() {
        return CALLS;
    }

    /** {@code doca_comch_client_create}. */
    public static MemorySegment create(MemorySegment device, String name, String action) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment text = arena.allocateFrom(name);
            return present("doca_comch_client_create")
                    .pointer(action, doca_h.doca_comch_client_create(device, text, Calls.out()));
        }
    }

    /** {@code doca_comch_client_get_connection}. */
    public static long connection(MemorySegment client, String action) {
        return present("doca_comch_client_get_connection")
                .pointer(action, doca_h.doca_comch_client_get_connection(client, Calls.out()))
                .address();
    }
}
