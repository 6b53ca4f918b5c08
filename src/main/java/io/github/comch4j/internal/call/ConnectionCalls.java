package io.github.comch4j.internal.call;

import static io.github.comch4j.internal.call.DocaFunction.present;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.github.comch4j.ffi.doca_data;
import io.github.comch4j.ffi.doca_h;
import io.github.comch4j.internal.load.Symbols;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/** Calls of connections: of the same form in each release, so that names alone differ. */
public final class ConnectionCalls {
    /** {@code DOCA_COMCH_COUNTER_SENT_MESSAGES}. */
    public static final int SENT_MESSAGES = doca_h.DOCA_COMCH_COUNTER_SENT_MESSAGES();
    /** {@code DOCA_COMCH_COUNTER_SENT_BYTES}. */
    public static final int SENT_BYTES = doca_h.DOCA_COMCH_COUNTER_SENT_BYTES();
    /** {@code DOCA_COMCH_COUNTER_RECV_MESSAGES}. */
    public static final int RECEIVED_MESSAGES = doca_h.DOCA_COMCH_COUNTER_RECV_MESSAGES();
    /** {@code DOCA_COMCH_COUNTER_RECV_BYTES}. */
    public static final int RECEIVED_BYTES = doca_h.DOCA_COMCH_COUNTER_RECV_BYTES();

    /** Apart, so that the constants can be had without the libraries. */
    private static final class Hot {
        static final MethodHandle USER_DATA =
                Symbols.downcall("doca_comch_connection_get_user_data", FunctionDescriptor.of(JAVA_LONG, JAVA_LONG));
        static final MethodHandle SERVER =
                Symbols.downcall("doca_comch_server_get_server_ctx", FunctionDescriptor.of(JAVA_LONG, JAVA_LONG));
        static final MethodHandle CLIENT =
                Symbols.downcall("doca_comch_client_get_client_ctx", FunctionDescriptor.of(JAVA_LONG, JAVA_LONG));

        private Hot() {}
    }

    private ConnectionCalls() {}

    /** {@code doca_comch_connection_set_user_data}. */
    public static void setUserData(long connection, long userData) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment data = arena.allocate(doca_data.layout());
            doca_data.u64(data, userData);
            present("doca_comch_connection_set_user_data")
                    .check(
                            "setting up a new connection",
                            doca_h.doca_comch_connection_set_user_data(MemorySegment.ofAddress(connection), data));
        }
    }

    /** {@code doca_comch_connection_get_user_data}. */
    public static long getUserData(long connection) {
        try {
            return (long) Hot.USER_DATA.invokeExact(connection);
        } catch (Throwable t) {
            throw Symbols.unexpected(t);
        }
    }

    /** {@code doca_comch_server_get_server_ctx}: 0 for a client's connection. */
    public static long serverOf(long connection) {
        try {
            return (long) Hot.SERVER.invokeExact(connection);
        } catch (Throwable t) {
            throw Symbols.unexpected(t);
        }
    }

    /** {@code doca_comch_client_get_client_ctx}: 0 for a server's connection. */
    public static long clientOf(long connection) {
        try {
            return (long) Hot.CLIENT.invokeExact(connection);
        } catch (Throwable t) {
            throw Symbols.unexpected(t);
        }
    }

    /** {@code doca_comch_connection_update_info}: {@link #counter} returns the new values. */
    public static void updateCounters(long connection, String action) {
        MemorySegment pointer = MemorySegment.ofAddress(connection);
        present("doca_comch_connection_update_info").check(action, doca_h.doca_comch_connection_update_info(pointer));
    }

    /** {@code doca_comch_connection_get_counter}: {@link #SENT_MESSAGES} and its like. */
    public static long counter(long connection, int counter, String action) {
        MemorySegment pointer = MemorySegment.ofAddress(connection);
        return present("doca_comch_connection_get_counter")
                .value(action, doca_h.doca_comch_connection_get_counter(pointer, counter, Calls.out()));
    }
}
