package io.github.comch4j.io;

import io.github.comch4j.core.EventLoop;
import io.github.comch4j.internal.life.LoopThread;
import io.github.comch4j.internal.life.Nanos;
import io.github.comch4j.link.Framing;
import io.github.comch4j.link.Loops;
import io.github.comch4j.link.ReceiveWindow;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** The messages of a socket that have arrived and were not received yet, and the window of its peer. */
final class ReceiveQueue {
    /** What {@link #poll} returns when no more messages come; no message is empty. */
    static final byte[] END = new byte[0];

    private final SendQueue sends;
    private final LoopThread loop;
    private final ArrivedMessages messages = new ArrivedMessages(); // taken from under the lock
    private final ReentrantLock lock = new ReentrantLock();
    private final ArrayDeque<Receiver> waiting = new ArrayDeque<>(); // guarded by lock
    private volatile boolean anyWaits;
    private volatile boolean finished; // the peer has said that it sends no more
    private volatile boolean closed; // and that it ends the connection
    private volatile boolean ended; // no more messages come
    private final Runnable wake = this::wake;
    private boolean wakesSoon; // it is a task of the loop already
    private final AtomicBoolean renewing = new AtomicBoolean();
    private final ReceiveWindow window;
    private final boolean plainPeer;

    ReceiveQueue(SendQueue sends, EventLoop loop, long limit, boolean plainPeer) {
        this.sends = sends;
        this.loop = Loops.threadOf(loop);
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
        wakeSoon();
        if (!plainPeer && window.isFirstDue()) {
            renew();
        }
        return true;
    }

    /** The peer observes windows from now on. In the loop. */
    void observed() {
        window.observed();
    }

    /** The peer sends no more messages, and perhaps ends the connection now. In the loop. */
    void finish(boolean closes) {
        finished = true;
        closed = closes;
        if (!closes) { // else the end is what tells
            wakeAll();
        }
    }

    /** Whether the peer has said so. Any thread. */
    boolean hasFinished() {
        return finished;
    }

    /** Whether the peer has said so, and all that it had sent was received. Any thread. */
    boolean isFinished() {
        if (!finished) {
            return false;
        }
        lock.lock();
        try {
            return messages.isEmpty();
        } finally {
            lock.unlock();
        }
    }

    /** No more messages come. In the loop. */
    void end() {
        ended = true;
        wakeAll();
    }

    private void wakeAll() {
        lock.lock();
        try {
            waiting.forEach(receiver -> loop.wake(receiver.thread));
        } finally {
            lock.unlock();
        }
    }

    /** Threads that wait are woken when all has been taken in that has arrived: once for many messages. */
    private void wakeSoon() {
        if (!wakesSoon) {
            try {
                loop.doSoon(wake);
                wakesSoon = true;
            } catch (RejectedExecutionException e) {
                wake(); // the loop is being closed
            }
        }
    }

    /** One is enough: it wakes the next if there is more. */
    private void wake() {
        wakesSoon = false;
        VarHandle.fullFence(); // the messages are seen, or else who waits for them
        if (anyWaits) {
            lock.lock();
            try {
                wakeFirst();
            } finally {
                lock.unlock();
            }
        }
    }

    private void wakeFirst() {
        Receiver first = waiting.peek();
        if (first != null && !messages.isEmpty()) {
            loop.wake(first.thread);
        }
    }

    /** Tells the peer how much it may send. In the loop. */
    private void renew() {
        renewing.set(false);
        sends.addFrame(Framing.WINDOW, window.renew());
    }

    /** The next message, {@link #END}, or null if there is none in time. Any thread. */
    byte @Nullable [] poll(Duration timeout) throws InterruptedException {
        Receiver receiver = new Receiver();
        byte[] message = receiver.tryOnce() ? receiver.message : await(receiver, Nanos.of(timeout));
        if (message != null && message != END && window.received(Framing.cost(message.length))) {
            renewSoon();
        }
        return message;
    }

    private byte @Nullable [] await(Receiver receiver, long nanos) throws InterruptedException {
        enter(receiver);
        try {
            if (!loop.await(receiver, System.nanoTime() + nanos, "a message of a socket") && Thread.interrupted()) {
                if (receiver.message == null) {
                    throw new InterruptedException();
                }
                Thread.currentThread().interrupt();
            }
            return receiver.message;
        } finally {
            leave(receiver);
        }
    }

    private void enter(Receiver receiver) {
        lock.lock();
        try {
            waiting.add(receiver);
            anyWaits = true;
            VarHandle.fullFence(); // as in wake()
        } finally {
            lock.unlock();
        }
    }

    private void leave(Receiver receiver) {
        lock.lock();
        try {
            waiting.remove(receiver);
            anyWaits = !waiting.isEmpty();
            wakeFirst();
        } finally {
            lock.unlock();
        }
    }

    /** A thread that receives. */
    private final class Receiver implements BooleanSupplier {
        final Thread thread = Thread.currentThread();
        byte @Nullable [] message;

        /** Whether there is a message, or none will come. */
        @Override
        public boolean getAsBoolean() {
            return message != null || tryOnce() || (finished && !closed);
        }

        boolean tryOnce() {
            boolean last = ended; // before the look
            lock.lock();
            try {
                message = messages.poll();
            } finally {
                lock.unlock();
            }
            if (message == null && last) {
                message = END;
            }
            return message != null;
        }
    }

    private void renewSoon() {
        if (renewing.compareAndSet(false, true)) {
            try {
                loop.doSoon(this::renew);
            } catch (RejectedExecutionException e) {
                // the loop is closed, and with it the connection
            }
        }
    }
}
