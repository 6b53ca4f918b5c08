package io.github.comch4j.rpc;

import io.github.comch4j.DocaException;
import io.github.comch4j.comch.ComchClient;
import io.github.comch4j.comch.ComchConnection;
import io.github.comch4j.core.EventLoop;
import io.github.comch4j.core.ProgressEngine;
import io.github.comch4j.internal.access.Internals;
import io.github.comch4j.internal.life.Engine;
import io.github.comch4j.internal.life.LoopThread;
import io.github.comch4j.internal.observe.CallCounts;
import io.github.comch4j.link.Connector;
import io.github.comch4j.rpc.RpcClient.State;
import io.github.comch4j.rpc.RpcException.Kind;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The connections of a client, one after the other, with the calls on each, and the calls that wait for the next one.
 */
final class ClientLink implements Connector.User, Deadlines.Calls {
    private static final Function<ProgressEngine, Engine> ENGINE = Internals.of(ProgressEngine.class);

    private final RpcClient client;
    private final RpcClient.Builder settings;
    private final CallCounts counts;
    private final EventLoop loop;
    private final LoopThread thread;
    private final Connector connector;
    private final CallInbox inbox;
    private final Deadlines deadlines = new Deadlines(this);
    private final ConcurrentLinkedQueue<ClientCall> waiting = new ConcurrentLinkedQueue<>(); // for a connection
    private int waitingCount; // in the loop, as the next one
    private int obsolete; // of those that wait, at most
    private volatile @Nullable CallTable table; // of the connection that there is, or was last
    private volatile boolean closed; // by the program

    ClientLink(RpcClient client, RpcClient.Builder settings, CallCounts counts) {
        this.client = client;
        this.settings = settings;
        this.counts = counts;
        this.loop = settings.loop;
        this.thread = LoopThread.of(engine(), loop);
        this.connector = new Connector(loop, settings.device, settings.name, settings.backOff, this);
        this.inbox = new CallInbox(thread, this::drain, client::inFlight);
    }

    // ---- any thread

    /** The loop's thread, as others see it. */
    LoopThread thread() {
        return thread;
    }

    /** The loop's engine. */
    Engine engine() {
        return ENGINE.apply(loop.engine());
    }

    /** Waits for the first connection. */
    void connect(Duration timeout) {
        connector.connect(timeout);
    }

    /** Whether there may be another connection. */
    boolean reconnects() {
        return connector.reconnects() && !loop.isClosed();
    }

    /** Why there is no connection again. */
    @Nullable
    DocaException refusal() {
        return connector.refusal();
    }

    /** Sends a call, soon. */
    void add(ClientCall call) {
        inbox.add(call);
        deadlines.add(call);
    }

    /** Nobody waits for it any more: the server is told, if it knows of it. */
    @Override
    public void forget(ClientCall call) {
        inbox.execute(() -> forgetNow(call));
    }

    @Override
    public void late(ClientCall call) {
        forget(call);
    }

    @Override
    public void forEach(Consumer<? super ClientCall> look) {
        inbox.forEach(look);
        waiting.forEach(look);
        CallTable calls = table;
        if (calls != null) {
            calls.forEach(look);
        }
    }

    @Override
    public int size() {
        return client.inFlight();
    }

    /** No more connections. Waits for that; an interrupt does not cut it short. */
    void stop() {
        closed = true; // before the connector ends calls that wait
        connector.stop();
        if (loop.isInLoop()) {
            stopped();
            return;
        }
        try {
            CompletableFuture<Void> done = CompletableFuture.runAsync(this::stopped, loop);
            thread.await(done::isDone, "the end of calls to \"" + settings.name + "\"", () -> false);
        } catch (RejectedExecutionException e) {
            // the loop is closed, and with it all that is on its engine
        }
    }

    // ---- the loop

    private void stopped() {
        client.changed(State.CLOSED);
        endCalls();
        refuseWaiting();
    }

    private void drain() {
        for (OutgoingFrame next = inbox.take(); next != null; next = next.next()) {
            counts.begun();
            send((ClientCall) next);
        }
        flush();
    }

    /** Sends a call, or keeps it for the next connection if it wants to wait. */
    void send(ClientCall call) {
        if (call.isObsolete()) {
            return;
        }
        CallTable calls = table;
        if (calls != null && calls.isOpen()) {
            calls.begin(call);
        } else if (call.waitsForReady() && reconnects()) {
            waiting.add(call);
            waitingCount++;
        } else {
            refuse(call);
        }
    }

    private void refuse(ClientCall call) {
        CallTable calls = table;
        if (closed || loop.isClosed()) {
            call.fail(Kind.UNAVAILABLE, "the client is closed", null);
        } else if (calls != null && calls.isGoingDown()) {
            call.fail(Kind.UNAVAILABLE, "the server is shutting down", null);
        } else {
            DocaException why = refusal();
            call.fail(
                    Kind.UNAVAILABLE,
                    "there is no connection" + (why == null || why.reason().isEmpty() ? "" : ": " + why.reason()),
                    why != null ? why : calls != null && calls.isEnded() ? calls.closed() : null);
        }
    }

    private void refuseWaiting() {
        for (ClientCall call = waiting.poll(); call != null; call = waiting.poll()) {
            refuse(call);
        }
        waitingCount = 0;
    }

    private void forgetNow(ClientCall call) {
        CallTable calls = table;
        if ((calls == null || !calls.forget(call)) && ++obsolete > waitingCount / 2) {
            obsolete = 0;
            waiting.removeIf(ClientCall::isObsolete);
            waitingCount = waiting.size();
        }
    }

    private void flush() {
        CallTable calls = table;
        if (calls != null) {
            calls.flush();
        }
    }

    @Override
    public ComchClient.Builder configure(ComchClient.Builder builder) {
        return settings.apply(builder)
                .onMessage((connection, message) -> {
                    CallTable calls = table;
                    if (calls != null && !calls.message(message)) {
                        closeSoon(connection); // no server of this kind
                    }
                })
                .onWritable(connection -> flush())
                .onSendFailed((connection, why) -> {
                    CallTable calls = table;
                    if (calls != null) {
                        calls.notSent(why);
                    }
                })
                .onConsumer((connection, consumer, now) -> {
                    CallTable calls = table;
                    if (calls != null) {
                        calls.consumerKnown();
                    }
                })
                .onDisconnected(connection -> endCalls());
    }

    /** Ends the connection, after the present handler. */
    void closeSoon(ComchConnection connection) {
        try {
            loop.execute(connection.endpoint()::close); // not here: this is a handler
        } catch (RejectedExecutionException e) {
            // the loop is closed, and with it all that is on its engine
        }
    }

    @Override
    public void connected(ComchConnection connection) {
        CallTable calls = new CallTable(settings, connection, this, counts);
        table = calls;
        calls.begin();
        for (ClientCall call = waiting.poll(); call != null; call = waiting.poll()) {
            send(call);
        }
        waitingCount = 0;
        calls.flush();
        client.changed(State.CONNECTED);
    }

    /** The server takes no more calls on this connection. */
    void goodbye() {
        client.changed(State.DISCONNECTED);
    }

    @Override
    public void ended() {
        endCalls();
        if (!connector.isStopped()) {
            client.changed(State.DISCONNECTED);
        }
    }

    /** The last connection has ended, and with it its calls. */
    @Override
    public void over() {
        CallTable calls = table;
        if (calls != null) {
            closeSoon(calls.connection());
        }
        refuseWaiting();
        client.noMoreConnections();
    }

    private void endCalls() {
        CallTable calls = table;
        if (calls != null) {
            calls.end();
        }
    }
}
