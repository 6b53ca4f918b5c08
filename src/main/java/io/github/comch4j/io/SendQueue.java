package io.github.comch4j.io;

import io.github.comch4j.DocaError;
import io.github.comch4j.comch.ConnectionClosedException;
import io.github.comch4j.comch.ConnectionState;
import io.github.comch4j.internal.call.TaskCalls;
import io.github.comch4j.internal.failure.Failures;
import io.github.comch4j.internal.life.LoopThread;
import io.github.comch4j.internal.life.ProgressWaiter;
import io.github.comch4j.link.EndReason;
import io.github.comch4j.link.Framing;
import io.github.comch4j.link.Loops;
import io.github.comch4j.link.MpscQueue;
import io.github.comch4j.link.SendWindow;
import java.util.ArrayDeque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * What a socket sends: any thread adds to it, and the loop sends in the order of the adding. What the device has no
 * room for, or what the peer's window does not allow yet, stays at the head until there is. All other methods belong to
 * the loop.
 */
final class SendQueue implements ProgressWaiter {
    /** Messages in a row: then what else runs in the loop has its turn, and the peer's frames are read. */
    private static final int BURST = 64;

    private final SocketLink link;
    private final LoopThread loop;
    private final long futuresLimit;
    private final AtomicLong futuresBytes = new AtomicLong();
    private final SendBuffer buffer;
    private final MpscQueue<PendingSend> added = new MpscQueue<>();
    private final AtomicBoolean looks = new AtomicBoolean(); // the loop is going to look at what is added
    private @Nullable PendingSend head; // what was added first, and was taken over
    private final @Nullable Framing framing; // null: the peer is plain
    private final ArrayDeque<SocketFrame> frames = new ArrayDeque<>(); // of the socket; before the messages
    private final ArrayDeque<Long> framesSent =
            new ArrayDeque<>(); // which messages these were, until the peer has them
    private volatile boolean finishing; // the program sends no more
    private boolean finished; // and the peer is told
    private boolean watches; // the engine asks whether the peer has what was sent
    private final Runnable drain = this::drain;
    private boolean drainsSoon; // it is a task of the loop already
    private final SendWindow window = new SendWindow();
    private long done; // bytes that are not given back yet
    private boolean noRoom; // until the engine tells that there is some
    private volatile boolean ended;

    /** A message of the socket's own. */
    private record SocketFrame(int kind, byte[] number) {}

    SendQueue(SocketLink link, SocketBuilder<?> settings, @Nullable Framing framing) {
        this.link = link;
        this.framing = framing;
        this.loop = Loops.threadOf(settings.loop);
        this.futuresLimit = settings.sendLimit;
        this.buffer = new SendBuffer(loop, settings.sendBuffer, this::add);
    }

    /** The connection's longest message. In the loop, before anything is sent. */
    void longestMessage(int bytes) {
        buffer.atLeast(8 * Framing.cost(bytes));
    }

    /** How much is queued. */
    SendBuffer buffer() {
        return buffer;
    }

    /** Whether what is added now fails. Any thread. */
    boolean hasEnded() {
        return ended;
    }

    /** Adds a send, unless too much waits already. Any thread. */
    CompletableFuture<@Nullable Void> addFuture(byte[] message) {
        long waits = futuresBytes.addAndGet(message.length);
        FutureSend send = new FutureSend(link, message, futuresBytes, loop);
        if (waits > futuresLimit) {
            send.failed(() -> Failures.refused(
                    DocaError.AGAIN,
                    TaskCalls.SUBMIT_NAME,
                    "sending " + message.length + " bytes on " + link + ": " + (waits - message.length)
                            + " bytes are waiting already, and the sendLimit is " + futuresLimit + " bytes"));
        } else {
            buffer.takeAnyway(Framing.cost(message.length));
            var _ = add(send);
        }
        return send.future();
    }

    /** Adds a message for which room was taken. Any thread. Returns false, and has failed it, if the loop is closed. */
    boolean add(PendingSend send) {
        added.add(send);
        if (!looks.get() && looks.compareAndSet(false, true)) {
            try {
                loop.doSoon(drain);
            } catch (RejectedExecutionException e) {
                looks.set(false);
                for (PendingSend left = added.takeAll(); left != null; left = left.next()) {
                    left.failed(() -> new RejectedExecutionException(e.getMessage(), e));
                }
                return false;
            }
        }
        return true;
    }

    private void drain() {
        drainsSoon = false;
        sendAll();
    }

    /** Sends a message of the socket's own, soon. */
    void addFrame(int kind, long number) {
        frames.add(new SocketFrame(kind, Framing.number(number)));
        sendAll();
    }

    /** Whether {@link #finish} was called. Any thread. */
    boolean isFinishing() {
        return finishing;
    }

    /** Tells the peer, after all that was added, that it was all. Once. Any thread. */
    void finish(int kind) {
        if (framing != null && !finishing) {
            finishing = true;
            buffer.takeAnyway(Framing.cost(Long.BYTES));
            add(new PendingSend(link, kind, Framing.number(0))); // which is not known before it is sent
        }
    }

    /**
     * Waits until the peer's device has all that DOCA has accepted by now. Returns false if that takes too long, or the
     * thread is interrupted. Any thread but the loop's.
     */
    boolean awaitArrival(long deadline) {
        return buffer.awaitArrival(link.connection().sent(), deadline, () -> {
            try {
                loop.doWhileWaiting(this::watch);
            } catch (RejectedExecutionException e) {
                // the loop is closed, and has ended the connection
            }
        });
    }

    private void watch() {
        if (!watches && afterProgress()) {
            link.inside().engine().awaitProgress(this);
        }
    }

