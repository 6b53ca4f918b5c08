package io.github.comch4j.io;

import io.github.comch4j.WaitInterruptedException;
import io.github.comch4j.comch.ComchConnection;
import io.github.comch4j.comch.ComchServer;
import io.github.comch4j.core.ContextState;
import io.github.comch4j.core.Device;
import io.github.comch4j.core.EventLoop;
import io.github.comch4j.core.Representor;
import io.github.comch4j.internal.failure.Failures;
import io.github.comch4j.internal.failure.Rethrow;
import io.github.comch4j.internal.life.Nanos;
import io.github.comch4j.link.EndReason;
import io.github.comch4j.link.Loops;
import io.github.comch4j.link.WaitingThreads;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A server whose clients a program accepts one after the other. {@link MessageSocket}s on the host connect to it. Any
 * thread except the loop's may use it.
 *
 * {@snippet file="Pieces.java" region="serversocket"}
 */
public final class MessageServerSocket implements AutoCloseable {
    private final EventLoop loop;
    private final Builder settings;
    private final Queue<MessageSocket> connected = new ConcurrentLinkedQueue<>();
    private final WaitingThreads accepting;
    private final MessageSocket none; // in the queue when no more will come
    private final Set<MessageSocket> open = ConcurrentHashMap.newKeySet(); // the loop changes it
    private final CountDownLatch terminated = new CountDownLatch(1);
    private final ComchServer server;
    private boolean shuttingDown; // in the loop

    private MessageServerSocket(Builder settings) {
        this.loop = settings.loop;
        this.settings = settings;
        this.none = new MessageSocket(settings, ended -> {});
        this.accepting = new WaitingThreads(Loops.threadOf(loop));
        this.server = loop.call(() -> Loops.engineOf(loop)
                .ofLibrary(() -> settings.apply(
                                settings.server,
                                connection -> socketOf(connection).link())
                        .onConnected(this::accepted)
                        .onStateChanged((endpoint, now) -> {
                            if (now == ContextState.IDLE) {
                                // no handler runs for connections that end with their server, or with the loop
                                List.copyOf(open).forEach(MessageSocket::end);
                                offer(none);
                                terminated.countDown();
                            }
                        })
                        .start()));
    }

    /**
     * Returns a builder for a server.
     *
     * @param loop the loop that does the work
     * @param device the DPU's device
     * @param representor the host function to serve
     * @param name the name that clients connect to
     * @return the builder
     */
    public static Builder builder(EventLoop loop, Device device, Representor representor, String name) {
        return new Builder(loop, device, representor, name);
    }

    /**
     * Opens a server with the default settings, as {@link Builder#open} does.
     *
     * @param loop the loop that does the work
     * @param device the DPU's device
     * @param representor the host function to serve
     * @param name the name that clients connect to
     * @return the server, running
     */
    public static MessageServerSocket open(EventLoop loop, Device device, Representor representor, String name) {
        return builder(loop, device, representor, name).open();
    }

    private void accepted(ComchConnection connection) {
        MessageSocket socket = new MessageSocket(settings, this::ended);
        socket.connected(connection);
        open.add(socket); // not before: close, in another thread, takes them from there
        connection.attach(socket);
        if (shuttingDown) {
            socket.link().cut(EndReason.SHUTTING_DOWN, "");
        } else {
            offer(socket);
        }
    }

    private void offer(MessageSocket socket) {
        connected.add(socket);
        accepting.wake();
    }

    private static MessageSocket socketOf(ComchConnection connection) {
        return (MessageSocket) Objects.requireNonNull(connection.attachment());
    }

    private void ended(MessageSocket socket) {
        open.remove(socket);
        endIfDone();
    }

    private void endIfDone() {
        if (shuttingDown && open.isEmpty()) {
            terminated.countDown();
        }
    }

    /**
     * Waits for the next client and returns its connection. The connection's attachment belongs to this class.
     *
     * @param timeout how long to wait
     * @return the connection; null if no client came in time
     * @throws IllegalStateException in the loop itself, if the server is closed, or if it was
     *     {@linkplain #shutdown() shut down} and no earlier client is left
     * @throws WaitInterruptedException if the thread is interrupted
     */
    public @Nullable MessageSocket accept(Duration timeout) {
        Loops.checkNotIn(loop);
        if (server.isClosed()) {
            throw new IllegalStateException(server + " is closed");
        }
        try {
            long deadline = Nanos.deadline(timeout);
            MessageSocket next = connected.poll();
            while (next == null) {
                boolean isThere = accepting.await(() -> !connected.isEmpty(), deadline, "a client of " + server);
                next = connected.poll(); // another thread may have been faster
                if (!isThere && next == null) {
                    return null;
                }
            }
            if (next == none) {
                offer(none); // for other threads that wait, and for the next call
                throw new IllegalStateException(server + (server.isClosed() ? " has ended" : " was shut down"));
            }
            return next;
        } catch (InterruptedException e) {
            throw Failures.interrupted("waiting for a client of " + server);
        }
    }

