package io.github.comch4j.internal.transport;

import io.github.comch4j.internal.call.ConnectionCalls;
import java.lang.foreign.MemorySegment;

/**
 * Where the events of one connection go. All but the constructor run on the thread of the engine that serves it, most
 * in upcalls.
 */
public abstract class ConnectionEvents {
    private static final Registry<ConnectionEvents> REGISTRY = new Registry<>();

    private final Transport transport;
    private long key;

    /** The events of a connection whose server or client uses {@code transport}. */
    protected ConnectionEvents(Transport transport) {
        this.transport = transport;
    }

    /** Makes the connection's user data lead to this. */
    public final void register(long connection) {
        key = REGISTRY.add(this);
        ConnectionCalls.setUserData(connection, key);
    }

    /** From now on no event of the connection arrives. */
    public final void unregister() {
        REGISTRY.remove(key);
    }

    /** The connection's user data. */
    public final long key() {
        return key;
    }

    /** The events of the connection that has this key, or null. */
    public static ConnectionEvents find(long key) {
        return REGISTRY.find(key);
    }

    /** A message; the memory is DOCA's and valid until this returns. */
    protected abstract void message(long address, int length);

    /** A message in memory that stays as it is until this returns, and that the program may look into later. */
    protected abstract void message(MemorySegment bytes);

    /** A consumer of the peer was created or expired. */
    protected abstract void consumer(int id, boolean created);

    /** The connection ended; not for ends that this process asked for, as far as DOCA keeps to that. */
    protected abstract void disconnected(boolean orderly);

    /** What has handled one of these events has thrown this. */
    protected abstract void failed(Throwable thrown);

    /**
     * Those of a native connection, made if need be; null for one that this process has ended, or does not want any
     * more.
     */
    static ConnectionEvents of(long connection) {
        return of(connection, ConnectionCalls.getUserData(connection));
    }

    /** As {@link #of(long)}, of a connection with this user data. */
    static ConnectionEvents of(long connection, long userData) {
        if (userData != 0) {
            return REGISTRY.find(userData);
        }
        EndpointEvents endpoint = Endpoints.of(connection);
        return endpoint == null ? null : endpoint.register(connection);
    }

    final Transport transport() {
        return transport;
    }
}
