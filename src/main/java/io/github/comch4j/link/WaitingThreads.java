package io.github.comch4j.link;

import io.github.comch4j.internal.life.LoopThread;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.BooleanSupplier;

/** Threads that wait for something which happens in a loop; they may make the progress for it. Any thread. */
public final class WaitingThreads {
    private final LoopThread loop;
    private final Queue<Thread> threads = new ConcurrentLinkedQueue<>();

    /** Nobody waits. */
    public WaitingThreads(LoopThread loop) {
        this.loop = loop;
    }

    /** All look again. */
    public void wake() {
        threads.forEach(loop::wake);
    }

    /**
     * Waits until {@code done}, which any thread that makes progress may call, or the time is up. Returns whether it is
     * done.
     *
     * @param what is waited for, if the loop's thread will never do anything again
     */
    public boolean await(BooleanSupplier done, long deadline, String what) throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
        Thread current = Thread.currentThread();
        threads.add(current);
        try {
            boolean is = loop.await(done, deadline, what);
            if (!is && Thread.interrupted()) {
                throw new InterruptedException();
            }
            return is;
        } finally {
            threads.remove(current);
        }
    }
}
