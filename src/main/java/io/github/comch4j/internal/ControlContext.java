package io.github.comch4j.internal;

import java.lang.foreign.MemorySegment;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** A server or client: also found by its native pointer, because a new connection has no user data yet. */
public abstract class ControlContext extends Context {
    private static final Map<Long, ControlContext> BY_POINTER = new ConcurrentHashMap<>();

    /** A server or client that is going to run on {@code engine}. */
    protected ControlContext(String name, Engine engine, Resource... owners) {
        super(Rank.CONTROL_PATH, name, engine, null, owners);
    }

    /** As {@link #bind}, and found by pointer from now on. */
    protected final void bindControl(MemorySegment nativeObject, MemorySegment asContext) {
        bind(nativeObject, asContext);
        BY_POINTER.put(nativeObject.address(), this);
    }

    /** A client connected, or failed to. Runs in an upcall of a server. */
    protected abstract void connected(long connection, boolean success);

    /** Something came from a connection that has no user data: makes it known, or returns null. Runs in an upcall. */
    protected abstract ConnectionSink adopt(long connection);

    /** The server or client that a native connection belongs to, or null. */
    static ControlContext of(long connection) {
        long pointer = ConnectionCalls.serverOf(connection);
        if (pointer == 0) {
            pointer = ConnectionCalls.clientOf(connection);
        }
        return pointer == 0 ? null : BY_POINTER.get(pointer);
    }

    @Override
    protected void release(Teardown teardown) {
        super.release(teardown);
        if (object() != null) {
            BY_POINTER.remove(object().address(), this);
        }
    }
}
