package io.github.comch4j.io;

import io.github.comch4j.core.EventLoop;
import io.github.comch4j.internal.life.Nanos;
import io.github.comch4j.internal.window.ReceiveWindow;
import io.github.comch4j.internal.window.SocketFrames;
import java.time.Duration;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** The messages of a socket that have arrived and were not received yet, and the window of its peer. */
final class ReceiveQueue {
    /** What {@link #poll} returns when no more messages come; no message is empty. */
    static final byte[] END = new byte[0];

    private final SendQueue sends;
    private final EventLoop loop;
    private final LinkedBlockingQueue<byte[]> messages = new LinkedBlockingQueue<>();
    private final AtomicBoolean renewing = new AtomicBoolean();
    private final ReceiveWindow window;
    private final boolean plainPeer;

    ReceiveQueue(SendQueue sends, EventLoop loop, long limit, boolean plainPeer) {
        this.sends = sends;
        this.loop = loop;
        this.window = new ReceiveWindow(limit);
        this.plainPeer = plainPeer;
    }

    /** The connection's longest message. In the loop. */
    void longestMessage(int bytes) {
        window.longestMessage(bytes);
    }

    /** A message has arrived. In the loop. Returns false, and does not keep it, if that would be too much. */
    boolean add(byte[] message) {
        if (!window.arrived(message.length)) {
            return false;
        }
        messages.add(message);
        if (!plainPeer && window.isFirstDue()) {
            renew();
        }
        return true;
    }

    /** The peer observes windows from now on. In the loop. */
    void observed() {
        window.observed();
    }

    /** No more messages come. In the loop. */
    void end() {
        messages.add(END);
    }

    /** Tells the peer how much it may send. In the loop. */
    private void renew() {
        renewing.set(false);
        sends.addFrame(window.renew());
    }

    /** The next message, {@link #END}, or null if there is none in time. Any thread. */
    byte @Nullable [] poll(Duration timeout) throws InterruptedException {
        byte[] message = messages.poll();
        if (message == null) {
            message = messages.poll(Nanos.of(timeout), TimeUnit.NANOSECONDS);
        }
        if (message == END) {
            messages.add(END); // for other threads that wait, and for the next call
        } else if (message != null && window.received(SocketFrames.cost(message.length))) {
            renewSoon();
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
