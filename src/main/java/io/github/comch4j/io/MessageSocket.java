package io.github.comch4j.io;

import io.github.comch4j.DocaError;
import io.github.comch4j.DocaException;
import io.github.comch4j.WaitInterruptedException;
import io.github.comch4j.comch.ComchConnection;
import io.github.comch4j.comch.ConnectionClosedException;
import io.github.comch4j.comch.ControlPathEndpoint;
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
 * A connection's messages with calls that wait, for threads that have nothing else to do: any number of threads, also
 * virtual ones, which hold on to no carrier while they wait. The work is done by an {@link EventLoop}.
 *
 * {@snippet file="Pieces.java" region="socket"}
 *
 * <p><b>Sending is writing into a buffer</b>, as with any socket: {@link #send} returns as soon as the socket has a
 * copy of the message, and waits only while {@linkplain SocketBuilder#sendBuffer its buffer} is full. {@link #flush}
 * waits until the peer's device has all that was sent, as {@link #close} does. If messages are lost, because the
 * connection ends, or DOCA refuses them or gives them up, the next {@code send}, {@code flush} or {@code close} throws
 * and says how many; nothing is sent twice, and nothing arrives behind a hole: the peer gets an exception there. Close
 * a socket before its loop, which does not wait for its buffer.
 *
 * <p>When the peer ends the connection, also in good order, {@link #receive} first gives what had arrived and then
 * throws {@link ConnectionClosedException}; null says that nothing came in time. Each message is copied once more,
 * to the heap. Not for tasks and handlers of the loop itself, except {@link #sendAsync} and {@link #close}.
 *
 * <p><b>Senders take turns.</b> Messages go out in the order in which the buffer took them, whichever threads sent
 * them; those that wait for room get it in the order of their calls, when half of the buffer is empty. Many messages at
 * once cost the loop one wake-up, and one the thread that receives them.
 *
 * <p><b>Who does not receive makes the peer wait</b>, and nobody else: when {@linkplain SocketBuilder#receiveLimit a
 * quarter of the limit} waits to be received, the socket tells the socket at the other end how much it may send, and
 * its buffer fills, and {@link #send} waits until more has been received. A peer that is no socket, such as a C
 * program, does as {@code docs/sockets.md} says. If it does not wait, and 4 MiB more than the limit wait, the
 * connection ends, and the next call of both sides throws an exception with the reason.
 *
 * <p>Each message has a header of 8 bytes, with its number, unless the peer is {@linkplain SocketBuilder#plainPeer()
 * plain}.
 *
 * <p>A socket {@linkplain Builder#reconnect may connect again} when its connection has ended.
 */
public final class MessageSocket implements AutoCloseable {
    /** Whether messages can be sent. */
    public enum State {
        /** There is a connection. */
        CONNECTED,
        /** The connection has ended; there may be another one. */
        DISCONNECTED,
        /** The socket was closed. */
        CLOSED
    }

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
        BiConsumer<MessageSocket, State> onState = settings.onState != null ? settings.onState : (socket, now) -> {};
        this.links = new SocketLinks(settings, settings.device, settings.backOff, now -> onState.accept(this, now));
        this.losses = links.losses();
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
     * Whether messages can be sent. Any thread may ask.
     *
     * @return the state as the loop knows it
     */
    public State state() {
        return links.state();
    }

    /**
     * Why the last attempt to connect again was refused, while there is no connection. Any thread may ask.
     *
     * @return an exception that nobody has thrown, with {@link DocaError#CONNECTION_ABORTED} and, if the libraries have
     *     told, a {@link DocaException#reason()}; null if no attempt was refused since there was a connection
     */
    public @Nullable DocaException refusal() {
        return links.refusal();
    }

    /**
     * Waits until messages can be sent: for the next connection of a socket that
     * {@linkplain Builder#reconnect reconnects}.
     *
     * @param timeout how long to wait
     * @return whether there is a connection; if not, there was none in time, or there never will be one
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
     * Sends a message: returns as soon as the socket has a copy of it in its {@linkplain SocketBuilder#sendBuffer
     * buffer}. While that is full, waits.
     *
     * @param message 1 to {@link #maxMessageSize()} bytes; must not be changed until this returns
     * @param timeout how long to wait for room
     * @throws ConnectionClosedException if the connection has ended, or if messages that were sent before could not go
     *     out because it has: the exception's message says how many. This one is not sent then
     * @throws DocaException {@link DocaError#TIME_OUT} if there is no room for so long: the message is not sent. Other
     *     errors if DOCA has refused messages that were sent before: this one is not sent either
     * @throws IllegalArgumentException if it is empty or too long
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
        SendRoom room = link.sends.room();
        if (room.tryTake(cost)) {
            if (!link.sends.add(send)) {
                throwLosses(losses.total());
            }
        } else if (!room.awaitAndAdd(send, cost, Nanos.deadline(timeout))) {
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
     * Waits until the peer's device has all messages that were sent before, by whichever threads, also with
     * {@link #sendAsync}. That does not mean that the peer's program has received them.
     *
     * @param timeout how long to wait
     * @throws ConnectionClosedException if messages could not go out, or may not have arrived, because the connection
     *     has ended; the exception's message says how many
     * @throws DocaException {@link DocaError#TIME_OUT} if it takes longer: the messages still go out when they can.
     *     Other errors if DOCA has refused messages
     * @throws IllegalStateException in the loop itself
     * @throws WaitInterruptedException if the thread is interrupted while it waits
     * @throws RejectedExecutionException if messages could not go out because the loop is closed
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
        return sends.room().awaitGiven(deadline) && sends.awaitArrival(deadline);
    }

    /**
     * Sends a message without waiting, and without a copy: it goes out after those that were sent before, when there is
     * room. Any thread, also the loop's.
     *
     * @param message 1 to {@link #maxMessageSize()} bytes; must not be changed until the result is
     *     completed
     * @return completed, in the loop, when DOCA has accepted the message, or with why it could not be sent; at once
     *     with {@link DocaError#AGAIN} while {@linkplain SocketBuilder#sendLimit too much} waits. A message whose
     * future is cancelled in time is not sent. What depends on it must not block the loop.
     * @throws IllegalArgumentException if it is empty or too long
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
     * Tells the peer that no more messages come, after all that were sent before, and how many there were; messages of
     * the peer can still be received. Nothing can be sent afterwards. Waits as {@link #flush}. The peer learns of it if
     * it is a socket ({@link #isInputShutdown()}), or a channel of {@code io.github.comch4j.netty}.
     *
     * @param timeout how long to wait
     * @throws ConnectionClosedException as {@link #flush}; the peer is not told
     * @throws DocaException as {@link #flush}; the peer is not told
     * @throws IllegalStateException in the loop itself, or if the peer is {@linkplain SocketBuilder#plainPeer() plain}
     * @throws WaitInterruptedException if the thread is interrupted while it waits
     * @throws RejectedExecutionException if the loop is closed
     */
    public void shutdownOutput(Duration timeout) {
        if (plainPeer) {
            throw new IllegalStateException("the peer is plain, and knows no message that tells of an end");
        }
        Loops.checkNotIn(loop);
        Objects.requireNonNull(timeout);
        links.present().sends.finish(Framing.FINISHED);
        flush(timeout);
    }

    /**
     * Whether the peer has said that it sends no more ({@link #shutdownOutput}, {@link #close}), and all that it had
     * sent was received. From then on {@link #receive} returns null at once, or throws when the connection has ended.
     * Any thread may ask, also after the end of the connection: then it tells whether the peer ended it with all said.
     *
     * @return whether it has, on the connection that messages are received from
     */
    public boolean isInputShutdown() {
        return links.receiving().receives.isFinished();
    }

    /**
     * How long a message can be. Any thread may ask.
     *
     * @return bytes: {@link ControlPathEndpoint#maxMessageSize()}, without the header of 8 bytes that each message has
     *     unless the peer is {@linkplain SocketBuilder#plainPeer() plain}
     */
    public int maxMessageSize() {
        return connection().endpoint().maxMessageSize() - (plainPeer ? 0 : Framing.HEADER);
    }

    private void checkMessage(byte[] message) {
        int most = maxMessageSize();
        if (message.length < 1 || message.length > most) {
            throw new IllegalArgumentException(
                    "a message of " + message.length + " bytes: 1 to " + most + " are possible on " + connection());
        }
    }

    /**
     * Receives the next message; waits for it.
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
     * The connection, for all else that it has: to be used in the loop only. What is sent on it directly is not counted
     * in what the peer's socket allows.
     *
     * @return the connection
     */
    public ComchConnection connection() {
        return links.present().connection();
    }

    /**
     * Tells the peer that all has been sent, as {@link #shutdownOutput}, and ends the connection when its device has
     * all, for which it waits as long as {@linkplain ProgressEngine#timeout() the loop's engine} says; in a callback of
     * the engine it does not wait. The second call does nothing. Threads that wait learn of it.
     *
     * @throws ConnectionClosedException if messages that were sent before could not go out, or may not have arrived,
     *     and no call has told; the exception's message says how many. It is closed all the same
     * @throws DocaException if it does not end in time; it is still open then
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
            SendRoom room = links.present().sends.room();
            awaitInterruptedLater(() -> room.awaitEnd(deadline));
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
        long all = sends.room().taken(); // other threads may go on sending
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
     * For logs.
     *
     * @return whose it is
     */
    @Override
    public String toString() {
        return links.toString();
    }

    /** Settings of a socket that is going to connect. */
    public static final class Builder extends SocketBuilder<Builder> {
        private final Device device;
        private Connector.RetryDelays backOff = Connector.RetryDelays.NEVER;
        private @Nullable BiConsumer<MessageSocket, State> onState;

        private Builder(EventLoop loop, Device device, String name) {
            super("MessageSocket.Builder", loop, name);
            this.device = Objects.requireNonNull(device, "device");
        }

        /**
         * When the connection has ended, the socket connects again, as often as it takes. Default: it does not.
         *
         * <p>A message is never sent twice. Those that wait to be sent when the connection ends are lost: the next call
         * tells how many, with {@link ConnectionClosedException}, also if there is another connection by then. The same
         * exception have calls before there is another one ({@link MessageSocket#awaitConnected}); of what DOCA had
         * accepted, nobody knows whether the peer has seen it.
         * {@link MessageSocket#receive} first gives what had arrived, then throws {@link ConnectionClosedException},
         * once to each thread that waits and at least once, and then waits for messages of the next connection. What
         * arrived on a connection that came and went meanwhile is discarded.
         *
         * @param shortest how long to wait before the first attempt; each time twice as long
         * @param longest how long to wait at most
         * @return this
         * @throws IllegalArgumentException if a time is not positive, or {@code shortest} longer than {@code longest}
         */
        public Builder reconnect(Duration shortest, Duration longest) {
            use.check();
            backOff = Connector.RetryDelays.of(shortest, longest);
            return this;
        }

        /**
         * Called after each change of {@link MessageSocket#state()}, beginning with the first connection. Not any more
         * once the loop is closed.
         *
         * @param handler runs in the loop, and must not block it
         * @return this
         */
        public Builder onState(BiConsumer<MessageSocket, State> handler) {
            onState = use.once("onState", onState, handler);
            return this;
        }

        /**
         * Connects to the server, trying again while none of that name accepts.
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
