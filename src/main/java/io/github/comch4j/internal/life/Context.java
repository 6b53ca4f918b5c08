package io.github.comch4j.internal.life;

import io.github.comch4j.DocaError;
import io.github.comch4j.DocaException;
import io.github.comch4j.internal.call.Calls;
import io.github.comch4j.internal.call.ContextCalls;
import io.github.comch4j.internal.failure.Failures;
import io.github.comch4j.internal.observe.Events;
import io.github.comch4j.internal.transport.ContextEvents;
import io.github.comch4j.internal.transport.Transport;
import io.github.comch4j.internal.transport.Upcalls;
import java.lang.foreign.MemorySegment;
import java.util.function.BooleanSupplier;

/**
 * A {@code doca_ctx}: the life of a server, client, producer or consumer on its engine.
 *
 * <p>Order of use: constructor, {@link #bind}, configuration by the subclass, {@link #start}. From {@code bind} on the
 * object is known to its owners and closing it destroys the native object. All methods but {@link #state} belong to the
 * engine's owner thread.
 *
 * <p>Closing is driven by the state and not by return codes: stop, progress until idle, destroy.
 */
public abstract class Context extends Resource implements ContextEvents {
    /** {@code DOCA_CTX_STATE_IDLE}. */
    public static final int IDLE = ContextCalls.IDLE;
    /** {@code DOCA_CTX_STATE_STARTING}. */
    public static final int STARTING = ContextCalls.STARTING;
    /** {@code DOCA_CTX_STATE_RUNNING}. */
    public static final int RUNNING = ContextCalls.RUNNING;
    /** {@code DOCA_CTX_STATE_STOPPING}. */
    public static final int STOPPING = ContextCalls.STOPPING;

    private final Engine engine;
    private final Engine companion;
    private MemorySegment object;
    private MemorySegment view;
    private long key;
    private volatile int state = IDLE;
    private boolean running; // as the engine's owner knows it
    private boolean keepsEngine; // for the loop's thread
    private boolean leaving; // for DOCA it runs no more, which is still to be delivered

    /**
     * A context that is going to run on {@code engine}.
     *
     * @param companion an engine that must make progress too while this starts or stops, or null
     * @param owners what it depends on besides the engine
     */
    protected Context(Rank rank, String name, Engine engine, Engine companion, Resource... owners) {
        super(rank, name, withEngine(engine, owners));
        this.engine = engine;
        this.companion = companion;
    }

    private static Resource[] withEngine(Engine engine, Resource[] owners) {
        Resource[] all = java.util.Arrays.copyOf(owners, owners.length + 1);
        all[owners.length] = engine;
        return all;
    }

    /**
     * Takes over a new native object: attaches it to its owners, sets user data and state callback, connects it to the
     * engine.
     */
    protected final void bind(MemorySegment nativeObject, MemorySegment asContext) {
        object = nativeObject;
        view = asContext;
        try {
            attach();
        } catch (IllegalStateException e) {
            try {
                destroy(object, "closing " + name());
            } catch (DocaException refusal) {
                e.addSuppressed(refusal);
            }
            object = null;
            throw e;
        }
        key = Upcalls.CONTEXTS.add(this);
        if (!engine.bindsOwn()) {
            keepsEngine = true;
            engine.keep(1);
        }
        reportStateTo(key, Upcalls.Stub.STATE_CHANGED.address());
        ContextCalls.connect(engine.handle(), view, "preparing " + name());
    }

    @Override
    public final void reportStateTo(long userData, MemorySegment callback) {
        String action = "preparing " + name();
        ContextCalls.setUserData(view, userData, action);
        ContextCalls.setStateChanged(view, callback, action);
    }

    @Override
    public final Transport transport() {
        return engine.transport();
    }

    @Override
    public void failed(Throwable thrown) {
        transport().fail(thrown);
    }

    /** {@code doca_ctx_start}; returns in RUNNING or STARTING. */
    public final void start() {
        engine.checkOwner();
        checkOpen();
        int code = engine.callWithCallbacks(this, () -> ContextCalls.start(view));
        if (code != Calls.SUCCESS && code != DocaError.IN_PROGRESS.code()) {
            throw Failures.refused(code, ContextCalls.START_NAME, "starting " + name());
        }
    }

    /** Progresses until the start has come to an end or the time is up. Returns false when it is still going on. */
    public final boolean awaitStarted(long deadline) {
        return engine.await(() -> state != STARTING, deadline, companion);
    }

    /** The state of the last callback. May be read by any thread. */
    public final int state() {
        return state;
    }

