package io.github.comch4j.comch;

import io.github.comch4j.DocaError;
import io.github.comch4j.internal.call.Calls;
import io.github.comch4j.internal.call.ServerCalls;
import io.github.comch4j.internal.failure.Failures;
import io.github.comch4j.internal.life.ConnectionInside;
import io.github.comch4j.internal.life.Engine;
import io.github.comch4j.internal.life.LoopThread;
import io.github.comch4j.internal.life.Resource;
import io.github.comch4j.internal.life.Teardown;
import io.github.comch4j.internal.observe.Events;
import io.github.comch4j.internal.observe.LiveObjects;
import java.lang.foreign.MemorySegment;
import java.util.function.BooleanSupplier;

/**
 * The state of a connection, and its end: whether this process or the peer brings it about. As a resource it depends on
 * the server or client, and the connection's producers and consumers depend on it.
 */
final class ConnectionLife extends Resource implements ConnectionInside {
    private final ComchConnection connection;
    private final ControlPathEndpoint endpoint;
    private final Engine engine;
    private final Object lock = new Object(); // the native connection does not end while a thread holds it
    private volatile ConnectionState state = ConnectionState.OPEN;

    ConnectionLife(ComchConnection connection) {
        super(Rank.CONNECTION, connection.toString(), connection.endpoint().context);
        this.connection = connection;
        this.endpoint = connection.endpoint();
        this.engine = connection.controlEngine();
    }

    /** Makes it known to the server or client; fails if that is closed. */
    void attachToEndpoint() {
        attach();
    }

    ConnectionState state() {
        return state;
    }

    boolean isOpen() {
        return state == ConnectionState.OPEN;
    }

    @Override
    public Engine engine() {
        return engine;
    }

    @Override
    public ConnectionClosedException ended(String function, String action) {
        return new ConnectionClosedException(function, action, state);
    }

    /** Makes a native object on a native connection. */
    interface Creation {
        MemorySegment on(long connection, String action);
    }

    /** See {@link ComchConnection#create}. */
    MemorySegment create(String function, String what, String hint, Creation creation) {
        synchronized (lock) {
            String action = "creating " + what + " on " + connection;
            if (!isOpen()) {
                throw ended(function, action);
            }
            return creation.on(connection.address(), action + hint);
        }
    }

    /** It can be used from now on. */
    void begun() {
        Events.connection(connection, ConnectionState.OPEN.name());
        ConnectionHandler onConnected = endpoint.settings.onConnected;
        if (onConnected != null) {
            onConnected.onChange(connection);
        }
    }

    /** The peer, or a fault, has ended it. Runs in a callback in which the native connection is still valid. */
    void endedByPeer(ConnectionState how) {
        if (!isOpen()) {
            return;
        }
        boolean news = !isEnding();
        connection.counts().readForTheLastTime(connection);
        end(how);
        ConnectionHandler onDisconnected = endpoint.settings.onDisconnected;
        if (onDisconnected != null && news) {
            onDisconnected.onChange(connection);
        }
    }

    /** It has ended: nothing native is touched any more. */
    private void end(ConnectionState how) {
        synchronized (lock) {
            state = how;
        }
        connection.counts().backPressure.close();
        Events.connection(connection, how.name());
        LiveObjects.remove(connection);
        connection.events().end();
        endpoint.forget(connection);
        leaveEndpoint();
    }

    /** Once it has ended and no producer or consumer remains on it; if it is being closed, that thread goes on. */
    private void leaveEndpoint() {
        if (!isClosed() && !hasDependents()) {
            closeTree(new Teardown());
        }
    }

    @Override
    protected void lastDependentGone() {
        if (!isOpen()) {
            leaveEndpoint();
        }
    }

    @Override
    protected void checkClosable() {
        if (engine.otherLoopThread() == null) {
            engine.checkOwner();
        }
    }

    /** Once it has ended there is nothing left for its loop to do, which may be waiting for the thread that asks. */
    @Override
    public LoopThread closingLoopThread() {
        return isOpen() ? engine.otherLoopThread() : null;
    }

    @Override
    protected void release(Teardown teardown) {
        if (!isOpen()) {
            return;
        }
        if (!endpoint.context.isClosed()) {
            disconnect(teardown);
        } // else: stopping the endpoint ends it
        end(ConnectionState.CLOSED);
    }

    private void disconnect(Teardown teardown) {
        MemorySegment server = endpoint.context.object();
        int[] code = new int[1];
        BooleanSupplier attempt = () -> {
            code[0] = ServerCalls.disconnect(server, connection.address());
            return code[0] != DocaError.AGAIN.code() && code[0] != DocaError.IN_USE.code();
        };
        if (!attempt.getAsBoolean() && !engine.isInCallbacks()) {
            endpoint.context.awaitTasks(() -> !isOpen() || attempt.getAsBoolean(), teardown);
        }
        if (code[0] != Calls.SUCCESS && isOpen()) {
            throw Failures.refused(code[0], ServerCalls.DISCONNECT_NAME, "ending " + connection);
        }
    }
}
