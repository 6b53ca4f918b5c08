package io.github.comch4j.internal.life;

import io.github.comch4j.internal.call.PeCalls;
import io.github.comch4j.internal.failure.Failures;
import io.github.comch4j.internal.failure.Rethrow;
import io.github.comch4j.internal.load.NativeLibrary;
import io.github.comch4j.internal.observe.Counter;
import io.github.comch4j.internal.observe.LiveObjects;
import io.github.comch4j.internal.transport.CallMemory;
import io.github.comch4j.internal.transport.SlotEvents;
import io.github.comch4j.internal.transport.TaskQueue;
import io.github.comch4j.internal.transport.Transport;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.IntSupplier;
import java.util.function.Supplier;

/**
 * A {@code doca_pe} with its owner thread, and the exceptions of the callbacks that it ran.
 *
 * <p>One thread owns the engine and everything connected to it. The owner may {@linkplain #release() release} it, then
 * another thread may {@linkplain #takeOver take} it over. The check is one comparison, on each call.
 */
public final class Engine extends Resource {
    private static final VarHandle OWNER = ownerHandle();
    private static final AtomicLong NUMBERS = new AtomicLong();
    /** How long close and blocking sends wait unless told otherwise. */
    private static final Duration DEFAULT_TIMEOUT = Duration.ofSeconds(10);

    private final MemorySegment handle;
    private final Transport transport;
    private final CallMemory staging;
    private volatile Thread owner; // null: released, or closed
    private volatile LoopThread loopThread; // null: no event loop
    Sleeper sleeper; // once its thread has slept; of Sleeper
    private boolean inCallbacks; // a native call that may run callbacks is on the owner's stack
    private volatile Duration timeout = DEFAULT_TIMEOUT;
    private final long number = NUMBERS.incrementAndGet();
    private final Counter polls = new Counter();
    private final Counter events = new Counter();
    private final ProgressWaiters progressWaiters = new ProgressWaiters();
    private final Queue<Runnable> later = new ConcurrentLinkedQueue<>(); // for afterCallbacks
    private volatile boolean anyLater;
    private boolean inLater; // one of these runs
    private boolean bindsOwn; // contexts whose handlers are the library's
    private final AtomicInteger kept = new AtomicInteger(); // by what is the program's
    private boolean sharesHandlers; // set before any other thread can have a turn

    private Engine(MemorySegment handle) {
        super(Rank.BASE, "the progress engine");
        this.handle = handle;
        this.owner = Thread.currentThread();
        this.transport = Transport.create(handle.address());
        this.staging = new CallMemory();
    }

    /** {@code doca_pe_create}; the calling thread owns it. */
    public static Engine create() {
        NativeLibrary.load();
        Engine created = new Engine(PeCalls.create());
        LiveObjects.add(created);
        return created;
    }

    /** Its number among the engines of the process. */
    public long number() {
        return number;
    }

    /** How many times it was asked for progress. Any thread may ask, as for the following. */
    public long polls() {
        return polls.get();
    }

    /** How many events progress has brought. */
    public long events() {
        return events.get();
    }

    /** How many callbacks have thrown. */
    public long callbackFailures() {
        return transport.callbackFailures();
    }

    /** One round of {@code doca_pe_progress}, or one task that an earlier round ended. */
    public boolean progress() {
        return progress(1, 0) != 0;
    }

    /** The most spins of one progress: some milliseconds. */
    public static final int MAX_SPINS = 1 << 16;

    /** Fails unless so many spins may be asked for. */
    public static void checkSpins(int spins) {
        if (spins < 0 || spins > MAX_SPINS) {
            throw new IllegalArgumentException("spins must be 0 to " + MAX_SPINS + ", not " + spins);
        }
    }

    /**
     * So many rounds, unless nothing is ready or a callback throws; while none has brought anything, {@code spins}
     * more. Returns how many brought something.
     */
    public int progress(int limit, int spins) {
        return progress(null, null, limit, spins);
    }

    /** As {@link #progress(int, int)}, for a consumer whose messages the program waits for. */
    public int poll(TaskQueue queue, SlotEvents consumer, int limit, int spins) {
        return progress(queue, consumer, limit, spins);
    }

    private int progress(TaskQueue queue, SlotEvents polled, int limit, int spins) {
        checkOwner();
        if (inCallbacks) {
            throw new IllegalStateException("progress() cannot be called inside a callback of the same engine");
        }
        inCallbacks = true;
        int done;
        try {
            done = polled == null ? transport.progress(limit, spins) : transport.poll(queue, polled, limit, spins);
            if (progressWaiters.areAny()) {
                progressWaiters.serve();
            }
        } finally {
            inCallbacks = false;
        }
        polls.increment();
        if (done != 0) {
            events.add(done);
        }
        if (anyLater) {
            runLater();
        }
        rethrowFailure();
        return done;
    }

