package io.github.comch4j.core;

import io.github.comch4j.DocaException;
import io.github.comch4j.MissingFunctionException;
import io.github.comch4j.internal.life.LoopThread;
import io.github.comch4j.internal.life.Sleeper;
import java.lang.System.Logger;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.LockSupport;
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
    private volatile @Nullable Sleeper sleeper; // likewise; null: the thread parks, if anything
    private volatile @Nullable Thread thread;
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

    /** Adds a task, which is done soon; false if the loop is closed. */
    boolean add(Runnable task) {
        if (closing) {
            return false;
        }
        tasks.add(task);
        wake();
        return !(ended && tasks.remove(task)); // if it ended meanwhile, and did not see the task
    }

    /** Ends it soon. */
    void close() {
        closing = true;
        wake();
    }

    private void wake() {
        Sleeper sleeping = sleeper;
        if (sleeping != null) {
            sleeping.wake();
        } else {
            LockSupport.unpark(thread);
        }
    }

    private boolean handedOver() {
        return closing || !tasks.isEmpty() || loopThread.hasChores();
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
        thread = Thread.currentThread();
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
        sleepIfPossible();
        engine.complete(mine);
        while (!closing) {
            rest(round(mine));
        }
        stopSleeping();
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
        int work = loopThread.doChores() ? 1 : 0;
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
            stopSleeping(); // if it was the sleep that failed, it would do so again
            fail(t);
        }
    }

    private void sleepIfPossible() {
        if (idle instanceof EventDriven strategy) {
            try {
                Sleeper created = loopThread.takeTurns(strategy.sharesHandlers(), this::failElsewhere);
                if (created != null) {
                    strategy.sleepOn(created, this::handedOver);
                    sleeper = created;
                }
            } catch (DocaException | MissingFunctionException e) {
                logger().log(Logger.Level.DEBUG, loop + " does not sleep on its engine", e);
            }
        }
    }

    private void stopSleeping() {
        Sleeper former = sleeper;
        if (former != null && idle instanceof EventDriven strategy) {
            sleeper = null;
            strategy.sleepOn(null, this::handedOver);
            loopThread.endTurns();
            former.close();
        }
    }

    /** Callbacks have failed on another thread. */
    private void failElsewhere(Throwable failure) {
        if (Thread.currentThread() == thread || !add(() -> fail(failure))) {
            fail(failure);
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
