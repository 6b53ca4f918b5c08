package io.github.comch4j.internal.call;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.github.comch4j.internal.load.Symbols;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/** Calls of connections. */
public final class ConnectionCalls {
    private static final MethodHandle SET_USER_DATA = Symbols.downcall("doca_comch_connection_set_user_data",
            FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG));
    private static final MethodHandle GET_USER_DATA = Symbols.downcall("doca_comch_connection_get_user_data",
            FunctionDescriptor.of(JAVA_LONG, JAVA_LONG));
    private static final MethodHandle SERVER_OF = Symbols.downcall("doca_comch_server_get_server_ctx",
            FunctionDescriptor.of(JAVA_LONG, JAVA_LONG));
    private static final MethodHandle CLIENT_OF = Symbols.downcall("doca_comch_client_get_client_ctx",
            FunctionDescriptor.of(JAVA_LONG, JAVA_LONG));

    /** By hand and not in the generated bindings, because 2.7 has another name for it. */
    private static final MethodHandle REGISTER_STATUS = Symbols.downcall("doca_comch_server_event_connection_status_changed_register",
            FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_LONG));

    private ConnectionCalls() {
    }

    /** {@code doca_comch_connection_set_user_data}. */
    public static int setUserData(long connection, long userData) {
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

    /** {@code doca_comch_server_event_connection_status_changed_register}. */
    public static int registerStatus(MemorySegment server, MemorySegment connected, MemorySegment disconnected) {
        try {
            return (int) REGISTER_STATUS.invokeExact(server.address(), connected.address(), disconnected.address());
        } catch (Throwable t) {
            throw Symbols.unexpected(t);
        }
    }
}
