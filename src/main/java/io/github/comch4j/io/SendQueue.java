package io.github.comch4j.io;

import io.github.comch4j.DocaError;
import io.github.comch4j.comch.ComchConnection;
import io.github.comch4j.comch.ConnectionClosedException;
import io.github.comch4j.comch.ConnectionState;
import io.github.comch4j.core.EventLoop;
import io.github.comch4j.internal.call.TaskCalls;
import io.github.comch4j.internal.failure.Failures;
import io.github.comch4j.internal.handover.HandOver;
import io.github.comch4j.internal.window.SendWindow;
import io.github.comch4j.internal.window.SocketFrames;
import java.util.ArrayDeque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * What a socket sends: any thread adds to it, and the loop sends in the order of the adding. What there is no room for,
 * or what the peer's window does not allow yet, stays at the head until there is. All other methods belong to the loop.
 */
final class SendQueue {
    /** Messages in a row: then what else runs in the loop has its turn, and the peer's frames are read. */
    private static final int BURST = 64;

    private final SocketLink link;
    private final EventLoop loop;
    private final long futuresLimit;
    private final AtomicLong futuresBytes = new AtomicLong();
    private final HandOver<PendingSend> added = new HandOver<>();
    private final ArrayDeque<PendingSend> waiting = new ArrayDeque<>();
    private final ArrayDeque<byte[]> frames = new ArrayDeque<>(); // of the socket; before the messages
    private final Runnable drain = this::drain;
    private final Runnable flush = this::flushNow;
    private boolean flushSoon; // it is a task of the loop already
    private final SendWindow window = new SendWindow();
    private boolean noRoom; // until the engine tells that there is some
    private boolean ended;

    SendQueue(SocketLink link, EventLoop loop, long futuresLimit) {
        this.link = link;
        this.loop = loop;
        this.futuresLimit = futuresLimit;
    }

    /** Adds a send whose thread will wait. Any thread. */
    WaitingSend add(byte[] message) {
        WaitingSend send = new WaitingSend(message);
        add(send);
        return send;
    }

    /** Adds a send, unless too much waits already. Any thread. */
    CompletableFuture<@Nullable Void> addFuture(byte[] message) {
        long waits = futuresBytes.addAndGet(message.length);
        FutureSend send = new FutureSend(message, futuresBytes);
        if (waits > futuresLimit) {
            send.failed(Failures.refused(
                    DocaError.AGAIN,
                    TaskCalls.SUBMIT_NAME,
                    "sending " + message.length + " bytes on " + link + ", where " + (waits - message.length)
                            + " wait already: the sendLimit is " + futuresLimit));
        } else {
            add(send);
        }
        return send.future();
    }

    private void add(PendingSend send) {
        if (added.add(send)) {
            try {
                loop.execute(drain);
            } catch (RejectedExecutionException e) {
                for (PendingSend left = added.takeAll(); left != null; left = left.next()) {
                    left.failed(new RejectedExecutionException(e.getMessage(), e));
                }
            }
        }
    }

    private void drain() {
        for (PendingSend send = added.takeAll(); send != null; send = send.next()) {
            waiting.add(send);
        }
        if (!flushSoon) {
            flush();
        }
    }

    /** Sends a frame of the socket's own, soon. */
    void addFrame(byte[] frame) {
        frames.add(frame);
        flush();
    }

    /** The peer has told how much may be sent since the connection began. */
    void window(long total) {
        if (window.told(total)) {
            frames.add(SocketFrames.make(SocketFrames.OBSERVES, 0));
        }
        flush();
    }

    /** There is room again. */
    void room() {
        noRoom = false;
        flush();
    }

    /** Sends what there is room for. */
    private void flush() {
        if (ended) {
            failAll();
            return;
        }
        if (noRoom || !sendFrames()) {
            return;
        }
        for (int count = 0; count < BURST; ) {
            PendingSend next = waiting.peek();
            if (next == null) {
                return;
            }
            if (!next.begin()) {
                waiting.remove(); // cancelled
            } else if (trySend(next)) {
                waiting.remove();
                count++;
            } else {
                next.pause();
                return;
            }
        }
        if (!flushSoon) {
            flushSoon = true;
            try {
                loop.execute(flush);
            } catch (RejectedExecutionException e) {
                // the loop is being closed, and ends the connection
            }
        }
    }

    private void flushNow() {
        flushSoon = false;
        flush();
    }

    private boolean sendFrames() {
        try {
            while (!frames.isEmpty()) {
                if (!hasRoomFor(frames.element())) {
                    return false;
                }
                frames.remove();
            }
            return true;
        } catch (ConnectionClosedException e) {
            return false; // its end is reported soon
        }
    }

    /** Returns whether it has ended: sent, or refused for good. */
    private boolean trySend(PendingSend send) {
        if (!window.allows(send.message.length)) {
            return false; // until the peer tells that there is more
        }
        try {
            if (!hasRoomFor(send.message)) {
                return false;
            }
        } catch (ConnectionClosedException e) {
            if (e.state() == ConnectionState.OPEN && isOpen()) {
                return false; // its end is reported soon, with the reason
            }
            send.failed(link.ended(TaskCalls.SUBMIT_NAME, "sending on " + link.connection()));
            return true;
        } catch (RuntimeException | Error e) {
            send.failed(e);
            return true;
        }
        window.sent(send.message.length);
        send.sent();
        return true;
    }

    /** Sends it if there is room; if not, {@link #room()} will be called. */
    private boolean hasRoomFor(byte[] message) {
        noRoom = !link.connection().trySend(message).accepted();
        return !noRoom;
    }

    private boolean isOpen() {
        ComchConnection connection = link.connection();
        return connection.isOpen() && !ended;
    }

    /** The connection has ended: nothing more is sent. */
    void end() {
        ended = true;
        frames.clear();
        failAll();
    }

    private void failAll() {
        for (PendingSend send = waiting.poll(); send != null; send = waiting.poll()) {
            send.failed(link.ended(TaskCalls.SUBMIT_NAME, "sending on " + link.connection()));
        }
    }
}
