package io.github.comch4j.rpc;

import io.github.comch4j.comch.ComchClient;
import io.github.comch4j.comch.ComchConnection;
import io.github.comch4j.core.EventLoop;
import io.github.comch4j.internal.connect.Connector;
import io.github.comch4j.rpc.RpcClient.State;
import java.time.Duration;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/** The connections of a client, one after the other, and the calls on each. */
final class ClientLink implements Connector.User {
    private final RpcClient client;
    private final RpcClient.Builder settings;
    private final EventLoop loop;
    private final Connector connector;
    private volatile @Nullable CallTable table; // of the connection that there is, or was last

    ClientLink(RpcClient client, RpcClient.Builder settings) {
        this.client = client;
        this.settings = settings;
        this.loop = settings.loop;
        this.connector = new Connector(loop, settings.device, settings.name, settings.backOff, this);
    }

    // ---- any thread

    /** Waits for the first connection. */
    void connect(Duration timeout) {
        connector.connect(timeout);
    }

    /** The calls on the present connection, or the last one; null before the first. */
    @Nullable
    CallTable table() {
        return table;
    }

    // ---- the loop

    /** No more connections. */
    void stop() {
        connector.stop();
        endCalls();
    }

    @Override
    public ComchClient.Builder configure(ComchClient.Builder builder) {
        return settings.apply(builder)
                .onMessage((connection, message) -> {
                    connector.connected(connection); // a message may arrive before onConnected has run
                    CallTable calls = table;
                    if (calls != null && !calls.message(message)) {
                        closeSoon(connection); // no server of this kind
                    }
                })
                .onRoom(connection -> {
                    CallTable calls = table;
                    if (calls != null) {
                        calls.flush();
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

    private void closeSoon(ComchConnection connection) {
        try {
            loop.execute(connection.endpoint()::close); // not here: this is a handler
        } catch (RejectedExecutionException e) {
            // the loop is closed, and with it all that is on its engine
        }
    }

    @Override
    public void connected(ComchConnection connection) {
        CallTable calls = new CallTable(settings, connection, client::inFlight, () -> closeSoon(connection));
        table = calls;
        calls.begin();
        client.changed(State.CONNECTED);
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
    }

    private void endCalls() {
        CallTable calls = table;
        if (calls != null) {
            calls.end();
        }
    }
}
