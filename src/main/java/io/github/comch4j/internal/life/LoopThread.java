package io.github.comch4j.internal.life;

import io.github.comch4j.DocaError;
import io.github.comch4j.DocaException;
import io.github.comch4j.internal.failure.Failures;
import io.github.comch4j.internal.observe.Counter;
import java.util.Arrays;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * The thread of an event loop, as other threads see it: it owns an engine, so they hand it what is to be closed, and
 * wait for it as long as it shows signs of life.
 */
public final class LoopThread {
    private static final long SHORTEST_NAP = 20_000;
    private static final long LONGEST_NAP = 1_000_000;
    /** After this time without a sign of life, the thread's stack is looked at. */
    private static final long QUIET_NANOS = 50_000_000;
    /** So often a thread that waits looks whether the loop will ever do anything again. */
    private static final long LOOK_NANOS = 1_000_000_000;

    private final Thread thread;
    private final Engine engine;
    private final Executor loop;
    private final Counter tasks = new Counter();
    private volatile Turns turns; // null: no other thread has its turn

    /** The calling thread is the loop's, and owns the engine. */
    public LoopThread(Engine engine, Executor loop) {
        this.thread = Thread.currentThread();
        this.engine = engine;
        this.loop = loop;
    }

    /**
     * The one that has the engine of a loop.
     *
     * @throws RejectedExecutionException if the loop is closed
     */
    public static LoopThread of(Engine engine, Executor loop) {
        LoopThread running = engine.loopThread();
        if (running == null) {
            throw new RejectedExecutionException(loop + " is closed");
        }
        return running;
    }

    /**
     * Other threads may make the progress while this one sleeps, which it does on what this returns; null: they cannot,
     * for want of descriptors. The loop's thread.
     *
     * @param sharesHandlers whether those threads also run handlers of the program
     * @param failures gets what callbacks throw on other threads
     * @throws DocaException if the engine has no descriptor, or there is none left to wait on, or
     *     {@link io.github.comch4j.MissingFunctionException} if the libraries know nothing of it
     */
    public Sleeper takeTurns(boolean sharesHandlers, Consumer<Throwable> failures) {
        if (sharesHandlers) {
            engine.shareHandlers();
        }
        Turns created = new Turns(engine, failures);
        if (!created.arePossible()) {
            created.close();
            created.loopSleeper().close();
            return null;
        }
        turns = created;
        return created.loopSleeper();
    }

    /** No other thread makes progress from here on. The loop's thread. */
    public void endTurns() {
        Turns ending = turns;
        if (ending != null) {
            ending.close();
            turns = null;
            ending.doChores();
        }
    }

    /** Does what other threads have left for this one. The loop's thread. Returns whether there was anything. */
    public boolean doChores() {
        Turns present = turns;
        return present != null && present.doChores();
    }

    /** Whether other threads have left something. */
    public boolean hasChores() {
        Turns present = turns;
        return present != null && present.hasChores();
    }

    /**
     * Has something of the library done soon, with the engine: here, if it is free, else by the thread that has it. It
     * runs no code of the program. Any thread.
     *
     * @throws RejectedExecutionException if the loop is closed
     */
    public void doSoon(Runnable chore) {
        Turns present = turns;
        if (present == null) {
            loop.execute(chore);
        } else {
            present.add(chore);
            present.doSoon();
            executeIfEnded(present, chore);
        }
    }

    /** As {@link #doSoon}, for a thread that waits afterwards, by {@link #await(BooleanSupplier, long, String)}. */
    public void doWhileWaiting(Runnable chore) {
        Turns present = turns;
        if (present == null || Thread.currentThread().isVirtual()) {
            doSoon(chore);
        } else {
            present.add(chore);
            executeIfEnded(present, chore);
        }
    }

    /** What was added to turns that nobody takes any more is a task of the loop. */
    private void executeIfEnded(Turns former, Runnable chore) {
        if (turns == null && former.takeBack(chore)) {
            loop.execute(chore);
        }
    }

    /** Has the loop's thread run what may run code of the program: here, if this is that thread. Any thread. */
    public void runInLoop(Runnable task) {
        if (Thread.currentThread() == thread || !engine.isMine()) {
            task.run();
            return;
        }
        try {
            loop.execute(task);
        } catch (RejectedExecutionException e) {
            task.run();
        }
    }

    /**
     * Waits until {@code done}, and makes the progress meanwhile where the loop's thread does not and nothing of the
     * program is on the engine. Whoever makes {@code done} true {@linkplain #wake wakes} this thread. Any thread but
     * the loop's.
     *
     * @param done asked often, also by this thread inside of a progress
     * @param deadline by {@link System#nanoTime()}
     * @param waiting continues "waiting for …" where the loop's thread is in {@link System#exit}; null: nobody looks
     * @return false if the time is up, or the thread interrupted, before
     * @throws IllegalStateException if the thread is in {@link System#exit}
     */
    public boolean await(BooleanSupplier done, long deadline, String waiting) {
        boolean leads = !Thread.currentThread().isVirtual();
        long now = System.nanoTime();
        long looked = now;
        while (!done.getAsBoolean()) {
            Turns present = turns;
            if (now - deadline >= 0 || Thread.currentThread().isInterrupted()) {
                if (present != null) {
                    present.doSoon(); // others rely on it
                }
                return false;
            }
            if (present == null || !leads || !present.lead(done, deadline)) {
                if (present != null) {
                    present.doSoon();
                    if (done.getAsBoolean()) {
                        return true;
                    }
                }
                LockSupport.parkNanos(this, waiting == null ? deadline - now : Math.min(deadline - now, LOOK_NANOS));
            }
            now = System.nanoTime();
            if (waiting != null && now - looked >= LOOK_NANOS) {
                looked = now;
                checkNotExiting(waiting);
            }
        }
        return true;
    }

