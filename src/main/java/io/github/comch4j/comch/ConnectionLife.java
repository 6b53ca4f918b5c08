package io.github.comch4j.comch;

import io.github.comch4j.DocaError;
import io.github.comch4j.DocaException;
import io.github.comch4j.MissingFunctionException;
import io.github.comch4j.internal.call.Calls;
import io.github.comch4j.internal.call.ServerCalls;
import io.github.comch4j.internal.failure.Failures;
import io.github.comch4j.internal.life.ConnectionInside;
import io.github.comch4j.internal.life.Engine;
import io.github.comch4j.internal.life.LoopThread;
import io.github.comch4j.internal.life.Nanos;
import io.github.comch4j.internal.life.Resource;
import io.github.comch4j.internal.life.Teardown;
import io.github.comch4j.internal.observe.Events;
import io.github.comch4j.internal.observe.LiveObjects;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The state of a connection, and its end: whether this process or the peer brings it about. As a resource it depends on
 * the server or client, and the connection's producers and consumers depend on it.
 */
final class ConnectionLife extends Resource implements ConnectionInside {
    /** How long one that is ended for a failure lives on for what handlers have queued. */
    static final Duration LINGER = Duration.ofSeconds(1);

    /** How long closing waits for a peer that takes nothing, as the emulated device does when an endpoint stops. */
    static final Duration PATIENCE = Duration.ofSeconds(5);

    private ComchConnection connection; // once it is whole
    private final ControlPathEndpoint endpoint;
    private final Engine engine;
    private final Object lock = new Object(); // the native connection does not end while a thread holds it
    private boolean begun; // the program has been told; on the engine's thread
    private volatile ConnectionState state = ConnectionState.OPEN; // for the program
    private volatile boolean gone; // the native connection is
    private volatile @Nullable Exception failure; // for which this process has ended it

    ConnectionLife(ControlPathEndpoint endpoint, long number) {
        super(Rank.CONNECTION, "connection " + number + " of " + endpoint, endpoint.context);
        this.endpoint = endpoint;
        this.engine = endpoint.context.engine();
    }

