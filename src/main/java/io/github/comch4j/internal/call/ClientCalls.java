package io.github.comch4j.internal.call;

import io.github.comch4j.internal.load.NativeLibrary;
import java.lang.foreign.MemorySegment;

/** Calls of clients ({@code doca_comch_client_…}, before DOCA 2.7 {@code doca_cc_client_…}). */
public abstract sealed class ClientCalls extends EndpointCalls permits ComchClientCalls, CcClientCalls {

    /** For the two generations. */
    ClientCalls() {}

    /** Those of the loaded libraries, chosen once. */
    public static ClientCalls get() {
        return Bound.CALLS;
    }

    /** Apart, so that the two kinds can be initialised in any order. */
    private static final class Bound {
        static final ClientCalls CALLS = NativeLibrary.isCc() ? new CcClientCalls() : new ComchClientCalls();
    }

    /** {@code doca_comch_client_create}. */
    public abstract MemorySegment create(MemorySegment device, String name, String action);

    /** {@code doca_comch_client_get_connection}. */
    public abstract long connection(MemorySegment client, String action);
}
