package io.github.comch4j.io;

import io.github.comch4j.DocaError;
import io.github.comch4j.DocaException;
import io.github.comch4j.WaitInterruptedException;
import io.github.comch4j.comch.ComchConnection;
import io.github.comch4j.comch.ConnectionClosedException;
import io.github.comch4j.comch.ControlPathEndpoint;
import io.github.comch4j.comch.LinkState;
import io.github.comch4j.core.Device;
import io.github.comch4j.core.EventLoop;
import io.github.comch4j.core.ProgressEngine;
import io.github.comch4j.internal.call.TaskCalls;
import io.github.comch4j.internal.failure.Failures;
import io.github.comch4j.internal.failure.Rethrow;
import io.github.comch4j.internal.life.Engine;
import io.github.comch4j.internal.life.Nanos;
import io.github.comch4j.internal.life.SubmitterTrace;
import io.github.comch4j.link.Connector;
import io.github.comch4j.link.Framing;
import io.github.comch4j.link.Loops;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A connection with blocking calls for messages. Any number of threads may use it, including virtual threads, which do
 * not occupy a carrier thread while they wait. An {@link EventLoop} does the work.
 *
 * {@snippet file="Pieces.java" region="socket"}
 *
 * <p><b>Sending writes into a buffer</b>, as with any socket. {@link #send} returns as soon as the socket has a copy of
 * the message, and waits only while {@linkplain Builder#sendBuffer the buffer} is full. {@link #flush} waits
 * until the peer's device has all messages, and so does {@link #close}. Messages are lost if the connection ends, or if
 * DOCA refuses them or gives them up. Then the next {@code send}, {@code flush} or {@code close} throws an exception
 * that says how many. The socket sends nothing twice, and delivers nothing after a gap: the peer gets an exception
 * there. Close a socket before its loop, because the loop does not wait for the socket's buffer.
 *
 * <p>When the peer ends the connection, even without an error, {@link #receive} first returns the messages that have
 * arrived and then throws {@link ConnectionClosedException}. A result of null means that no message came in time. Each
 * message is copied once more, to the heap. Tasks and handlers of the loop itself may call only {@link #sendAsync} and
 * {@link #close}.
 *
 * <p><b>Senders take turns.</b> Messages go out in the order in which the buffer took them, from all threads. Senders
 * that wait for room get it in the order of their calls, when half of the buffer is empty. Many messages at once cost
 * one wake-up of the loop and one of the receiving thread.
 *
 * <p><b>A program that does not receive makes only its peer wait.</b> When
 * {@linkplain Builder#receiveLimit a quarter of the limit} is waiting to be received, the socket tells the peer's
 * socket how much it may send. The peer's buffer fills, and its {@link #send} waits until the program has received
 * more. A peer that is not a socket, such as a C program, must follow {@code docs/sockets.md}. If the peer does not
 * wait, and 4 MiB more than the limit are waiting, the connection ends, and the next call on both sides throws an
 * exception with the reason.
 *
 * <p>Each message has a header of 8 bytes with its number, unless the peer is
 * {@linkplain Builder#plainPeer() plain}.
 *
 * <p>A socket {@linkplain Builder#reconnect can connect again} after its connection has ended.
 */
public final class MessageSocket implements AutoCloseable {
    private final EventLoop loop;
    private final boolean plainPeer;
    private final SocketLinks links;
    private final LostMessages losses;

    /** A server's, of one connection. */
    MessageSocket(SocketBuilder<?> settings, Consumer<MessageSocket> onEnd) {
        this.loop = settings.loop;
        this.plainPeer = settings.plainPeer;
        this.links = new SocketLinks(settings, () -> onEnd.accept(this));
        this.losses = links.losses();
    }

    private MessageSocket(Builder settings) {
        this.loop = settings.loop;
        this.plainPeer = settings.plainPeer;
        BiConsumer<MessageSocket, LinkState> onState =
                settings.onState != null ? settings.onState : (socket, now) -> {};
        this.links = new SocketLinks(settings, settings.device, settings.backOff, now -> onState.accept(this, now));
        this.losses = links.losses();
    }

    /**
     * Returns a builder for a socket that connects to a server.
     *
     * @param loop the loop that does the work
     * @param device a host's function of the BlueField
     * @param name the server's name
     * @return the builder
     */
    public static Builder builder(EventLoop loop, Device device, String name) {
        return new Builder(loop, device, name);
    }

    /**
     * Connects to a server with the default settings, as {@link Builder#connect} does.
     *
     * @param loop the loop that does the work
     * @param device a host's function of the BlueField
     * @param name the server's name
     * @param timeout how long to try
     * @return the connection
     */
    public static MessageSocket connect(EventLoop loop, Device device, String name, Duration timeout) {
        return builder(loop, device, name).connect(timeout);
    }

    /** A server's connection. In the loop. */
    void connected(ComchConnection connection) {
        links.connected(connection);
    }

    /** Of the present connection. In the loop. */
    SocketLink link() {
        return links.present();
    }

    /** No more messages come. In the loop. */
    void end() {
        links.end();
    }

    /**
     * Returns whether messages can be sent. Any thread may call it.
     *
     * @return the state as the loop knows it
     */
    public LinkState state() {
        return links.state();
    }

    /**
     * Returns why the last attempt to connect again was refused, while there is no connection. Any thread may call it.
     *
     * @return an exception that was not thrown, with {@link DocaError#CONNECTION_ABORTED} and, if the libraries
     *     reported one, a {@link DocaException#reason()}; null if no attempt was refused since the last connection
     */
    public @Nullable DocaException refusal() {
        return links.refusal();
    }

    /**
     * Waits until messages can be sent: a socket that {@linkplain Builder#reconnect reconnects} waits for its next
     * connection.
     *
     * @param timeout how long to wait
     * @return whether there is a connection; if not, none came in time, or none can come any more
     * @throws IllegalStateException in the loop itself
     * @throws WaitInterruptedException if the thread is interrupted
     */
    public boolean awaitConnected(Duration timeout) {
        Loops.checkNotIn(loop);
        try {
            return links.awaitConnected(Nanos.deadline(timeout));
        } catch (InterruptedException e) {
            throw Failures.interrupted("waiting for a connection of " + this);
        }
    }

    /**
     * Sends a message. Returns as soon as the socket has a copy of it in its
     * {@linkplain Builder#sendBuffer buffer}, and waits while the buffer is full.
     *
     * @param message 1 to {@link #maxMessageSize()} bytes; must not be changed until this method returns
     * @param timeout how long to wait for room
     * @throws ConnectionClosedException if the connection has ended, or if earlier messages could not be sent because
     *     it has ended: the exception's message says how many. This message is then not sent
     * @throws DocaException {@link DocaError#TIME_OUT} if there is no room within the timeout: the message is not sent.
     *     Other errors if DOCA has refused earlier messages: this message is not sent either
     * @throws IllegalArgumentException if the message is empty or too long
     * @throws IllegalStateException in the loop itself
     * @throws WaitInterruptedException if the thread is interrupted while it waits: the message is not sent
     * @throws RejectedExecutionException if the loop is closed
     */
    public void send(byte[] message, Duration timeout) {
        Loops.checkNotIn(loop);
        checkMessage(message);
        Objects.requireNonNull(timeout);
        SocketLink link = links.present();
        PendingSend send = new PendingSend(link, Framing.DATA, message.clone());
        if (losses.areUntold()) {
            throwLosses(losses.total());
        }
        checkOpen(link);
        long cost = Framing.cost(message.length);
        SendBuffer buffer = link.sends.buffer();
        if (buffer.tryTake(cost)) {
            if (!link.sends.add(send)) {
                throwLosses(losses.total());
            }
        } else if (!buffer.awaitAndAdd(send, cost, Nanos.deadline(timeout))) {
            throw inVain(timeout, "room to send on " + link.connection());
        } else if (!send.added) {
            checkOpen(link);
        }
    }

    private void checkOpen(SocketLink link) {
        if (link.sends.isFinishing() && !links.isClosed()) {
            throw SendQueue.afterEnd();
        }
        boolean loopClosed = loop.isClosed();
        if (loopClosed || link.sends.hasEnded()) {
            throwLosses(losses.total());
            throw loopClosed ? new RejectedExecutionException(loop + " is closed") : link.sendsEnded();
        }
    }

    private static RuntimeException inVain(Duration timeout, String what) {
        return Thread.currentThread().isInterrupted()
                ? Failures.interrupted("waiting for " + what)
                : Failures.refused(
                        DocaError.TIME_OUT,
                        TaskCalls.SUBMIT_NAME,
                        "waiting " + Failures.text(timeout) + " for " + what);
    }

    /** Throws what is lost and was not told, or is lost since there were {@code before}. */
    private void throwLosses(LostMessages.Count before) {
        Throwable lost = losses.tell(before);
        if (lost != null) {
            throw Rethrow.asIs(SubmitterTrace.addTo(lost, loop));
        }
    }

    /**
     * Waits until the peer's device has all earlier messages of all threads, including those of {@link #sendAsync}.
     * This does not mean that the peer's program has received them.
     *
     * @param timeout how long to wait
     * @throws ConnectionClosedException if messages could not be sent, or may not have arrived, because the connection
     *     has ended; the exception's message says how many
     * @throws DocaException {@link DocaError#TIME_OUT} if it takes longer: the messages are still sent when possible.
     *     Other errors if DOCA has refused messages
     * @throws IllegalStateException in the loop itself
     * @throws WaitInterruptedException if the thread is interrupted while it waits
     * @throws RejectedExecutionException if messages could not be sent because the loop is closed
     */
    public void flush(Duration timeout) {
        Loops.checkNotIn(loop);
        long deadline = Nanos.deadline(Objects.requireNonNull(timeout));
        LostMessages.Count before = losses.total();
        throwLosses(before);
        SocketLink link = links.present();
        if (!awaitArrival(link.sends, deadline)) {
            throw inVain(timeout, "what was sent on " + link.connection() + " to arrive");
        }
        throwLosses(before);
    }

    private static boolean awaitArrival(SendQueue sends, long deadline) {
        return sends.buffer().awaitGiven(deadline) && sends.awaitArrival(deadline);
    }

    /**
     * Sends a message without waiting and without a copy. The message goes out after the earlier messages, when there
     * is room. Any thread may call it, including the loop's.
     *
     * @param message 1 to {@link #maxMessageSize()} bytes; must not be changed until the result is completed
     * @return a future that the loop completes when DOCA has accepted the message, or with the reason why the message
     *     could not be sent; it fails at once with {@link DocaError#AGAIN} while
     *     {@linkplain Builder#sendLimit too much} is waiting. If the program cancels the future in time, the
     *     message is not sent. Stages that depend on the future must not block the loop
     * @throws IllegalArgumentException if the message is empty or too long
     */
    public CompletableFuture<@Nullable Void> sendAsync(byte[] message) {
        checkMessage(message);
        SendQueue queue = links.present().sends;
        if (queue.isFinishing() && !links.isClosed()) {
            throw SendQueue.afterEnd();
        }
        return queue.addFuture(message);
    }

    /**
     * Reports to the peer, after all earlier messages, that no more messages come, and how many there were. The socket
     * can still receive the peer's messages, but can no longer send. Waits as {@link #flush} does. The peer can detect
     * the end if it is a socket ({@link #isInputShutdown()}), or a channel of {@code io.github.comch4j.netty}.
     *
     * @param timeout how long to wait
     * @throws ConnectionClosedException as {@link #flush}; the peer is not informed
     * @throws DocaException as {@link #flush}; the peer is not informed
     * @throws IllegalStateException in the loop itself, or if the peer is {@linkplain Builder#plainPeer() plain}
     * @throws WaitInterruptedException if the thread is interrupted while it waits
     * @throws RejectedExecutionException if the loop is closed
     */
    public void shutdownOutput(Duration timeout) {
        if (plainPeer) {
            throw new IllegalStateException("a socket with plainPeer() cannot announce the end of its output");
        }
        Loops.checkNotIn(loop);
        Objects.requireNonNull(timeout);
        links.present().sends.finish(Framing.FINISHED);
        flush(timeout);
    }

    /**
     * Returns whether the peer has announced that it sends no more ({@link #shutdownOutput}, {@link #close}), and all
     * its messages were received. From then on {@link #receive} returns null at once, or throws an exception if the
     * connection has ended. Any thread may call it, even after the end of the connection: the result then shows whether
     * the peer sent everything before it ended the connection.
     *
     * @return whether this applies to the connection from which messages are received
     */
    public boolean isInputShutdown() {
        return links.receiving().receives.isFinished();
    }

    /**
     * Returns the length of the longest message. Any thread may call it.
     *
     * @return bytes: {@link ControlPathEndpoint#maxMessageSize()}, without the header of 8 bytes that each message has
     *     unless the peer is {@linkplain Builder#plainPeer() plain}
     */
    public int maxMessageSize() {
        return connection().endpoint().maxMessageSize() - (plainPeer ? 0 : Framing.HEADER);
    }

    private void checkMessage(byte[] message) {
        int most = maxMessageSize();
        if (message.length < 1 || message.length > most) {
            throw new IllegalArgumentException(
                    connection() + " takes messages of 1 to " + most + " bytes, not " + message.length);
        }
    }

    /**
     * Waits for the next message and returns it.
     *
     * @param timeout how long to wait
     * @return the message; null if none came in time, or none will ({@link #isInputShutdown})
     * @throws ConnectionClosedException if the connection has ended, and all that arrived before has been received
     * @throws IllegalStateException in the loop itself
     * @throws WaitInterruptedException if the thread is interrupted while it waits
     */
    public byte @Nullable [] receive(Duration timeout) {
        Loops.checkNotIn(loop);
        SocketLink from = links.receiving();
        byte[] message;
        try {
            message = from.receives.poll(timeout);
        } catch (InterruptedException e) {
            throw Failures.interrupted("waiting for a message on " + connection());
        }
        if (message == ReceiveQueue.END) {
            throw links.told(from);
        }
        return message;
    }

    /**
     * Returns the underlying connection, for its other methods. Use it only in the loop. Messages sent directly on it
     * do not count toward what the peer's socket allows.
     *
     * @return the connection
     */
    public ComchConnection connection() {
        return links.present().connection();
    }

    /**
     * Closes the socket. First reports to the peer that everything was sent, as {@link #shutdownOutput} does, and waits
     * until the peer's device has everything, at most as long as
     * {@linkplain ProgressEngine#timeout() the timeout of the loop's engine}. Then it ends the connection. In a
     * callback of the engine it does not wait. A second call does nothing. Waiting threads are informed.
     *
     * @throws ConnectionClosedException if earlier messages could not be sent, or may not have arrived, and no call has
     *     reported it; the exception's message says how many. The socket is closed in any case
     * @throws DocaException if the socket does not end in time; it is then still open
     * @throws io.github.comch4j.MissingFunctionException with DOCA 2.5 and 2.6, for a socket of a server whose client
     *     has not closed it: connections of these servers end together, with the server
     */
    @Override
    public void close() {
        if (links.isClosed()) {
            return;
        }
        letOut(Loops.engineOf(loop).deadline());
        links.close();
        if (!loop.isInLoop() && !loop.isClosed()) {
            // the end of the connection for senders, which the loop is about to see to
            long deadline = Loops.engineOf(loop).deadline();
            SendBuffer buffer = links.present().sends.buffer();
            awaitInterruptedLater(() -> buffer.awaitEnd(deadline));
        }
        throwLosses(losses.total());
    }

    /**
     * Tells the peer that all has been sent, and waits until it has it, or the time is up. Any thread; an interrupt
     * waits.
     */
    void letOut(long deadline) {
        SendQueue sends = links.present().sends;
        if (!sends.hasEnded()) {
            sends.finish(Framing.CLOSED);
        }
        if (!loop.isInLoop()) {
            awaitInterruptedLater(() -> awaitArrival(sends, deadline));
            return;
        }
        Engine engine = Loops.engineOf(loop);
        long all = sends.buffer().taken(); // other threads may go on sending
        if (sends.sendsUntil(all) || engine.isInCallbacks()) {
            return; // in a callback nothing can be waited for
        }
        awaitInterruptedLater(() -> {
            try {
                return engine.awaitInterruptibly(() -> sends.sendsUntil(all), deadline, null);
            } catch (InterruptedException e) {
                return false; // and is interrupted
            }
        });
    }

    /** {@code wait} returns false if the time is up, or the thread is interrupted. */
    private static void awaitInterruptedLater(BooleanSupplier wait) {
        boolean interrupted = Thread.interrupted();
        while (!wait.getAsBoolean() && Thread.interrupted()) {
            interrupted = true;
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** The exception for what could not be sent and was not told, or null. */
    @Nullable
    Throwable untold() {
        return losses.tell(losses.total());
    }

    /**
     * Returns a description for logs.
     *
     * @return the socket's connection
     */
    @Override
    public String toString() {
        return links.toString();
    }

    /**
     * A builder for a socket that connects. Not thread safe. It can be used once, even if DOCA refuses: afterwards
     * every call throws {@link IllegalStateException}.
     */
    public static final class Builder extends SocketBuilder<Builder> {
        private final Device device;
        private Connector.RetryDelays backOff = Connector.RetryDelays.NEVER;
        private @Nullable BiConsumer<MessageSocket, LinkState> onState;

        private Builder(EventLoop loop, Device device, String name) {
            super("MessageSocket.Builder", loop, name);
            this.device = Objects.requireNonNull(device, "device");
        }

        /**
         * Makes the socket connect again, as often as necessary, when its connection has ended. Default: it does not.
         *
         * <p>A message is never sent twice. When the connection ends, messages that wait to be sent are lost. The next
         * call throws a {@link ConnectionClosedException} that says how many, even if there is another connection by
         * then. Calls before the next connection ({@link MessageSocket#awaitConnected}) throw the same exception. If
         * DOCA had accepted a message, it is unknown whether the peer has received it.
         *
         * <p>{@link MessageSocket#receive} first returns the messages that have arrived. Then it throws
         * {@link ConnectionClosedException}, once in each waiting thread and at least once. After that it waits for
         * messages of the next connection. Messages of a connection that came and went in the meantime are discarded.
         *
         * @param shortest how long to wait before the first attempt; each further wait is twice as long
         * @param longest the longest wait
         * @return this
         * @throws IllegalArgumentException if a time is not positive, or {@code shortest} is longer than
         *     {@code longest}
         */
        public Builder reconnect(Duration shortest, Duration longest) {
            use.check();
            backOff = Connector.RetryDelays.of(shortest, longest);
            return this;
        }

        /**
         * Sets the handler that is called after each change of {@link MessageSocket#state()}, beginning with the first
         * connection. The handler is no longer called once the loop is closed.
         *
         * @param handler runs in the loop, and must not block it
         * @return this
         */
        public Builder onState(BiConsumer<MessageSocket, LinkState> handler) {
            onState = use.once("onState", onState, handler);
            return this;
        }

        /**
         * Connects to the server, and tries again while no server with that name accepts.
         *
         * @param timeout how long to try
         * @return the connection
         * @throws DocaException if DOCA refuses; {@link DocaError#CONNECTION_ABORTED} or {@link DocaError#TIME_OUT} if
         *     the time is up
         * @throws IllegalStateException in the loop itself
         * @throws WaitInterruptedException if the thread is interrupted
         */
        public MessageSocket connect(Duration timeout) {
            Loops.checkNotIn(loop);
            use.begin();
            MessageSocket socket = new MessageSocket(this);
            socket.links.connect(timeout);
            return socket;
        }

        @Override
        Builder self() {
            return this;
        }
    }
}