    void belongTo(ComchConnection whole) {
        connection = whole;
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

    boolean isGone() {
        return gone;
    }

    @Override
    public Engine engine() {
        return engine;
    }

    @Override
    public ConnectionClosedException ended(String function, String action) {
        ConnectionClosedException end = new ConnectionClosedException(function, action, connection);
        Exception cause = failure;
        if (cause != null) {
            end.initCause(cause);
        }
        return end;
    }

    @Override
    public long failedMessage() {
        return connection.outgoing().failedMessage;
    }

    @Override
    public AtomicLong heard(int consumerId) {
        return connection.events().words().of(consumerId);
    }

    @Override
    public void say(int consumerId, long word) {
        byte[] message = StreamReplies.message(consumerId, word);
        Runnable handler = () -> send(message);
        if (engine.isMine()) {
            engine.runHandlers(handler);
        } else {
            engine.afterCallbacks(() -> engine.runHandlers(handler));
        }
    }

    /** As a handler, which waits for nobody. */
    private void send(byte[] message) {
        try {
            if (isOpen() && !endpoint.context.isEnding()) {
                connection.enqueue(message);
            }
        } catch (DocaException | IllegalArgumentException | IllegalStateException e) {
            Events.taskFailed("message", connection, e.toString()); // whoever waits for it does not do so for ever
        }
    }

    @Override
    public boolean trySend(long header, byte[] message) {
        int length = endpoint.sends.check(connection, Long.BYTES + (long) message.length);
        return endpoint.sends
                .send(connection, endpoint.staging.stage(header, message), length)
                .accepted();
    }

    @Override
    public boolean trySend(long header, ByteBuffer message) {
        int length = endpoint.sends.check(connection, Long.BYTES + (long) message.remaining());
        return endpoint.sends
                .send(connection, endpoint.staging.stage(header, message), length)
                .accepted();
    }

    @Override
    public long taken() {
        return endpoint.sends.taken(connection);
    }

    /** Makes a native object on a native connection. */
    interface Creation {
        MemorySegment on(long connection, String action);
    }

    /**
     * Makes something on the native connection, which cannot end meanwhile even if another thread serves it;
     * {@code hint} is for a refusal.
     */
    MemorySegment create(String function, String what, String hint, Creation creation) {
        synchronized (lock) {
            String action = "creating " + what + " on " + connection;
            if (!isOpen()) {
                throw ended(function, action);
            }
            return creation.on(connection.address(), action + hint);
        }
    }

    /** It can be used from now on. DOCA tells, or brings something of it before: the first time counts. */
    void begun() {
        if (!begun) {
            begun = true;
            Events.connection(connection, ConnectionState.OPEN.name());
            tell(endpoint.settings.onConnected);
        }
    }

    private void tell(@Nullable Consumer<ComchConnection> handler) {
        if (handler != null) {
            try {
                handler.accept(connection);
            } catch (Throwable t) {
                endpoint.failed(connection, t, engine);
            }
        }
    }

    /** The peer, or a fault, has ended it. Runs in a callback in which the native connection is still valid. */
    void endedByPeer(ConnectionState how) {
        if (gone) {
            return;
        }
        boolean news = isOpen() && !isEnding();
        connection.counts().readForTheLastTime(connection);
        end(how);
        if (news) {
            tell(endpoint.settings.onDisconnected);
        }
    }

    /**
     * This process ends it for what a handler has thrown, or the peer has failed to do: the program hears of it as of
     * any other end.
     */
    void fail(Exception cause) {
        if (isOpen() && !isEnding()) {
            failure = cause;
            connection.outgoing().clear();
            leave(true);
        }
    }

    /** Ends it in a callback: at once if DOCA does so and nothing is queued, else as soon as that is so. */
    void leaveInCallback() {
        if (isOpen() && (hasDependents() || isQueueing() || tryDisconnect() != Calls.SUCCESS)) {
            leave(false);
        }
    }

    /** Whether what handlers have queued has not gone yet. */
    boolean isQueueing() {
        return connection.outgoing().isQueueing();
    }

    private void leave(boolean tells) {
        close(ConnectionState.CLOSED);
        engine.awaitProgress(new BackgroundDisconnect(this, tells));
    }

    private void close(ConnectionState how) {
        if (isOpen()) {
            synchronized (lock) {
                state = how;
            }
            Events.connection(connection, how.name());
        }
    }

    /** Tells the program that it has ended, unless all of the server is being closed. */
    void tellEnd() {
        if (!endpoint.context.isEnding()) {
            tell(endpoint.settings.onDisconnected);
        }
    }

    /** Has what depends on it closed, by the threads that are to do so. Waits for nobody. */
    void closeDependentsSoon() {
        for (Resource dependent : dependentsInOrder()) {
            if (dependent instanceof FastPathContext context) {
                context.closeSoon();
            }
        }
    }

    /** Whether the peer has taken all that DOCA has accepted. What it has not taken by then, an end may give up. */
    private boolean isTakenByPeer() {
        return endpoint.sends.inFlight(connection) == 0;
    }

    /** Ends the native connection if DOCA does so now; returns its answer. */
    int tryDisconnect() {
        int code = ServerCalls.disconnect(endpoint.context.object(), connection.address());
        if (code == Calls.SUCCESS) {
            end(ConnectionState.CLOSED);
        }
        return code;
    }

    /** Ends the native connection if DOCA does so now. Returns whether it has ended, or ends only with the server. */
    boolean disconnected() {
        try {
            int code = tryDisconnect();
            if (code == DocaError.AGAIN.code() || code == DocaError.IN_USE.code()) {
                return false;
            }
            if (code != Calls.SUCCESS) {
                throw Failures.refused(code, ServerCalls.DISCONNECT_NAME, "ending " + connection);
            }
        } catch (MissingFunctionException e) {
            return true; // DOCA 2.5 and 2.6: no handler runs for it any more
        }
        return true;
    }

    /** While the server is being closed: whether there is nothing to wait for any more, or was not from the start. */
    boolean partsWithServer(boolean patient) {
        if (gone || hasDependents()) {
            return true;
        }
        return !isQueueing() && (!patient || isTakenByPeer()) && disconnected();
    }

    /** Its peer does not get what is queued any more. Returns its name. */
    String giveUp() {
        connection.outgoing().clear();
        return name();
    }

    /** It has ended: nothing native is touched any more. */
    private void end(ConnectionState how) {
        gone = true;
        close(how);
        connection.counts().backPressure.close();
        LiveObjects.remove(connection);
        connection.events().end();
        endpoint.sends.end(connection);
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
        if (gone) {
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
        return gone ? null : engine.otherLoopThread();
    }

    @Override
    protected void release(Teardown teardown) {
        if (gone) {
            return;
        }
        if (isQueueing()) {
            engine.await(() -> !isQueueing() || gone, Nanos.deadline(PATIENCE), null, teardown);
        }
        if (!endpoint.context.isClosed()) {
            disconnect(teardown);
        } // else: stopping the endpoint ends it
        if (!gone) {
            end(ConnectionState.CLOSED);
        }
    }

    private void disconnect(Teardown teardown) {
        int[] code = new int[1];
        long patience = Nanos.deadline(PATIENCE);
        BooleanSupplier attempt = () -> {
            boolean waits = !isTakenByPeer() && System.nanoTime() - patience < 0;
            code[0] = gone ? Calls.SUCCESS : waits ? DocaError.AGAIN.code() : tryDisconnect();
            return code[0] != DocaError.AGAIN.code() && code[0] != DocaError.IN_USE.code();
        };
        if (!attempt.getAsBoolean()) {
            endpoint.context.awaitTasks(attempt, teardown);
        }
        if (code[0] != Calls.SUCCESS) {
            throw Failures.refused(code[0], ServerCalls.DISCONNECT_NAME, "ending " + connection);
        }
    }
}
