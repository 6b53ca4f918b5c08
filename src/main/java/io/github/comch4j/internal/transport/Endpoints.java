package io.github.comch4j.internal.transport;

import io.github.comch4j.internal.call.ConnectionCalls;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Finds the server or client of a native connection. */
public final class Endpoints {
    private static final Map<Long, EndpointEvents> BY_POINTER = new ConcurrentHashMap<>();

    private Endpoints() {}

    /** From now on connections of this native server or client lead to {@code events}. */
    public static void add(long pointer, EndpointEvents events) {
        BY_POINTER.put(pointer, events);
    }

    /** The native server or client is gone. */
    public static void remove(long pointer) {
        BY_POINTER.remove(pointer);
    }

    /** The server or client of a connection, or null. */
    static EndpointEvents of(long connection) {
        long pointer = ConnectionCalls.serverOf(connection);
        if (pointer == 0) {
            pointer = ConnectionCalls.clientOf(connection);
        }
        return pointer == 0 ? null : BY_POINTER.get(pointer);
    }
}
