package io.github.comch4j.internal.transport;

/** A server or client. It is also found by its native pointer, because a new connection has no user data yet. */
public interface EndpointEvents extends ContextEvents {

    /** A client connected, or failed to. Runs in an upcall. */
    void connected(long connection, boolean success);

    /** Makes a connection known that has no user data yet; null if it is not wanted. Runs in an upcall. */
    ConnectionEvents register(long connection);
}
