package io.github.comch4j.link;

import io.github.comch4j.internal.life.LoopThread;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * Whether a client has a connection, for threads that wait for one, and for a handler of the program. Any thread.
 *
 * @param <S> the states, the last of which is not left again
 */
public final class Availability<S> {
    private static final long LOOK_NANOS = 1_000_000_000; // how often a waiting thread looks whether there is hope

    private final S connected;
    private final S closed;
    private final LoopThread thread;
    private final Consumer<? super S> onState;
    private final ReentrantLock lock = new ReentrantLock(); // of changes
    private final Condition changed = lock.newCondition();
    private volatile S state;

    /** {@code onState} is told of each change, in the loop. */
    public Availability(S disconnected, S connected, S closed, LoopThread thread, Consumer<? super S> onState) {
        this.state = disconnected;
        this.connected = connected;
        this.closed = closed;
        this.thread = thread;
        this.onState = onState;
    }

    /** The state. */
    public S get() {
        return state;
    }

    /** The state is this one from now on. */
    public void set(S now) {
        if (setUntold(now)) {
            thread.runInLoop(() -> onState.accept(now));
        }
    }

    /** As {@link #set}, without telling the handler. Returns false if it was so before, or is closed. */
    public boolean setUntold(S now) {
        lock.lock();
        try {
            if (state == now || state == closed) {
                return false;
            }
            state = now;
            changed.signalAll();
            return true;
        } finally {
            lock.unlock();
        }
    }

    /** Whoever waits looks whether there is hope. */
    public void wakeAll() {
        lock.lock();
        try {
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Waits until there is a connection, the time is up, or there is no hope. Returns whether there is. */
    public boolean await(long deadline, BooleanSupplier hope) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            while (state != connected) {
                long left = deadline - System.nanoTime();
                if (left <= 0 || state == closed || !hope.getAsBoolean()) {
                    return false;
                }
                var _ = changed.awaitNanos(Math.min(left, LOOK_NANOS));
            }
            return true;
        } finally {
            lock.unlock();
        }
    }
}
