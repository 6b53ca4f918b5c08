package io.github.comch4j.io;

import io.github.comch4j.DocaException;
import io.github.comch4j.comch.ComchClient;
import io.github.comch4j.comch.ComchConnection;
import io.github.comch4j.comch.LinkState;
import io.github.comch4j.core.Device;
import io.github.comch4j.core.EventLoop;
import io.github.comch4j.link.Availability;
import io.github.comch4j.link.Connector;
import io.github.comch4j.link.Loops;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The connections of a socket, one after the other: of a server's socket one, of a client's as many as it takes. A
 * connection that has ended remains the one that is received from until its end was told.
 */
final class SocketLinks implements Connector.User {
    private final EventLoop loop;
    private final SocketBuilder<?> settings;
    private final Consumer<SocketLink> onLinkEnd;
    private final Availability state;
    private final @Nullable Connector connector; // null: a server's
    private final LostMessages losses = new LostMessages();
    private final ReentrantLock lock = new ReentrantLock(); // of `receiving`
    private volatile @Nullable SocketLink present; // the connection that there is, or was last
    private volatile SocketLink upcoming; // the next connection, or the present one
    private volatile SocketLink receiving; // one of these, or the one before
    private volatile boolean closed;

    /** Of a server's socket. */
    SocketLinks(SocketBuilder<?> settings, Runnable onEnd) {
        this.loop = settings.loop;
        this.settings = settings;
        this.state = new Availability(Loops.threadOf(loop), now -> {});
        this.onLinkEnd = link -> {
            state.set(LinkState.DISCONNECTED);
            onEnd.run();
        };
        this.connector = null;
        this.upcoming = new SocketLink(settings, losses, onLinkEnd);
        this.receiving = upcoming;
    }

    /** Of a client's socket. */
    SocketLinks(
            MessageSocket.Builder settings, Device device, Connector.RetryDelays backOff, Consumer<LinkState> onState) {
        this.loop = settings.loop;
        this.settings = settings;
        this.onLinkEnd = this::clientsLinkEnds;
        this.state = new Availability(Loops.threadOf(loop), onState);
        this.connector = new Connector(loop, device, settings.name, backOff, this);
        this.upcoming = new SocketLink(settings, losses, onLinkEnd);
        this.receiving = upcoming;
    }

    @Override
    public ComchClient.Builder configure(ComchClient.Builder builder) {
        SocketLink link = upcoming;
        return settings.apply(builder, connection -> link);
    }

    /** Also of a server's connection. */
    @Override
    public void connected(ComchConnection connection) {
        upcoming.connected(connection);
        present = upcoming;
        state.set(LinkState.CONNECTED);
    }

    @Override
    public void ended() {
        present().end();
    }

    @Override
    public void over() {
        upcoming.end();
    }

    private Connector connector() {
        return Objects.requireNonNull(connector);
    }

    /** Waits for the first connection. */
    void connect(Duration timeout) {
        connector().connect(timeout);
    }

    /** In the loop. */
    private void clientsLinkEnds(SocketLink link) {
        if (connector().reconnects()) {
            SocketLink next = new SocketLink(settings, losses, onLinkEnd);
            lock.lock();
            try {
                // if that is a former link, which nobody has received all of yet, the one that ends now is given up:
                // what all have brought that came and went meanwhile could be any amount
                receiving.next = next;
                upcoming = next;
            } finally {
                lock.unlock();
            }
        }
        if (!connector().isStopped()) {
            state.set(LinkState.DISCONNECTED);
        }
    }

    /** The connection that there is, or was last. */
    SocketLink present() {
        return Objects.requireNonNull(present);
    }

    /** What could not be sent. */
    LostMessages losses() {
        return losses;
    }

    boolean isClosed() {
        return closed;
    }

    /** What messages are received from. */
    SocketLink receiving() {
        return receiving;
    }

    /** The exception for a receiver that has met the end of a link; the next one receives from the next link. */
    RuntimeException told(SocketLink from) {
        lock.lock();
        try {
            SocketLink next = from.next;
            if (next != null && receiving == from) {
                receiving = next;
            }
        } finally {
            lock.unlock();
        }
        SocketLink last = from.isConnected() ? from : present();
        return last.receivesEnded();
    }

    /** Why there is no connection again. Any thread. */
    @Nullable
    DocaException refusal() {
        return connector == null ? null : connector.refusal();
    }

    LinkState state() {
        return closed ? LinkState.CLOSED : state.get();
    }

    /** Waits until there is a connection. Returns whether there is. */
    boolean awaitConnected(long deadline) throws InterruptedException {
        return state.await(deadline, () -> !closed && !loop.isClosed() && connector != null && connector.reconnects())
                && !closed;
    }

    /** As {@link MessageSocket#close}. */
    void close() {
        if (closed) {
            return;
        }
        if (connector != null) {
            connector.stop();
        } else {
            present().close();
        }
        closed = true;
        if (loop.isInLoop()) {
            end();
        } else {
            var _ = Loops.execute(loop, this::end); // a closed one has ended all
        }
    }

    /** No more messages come. In the loop. */
    void end() {
        upcoming.end();
        state.set(LinkState.CLOSED);
    }

    @Override
    public String toString() {
        SocketLink link = present;
        return link == null ? "socket to \"" + settings.name + "\"" : link.toString();
    }
}
