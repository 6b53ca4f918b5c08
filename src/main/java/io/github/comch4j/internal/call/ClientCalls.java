package io.github.comch4j.internal.call;

import io.github.comch4j.ffi.doca_h;
import io.github.comch4j.internal.load.NativeLibrary;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** Calls of clients ({@code doca_comch_client_…}, before DOCA 2.7 {@code doca_cc_client_…}). */
public abstract sealed class ClientCalls extends EndpointCalls permits ComchClientCalls, CcClientCalls {

    /** For the two kinds. */
    ClientCalls() {}

    /** Those of the loaded libraries, chosen once. */
    public static ClientCalls get() {
        return Bound.CALLS;
    }

    /** Apart, so that the two kinds can be initialised in any order. */
    private static final class Bound {
        static final ClientCalls CALLS = NativeLibrary.isCc25() ? new CcClientCalls() : new ComchClientCalls();
    }

    /** {@code doca_comch_client_create}. */
    public static MemorySegment create(MemorySegment device, String name, String action) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment text = arena.allocateFrom(name);
            return Calls.pointer(action, out -> doca_h.doca_comch_client_create(device, text, out));
        }
    }

    @Override
    public MemorySegment asContext(MemorySegment endpoint) {
        return doca_h.doca_comch_client_as_ctx(endpoint);
    }

    @Override
    public void destroy(MemorySegment endpoint, String action) {
        doca_h.doca_comch_client_destroy(endpoint).check(action);
    }

    @Override
    public void registerMessages(MemorySegment endpoint, MemorySegment received, String action) {
        doca_h.doca_comch_client_event_msg_recv_register(endpoint, received).check(action);
    }

    @Override
    public void registerConsumers(MemorySegment endpoint, MemorySegment created, MemorySegment expired, String action) {
        doca_h.doca_comch_client_event_consumer_register(endpoint, created, expired)
                .check(action);
    }

    /** {@code doca_comch_client_get_connection}. */
    public static long connection(MemorySegment client, String action) {
        return Calls.pointer(action, out -> doca_h.doca_comch_client_get_connection(client, out))
                .address();
    }
}
