package io.github.comch4j.rpc;

import io.github.comch4j.DocaException;
import io.github.comch4j.comch.ComchClient;
import io.github.comch4j.comch.ComchConnection;
import io.github.comch4j.core.ContextState;
import io.github.comch4j.core.EventLoop;
import io.github.comch4j.rpc.RpcClient.State;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** How a client gets its connection, and another one when that has ended. All but the constructor is for the loop. */
final class ClientLink {
    private static final long FIRST_RETRY_NANOS = 10_000_000;

    private final RpcClient client;
    private final RpcClient.Builder settings;
    private final EventLoop loop;
    private final CompletableFuture<CallTable> first = new CompletableFuture<>();
    private volatile @Nullable CallTable table; // of the connection that there is, or was last
    private @Nullable ComchClient endpoint; // of the present attempt or connection
    private long pause;
    private volatile boolean answered; // an attempt was
    private boolean connected; // the present attempt is
    private boolean stopped;

    ClientLink(RpcClient client, RpcClient.Builder settings) {
        this.client = client;
        this.settings = settings;
        this.loop = settings.loop;
    }

    /** Completed with the first connection, or with what DOCA refuses for good. Any thread, as the next one. */
    CompletableFuture<CallTable> first() {
        return first;
    }

    /** The calls on the present connection, or the last one; null before the first. */
    @Nullable
    CallTable table() {
        return table;
    }

    boolean wasAnswered() {
        return answered;
    }

    /** Begins to connect. */
    void attempt() {
        if (stopped) {
            return;
        }
        try {
            endpoint = settings.apply(ComchClient.builder(loop.engine(), settings.device, settings.name))
                    .onConnected(this::connected)
                    .onMessage((connection, message) -> {
                        connected(connection); // a message may arrive before onConnected has run
                        CallTable calls = table;
                        if (calls != null && !calls.message(message)) {
                            soon(this::closeEndpoint);
                        }
                    })
                    .onRoom(connection -> {
                        if (table != null) {
                            table.flush();
                        }
                    })
                    .onDisconnected(connection -> lost())
                    .onStateChanged((any, before, now) -> {
                        if (now == ContextState.IDLE) {
                            idle();
                        }
                    })
                    .start();
        } catch (DocaException e) {
            if (!first.completeExceptionally(e)) {
                again(); // as when the device is gone for a while
            }
        }
    }

    private void connected(ComchConnection connection) {
        if (table == null || table.connection() != connection) {
            table = new CallTable(loop, connection, settings.maxInFlight, settings.maxBody, client::inFlight);
            pause = 0;
            connected = true;
            first.complete(table);
            client.changed(State.CONNECTED);
        }
    }

    /** The peer has ended the connection, or died. */
    private void lost() {
        CallTable ended = table;
        if (ended != null) {
            ended.end();
        }
    }

    /** An attempt has failed, or a connection has ended, by either side. */
    private void idle() {
        answered = true;
        lost();
        if (stopped) {
            return;
        }
        if (connected) {
            connected = false;
            client.changed(State.DISCONNECTED);
            if (!settings.reconnects) {
                stopped = true;
                soon(this::closeEndpoint);
                return;
            }
        }
        soon(this::closeEndpoint); // not here: this is a handler
        again();
    }

    private void again() {
        if (table == null) {
            pause = FIRST_RETRY_NANOS;
        } else {
            pause = pause == 0 ? settings.shortestPause : Math.min(2 * pause, settings.longestPause);
        }
        CompletableFuture.delayedExecutor(pause, TimeUnit.NANOSECONDS).execute(() -> soon(this::attempt));
    }

    private void soon(Runnable task) {
        try {
            loop.execute(task);
        } catch (RejectedExecutionException e) {
            // the loop is closed, and with it all that is on its engine
        }
    }

    private void closeEndpoint() {
        ComchClient mine = endpoint;
        if (mine != null) {
            mine.close();
        }
    }

    /** No more connections. */
    void stop() {
        stopped = true;
        closeEndpoint();
        lost();
    }
}
