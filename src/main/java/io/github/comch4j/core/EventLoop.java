package io.github.comch4j.core;

import io.github.comch4j.WaitInterruptedException;
import io.github.comch4j.internal.failure.Failures;
import io.github.comch4j.internal.failure.Rethrow;
import io.github.comch4j.internal.life.Nanos;
import io.github.comch4j.internal.life.SubmitterTrace;
import java.lang.System.Logger;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A platform thread that owns a {@link ProgressEngine} and progresses it, for programs that do not want to write their
 * own loop. Code that uses the engine, or objects on it, runs in the loop: in handlers, or in tasks that other threads
 * (including virtual threads) submit.
 *
 * <p>While the loop's thread sleeps, a platform thread that waits in a call of this library (a call of an
 * {@code RpcClient}, a {@code receive} or {@code send} of a {@code MessageSocket}) makes progress itself, and wakes no
 * other thread. It runs only code of the library. Handlers and tasks of the program, and stages that depend on its
 * futures, run on the loop's thread. If the engine has handlers of the program, or the strategy is not
 * {@link IdleStrategy#eventDriven()}, the loop makes all progress. {@link IdleStrategy#sharedEventDriven()} lets
 * threads that wait run these handlers, too.
 *
 * {@snippet file="Pieces.java" region="loop"}
 *
 * <p>Closing is the exception: any thread may close objects on the engine, and objects that they depend on. That thread
 * then waits for the loop.
 *
 * <p>Exceptions from handlers and executed tasks go to the failure handler, and the loop continues. The loop keeps its
 * JVM alive until it is closed.
 */
public final class EventLoop implements Executor, AutoCloseable {
    private final IdleStrategy idle;
    private final EventLoopRun run;
    private final Thread thread;
    private final ProgressEngine engine;

    private EventLoop(String name, IdleStrategy idle, Consumer<Throwable> onFailure) {
        this.idle = Objects.requireNonNull(idle);
        this.run = new EventLoopRun(this, idle, Objects.requireNonNull(onFailure));
        this.thread = new Thread(run, Objects.requireNonNull(name));
        thread.start();
        this.engine = awaitEngine();
    }

    /**
     * Starts a loop that sleeps until there is something to do ({@link IdleStrategy#eventDriven()}), and logs failures.
     *
     * @param name the thread's name
     * @return the loop, running
     * @throws io.github.comch4j.DocaException if DOCA refuses an engine
     * @throws io.github.comch4j.NativeLibraryException if there is no usable native library
     */
    public static EventLoop start(String name) {
        return start(name, IdleStrategy.eventDriven());
    }

    /**
     * Starts a loop that logs failures.
     *
     * @param name the thread's name
     * @param idle what the loop does when there is nothing to do
     * @return the loop, running
     */
    public static EventLoop start(String name, IdleStrategy idle) {
        return start(
                name,
                idle,
                failure -> EventLoopRun.logger()
                        .log(
                                Logger.Level.ERROR,
                                "a handler or task of the event loop \"" + name + "\" failed",
                                failure));
    }

    /**
     * Starts a loop.
     *
     * @param name the thread's name
     * @param idle what the loop does when there is nothing to do
     * @param onFailure receives the exceptions of handlers and executed tasks, on the loop's thread
     * @return the loop, running
     */
    public static EventLoop start(String name, IdleStrategy idle, Consumer<Throwable> onFailure) {
        return new EventLoop(name, idle, onFailure);
    }

    private ProgressEngine awaitEngine() {
        try {
            if (Thread.interrupted()) {
                throw new InterruptedException(); // also if the engine has been made already
            }
            return run.engine().get();
        } catch (InterruptedException e) {
            run.close();
            throw Failures.interrupted("waiting for an event loop to start");
        } catch (ExecutionException e) {
            throw Rethrow.asIs(e.getCause());
        }
    }

    /**
     * Returns the engine. Any thread may call this method, but only tasks and handlers of the loop may use the engine.
     * They cannot release or close it: the loop does so itself.
     *
     * @return the engine, which the loop's thread owns
     */
    public ProgressEngine engine() {
        return engine;
    }

    /**
     * Returns whether the calling thread is the loop's thread, or progresses the engine in its place.
     *
     * @return true in the loop's handlers and tasks
     */
    public boolean isInLoop() {
        return Thread.currentThread() == thread || engine.engine().isMine();
    }

    /**
     * Runs a task in the loop soon, after the tasks that were submitted earlier. Any thread may call it, including the
     * loop's own.
     *
     * @param task the task; must not block
     * @throws RejectedExecutionException if the loop is closed
     */
    @Override
    public void execute(Runnable task) {
        Objects.requireNonNull(task);
        if (!run.add(task)) {
            throw new RejectedExecutionException(this + " is closed");
        }
    }

    /**
     * Runs a task as {@link #execute} does, and returns its result.
     *
     * @param task the task; must not block
     * @param <T> the type of the result
     * @return a future that the loop completes with the result or the exception of the task
     * @throws RejectedExecutionException if the loop is closed
     */
    public <T extends @Nullable Object> CompletableFuture<T> submit(Callable<T> task) {
        LoopCall<T> call = new LoopCall<>(Objects.requireNonNull(task));
        execute(call);
        return call.result;
    }

    /**
     * A task for {@link #call}.
     *
     * @param <T> the type of the result
     * @param <X> the checked exception that it may throw; {@link RuntimeException}, as the compiler infers, if there is
     *     none
     */
    @FunctionalInterface
    public interface Task<T extends @Nullable Object, X extends Exception> {
        /**
         * Runs the task.
         *
         * @return the result
         * @throws X if the task fails
         */
        T run() throws X;
    }

    /**
     * Runs a task in the loop and waits for it. In the loop itself, runs the task at once. A virtual thread that waits
     * does not occupy a carrier thread.
     *
     * <p>If the task throws an exception, this method throws the same exception. Its stack trace is that of the loop's
     * thread. The stack trace of the calling thread is in a {@linkplain Throwable#getSuppressed() suppressed}
     * exception.
     *
     * @param task the task. It must not block, except in the blocking calls of this library, during which the loop does
     *     nothing else
     * @param <T> the type of the result
     * @param <X> the checked exception that the task may throw
     * @return the result of the task
     * @throws X the exception of the task; unchecked exceptions are thrown as well
     * @throws RejectedExecutionException if the loop is closed
     * @throws WaitInterruptedException if the calling thread is interrupted; the task may still run
     * @throws IllegalStateException if the loop's thread has called {@link System#exit}
     */
    public <T extends @Nullable Object, X extends Exception> T call(Task<T, X> task) throws X {
        if (isInLoop()) {
            return task.run();
        }
        CompletableFuture<T> result = submit(task::run);
        try {
            while (true) {
                try {
                    return result.get(1, TimeUnit.SECONDS);
                } catch (TimeoutException e) {
                    run.loopThread().checkNotExiting("a task of " + this);
                }
            }
        } catch (ExecutionException e) {
            throw failed(e);
        } catch (InterruptedException e) {
            throw Failures.interrupted("waiting for " + this);
        } finally {
            result.cancel(false); // no effect once it is done
        }
    }

    /**
     * Runs a task as {@link #call(Task)} does, and waits at most for the given time.
     *
     * @param task the task
     * @param timeout how long to wait
     * @param <T> the type of the result
     * @param <X> the checked exception that the task may throw
     * @return the result of the task
     * @throws X the exception of the task; unchecked exceptions are thrown as well
     * @throws TimeoutException if the task takes longer; it still runs, unless it has not begun
     * @throws RejectedExecutionException if the loop is closed
     * @throws WaitInterruptedException if the calling thread is interrupted; the task may still run
     */
    public <T extends @Nullable Object, X extends Exception> T call(Task<T, X> task, Duration timeout)
            throws X, TimeoutException {
        if (isInLoop()) {
            return task.run();
        }
        CompletableFuture<T> result = submit(task::run);
        try {
            return result.get(Nanos.of(timeout), TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
            throw new TimeoutException("waiting " + Failures.text(timeout) + " for a task of " + this);
        } catch (ExecutionException e) {
            throw failed(e);
        } catch (InterruptedException e) {
            throw Failures.interrupted("waiting for " + this);
        } finally {
            result.cancel(false);
        }
    }

    private RuntimeException failed(ExecutionException e) {
        throw Rethrow.asIs(SubmitterTrace.addTo(e.getCause(), this)); // what the task declares, or unchecked
    }

    /**
     * Returns whether {@link #close()} was called.
     *
     * @return true from the beginning of closing
     */
    public boolean isClosed() {
        return run.isClosing();
    }

    /**
     * Closes the loop: runs the tasks that were submitted, closes all objects on the engine and the engine, and waits
     * for the thread to end. In the loop itself it does not wait. A second call only waits.
     *
     * <p>The method waits as long as the loop's thread shows activity, by progress of the engine or by completed tasks.
     * If a handler or task blocks, the loop closes everything as soon as that handler or task returns, even if no
     * thread waits any more.
     *
     * <p>A handler that calls {@link System#exit} never returns, because the JVM waits for its shutdown hooks. A hook
     * that closes the loop, or an object on it, therefore gets an {@link IllegalStateException} at once, and the
     * process ends. Open objects end with the process, and peers notice that as they notice the end of any process.
     *
     * @throws io.github.comch4j.DocaException if an object on the engine did not end in time; the thread has ended in
     *     any case. Also {@link io.github.comch4j.DocaError#TIME_OUT} if the thread shows no activity for
     *     {@link ProgressEngine#timeout()}; the thread then still exists
     * @throws IllegalStateException if the thread has called {@link System#exit}
     */
    @Override
    public void close() {
        run.close();
        if (isInLoop()) {
            return;
        }
        run.loopThread().await(() -> !thread.isAlive(), "the " + this + " to end", () -> false);
        Throwable failure = run.takeFailure();
        if (failure != null) {
            throw Rethrow.asIs(failure);
        }
    }

    /**
     * Returns a description for logs.
     *
     * @return its name and idle strategy
     */
    @Override
    public String toString() {
        return "event loop \"" + thread.getName() + "\" (" + idle + ")";
    }

    /** A task with a result. */
    private static final class LoopCall<T extends @Nullable Object> implements Runnable {
        private final Callable<T> task;
        private final CompletableFuture<T> result = new CompletableFuture<>();

        LoopCall(Callable<T> task) {
            this.task = task;
        }

        @Override
        public void run() {
            if (result.isDone()) {
                return; // cancelled
            }
            try {
                result.complete(task.call());
            } catch (Throwable t) {
                result.completeExceptionally(t);
            }
        }
    }
}
