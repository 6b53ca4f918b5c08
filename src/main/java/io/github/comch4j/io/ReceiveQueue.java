package io.github.comch4j.io;

import io.github.comch4j.core.EventLoop;
import io.github.comch4j.internal.life.Nanos;
import java.time.Duration;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The messages of a socket that have arrived and were not received yet. When they become many, the peer is told how
 * much it may send (its window), and from then on each time a quarter more has been received.
 */
final class ReceiveQueue {
    /** What {@link #poll} returns when no more messages come; no message is empty. */
    static final byte[] END = new byte[0];

    /** What a peer may send beyond the limit until it observes windows: they need time to reach it. */
    private static final long GRACE_BYTES = 4 << 20;

    private static final long NONE = -1;

    private final SendQueue sends;
    private final EventLoop loop;
    private final LinkedBlockingQueue<byte[]> messages = new LinkedBlockingQueue<>();
    private final boolean plainPeer;
    private final AtomicLong received = new AtomicLong(); // all sizes as windows count
    private final AtomicBoolean renewing = new AtomicBoolean();
    private volatile long limit;
    private volatile long window = NONE; // the peer's, as it was last told
    private long arrived; // in the loop, as the next one
    private boolean observed;

    ReceiveQueue(SendQueue sends, EventLoop loop, long limit, boolean plainPeer) {
        this.plainPeer = plainPeer;
        this.sends = sends;
        this.loop = loop;
        this.limit = limit;
    }

    /** At least eight of the longest messages, or the windows could be too small for one. In the loop. */
    void longestMessage(int bytes) {
        limit = Math.max(limit, 8 * SocketFrames.cost(bytes));
    }

    /** A message has arrived. In the loop. Returns false, and does not keep it, if that would be too much. */
    boolean add(byte[] message) {
        long now = arrived + SocketFrames.cost(message.length);
        long backlog = now - received.get();
        if (observed ? now > window : backlog > limit + GRACE_BYTES) {
            return false;
        }
        arrived = now;
        messages.add(message);
        if (window == NONE && backlog > limit / 4 && !plainPeer) {
            renew();
        }
        return true;
    }

    /** The peer observes windows from now on. In the loop. */
    void observed() {
        observed = window != NONE;
    }

    /** No more messages come. In the loop. */
    void end() {
        messages.add(END);
    }

    /** Tells the peer how much it may send. In the loop. */
    private void renew() {
        renewing.set(false);
        window = received.get() + limit;
        sends.addFrame(SocketFrames.make(SocketFrames.WINDOW, window));
    }

    /** The next message, {@link #END}, or null if there is none in time. Any thread. */
    byte @Nullable [] poll(Duration timeout) throws InterruptedException {
        byte[] message = messages.poll();
        if (message == null) {
            message = messages.poll(Nanos.of(timeout), TimeUnit.NANOSECONDS);
        }
        if (message == END) {
            messages.add(END); // for other threads that wait, and for the next call
        } else if (message != null) {
            long cost = SocketFrames.cost(message.length);
            long told = window;
            if (received.addAndGet(cost) + limit - told >= limit / 4 && told != NONE) {
                renewSoon();
            }
        }
        return message;
    }

    private void renewSoon() {
        if (renewing.compareAndSet(false, true)) {
            try {
                loop.execute(this::renew);
            } catch (RejectedExecutionException e) {
                // the loop is closed, and with it the connection
            }
        }
    }
}
