package io.github.comch4j.internal.call;

import io.github.comch4j.ffi.doca_h;
import java.lang.foreign.MemorySegment;

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

    private ConnectionCalls() {}

    /** {@code doca_comch_connection_set_user_data}. */
    public static void setUserData(long connection, long userData) {
        doca_h.doca_comch_connection_set_user_data(MemorySegment.ofAddress(connection), userData)
                .check("greeting a new connection");
    }

    /** {@code doca_comch_connection_get_user_data}. */
    public static long getUserData(long connection) {
        return doca_h.doca_comch_connection_get_user_data$hot(connection);
    }

    /** {@code doca_comch_server_get_server_ctx}: 0 for a client's connection. */
    public static long serverOf(long connection) {
        return doca_h.doca_comch_server_get_server_ctx$hot(connection);
    }

    /** {@code doca_comch_client_get_client_ctx}: 0 for a server's connection. */
    public static long clientOf(long connection) {
        return doca_h.doca_comch_client_get_client_ctx$hot(connection);
    }

    /** {@code doca_comch_connection_update_info}: {@link #counter} returns the new values. */
    public static void updateCounters(long connection, String action) {
        MemorySegment pointer = MemorySegment.ofAddress(connection);
        doca_h.doca_comch_connection_update_info(pointer).check(action);
    }

    /** {@code doca_comch_connection_get_counter}: {@link #SENT_MESSAGES} and its like. */
    public static long counter(long connection, int counter, String action) {
        MemorySegment pointer = MemorySegment.ofAddress(connection);
        return Calls.uint64(action, doca_h.doca_comch_connection_get_counter(pointer, counter, Calls.out()));
    }
}
