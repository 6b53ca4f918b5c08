package io.github.comch4j.internal.call;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.github.comch4j.internal.load.NativeLibrary;
import io.github.comch4j.internal.load.Symbols;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/** Calls of servers ({@code doca_comch_server_…}, before DOCA 2.7 {@code doca_cc_server_…}). */
public abstract sealed class ServerCalls extends EndpointCalls permits ComchServerCalls, CcServerCalls {
    /** {@code doca_comch_server_disconnect}. */
    public static final String DISCONNECT_NAME = "doca_comch_server_disconnect";

    private static final String REGISTER_STATUS_TODAY = "doca_comch_server_event_connection_status_changed_register";
    private static final String REGISTER_STATUS_NAME = Symbols.nameOf(REGISTER_STATUS_TODAY);

    /** By hand and not in the generated bindings, because older releases have other names for it. */
    private static final MethodHandle REGISTER_STATUS =
            Symbols.downcall(REGISTER_STATUS_TODAY, FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_LONG));

    /** For the two generations. */
    ServerCalls() {}

    /** Those of the loaded libraries, chosen once. */
    public static ServerCalls get() {
        return Bound.CALLS;
    }

    /** Apart, so that the two kinds can be initialised in any order. */
    private static final class Bound {
        static final ServerCalls CALLS = NativeLibrary.isCc() ? new CcServerCalls() : new ComchServerCalls();
    }

    /** {@code doca_comch_server_create}. */
    public abstract MemorySegment create(MemorySegment device, MemorySegment representor, String name, String action);

    /** {@code doca_comch_server_disconnect}; returns {@code doca_error_t}. */
    public abstract int disconnect(MemorySegment server, long connection);

    /** Fails where there is no {@link #disconnect}, before anything is done for it. */
    public abstract void checkDisconnect();

    /** {@code doca_comch_server_event_connection_status_changed_register}. */
    public static void registerStatus(
            MemorySegment server, MemorySegment connected, MemorySegment disconnected, String action) {
        Calls.check(
                REGISTER_STATUS_NAME,
                action,
                () -> callRegisterStatus(server.address(), connected.address(), disconnected.address()));
    }

    private static int callRegisterStatus(long server, long connected, long disconnected) {
        try {
            return (int) REGISTER_STATUS.invokeExact(server, connected, disconnected);
        } catch (Throwable t) {
            throw Symbols.unexpected(t);
        }
    }
}
