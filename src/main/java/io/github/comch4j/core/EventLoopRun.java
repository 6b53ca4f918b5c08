package io.github.comch4j.core;

import io.github.comch4j.internal.life.LoopThread;
import java.lang.System.Logger;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What the thread of an event loop does: makes an engine, does tasks and progress until the loop is closed, and closes
 * the engine.
 */
final class EventLoopRun implements Runnable {
    private static final int EVENTS_PER_ROUND = 256;

    private final EventLoop loop;
    private final IdleStrategy idle;
    private final Consumer<Throwable> onFailure;
    private final ConcurrentLinkedQueue<Runnable> tasks = new ConcurrentLinkedQueue<>();
    private final CompletableFuture<ProgressEngine> engine = new CompletableFuture<>();
    private LoopThread loopThread; // set by the thread before the engine
    private volatile boolean closing;
    private volatile boolean ended;
    private volatile @Nullable Throwable endedWith;

    EventLoopRun(EventLoop loop, IdleStrategy idle, Consumer<Throwable> onFailure) {
        this.loop = loop;
        this.idle = idle;
        this.onFailure = onFailure;
    }

    static Logger logger() {
        return System.getLogger("io.github.comch4j");
    }

    /** The engine, once there is one. */
    CompletableFuture<ProgressEngine> engine() {
        return engine;
    }

    /** The thread, as other threads see it; there once the engine is. */
    LoopThread loopThread() {
        return loopThread;
    }

    /** Adds a task, which is done soon if the thread is not parked; false if the loop is closed. */
    boolean add(Runnable task) {
        if (closing) {
            return false;
        }
        tasks.add(task);
        return !(ended && tasks.remove(task)); // if it ended meanwhile, and did not see the task
    }

    /** Ends it soon, if the thread is not parked. */
    void close() {
        closing = true;
    }

    boolean isClosing() {
        return closing;
    }

    /** What the engine could not be closed for, or null; from the second call on null. */
    @Nullable
    Throwable takeFailure() {
        Throwable failure = endedWith;
        endedWith = null;
        return failure;
    }

    @Override
    public void run() {
        ProgressEngine mine;
        try {
            mine = ProgressEngine.create();
        } catch (RuntimeException | Error e) {
            ended = true;
            engine.completeExceptionally(e);
            return;
        }
        loopThread = new LoopThread(mine.engine(), loop);
        mine.engine().loopThread(loopThread);
        engine.complete(mine);
        while (!closing) {
            rest(round(mine));
        }
        while (!tasks.isEmpty()) {
            round(mine); // what was handed over before close() is still done
        }
        try {
            mine.engine().close();
        } catch (RuntimeException | Error e) {
            endedWith = e;
        }
        mine.engine().loopThread(null);
        ended = true;
        for (Runnable late = tasks.poll(); late != null; late = tasks.poll()) {
            guarded(late); // handed over meanwhile: if it uses the engine, it learns that the engine is closed
        }
    }

    /** Returns how much was done. */
    private int round(ProgressEngine mine) {
        int work = 0;
        for (int present = tasks.size(); present > 0; present--) { // what these hand over is for the next round
            Runnable task = tasks.poll();
            work++;
            guarded(task);
            loopThread.taskDone();
        }
        try {
            work += mine.progress(EVENTS_PER_ROUND);
        } catch (Throwable t) {
            work++;
            fail(t);
        }
        return work;
    }

    private void rest(int work) {
        if (work == 0) {
            Thread.interrupted(); // an interrupt that a task has left behind: with it no pause would pause
        }
        try {
            idle.idle(work);
        } catch (Throwable t) {
            fail(t);
        }
    }

    private void guarded(Runnable task) {
        try {
            task.run();
        } catch (Throwable t) {
            fail(t);
        }
    }

    private void fail(Throwable failure) {
        try {
            onFailure.accept(failure);
        } catch (Throwable t) {
            t.addSuppressed(failure);
            logger().log(Logger.Level.ERROR, "the failure handler of " + loop + " failed", t);
        }
    }
}