    /**
     * Has the owner run {@code task} when no callback of this engine is running: at the end of the progress, or other
     * call, that runs one now, else with the next progress. What it throws fails that progress. Any thread.
     */
    public void afterCallbacks(Runnable task) {
        LoopThread loop = otherLoopThread();
        if (loop != null) {
            try {
                loop.execute(task);
                return;
            } catch (RejectedExecutionException e) {
                // the loop is being closed, and makes some progress yet
            }
        }
        later.add(task);
        anyLater = true;
    }

    /** Not inside itself: what is closed makes progress, and a crowd of it would take the whole stack. */
    private void runLater() {
        if (inLater) {
            return;
        }
        inLater = true;
        anyLater = false;
        Throwable first = transport.takeFailure();
        for (Runnable task = later.poll(); task != null; task = later.poll()) {
            try {
                task.run();
            } catch (Throwable t) {
                first = Rethrow.first(first, t);
            }
        }
        inLater = false;
        if (first != null) {
            throw Rethrow.asIs(first);
        }
    }

    /** Has {@code waiter} asked after each progress, until it does not want to be any more. */
    public void awaitProgress(ProgressWaiter waiter) {
        progressWaiters.add(waiter);
    }

    /** Whether anybody is to be asked after each progress. */
    boolean awaitsProgress() {
        return progressWaiters.areAny();
    }

    /** Carries tasks of contexts on this engine to DOCA, and their completions back. */
    public Transport transport() {
        return transport;
    }

    /** The memory for calls of contexts on this engine. */
    public CallMemory staging() {
        return staging;
    }

    /** Runs a native call that may run callbacks of {@code context} before it returns, and rethrows what they threw. */
    int callWithCallbacks(Context context, IntSupplier call) {
        boolean outer = inCallbacks;
        inCallbacks = true;
        int code;
        try {
            code = call.getAsInt();
            transport.deliverPending(context);
        } finally {
            inCallbacks = outer;
        }
        if (anyLater && !outer) {
            runLater();
        }
        rethrowFailure();
        return code;
    }

    /**
     * Runs handlers of the program outside of a progress, under the same rules: what is on this engine cannot be closed
     * meanwhile.
     */
    public void runHandlers(Runnable handlers) {
        boolean outer = inCallbacks;
        inCallbacks = true;
        try {
            handlers.run();
        } finally {
            inCallbacks = outer;
        }
        if (anyLater && !outer) {
            runLater();
        }
    }

    /**
     * Progress for waiting loops while something is being closed: what callbacks throw is collected, the wait goes on.
     */
    boolean progress(Teardown teardown) {
        try {
            return progress();
        } catch (Throwable t) {
            teardown.add(t);
            return true;
        }
    }

    /** Throws what callbacks threw during a native call that has returned now. */
    private void rethrowFailure() {
        if (transport.hasFailed()) {
            throw Rethrow.asIs(transport.takeFailure());
        }
    }

    /**
     * Progresses this engine, and another one if it belongs to this thread too, until {@code done} or the time is up.
     * Fails when the thread is interrupted.
     */
    public boolean await(BooleanSupplier done, long deadline, Engine other) {
        try {
            return awaitInterruptibly(done, deadline, other);
        } catch (InterruptedException e) {
            throw Failures.interrupted("waiting on " + name());
        }
    }

    /**
     * As {@link #await(BooleanSupplier, long, Engine)}, for callers that report an interrupt in their own way. The
     * thread remains interrupted.
     */
    public boolean awaitInterruptibly(BooleanSupplier done, long deadline, Engine other) throws InterruptedException {
        Pause pause = new Pause(this, other);
        while (!done.getAsBoolean()) {
            if (Thread.currentThread().isInterrupted()) {
                throw new InterruptedException("interrupted while waiting on " + name());
            }
            boolean worked = progress();
            if (other != null && other != this && other.isMine()) {
                worked |= other.progress();
            }
            if (!worked && !pause.idle(deadline)) {
                return done.getAsBoolean();
            }
            if (worked) {
                pause.reset();
                if (System.nanoTime() - deadline > 0) {
                    return done.getAsBoolean();
                }
            }
        }
        return true;
    }

