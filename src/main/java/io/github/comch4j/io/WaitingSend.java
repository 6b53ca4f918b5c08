package io.github.comch4j.io;

import io.github.comch4j.internal.life.LoopThread;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** A send whose thread waits for it. */
final class WaitingSend extends PendingSend {
    /** How long a thread waits before it looks whether the loop will ever do anything again. */
    private static final long LOOK_NANOS = 1_000_000_000;

    private final Thread thread = Thread.currentThread();

    WaitingSend(byte[] message) {
        super(message);
    }

    @Override
    void ended(@Nullable Throwable thrown) {
        LockSupport.unpark(thread);
    }

    /**
     * Waits until it has ended; false if it has not at the deadline, or if the thread is interrupted: then it is
     * cancelled.
     */
    boolean await(long deadline, @Nullable LoopThread loop) {
        while (!hasEnded()) {
            long left = deadline - System.nanoTime();
            if (left <= 0 || thread.isInterrupted()) {
                return !cancel();
            }
            LockSupport.parkNanos(this, Math.min(left, LOOK_NANOS));
            if (left > LOOK_NANOS && loop != null && !hasEnded()) {
                checkAlive(loop);
            }
        }
        return true;
    }

    private void checkAlive(LoopThread loop) {
        try {
            loop.checkNotExiting("room to send");
        } catch (IllegalStateException e) {
            cancel();
            throw e;
        }
    }
}
