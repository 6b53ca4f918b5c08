package io.github.comch4j.io;

import io.github.comch4j.DocaError;
import io.github.comch4j.DocaException;
import io.github.comch4j.comch.ComchClient;
import io.github.comch4j.comch.ComchConnection;
import io.github.comch4j.comch.ConnectionClosedException;
import io.github.comch4j.comch.ControlPathEndpoint;
import io.github.comch4j.core.Device;
import io.github.comch4j.core.EventLoop;
import io.github.comch4j.core.ProgressEngine;
import io.github.comch4j.internal.access.Internals;
import io.github.comch4j.internal.call.ContextCalls;
import io.github.comch4j.internal.call.PeCalls;
import io.github.comch4j.internal.call.TaskCalls;
import io.github.comch4j.internal.failure.Failures;
import io.github.comch4j.internal.life.Caller;
import io.github.comch4j.internal.life.Engine;
import io.github.comch4j.internal.life.LoopThread;
import io.github.comch4j.internal.life.Nanos;
import io.github.comch4j.internal.window.EndReason;
import io.github.comch4j.internal.window.SocketFrames;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import java.util.function.Function;
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
 * message is copied once more, to the heap. Not for tasks and handlers of the loop itself, except {@link #sendAsync}.
 *
 * <p><b>Senders take turns.</b> Messages go out in the order of the calls, whichever threads made them; one that there
 * is no room for waits in that order. Many threads that send at once cost the loop one wake-up.
 *
 * <p><b>Who does not receive makes the peer wait</b>, and nobody else: when {@linkplain SocketBuilder#receiveLimit a
 * quarter of the limit} waits to be received, the socket tells the socket at the other end how much it may send, and
 * its {@link #send} waits until more has been received. A peer that is no socket, such as a C program, gets the same
 * message of 32 bytes and may obey it ({@code docs/sockets.md}). If it does not, and 4 MiB more than the limit wait, the
 * connection is ended, and both sides are told why, in the exception of the next call.
 */
public final class ComchSocket implements AutoCloseable {
    private static final Function<ProgressEngine, Engine> ENGINE = Internals.of(ProgressEngine.class);
    private static final long RETRY_NANOS = 10_000_000;

    private final EventLoop loop;
    private final Consumer<ComchSocket> onEnd;
    private final SendQueue sends;
    private final ReceiveQueue receives;
    private final boolean plainPeer;
    private volatile @Nullable ComchConnection connection;
    private boolean ended; // in the loop
    private volatile String endReason = ""; // as the continuation of an exception's message
    private volatile boolean closed;

    ComchSocket(SocketBuilder<?> settings, Consumer<ComchSocket> onEnd) {
        this.loop = settings.loop;
        this.onEnd = onEnd;
        this.sends = new SendQueue(this, loop, settings.sendLimit);
        this.receives = new ReceiveQueue(sends, loop, settings.receiveLimit, settings.plainPeer);
        this.plainPeer = settings.plainPeer;
    }

    /**
     * Begins the settings of a socket that is going to connect to a server.
     *
     * @param loop the loop that does the work
     * @param device a host's function of the BlueField
     * @param name the server's name
     * @return the settings
     */
    public static Builder builder(EventLoop loop, Device device, String name) {
        return new Builder(loop, device, name);
    }

    /**
     * Connects to a server, with the default settings. As {@link Builder#connect}.
     *
     * @param loop the loop that does the work
     * @param device a host's function of the BlueField
     * @param name the server's name
     * @param timeout how long to try
     * @return the connection
     */
    public static ComchSocket connect(EventLoop loop, Device device, String name, Duration timeout) {
        return builder(loop, device, name).connect(timeout);
    }

    /** It is established. In the loop. */
    void connected(ComchConnection established) {
        if (connection == null) {
            receives.longestMessage(established.endpoint().maxMessageSize());
            connection = established;
        }
    }

    /** A message has arrived. In the loop. */
    void message(MemorySegment message) {
        if (ended) {
            return; // it is being closed
        }
        if (!plainPeer && SocketFrames.isFrame(message)) {
            frame(SocketFrames.kind(message), SocketFrames.value(message));
        } else if (!receives.add(message.toArray(ValueLayout.JAVA_BYTE))) {
            cut(EndReason.NOT_RECEIVED);
        }
    }

    private void frame(long kind, long value) {
        if (kind == SocketFrames.WINDOW) {
            sends.window(value);
        } else if (kind == SocketFrames.OBSERVES) {
            receives.observed();
        } else if (kind == SocketFrames.ENDING) {
            endReason = ", which the peer has ended: " + EndReason.text(value);
        } // else: from a later version, which does not rely on it
    }

    /** Ends the connection, and tells the peer why. */
    private void cut(EndReason reason) {
        endReason = ", which this process has ended: " + EndReason.text(reason.code());
        if (!plainPeer) {
            sends.addFrame(SocketFrames.make(SocketFrames.ENDING, reason.code()));
        }
        end();
        loop.execute(this::close); // a client cannot close in a handler
    }

    /** There is room to send again. In the loop. */
    void room() {
        sends.room();
    }

    /** No more messages come. In the loop. */
    void end() {
        if (!ended) {
            ended = true;
            sends.end();
            receives.end();
            onEnd.accept(this);
        }
    }

    /** The exception for a connection that has ended. */
    RuntimeException ended(String function, String action) {
        return Connections.of(connection()).ended(function, action + endReason);
    }

    /**
     * Sends a message; while there is no room, or the peer does not receive, waits.
     *
     * @param message 1 to {@link ControlPathEndpoint#maxMessageSize()} bytes; must not be changed until this returns
     * @param timeout how long to wait
     * @throws ConnectionClosedException if the connection has ended
     * @throws DocaException {@link DocaError#TIME_OUT} if there is no room for so long; other errors if DOCA refuses
     * @throws IllegalArgumentException if it is empty or too long
     * @throws IllegalStateException in the loop itself, or if the thread is interrupted
     * @throws RejectedExecutionException if the loop is closed
     */
    public void send(byte[] message, Duration timeout) {
        checkNotInLoop(loop);
        checkMessage(message);
        long deadline = Nanos.deadline(timeout);
        WaitingSend send = sends.add(message);
        if (!send.await(deadline, loopThread())) {
            if (Thread.currentThread().isInterrupted()) {
                throw new IllegalStateException("interrupted while waiting for room to send on " + connection);
            }
            throw Failures.refused(
                    DocaError.TIME_OUT,
                    TaskCalls.SUBMIT_NAME,
                    "waiting " + timeout + " for room to send on " + connection);
        }
        Throwable failure = send.failure();
        if (failure != null) {
            throw ComchSocket.<RuntimeException>sneak(Caller.addTo(failure, loop));
        }
    }

    /**
     * Sends a message without waiting: it goes out after those that were sent before, when there is room. Any thread,
     * also the loop's.
     *
     * @param message 1 to {@link ControlPathEndpoint#maxMessageSize()} bytes; must not be changed until the result is
     *     completed
     * @return completed, in the loop, when the message has been accepted as {@link #send} would have, or with what that
     *     would throw; at once with {@link DocaError#AGAIN} while {@linkplain SocketBuilder#sendLimit too much} waits.
     *     A message whose future is cancelled in time is not sent. What depends on it must not block the loop.
     * @throws IllegalArgumentException if it is empty or too long
     */
    public CompletableFuture<@Nullable Void> sendAsync(byte[] message) {
        checkMessage(message);
        return sends.addFuture(message);
    }

    private void checkMessage(byte[] message) {
        int most = connection().endpoint().maxMessageSize();
        if (message.length < 1 || message.length > most) {
            throw new IllegalArgumentException(
                    "a message of " + message.length + " bytes: 1 to " + most + " are possible on " + connection);
        }
        if (!plainPeer && SocketFrames.isFrame(message)) {
            throw new IllegalArgumentException("a message that sockets send to each other (docs/sockets.md)");
        }
    }

    private @Nullable LoopThread loopThread() {
        return ENGINE.apply(loop.engine()).loopThread();
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
            message = receives.poll(timeout);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while waiting for a message on " + connection, e);
        }
        if (message == ReceiveQueue.END) {
            throw ended(PeCalls.PROGRESS_NAME, "receiving on " + connection);
        }
        return message;
    }

    /**
     * The connection, for all else that it has: to be used in the loop only. What is sent on it directly is not counted
     * in what the peer's socket allows.
     *
     * @return the connection
     */
    public ComchConnection connection() {
        return Objects.requireNonNull(connection);
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
        ComchConnection mine = connection();
        if (mine.endpoint() instanceof ComchClient client) {
            client.close();
        } else if (!mine.endpoint().isClosed()) {
            mine.disconnect();
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

    @SuppressWarnings("unchecked")
    private static <T extends Throwable> RuntimeException sneak(Throwable thrown) throws T {
        throw (T) thrown;
    }

    /** Settings of a socket that is going to connect. */
    public static final class Builder extends SocketBuilder<Builder> {
        private final Device device;

        private Builder(EventLoop loop, Device device, String name) {
            super("ComchSocket.Builder", loop, name);
            this.device = Objects.requireNonNull(device, "device");
        }

        /**
         * Connects to the server, trying again while none of that name accepts.
         *
         * @param timeout how long to try
         * @return the connection
         * @throws DocaException if DOCA refuses; {@link DocaError#CONNECTION_ABORTED} or {@link DocaError#TIME_OUT} if
         *     the time is up
         * @throws IllegalStateException in the loop itself, or if the thread is interrupted
         */
        public ComchSocket connect(Duration timeout) {
            checkNotInLoop(loop);
            use.begin();
            long deadline = Nanos.deadline(timeout);
            while (true) {
                Attempt attempt = new Attempt(this, device);
                if (attempt.await(deadline)) {
                    return attempt.socket;
                }
                if (System.nanoTime() - deadline >= 0) {
                    throw Failures.refused(
                            attempt.wasRefused() ? DocaError.CONNECTION_ABORTED : DocaError.TIME_OUT,
                            ContextCalls.START_NAME,
                            "connecting to \"" + name + "\" on " + device + " for " + timeout);
                }
                Attempt.pause(Math.min(RETRY_NANOS, deadline - System.nanoTime()));
            }
        }

        @Override
        Builder self() {
            return this;
        }
    }
}
