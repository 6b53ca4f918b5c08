package io.github.comch4j.io;

import io.github.comch4j.comch.ComchClient;
import io.github.comch4j.comch.ComchConnection;
import io.github.comch4j.internal.call.TaskCalls;
import io.github.comch4j.internal.support.window.EndReason;
import io.github.comch4j.internal.support.window.SocketFrames;
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
    final Losses losses; // of all connections
    final SendQueue sends;
    final ReceiveQueue receives;

    /**
     * What is received from after this one has ended; null: no other connection follows. Set before the end is told.
     */
    volatile @Nullable SocketLink next;

    private final SocketBuilder<?> settings;
    private final Consumer<SocketLink> onEnd;
    private volatile @Nullable ComchConnection connection; // null: not yet
    private boolean ended;
    private volatile String endReason = ""; // as the continuation of an exception's message

    SocketLink(SocketBuilder<?> settings, Losses losses, Consumer<SocketLink> onEnd) {
        this.settings = settings;
        this.losses = losses;
        this.onEnd = onEnd;
        this.sends = new SendQueue(this, settings);
        this.receives = new ReceiveQueue(sends, settings.loop, settings.receiveLimit, settings.plainPeer);
    }

    /** It is established. */
    void connected(ComchConnection established) {
        if (connection == null) {
            int longest = established.endpoint().maxMessageSize();
            sends.longestMessage(longest);
            receives.longestMessage(longest);
            connection = established;
        }
    }

    /** Whether it was ever established. Any thread. */
    boolean isConnected() {
        return connection != null;
    }

    /** The connection. Any thread. */
    ComchConnection connection() {
        return Objects.requireNonNull(connection);
    }

    /** A message has arrived. */
    void message(MemorySegment message) {
        if (ended) {
            return; // it is being closed
        }
        if (!settings.plainPeer && SocketFrames.isFrame(message)) {
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
        } else if (kind == SocketFrames.FINISHED) {
            receives.finish();
        } else if (kind == SocketFrames.ENDING) {
            endReason = ", which the peer has ended: " + EndReason.text(value);
        } // else: from a later version, which does not rely on it
    }

    /** Ends the connection, and tells the peer why. */
    void cut(EndReason reason) {
        endReason = ", which this process has ended: " + EndReason.text(reason.code());
        if (!settings.plainPeer) {
            sends.addFrame(SocketFrames.make(SocketFrames.ENDING, reason.code()));
        }
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
            try {
                onEnd.accept(this); // first: whose send fails may wait for the next connection
            } finally {
                sends.end();
                receives.end();
            }
        }
    }

    /** The exception for a connection that has ended. Any thread. */
    RuntimeException ended(String function, String action) {
        return Connections.of(connection()).ended(function, action + endReason);
    }

    /** The exception for what is sent when it has ended. Any thread. */
    RuntimeException sendsEnded() {
        return ended(TaskCalls.SUBMIT_NAME, "sending on " + connection());
    }

    /** Ends the connection: messages that DOCA has accepted still go out. Any thread. */
    void close() {
        ComchConnection mine = connection();
        if (mine.endpoint() instanceof ComchClient client) {
            client.close();
        } else if (!mine.endpoint().isClosed()) {
            mine.disconnect();
        }
    }

    /** For logs. Any thread. */
    @Override
    public String toString() {
        return "socket on " + connection;
    }
}