    /**
     * As {@link #await(BooleanSupplier, long, Engine)}, while something is being closed: an interrupt waits until then.
     */
    public boolean await(BooleanSupplier done, long deadline, Engine other, Teardown teardown) {
        boolean interrupted = Thread.interrupted(); // with it no pause would pause
        try {
            return awaitClosing(done, deadline, other, teardown);
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private boolean awaitClosing(BooleanSupplier done, long deadline, Engine other, Teardown teardown) {
        Pause pause = new Pause(null, null); // what closes may look for its end only where it is asked for progress
        while (!done.getAsBoolean()) {
            boolean worked = progress(teardown);
            if (other != null && other != this && other.isMine() && !other.inCallbacks) {
                worked |= other.progress(teardown);
            }
            if (worked) {
                pause.reset();
                if (System.nanoTime() - deadline > 0) {
                    return done.getAsBoolean();
                }
            } else if (!pause.idle(deadline)) {
                return done.getAsBoolean();
            }
        }
        return true;
    }

    /** The {@code struct doca_pe *}. */
    MemorySegment handle() {
        return handle;
    }

    /** Whether the calling thread owns this engine. */
    public boolean isMine() {
        return owner == Thread.currentThread();
    }

    /** Whether a callback of this engine is running, or may be. */
    public boolean isInCallbacks() {
        return inCallbacks;
    }

    /** Fails unless the calling thread owns this engine. */
    public void checkOwner() {
        if (owner != Thread.currentThread()) {
            throw notMine();
        }
    }

    private RuntimeException notMine() {
        Thread current = Thread.currentThread();
        Thread other = owner;
        if (other == null) {
            LoopThread loop = loopThread;
            if (loop != null && !isClosed()) {
                return new WrongThreadException(name() + " belongs to the " + loop + "; " + current + " cannot use it");
            }
            return isClosed()
                    ? new IllegalStateException(name() + " is closed")
                    : new WrongThreadException(
                            name() + " belongs to no thread since release(); call takeOver() on " + current + " first");
        }
        return new WrongThreadException(name() + " belongs to " + other + "; " + current + " cannot use it");
    }

    /** The owner, or null; the loop's thread of an engine of a loop, also while another thread has its turn. */
    public Thread owner() {
        LoopThread loop = loopThread;
        return loop == null ? owner : loop.thread();
    }

    /** The calling thread has its turn, see {@link Turns}. */
    void own() {
        owner = Thread.currentThread();
    }

    /** Its turn is over. */
    void disown() {
        owner = null;
    }

    /** Starts contexts none of whose handlers is the program's: other threads than the loop's may run them. */
    public <T> T ofLibrary(Supplier<T> starts) {
        checkOwner();
        boolean before = bindsOwn;
        bindsOwn = true;
        try {
            return starts.get();
        } finally {
            bindsOwn = before;
        }
    }

    /** Whether a context that is made now is such a one. */
    boolean bindsOwn() {
        return bindsOwn;
    }

    /** One handler of the program more, or less, for which the loop's thread keeps the engine. Any thread. */
    public void keep(int difference) {
        kept.addAndGet(difference);
    }

    /** Whether the loop's thread keeps it. Any thread. */
    boolean isKept() {
        return !sharesHandlers && kept.get() != 0;
    }

    /** Any thread that has its turn runs handlers of the program as well. The loop's thread, before it shares turns. */
    void shareHandlers() {
        sharesHandlers = true;
    }

    /** The owner releases the engine: any thread may take it over. */
    public void release() {
        checkOwner();
        if (inCallbacks) {
            throw new IllegalStateException("release() cannot be called inside a callback of the same engine");
        }
        owner = null;
    }

    /** The calling thread takes over an engine that was released, or whose owner has ended. */
    public void takeOver() {
        checkOpen();
        Thread current = Thread.currentThread();
        Thread previous = owner;
        if (previous == current) {
            return;
        }
        if (loopThread != null) {
            throw notMine();
        }
        if ((previous != null && previous.isAlive()) || !OWNER.compareAndSet(this, previous, current)) {
            throw notMine();
        }
    }

    /** The calling thread is that of an event loop, which closes the engine at its end; null: it is no longer. */
    public void loopThread(LoopThread loop) {
        loopThread = loop;
    }

    /** The thread of the event loop that has this engine, or null. */
    public LoopThread loopThread() {
        return loopThread;
    }

    /** The thread of the event loop that has this engine, if it is not the calling thread; otherwise null. */
    public LoopThread otherLoopThread() {
        return isMine() ? null : loopThread;
    }

    /** How long close and blocking sends wait. */
    public Duration timeout() {
        return timeout;
    }

    /** Sets how long close and blocking sends wait. */
    public void timeout(Duration value) {
        checkOwner();
        if (value.isNegative()) {
            throw new IllegalArgumentException("negative timeout: " + value);
        }
        timeout = value;
    }

    /** The moment, by {@link System#nanoTime()}, when something that begins now has taken too long. */
    public long deadline() {
        return Nanos.deadline(timeout);
    }

    /** Fails if this engine, or a context on it, cannot be closed by the calling thread. */
    @Override
    protected void checkClosable() {
        if (otherLoopThread() != null) {
            return; // the loop is asked to close it
        }
        if (owner == null || (owner != Thread.currentThread() && !owner.isAlive())) {
            takeOver(); // no thread owns it: the one that closes it may
        }
        checkOwner();
    }

    @Override
    protected Engine busyEngine() {
        return inCallbacks && isMine() ? this : null;
    }

    @Override
    protected void release(Teardown teardown) {
        PeCalls.destroy(handle);
        LiveObjects.remove(this);
        owner = null;
        transport.close();
        staging.close();
        if (transport.hasFailed()) {
            teardown.add(transport.takeFailure());
        }
    }

    private static VarHandle ownerHandle() {
        try {
            return MethodHandles.lookup().findVarHandle(Engine.class, "owner", Thread.class);
        } catch (ReflectiveOperationException e) {
            throw new AssertionError(e);
        }
    }
}