    /** The engine asks, after each progress, as long as somebody waits. */
    @Override
    public boolean afterProgress() {
        watches = !ended && buffer.arrived(link.inside().taken());
        return watches;
    }

    @Override
    public void failed(Throwable thrown) {
        link.inside().engine().transport().fail(thrown);
    }

    /** How many messages of the program DOCA has accepted after so many messages of all kinds. */
    long acceptedAfter(long messages) {
        forgetFrames(messages);
        return Math.max(0, link.connection().sent() - messages - framesSent.size());
    }

    private void forgetFrames(long messages) {
        while (!framesSent.isEmpty() && framesSent.element() <= messages) {
            framesSent.remove();
        }
    }

    /** The peer has told how much may be sent since the connection began. */
    void window(long total) {
        if (window.told(total)) {
            frames.add(new SocketFrame(Framing.OBSERVES, Framing.number(0)));
        }
        sendAll();
    }

    /** The engine tells that there is room in the device again. */
    void deviceHasRoom() {
        noRoom = false;
        sendAll();
    }

    /** Sends what there is room for: not more than a burst, after which it is going to be called again. */
    private void sendAll() {
        if (ended) {
            failAll();
            return;
        }
        if (!noRoom && sendFrames()) {
            sendBurst();
            giveRoom();
        }
    }

    private void sendBurst() {
        for (int count = 0; count < BURST; ) {
            PendingSend next = head();
            if (next == null) {
                giveRoom(); // first: who then adds something waits for nothing
                if (!goesOn()) {
                    return;
                }
            } else {
                head = next.next(); // first: what depends on a future may call this again
                if (next.begin()) {
                    if (!trySend(next)) {
                        next.pause();
                        head = next;
                        return;
                    }
                    count++;
                } // else: it was cancelled
                done += Framing.cost(next.message.length);
                if (ended) { // meanwhile
                    failAll();
                    return;
                }
            }
        }
        if (!drainsSoon) {
            try {
                loop.doSoon(drain);
                drainsSoon = true;
            } catch (RejectedExecutionException e) {
                // the loop is being closed, and ends the connection
            }
        }
    }

    private void giveRoom() {
        long bytes = done;
        if (bytes > 0) {
            done = 0;
            buffer.give(bytes);
        }
    }

    /** Sends what there is room for. Returns whether so much has gone as was taken of the room, and the peer has it. */
    boolean sendsUntil(long taken) {
        sendAll();
        giveRoom(); // also if this is called by what a future has called
        return buffer.isGiven(taken)
                && (ended || link.inside().taken() >= link.connection().sent());
    }

    private @Nullable PendingSend head() {
        if (head == null) {
            head = added.takeAll();
        }
        return head;
    }

    /** There was nothing: who adds something from now on tells the loop. Returns whether there is something by now. */
    private boolean goesOn() {
        if (drainsSoon) {
            return false;
        }
        looks.set(false);
        return added.size() > 0 && looks.compareAndSet(false, true);
    }

    private boolean sendFrames() {
        try {
            while (!frames.isEmpty()) {
                SocketFrame frame = frames.element();
                if (!hasRoomFor(frame.kind, frame.number)) {
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
        int kind = send.kind();
        byte[] message = send.message;
        if (kind == Framing.DATA) {
            if (finished) {
                send.failed(SendQueue::afterEnd);
                return true;
            }
            if (!window.allows(message.length)) {
                return false; // until the peer tells that there is more
            }
        } else if (framing != null) {
            message = Framing.number(framing.dataSent());
        }
        try {
            if (!hasRoomFor(kind, message)) {
                return false;
            }
        } catch (ConnectionClosedException e) {
            if (e.state() == ConnectionState.OPEN && link.connection().isOpen() && !ended) {
                return false; // its end is reported soon, with the reason
            }
            send.failed(link::sendsEnded);
            return true;
        } catch (RuntimeException | Error e) {
            send.failed(() -> e);
            if (send.isPromised()) {
                link.cut(EndReason.NOT_SENT, ": " + e.getMessage());
            }
            return true;
        }
        if (kind == Framing.DATA) {
            window.sent(message.length);
        } else {
            finished = true;
        }
        send.sent();
        return true;
    }

    /** The exception for what is sent after what was said to be all. */
    static IllegalStateException afterEnd() {
        return new IllegalStateException("the output is shut down");
    }

    /** Sends it if there is buffer; if not, {@link #deviceHasRoom()} will be called. */
    private boolean hasRoomFor(int kind, byte[] message) {
        Framing headers = framing;
        if (headers == null) {
            noRoom = !link.connection().trySend(message).accepted();
            return !noRoom;
        }
        noRoom = !link.inside().trySend(headers.header(kind), message);
        if (noRoom) {
            return false;
        }
        headers.sent(kind);
        if (kind != Framing.DATA) {
            forgetFrames(link.inside().taken());
            framesSent.add(link.connection().sent());
        }
        return true;
    }

    /** This process ends the connection: nothing more is sent, but why, if there is room for that. */
    void cut(EndReason why) {
        ended = true;
        if (framing != null && !noRoom) {
            try {
                hasRoomFor(Framing.ENDING, Framing.number(why.code()));
            } catch (RuntimeException e) {
                // then it ends without
            }
        }
    }

    /** The connection has ended: nothing more is sent. */
    void end() {
        ended = true;
        frames.clear();
        failAll();
        buffer.end(); // after the losses are counted
    }

    private void failAll() {
        do {
            for (PendingSend next = head(); next != null; next = head()) {
                head = next.next();
                next.failed(link::sendsEnded);
            }
        } while (goesOn());
    }
}
