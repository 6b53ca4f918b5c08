package io.github.comch4j.internal.call;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.github.comch4j.ffi.doca_h;
import io.github.comch4j.internal.load.Symbols;
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

    private static final String SET_USER_DATA_NAME = "doca_comch_connection_set_user_data";
    private static final MethodHandle SET_USER_DATA =
            Symbols.downcall(SET_USER_DATA_NAME, FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG));
    private static final MethodHandle GET_USER_DATA =
            Symbols.downcall("doca_comch_connection_get_user_data", FunctionDescriptor.of(JAVA_LONG, JAVA_LONG));
    private static final MethodHandle SERVER_OF =
            Symbols.downcall("doca_comch_server_get_server_ctx", FunctionDescriptor.of(JAVA_LONG, JAVA_LONG));
    private static final MethodHandle CLIENT_OF =
            Symbols.downcall("doca_comch_client_get_client_ctx", FunctionDescriptor.of(JAVA_LONG, JAVA_LONG));

    private ConnectionCalls() {}

    /** {@code doca_comch_connection_set_user_data}. */
    public static void setUserData(long connection, long userData) {
        Calls.check(SET_USER_DATA_NAME, "greeting a new connection", () -> callSetUserData(connection, userData));
    }

    private static int callSetUserData(long connection, long userData) {
        try {
            return (int) SET_USER_DATA.invokeExact(connection, userData);
        } catch (Throwable t) {
            throw Symbols.unexpected(t);
        }
    }

    /** {@code doca_comch_connection_get_user_data}. */
    public static long getUserData(long connection) {
        try {
            return (long) GET_USER_DATA.invokeExact(connection);
        } catch (Throwable t) {
            throw Symbols.unexpected(t);
        }
    }

    /** {@code doca_comch_server_get_server_ctx}: 0 for a client's connection. */
    public static long serverOf(long connection) {
        try {
            return (long) SERVER_OF.invokeExact(connection);
        } catch (Throwable t) {
            throw Symbols.unexpected(t);
        }
    }

    /** {@code doca_comch_client_get_client_ctx}: 0 for a server's connection. */
    public static long clientOf(long connection) {
        try {
            return (long) CLIENT_OF.invokeExact(connection);
        } catch (Throwable t) {
            throw Symbols.unexpected(t);
        }
    }

    /** {@code doca_comch_connection_update_info}: {@link #counter} returns the new values. */
    public static void updateCounters(long connection, String action) {
        MemorySegment pointer = MemorySegment.ofAddress(connection);
        Calls.check(
                "doca_comch_connection_update_info", action, () -> doca_h.doca_comch_connection_update_info(pointer));
    }

    /** {@code doca_comch_connection_get_counter}: {@link #SENT_MESSAGES} and its like. */
    public static long counter(long connection, int counter, String action) {
        MemorySegment pointer = MemorySegment.ofAddress(connection);
        return Calls.uint64(
                "doca_comch_connection_get_counter",
                action,
                out -> doca_h.doca_comch_connection_get_counter(pointer, counter, out));
    }
}