    /**
     * Returns the underlying server, for its other methods. Use it only in the loop.
     *
     * @return the server
     */
    public ComchServer server() {
        return server;
    }

    /**
     * Stops accepting clients. {@link #accept} returns the clients that came before, and then throws an exception. A
     * client that connects later is refused with a reason. DOCA's server itself continues until {@link #close()}, and
     * its name remains taken until then. Sockets continue until either side closes them. Any thread may call this
     * method, which does not wait. A second call does nothing.
     */
    public void shutdown() {
        var _ = Loops.execute(loop, () -> {
            if (!shuttingDown) {
                shuttingDown = true;
                offer(none);
                endIfDone();
            }
        });
    }

    /**
     * Waits, after a {@link #shutdown()}, until either side has ended the connections of all sockets.
     *
     * @param timeout how long to wait
     * @return whether they have ended, or the server is closed; if not, {@link #close()} ends them
     * @throws IllegalStateException in the loop itself
     * @throws WaitInterruptedException if the thread is interrupted
     */
    public boolean awaitTermination(Duration timeout) {
        Loops.checkNotIn(loop);
        try {
            return terminated.await(Nanos.of(timeout), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            throw Failures.interrupted("waiting for the sockets of " + server + " to end");
        }
    }

    /**
     * Closes the server and its connections, after sending all pending messages. The call waits for these messages at
     * most as long as {@linkplain io.github.comch4j.core.ProgressEngine#timeout() the timeout of the loop's engine}. A
     * second call does nothing.
     *
     * @throws io.github.comch4j.comch.ConnectionClosedException if messages of its sockets could not be sent, and no
     *     call has reported it, see {@link MessageSocket#close}; the exceptions of further sockets are
     *     {@linkplain Throwable#getSuppressed() suppressed} in it. The server is closed in any case
     * @throws io.github.comch4j.DocaException if the server does not end in time
     */
    @Override
    public void close() {
        if (server.isClosed()) {
            return;
        }
        List<MessageSocket> sockets = List.copyOf(open);
        long deadline = Loops.engineOf(loop).deadline();
        sockets.forEach(socket -> socket.letOut(deadline));
        server.close();
        Throwable lost = null;
        for (MessageSocket socket : sockets) {
            Throwable ofSocket = socket.untold();
            if (lost == null) {
                lost = ofSocket;
            } else if (ofSocket != null) {
                lost.addSuppressed(ofSocket);
            }
        }
        if (lost != null) {
            throw Rethrow.asIs(lost);
        }
    }

    /**
     * A builder for a server. Not thread safe. It can be used once, even if DOCA refuses: afterwards every call throws
     * {@link IllegalStateException}.
     */
    public static final class Builder extends SocketBuilder<Builder> {
        private final ComchServer.Builder server;

        private Builder(EventLoop loop, Device device, Representor representor, String name) {
            super("MessageServerSocket.Builder", loop, name);
            this.server = ComchServer.builder(loop.engine(), device, representor, name);
        }

        /**
         * Sets when to log a warning about a client that does not read, as {@link ComchServer.Builder#warnIfStalled}
         * does.
         *
         * @param time the time after which the warning names the client
         * @return this
         * @throws IllegalArgumentException if the time is negative
         */
        public Builder warnIfStalled(Duration time) {
            use.check();
            server.warnIfStalled(time);
            return this;
        }

        /**
         * Sets when to end the connection of a client that does not read, as
         * {@link ComchServer.Builder#disconnectIfStalled} does. {@link MessageSocket#receive} returns the messages that
         * have arrived, and then throws {@link io.github.comch4j.comch.ConnectionClosedException} with the reason as
         * its cause.
         *
         * @param time the time after which the connection is ended
         * @return this
         * @throws IllegalArgumentException if the time is negative
         * @throws io.github.comch4j.MissingFunctionException with DOCA 2.5 and 2.6
         */
        public Builder disconnectIfStalled(Duration time) {
            use.check();
            server.disconnectIfStalled(time);
            return this;
        }

        /**
         * Opens the server; clients can connect from now on.
         *
         * @return the server, running
         * @throws io.github.comch4j.DocaException if DOCA refuses
         * @throws IllegalStateException in the loop itself
         * @throws WaitInterruptedException if the thread is interrupted
         */
        public MessageServerSocket open() {
            Loops.checkNotIn(loop);
            use.begin();
            return new MessageServerSocket(this);
        }

        @Override
        Builder self() {
            return this;
        }
    }
}
