package io.github.comch4j.internal;

/** Where the events of one connection go. All but the constructor run in upcalls, on the control engine's thread. */
public abstract class ConnectionSink {
    private static final Registry<ConnectionSink> REGISTRY = new Registry<>();

    private final Engine engine;
    private long key;

    /** The sink of a connection that the owner of {@code engine} serves. */
    protected ConnectionSink(Engine engine) {
        this.engine = engine;
    }

    /** Puts this behind the connection's user data. */
    public final void register(long connection) {
        key = REGISTRY.add(this);
        Calls.check("doca_comch_connection_set_user_data", "greeting a new connection", () -> ConnectionCalls.setUserData(connection, key));
    }

    /** No more events. */
    public final void unregister() {
        REGISTRY.remove(key);
    }

    /** The number that stands for this sink in native user data. */
    public final long key() {
        return key;
    }

    /** The sink of a key, or null. */
    public static ConnectionSink find(long key) {
        return REGISTRY.find(key);
    }

    /** A message; the memory is DOCA's and valid until this returns. */
    protected abstract void message(long address, int length);

    /** A consumer of the other side came or went. */
    protected abstract void consumer(int id, boolean created);

    /** The connection ended; not for ends that this side asked for, as far as DOCA keeps to that. */
    protected abstract void disconnected(boolean orderly);

    /** The sink of a native connection, made if need be; null for one that this side has ended, or does not want any more. */
    static ConnectionSink of(long connection) {
        return of(connection, ConnectionCalls.getUserData(connection));
    }

    /** As {@link #of(long)}, of a connection with this user data. */
    static ConnectionSink of(long connection, long userData) {
        if (userData != 0) {
            return REGISTRY.find(userData);
        }
        ControlContext context = ControlContext.of(connection);
        return context == null ? null : context.adopt(connection);
    }

    final Engine engine() {
        return engine;
    }
}