    /** Wakes a thread that waits, if what it waits for is there. Any thread. */
    public void wake(Thread waiter) {
        if (waiter == Thread.currentThread()) {
            return;
        }
        LockSupport.unpark(waiter);
        Turns present = turns;
        if (present != null) {
            present.wake(waiter);
        }
    }

    /** The thread. */
    public Thread thread() {
        return thread;
    }

    /** The loop's thread has done a task: a sign of life, as each progress is. */
    public void taskDone() {
        tasks.increment();
    }

    /** The event loop. */
    public Executor loop() {
        return loop;
    }

    /** As {@link Executor#execute}. */
    void execute(Runnable task) {
        loop.execute(task);
    }

    private long signs() {
        return tasks.get() + engine.polls();
    }

    /**
     * Waits until {@code done}. An interrupt does not end the wait, and is passed on.
     *
     * @param waiting continues "while waiting for …"
     * @param meanwhile what else to do; says whether there was anything to do
     * @throws DocaException if the thread has shown no sign of life for the engine's timeout
     * @throws IllegalStateException if the thread is in {@link System#exit}
     */
    public void await(BooleanSupplier done, String waiting, BooleanSupplier meanwhile) {
        long seen = signs();
        long since = System.nanoTime();
        long looked = since;
        long nap = SHORTEST_NAP;
        boolean interrupted = false;
        try {
            while (!done.getAsBoolean()) {
                long now = System.nanoTime();
                if (signs() != seen) {
                    seen = signs();
                    since = now;
                } else if (now - since > Nanos.of(engine.timeout())) {
                    throw Failures.refused(
                            DocaError.TIME_OUT,
                            "doca_ctx_stop",
                            "waiting " + Failures.text(engine.timeout()) + " for " + waiting + ": its thread is busy"
                                    + where());
                } else if (now - looked > QUIET_NANOS) {
                    looked = now;
                    checkNotExiting(waiting);
                }
                if (meanwhile.getAsBoolean()) {
                    nap = SHORTEST_NAP;
                } else {
                    LockSupport.parkNanos(nap);
                    nap = Math.min(2 * nap, LONGEST_NAP);
                }
                interrupted |= Thread.interrupted();
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /**
     * Fails if the thread is in {@link System#exit}, which does not return and waits for the shutdown hooks: the caller
     * may be one of them.
     */
    public void checkNotExiting(String waiting) {
        if (Arrays.stream(thread.getStackTrace()).anyMatch(LoopThread::isExit)) {
            throw new IllegalStateException("cannot wait for " + waiting + ": its thread has called System.exit,"
                    + " which waits for shutdown hooks and does not return");
        }
    }

    private static boolean isExit(StackTraceElement frame) {
        return frame.getClassName().equals("java.lang.Runtime")
                && frame.getMethodName().equals("exit");
    }

    private static boolean isWaiting(StackTraceElement frame) {
        return frame.getClassName().startsWith("jdk.internal.")
                || frame.getClassName().startsWith("java.util.concurrent.locks.");
    }

    private String where() {
        StackTraceElement[] stack = thread.getStackTrace();
        return stack.length == 0
                ? ""
                : " "
                        + Arrays.stream(stack)
                                .filter(frame -> !isWaiting(frame))
                                .findFirst()
                                .orElse(stack[0]);
    }

    /** Has the loop close something, and waits. Problems go to {@code teardown}. Returns whether it is closed now. */
    boolean close(Resource resource, Teardown teardown) {
        CloseTask task = new CloseTask(resource);
        try {
            loop.execute(task);
        } catch (RejectedExecutionException e) {
            // the loop is being closed, with all that it has
        }
        String waiting = "the " + loop + " to close " + resource.name();
        BooleanSupplier meanwhile = () -> resource.helpClosing(teardown);
        try {
            await(() -> task.done || engine.loopThread() == null, waiting, meanwhile);
            if (!task.done && task.cancel()) {
                return resource.closeHere(teardown); // the loop has ended without having closed it
            }
            await(() -> task.done, waiting, meanwhile);
        } catch (DocaException | IllegalStateException e) {
            task.cancel();
            teardown.add(e);
            return false;
        }
        if (task.problems.first() != null) {
            teardown.add(SubmitterTrace.addTo(task.problems.first(), "the " + loop));
        }
        return task.closed;
    }

    @Override
    public String toString() {
        return loop.toString();
    }

    /** A resource to close, as a task of the loop. */
    private static final class CloseTask implements Runnable {
        private final Resource resource;
        private final Teardown problems = new Teardown();
        private boolean begun; // guarded by this, as is cancelled
        private boolean cancelled;
        private boolean closed;
        private volatile boolean done;

        CloseTask(Resource resource) {
            this.resource = resource;
        }

        /** Nobody waits any more. False if it has begun. */
        synchronized boolean cancel() {
            cancelled = !begun;
            return cancelled;
        }

        private synchronized boolean begin() {
            begun = !cancelled;
            return begun;
        }

        @Override
        public void run() {
            if (begin()) {
                closed = resource.closeTree(problems);
                done = true;
            }
        }
    }
}