    /** Whether the state is RUNNING. For the engine's owner, for whom it costs less than {@link #state}. */
    public final boolean isRunning() {
        return running;
    }

    /** The engine. */
    public final Engine engine() {
        return engine;
    }

    /** The key of this context in {@link Upcalls#CONTEXTS}, which is its native user data. */
    public final long key() {
        return key;
    }

    /** The native object (not its view as a context). */
    public final MemorySegment object() {
        return object;
    }

    /** The same as a {@code struct doca_ctx *}. */
    public final MemorySegment view() {
        return view;
    }

    /** The native object as a number. */
    public final long address() {
        return object.address();
    }

    /** Progresses, while something is being closed, until {@code done} or the engine's timeout. */
    public boolean awaitTasks(BooleanSupplier done, Teardown teardown) {
        return engine.await(done, engine.deadline(), companion, teardown);
    }

    /** Destroys the native object. */
    protected abstract void destroy(MemorySegment nativeObject, String action);

    /** Just before the stop. */
    protected void stopping() {}

    /** The state has changed; {@link #state} is the new one. */
    protected void afterStateChange(int previous, int next) {}

    /**
     * Frees the tasks that are not in flight; called in STOPPING, more than once. Those in flight are to be freed as
     * they end.
     */
    protected void freeIdleTasks() {}

    @Override
    public final void leavesRunning() {
        leaving = true;
        running = false;
    }

    @Override
    public final void stateChanged(int previous, int next) {
        state = next;
        leaving &= next == RUNNING;
        running = next == RUNNING && !leaving;
        Events.state(name(), previous, next);
        if (next == STOPPING) {
            freeIdleTasks();
        }
        afterStateChange(previous, next);
    }

    @Override
    protected void checkClosable() {
        engine.checkClosable();
    }

    /** Fails if closing has begun, unless what uses this has a better exception for that. */
    public void checkUsable() {
        checkOpen();
    }

    @Override
    protected Engine busyEngine() {
        return engine.busyEngine();
    }

    /** As {@link #busyEngine}, of something that is in flight with this. */
    public final Engine busyEngineOf() {
        return engine.busyEngine();
    }

    @Override
    public final LoopThread closingLoopThread() {
        return engine.otherLoopThread();
    }

    @Override
    protected boolean helpClosing(Teardown teardown) {
        return companion != null && companion.isMine() && !companion.isInCallbacks() && companion.progress(teardown);
    }

    /**
     * Fails if what is in flight with this context cannot be waited for here and now, because {@code dependent} is to
     * be closed.
     */
    public final void checkClosableFor(Resource dependent) {
        try {
            checkClosable();
        } catch (IllegalStateException | WrongThreadException e) {
            e.addSuppressed(new IllegalStateException(dependent.name() + " is in flight with " + name()));
            throw e;
        }
    }

    @Override
    protected void release(Teardown teardown) {
        if (object == null) {
            return; // bind was not reached
        }
        if (state != IDLE) {
            long deadline = engine.deadline();
            stopping();
            stop(deadline, teardown);
            if (!engine.await(() -> state == IDLE, deadline, companion, teardown)) {
                throw Failures.refused(
                        DocaError.TIME_OUT,
                        ContextCalls.STOP_NAME,
                        "waiting " + Failures.text(engine.timeout()) + " for " + name() + " to become idle");
            }
        }
        destroy(object, "closing " + name());
        Upcalls.CONTEXTS.remove(key);
        if (keepsEngine) {
            keepsEngine = false;
            engine.keep(-1);
        }
    }

    private void stop(long deadline, Teardown teardown) {
        int[] code = {DocaError.IN_USE.code()};
        // IN_USE: producers or consumers on the way to idle still count
        engine.await(
                () -> {
                    if (code[0] == DocaError.IN_USE.code()) {
                        code[0] = stopOnce(teardown);
                    }
                    return code[0] != DocaError.IN_USE.code();
                },
                deadline,
                companion,
                teardown);
        DocaError error = DocaError.of(code[0]);
        if (error != DocaError.SUCCESS && error != DocaError.IN_PROGRESS && error != DocaError.BAD_STATE) {
            throw Failures.refused(code[0], ContextCalls.STOP_NAME, "stopping " + name());
        }
        freeIdleTasks();
    }

    private int stopOnce(Teardown teardown) {
        int[] code = new int[1];
        try {
            engine.callWithCallbacks(this, () -> code[0] = ContextCalls.stop(view));
        } catch (Throwable t) {
            teardown.add(t);
        }
        return code[0];
    }
}
