package io.github.comch4j.io;

import io.github.comch4j.DocaError;
import io.github.comch4j.MissingFunctionException;
import io.github.comch4j.comch.ComchClient;
import io.github.comch4j.comch.ComchConnection;
import io.github.comch4j.comch.ConnectionState;
import io.github.comch4j.internal.call.PeCalls;
import io.github.comch4j.internal.call.TaskCalls;
import io.github.comch4j.internal.life.ConnectionInside;
import io.github.comch4j.link.EndReason;
import io.github.comch4j.link.Framing;
import io.github.comch4j.link.Loops;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One connection of a socket: what is sent and received on it, and its end. All but the queues' own methods for any
 * thread, and what says so, belongs to the loop.
 */
final class SocketLink {
    final LostMessages losses; // of all connections
    final SendQueue sends;
    final ReceiveQueue receives;

    /**
     * What is received from after this one has ended; null: no other connection follows. Set before the end is told.
     */
    volatile @Nullable SocketLink next;

    private final SocketBuilder<?> settings;
    private final Consumer<SocketLink> onEnd;
    private final @Nullable Framing framing; // null: the peer is plain
    private volatile @Nullable ComchConnection connection; // null: not yet
    private @Nullable ConnectionInside inside; // of it
    private boolean any; // has arrived
    private volatile boolean ended;
    private boolean counted; // what is lost
    private boolean refused; // the peer does not take what is sent
    private long lost = -1; // the message that could not be delivered
    private volatile boolean closing; // this process ends it
    private volatile String endReason = ""; // as the continuation of an exception's message

    SocketLink(SocketBuilder<?> settings, LostMessages losses, Consumer<SocketLink> onEnd) {
        this.settings = settings;
        this.losses = losses;
        this.onEnd = onEnd;
        this.framing = settings.plainPeer ? null : new Framing();
        this.sends = new SendQueue(this, settings, framing);
        this.receives = new ReceiveQueue(sends, settings.loop, settings.receiveLimit, settings.plainPeer);
    }

    /** It is established. */
    void connected(ComchConnection established) {
        int longest = established.endpoint().maxMessageSize();
        sends.longestMessage(longest);
        receives.longestMessage(longest);
        inside = Loops.insideOf(established);
        connection = established;
    }

    /** Whether it was ever established. Any thread. */
    boolean isConnected() {
        return connection != null;
    }

    /** The connection. Any thread. */
    ComchConnection connection() {
        return Objects.requireNonNull(connection);
    }

    /** What sockets need of the connection and programs do not. In the loop. */
    ConnectionInside inside() {
        return Objects.requireNonNull(inside);
    }

    /** A message has arrived. */
    void message(MemorySegment message) {
        if (ended) {
            return; // it is being closed
        }
        if (framing != null) {
            framed(framing, message);
        } else if (!any && Framing.isFirst(message)) {
            cut(EndReason.NOT_FRAMED, "");
        } else {
            any = true;
            add(message.toArray(ValueLayout.JAVA_BYTE));
        }
    }

    private void framed(Framing headers, MemorySegment message) {
        int kind = headers.arrived(message);
        switch (kind) {
            case Framing.DATA -> {
                byte[] bytes = new byte[(int) message.byteSize() - Framing.HEADER];
                MemorySegment.copy(message, ValueLayout.JAVA_BYTE, Framing.HEADER, bytes, 0, bytes.length);
                add(bytes);
            }
            case Framing.WINDOW -> sends.window(Framing.value(message));
            case Framing.OBSERVES -> receives.observed();
            case Framing.FINISHED, Framing.CLOSED -> receives.finish(kind == Framing.CLOSED);
            case Framing.ENDING -> {
                long why = Framing.value(message);
                endReason = ", which the peer has ended: " + EndReason.text(why);
                refused = why != EndReason.SHUTTING_DOWN.code();
            }
            case Framing.FAULT -> cut(headers.fault(), headers.details());
            default -> {} // from a later version, which does not rely on it
        }
    }

    private void add(byte[] message) {
        if (!receives.add(message)) {
            cut(EndReason.NOT_RECEIVED, "");
        }
    }

    /** A message that was accepted could not be delivered: nothing that is sent after it may arrive. */
    void sendFailed(DocaError error) {
        if (!ended) {
            lost = inside().failedMessage();
            cut(EndReason.NOT_SENT, " (" + error + ")");
        }
    }

    /** Ends the connection, and tells the peer why. */
    void cut(EndReason reason, String details) {
        if (ended) {
            return;
        }
        endReason = ", which this process has ended: " + reason.text() + details;
        lose(); // before anybody sees that it has ended
        sends.cut(reason);
        end();
        settings.loop.execute(this::close); // a client cannot close in a handler
    }

    /** There is room to send again. */
    void room() {
        sends.deviceHasRoom();
    }

    /** No more messages come. */
    void end() {
        if (!ended) {
            ended = true;
            lose();
            try {
                onEnd.accept(this); // first: whose send fails may wait for the next connection
            } finally {
                sends.end();
                receives.end();
            }
        }
    }

    /** What is under way when the connection ends may be lost, unless the peer has ended it in good order. */
    private void lose() {
        ComchConnection mine = connection;
        if (mine == null || counted) {
            return;
        }
        counted = true;
        boolean inOrder =
                settings.plainPeer ? !closing && mine.state() == ConnectionState.CLOSED : receives.hasFinished();
        long open = 0;
        if (lost >= 0) {
            open = Math.max(1, sends.acceptedAfter(lost)); // it may have been one of the socket's own
        } else if (refused || !inOrder) {
            open = Math.max(refused ? 1 : 0, sends.acceptedAfter(inside().taken()));
        }
        if (open > 0) {
            losses.addSent(this, open);
        }
    }

    /** The exception for what is received when it has ended. Any thread. */
    RuntimeException receivesEnded() {
        boolean cut = !settings.plainPeer && endReason.isEmpty() && !receives.hasFinished();
        return ended(
                PeCalls.PROGRESS_NAME,
                "receiving on " + connection() + (cut ? ", whose peer did not announce the end of its messages" : ""));
    }

    /** The exception for a connection that has ended. Any thread. */
    RuntimeException ended(String function, String action) {
        return Loops.insideOf(connection()).ended(function, action + endReason);
    }

    /** The exception for what is sent when it has ended. Any thread. */
    RuntimeException sendsEnded() {
        return ended(TaskCalls.SUBMIT_NAME, "sending on " + connection());
    }

    /** Ends the connection: messages that DOCA has accepted still go out. Any thread. */
    void close() {
        ComchConnection mine = connection();
        closing = true;
        if (mine.endpoint() instanceof ComchClient client) {
            client.close();
        } else if (!mine.endpoint().isClosed()) {
            try {
                mine.disconnect();
            } catch (MissingFunctionException e) {
                if (!ended) { // else the peer has been told, and ends it
                    throw e;
                }
            }
        }
    }

    /** For logs. Any thread. */
    @Override
    public String toString() {
        return "socket on " + connection;
    }
}
