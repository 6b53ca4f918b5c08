package io.github.comch4j.io;

import io.github.comch4j.DocaError;
import io.github.comch4j.DocaException;
import io.github.comch4j.comch.ComchClient;
import io.github.comch4j.comch.ComchConnection;
import io.github.comch4j.comch.ConnectionClosedException;
import io.github.comch4j.comch.ControlPathEndpoint;
import io.github.comch4j.core.ContextState;
import io.github.comch4j.core.Device;
import io.github.comch4j.core.EventLoop;
import io.github.comch4j.internal.call.ContextCalls;
import io.github.comch4j.internal.call.PeCalls;
import io.github.comch4j.internal.call.TaskCalls;
import io.github.comch4j.internal.failure.Failures;
import io.github.comch4j.internal.life.Nanos;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A connection's messages with calls that wait, for threads that have nothing else to do: any number of threads, also
 * virtual ones, which hold on to no carrier while they wait. The work is done by an {@link EventLoop}.
 *
 * {@snippet file="Pieces.java" region="socket"}
 *
 * <p>When the peer ends the connection, also in good order, {@link #receive} first gives what had arrived and then
 * throws {@link ConnectionClosedException}; null only says that nothing came in time. What fails in the loop throws
 * here, with the stack trace of the calling thread {@linkplain Throwable#getSuppressed() suppressed} in it. Each
 * message is copied once more, to the heap. Not for tasks and handlers of the loop itself.
 */
public final class ComchSocket implements AutoCloseable {
    /** How many messages may wait to be received before the connection is ended, to save the process's memory. */
    public static final int BACKLOG = 65_536;

    private static final byte[] END = new byte[0]; // no message is empty
    private static final long RETRY_NANOS = 50_000;

    private final EventLoop loop;
    private final Consumer<ComchSocket> onEnd;
    private final LinkedBlockingQueue<byte[]> received = new LinkedBlockingQueue<>();
    private volatile ComchConnection connection;
    private boolean ended; // in the loop
    private volatile boolean overrun;
    private volatile boolean closed;

    ComchSocket(EventLoop loop, Consumer<ComchSocket> onEnd) {
        this.loop = Objects.requireNonNull(loop);
        this.onEnd = onEnd;
    }

    /**
     * Connects to a server, trying again while none of that name accepts.
     *
     * @param loop the loop that does the work
     * @param device a host's function of the BlueField
     * @param name the server's name
     * @param timeout how long to try
     * @return the connection
     * @throws DocaException if DOCA refuses; {@link DocaError#CONNECTION_ABORTED} or {@link DocaError#TIME_OUT} if the
     *     time is up
     * @throws IllegalStateException in the loop itself, or if the thread is interrupted
     */
    public static ComchSocket connect(EventLoop loop, Device device, String name, Duration timeout) {
        checkNotInLoop(loop);
        long deadline = Nanos.deadline(timeout);
        while (true) {
            ComchSocket socket = new ComchSocket(loop, ended -> {});
            AtomicReference<ComchClient> attempt = new AtomicReference<>();
            ComchClient client;
            ComchConnection connected;
            try {
                client = loop.call(() -> {
                    attempt.set(ComchClient.builder(loop.engine(), device, name)
                            .onMessage((from, message) -> socket.message(message))
                            .onDisconnected(ended -> socket.end())
                            .onStateChanged((endpoint, before, now) -> {
                                if (now == ContextState.IDLE) {
                                    socket.end(); // also when the loop closes it
                                }
                            })
                            .start());
                    return attempt.get();
                });
                connected = await(loop, client, deadline);
            } catch (IllegalStateException e) {
                abandon(loop, attempt); // interrupted
                throw e;
            }
            if (connected != null) {
                socket.connection = connected;
                return socket;
            }
            boolean answered = client.state() != ContextState.STARTING;
            loop.call(() -> {
                client.close();
                return null;
            });
            if (System.nanoTime() - deadline >= 0) {
                throw Failures.refused(
                        answered ? DocaError.CONNECTION_ABORTED : DocaError.TIME_OUT,
                        ContextCalls.START_NAME,
                        "connecting to \"" + name + "\" on " + device + " for " + timeout);
            }
        }
    }

    /** Without waiting: the task that makes the client has run by then, or never will. */
    private static void abandon(EventLoop loop, AtomicReference<ComchClient> attempt) {
        if (!loop.isClosed()) {
            loop.execute(() -> {
                if (attempt.get() != null) {
                    attempt.get().close();
                }
            });
        }
    }

    /** Waits for the end of an attempt; null if it was refused, or the time is up. */
    private static @Nullable ComchConnection await(EventLoop loop, ComchClient client, long deadline) {
        long pause = RETRY_NANOS;
        while (!client.isConnected() && client.state() != ContextState.IDLE && System.nanoTime() - deadline < 0) {
            pause(pause);
            pause = Math.min(2 * pause, 1_000_000);
        }
        if (client.isConnected()) {
            return loop.call(client::connection);
        }
        pause(Math.min(10_000_000, Math.max(1, deadline - System.nanoTime()))); // before the next attempt
        return null;
    }

    /** For {@link ComchServerSocket}. */
    void connected(ComchConnection established) {
        connection = established;
    }

    /** A message has arrived. In the loop. */
    void message(MemorySegment message) {
        if (overrun) {
            return;
        }
        if (received.size() >= BACKLOG) {
            overrun = true;
            end();
            loop.execute(this::close); // a client cannot close in a handler
            return;
        }
        received.add(message.toArray(ValueLayout.JAVA_BYTE));
    }

    /** No more messages come. */
    void end() {
        if (!ended) {
            ended = true;
            received.add(END);
            onEnd.accept(this);
        }
    }

    /**
     * Sends a message; while there is no room, waits.
     *
     * @param message 1 to {@link ControlPathEndpoint#maxMessageSize()} bytes; must not be changed until this returns
     * @param timeout how long to wait
     * @throws ConnectionClosedException if the connection has ended
     * @throws DocaException {@link DocaError#TIME_OUT} if there is no room for so long; other errors if DOCA refuses
     * @throws IllegalArgumentException if it is empty or too long
     * @throws IllegalStateException in the loop itself, or if the thread is interrupted
     */
    public void send(byte[] message, Duration timeout) {
        checkNotInLoop(loop);
        long deadline = Nanos.deadline(timeout);
        long pause = RETRY_NANOS;
        while (!loop.call(() -> connection.trySend(message).accepted())) {
            if (System.nanoTime() - deadline >= 0) {
                throw Failures.refused(
                        DocaError.TIME_OUT,
                        TaskCalls.SUBMIT_NAME,
                        "waiting " + timeout + " for room to send on " + connection);
            }
            pause(pause);
            pause = Math.min(2 * pause, 1_000_000);
        }
    }

    /**
     * Receives the next message; waits for it.
     *
     * @param timeout how long to wait
     * @return the message; null if none came in time
     * @throws ConnectionClosedException if the connection has ended, and all that arrived before has been received
     * @throws IllegalStateException in the loop itself, or if the thread is interrupted while it waits
     */
    public byte @Nullable [] receive(Duration timeout) {
        checkNotInLoop(loop);
        byte[] message;
        try {
            message = received.poll();
            if (message == null) {
                message = received.poll(Nanos.of(timeout), TimeUnit.NANOSECONDS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while waiting for a message on " + connection, e);
        }
        if (message == END) {
            received.add(END); // for other threads that wait, and for the next call
            throw Connections.of(connection)
                    .ended(
                            PeCalls.PROGRESS_NAME,
                            "receiving on " + connection
                                    + (overrun
                                            ? ", which this process has ended because " + BACKLOG
                                                    + " messages were not received"
                                            : ""));
        }
        return message;
    }

    /**
     * The connection, for all else that it has: to be used in the loop only.
     *
     * @return the connection
     */
    public ComchConnection connection() {
        return connection;
    }

    /**
     * Ends the connection: messages that were accepted still go out. The second call does nothing. Threads that wait
     * learn of it.
     *
     * @throws IllegalStateException inside a callback of the loop's engine; it is still open then
     * @throws DocaException if it does not end in time; it is still open then
     */
    @Override
    public void close() {
        if (closed) {
            return;
        }
        if (connection.endpoint() instanceof ComchClient client) {
            client.close();
        } else if (!connection.endpoint().isClosed()) {
            connection.disconnect();
        }
        closed = true;
        if (loop.isInLoop()) {
            end();
            return;
        }
        try {
            loop.execute(this::end);
        } catch (RejectedExecutionException e) {
            // the loop was closed meanwhile: end() was called when it closed what ran in it
        }
    }

    /**
     * For logs.
     *
     * @return whose it is
     */
    @Override
    public String toString() {
        return "socket on " + connection;
    }

    static void checkNotInLoop(EventLoop loop) {
        if (loop.isInLoop()) {
            throw new IllegalStateException("a call that waits, in the loop that it waits for");
        }
    }

    private static void pause(long nanos) {
        LockSupport.parkNanos(nanos);
        if (Thread.currentThread().isInterrupted()) {
            throw new IllegalStateException("interrupted while waiting");
        }
    }
}
