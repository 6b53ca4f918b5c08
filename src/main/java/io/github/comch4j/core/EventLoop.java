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
 * A platform thread that owns a {@link ProgressEngine} and progresses it, for programs that do not want to write such a
 * loop. Whatever touches the engine, or what runs on it, is done in the loop: in handlers, or in tasks that other
 * threads, also virtual ones, hand over.
 *
 * <p>While the loop's thread sleeps, a platform thread that waits in a call of this library (a call of an
 * {@code RpcClient}, a {@code receive} or {@code send} of a {@code MessageSocket}) makes the progress itself, and wakes
 * nobody. It runs what belongs to the library only: handlers and tasks of the program, and what depends on its futures,
 * run on the loop's thread, and a loop with handlers of the program on its engine, or with another strategy than
 * {@link IdleStrategy#eventDriven()}, makes all the progress.
 *
 * {@snippet file="Pieces.java" region="loop"}
 *
 * <p>Closing is the exception: what runs on the engine, and what that depends on, may be closed by any thread, which
 * then waits for the loop.
 *
 * <p>What handlers and executed tasks throw goes to the failure handler; the loop goes on. The loop keeps its JVM alive
 * until it is closed.
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
     * @param idle what it does when there is nothing to do
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
     * @param idle what it does when there is nothing to do
     * @param onFailure gets what handlers and executed tasks throw, on the loop's thread
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
     * The engine. Only tasks and handlers of the loop may use it, and cannot release or close it: the loop does. Any
     * thread may ask for it.
     *
     * @return the engine, which the loop's thread owns
     */
    public ProgressEngine engine() {
        return engine;
    }

    /**
     * Whether the calling thread is the loop's, or is in the engine in its place.
     *
     * @return true in its handlers and tasks
     */
    public boolean isInLoop() {
        return Thread.currentThread() == thread || engine.engine().isMine();
    }

    /**
     * Runs a task in the loop soon, after those that were handed over before. Any thread may call it, the loop's own as
     * well.
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
     * As {@link #execute}, with a result.
     *
     * @param task the task; must not block
     * @param <T> the type of the result
     * @return completed in the loop with what the task returns or throws
     * @throws RejectedExecutionException if the loop is closed
     */
    public <T extends @Nullable Object> CompletableFuture<T> submit(Callable<T> task) {
        Call<T> call = new Call<>(Objects.requireNonNull(task));
        execute(call);
        return call.result;
    }

    /**
     * What {@link #call} runs.
     *
     * @param <T> the type of the result
     * @param <X> the checked exception that it may throw; {@link RuntimeException}, as the compiler infers, if there is
     *     none
     */
    @FunctionalInterface
    public interface Task<T extends @Nullable Object, X extends Exception> {
        /**
         * Does it.
         *
         * @return the result
         * @throws X if it fails
         */
        T run() throws X;
    }

    /**
     * Runs a task in the loop and waits for it; in the loop itself, runs it here and now. A virtual thread that waits
     * holds on to no carrier.
     *
     * <p>What the task throws comes out here as it is. Its stack trace is that of the loop; that of the thread that
     * called is in an exception {@linkplain Throwable#getSuppressed() suppressed} in it.
     *
     * @param task the task; must not block, except as the blocking calls of this library do, while which the loop does
     *     nothing else
     * @param <T> the type of the result
     * @param <X> the checked exception that the task may throw
     * @return what it returns
     * @throws X what it throws, and anything unchecked
     * @throws RejectedExecutionException if the loop is closed
     * @throws WaitInterruptedException if the calling thread is interrupted; the task may run all the same
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
     * As {@link #call(Task)}, for a limited time.
     *
     * @param task the task
     * @param timeout how long to wait
     * @param <T> the type of the result
     * @param <X> the checked exception that the task may throw
     * @return what it returns
     * @throws X what it throws, and anything unchecked
     * @throws TimeoutException if it takes longer; the task runs all the same, unless it has not begun
     * @throws RejectedExecutionException if the loop is closed
     * @throws WaitInterruptedException if the calling thread is interrupted; the task may run all the same
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
     * Whether {@link #close()} was called.
     *
     * @return true from the beginning of closing
     */
    public boolean isClosed() {
        return run.isClosing();
    }

    /**
     * Runs the tasks that were handed over, closes all that runs on the engine and the engine, and waits for the
     * thread's end. In the loop itself it does not wait. The second call only waits.
     *
     * <p>It waits as long as the loop's thread shows that it is alive, by progress of the engine or by tasks that it
     * ends. When a handler or task blocks, the loop closes everything as soon as that returns, waited for or not.
     *
     * <p>A handler that calls {@link System#exit} never returns, as the JVM's end waits for the shutdown hooks. So a
     * hook that closes the loop, or something that runs on it, gets an {@link IllegalStateException} at once, and the
     * process ends; what is open ends with it, and peers learn of that as of any end of a process.
     *
     * @throws io.github.comch4j.DocaException if something on the engine did not end in time; the thread has ended all
     *     the same. Also {@link io.github.comch4j.DocaError#TIME_OUT} if the thread shows no sign of life for
     *     {@link ProgressEngine#timeout()}; it is still there
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
     * For logs.
     *
     * @return its name and idle strategy
     */
    @Override
    public String toString() {
        return "event loop \"" + thread.getName() + "\" (" + idle + ")";
    }

    /** A task with a result. */
    private static final class Call<T extends @Nullable Object> implements Runnable {
        private final Callable<T> task;
        private final CompletableFuture<T> result = new CompletableFuture<>();

        Call(Callable<T> task) {
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
