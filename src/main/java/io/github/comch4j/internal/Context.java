package io.github.comch4j.internal;

import io.github.comch4j.DocaError;
import io.github.comch4j.DocaException;
import io.github.comch4j.ffi.doca_h;
import java.lang.foreign.MemorySegment;
import java.util.function.BooleanSupplier;

/**
 * A {@code doca_ctx}: the life of a server, client, producer or consumer on its engine.
 *
 * <p>Order of use: constructor, {@link #bind}, configuration by the subclass, {@link #start}. From {@code bind} on the object is known to its
 * owners and closing it gives the native object back. All methods but {@link #state} belong to the engine's owner thread.
 *
 * <p>Closing is driven by the state and not by return codes: stop, progress until idle, destroy.
 */
public abstract class Context extends Resource {
    /** {@code DOCA_CTX_STATE_IDLE}. */
    public static final int IDLE = doca_h.DOCA_CTX_STATE_IDLE();
    /** {@code DOCA_CTX_STATE_STARTING}. */
    public static final int STARTING = doca_h.DOCA_CTX_STATE_STARTING();
    /** {@code DOCA_CTX_STATE_RUNNING}. */
    public static final int RUNNING = doca_h.DOCA_CTX_STATE_RUNNING();
    /** {@code DOCA_CTX_STATE_STOPPING}. */
    public static final int STOPPING = doca_h.DOCA_CTX_STATE_STOPPING();

    private static final Registry<Context> REGISTRY = new Registry<>();

    private final Engine engine;
    private final Engine helper;
    private final boolean upcalls; // how its tasks end
    private MemorySegment object;
    private MemorySegment view;
    private long key;
    private volatile int state = IDLE;

    /**
     * A context that is going to run on {@code engine}.
     *
     * @param helper an engine that must make progress too while this one starts or stops, or null
     * @param owners what it depends on besides the engine
     */
    protected Context(Rank rank, String name, Engine engine, Engine helper, Resource... owners) {
        super(rank, name, withEngine(engine, owners));
        this.engine = engine;
        this.helper = helper;
        this.upcalls = rank != Rank.FAST_PATH || engine.ring() == null;
    }

    private static Resource[] withEngine(Engine engine, Resource[] owners) {
        Resource[] all = java.util.Arrays.copyOf(owners, owners.length + 1);
        all[owners.length] = engine;
        return all;
    }

    /** Takes over a new native object: attaches it to its owners, sets user data and state callback, connects it to the engine. */
    protected final void bind(MemorySegment nativeObject, MemorySegment asContext) {
        object = nativeObject;
        view = asContext;
        try {
            attach();
        } catch (IllegalStateException e) {
            destroy(object);
            object = null;
            throw e;
        }
        key = REGISTRY.add(this);
        if (upcalls) {
            engine.upcallContexts(1);
        }
        String action = "preparing " + name();
        Calls.check("doca_ctx_set_user_data", action, () -> ContextCalls.setUserData(view.address(), key));
        Calls.check("doca_ctx_set_state_changed_cb", action, () -> doca_h.doca_ctx_set_state_changed_cb(view, Upcalls.STATE_CHANGED));
        Calls.check("doca_pe_connect_ctx", action, () -> doca_h.doca_pe_connect_ctx(engine.handle(), view));
    }

    /** Instead of upcalls: user data and state callback of the native helper, which tells of everything through the engine's ring. */
    final void reportTo(long userData, MemorySegment stateCallback) {
        String action = "preparing " + name();
        Calls.check("doca_ctx_set_user_data", action, () -> ContextCalls.setUserData(view.address(), userData));
        Calls.check("doca_ctx_set_state_changed_cb", action, () -> doca_h.doca_ctx_set_state_changed_cb(view, stateCallback));
    }

    /** {@code doca_ctx_start}; returns in RUNNING or STARTING. */
    public final void start() {
        engine.checkOwner();
        checkOpen();
        int code = engine.callWithCallbacks(this, () -> Calls.code("doca_ctx_start", () -> doca_h.doca_ctx_start(view)));
        if (code != Calls.SUCCESS && code != DocaError.IN_PROGRESS.code()) {
            throw new DocaException(code, "doca_ctx_start", "starting " + name());
        }
    }

    /** Progresses until the start has come to an end or the time is up. Returns false when it is still going on. */
    public final boolean awaitStarted(long deadline) {
        return engine.await(() -> state != STARTING, deadline, helper);
    }

    /** The state that the last callback told. May be read by any thread. */
    public final int state() {
        return state;
    }

    /** The engine. */
    public final Engine engine() {
        return engine;
    }

    /** The number that stands for this in native user data. */
    final long key() {
        return key;
    }

    /** The native object (not its view as a context). */
    protected final MemorySegment object() {
        return object;
    }

    /** Progresses, while something is being closed, until {@code done} or the engine's timeout. */
    public boolean giveBack(BooleanSupplier done, Teardown teardown) {
        return engine.await(done, engine.deadline(), helper, teardown);
    }

    /** Destroys the native object; returns {@code doca_error_t}. */
    protected abstract int destroy(MemorySegment nativeObject);

    /** The C name of what {@link #destroy} calls. */
    protected abstract String destroyFunction();

    /** A task of this context ended. Runs in an upcall. */
    protected abstract void taskEnded(long task, long userData, boolean success);

    /**
     * The task of a slot ended, for contexts with a {@link Lane}.
     *
     * @param status {@code doca_error_t}
     * @param entry where the ring has more about it, or 0; valid until something is submitted
     */
    protected void slotEnded(int slot, int status, long entry) {
        throw new AssertionError(name() + " has no slots");
    }

    /** Tasks of slots ended: calls {@link #slotEnded} with all that {@link CompletionRing#next} has. In a class of its own, so that it can be compiled as one loop. */
    protected void slotsEnded(CompletionRing ring, int index) {
        throw new AssertionError(name() + " has no slots");
    }

    /** Just before the stop. */
    protected void stopping() {
    }

    /** The state changed, {@link #state} tells it already. Runs in an upcall, or where the ring's entries are told. */
    protected void stateChanged(int previous, int next) {
    }

    /** Frees the tasks that are not in flight; called in STOPPING, more than once. Those in flight are to be freed as they end. */
    protected void freeIdleTasks() {
    }

    static void onStateChanged(long userData, int previous, int next) {
        Context context = REGISTRY.find(userData);
        if (context == null) {
            return; // its object is being destroyed
        }
        try {
            context.engine.settle();
            context.enter(previous, next);
        } catch (Throwable t) {
            context.engine.fail(t);
        }
    }

    /** DOCA has told that the state is another one. */
    final void enter(int previous, int next) {
        state = next;
        Events.state(name(), previous, next);
        if (next == STOPPING) {
            freeIdleTasks();
        }
        stateChanged(previous, next);
    }

    static void onTaskEnded(long task, long taskUserData, long contextUserData, boolean success) {
        Context context = REGISTRY.find(contextUserData);
        if (context == null) {
            Upcalls.lost("a task of a context that is gone");
            return;
        }
        try {
            context.engine.settle();
            context.taskEnded(task, taskUserData, success);
        } catch (Throwable t) {
            context.engine.fail(t);
        }
    }

    @Override
    protected void checkClosable() {
        engine.checkClosable();
    }

    @Override
    public final Keeper keeper() {
        return engine.keeperElsewhere();
    }

    @Override
    protected boolean helpClosing(Teardown teardown) {
        return helper != null && helper.isMine() && !helper.isInCallbacks() && helper.progress(teardown);
    }

    /** Fails if what is in flight with this context cannot be waited for here and now, because {@code dependent} is to be closed. */
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
            return; // never came to life
        }
        if (state != IDLE) {
            long deadline = engine.deadline();
            stopping();
            stop(deadline, teardown);
            if (!engine.await(() -> state == IDLE, deadline, helper, teardown)) {
                throw new DocaException(DocaError.TIME_OUT, "doca_ctx_stop", "waiting " + engine.timeout() + " for " + name() + " to become idle");
            }
        }
        Calls.check(destroyFunction(), "closing " + name(), () -> destroy(object));
        REGISTRY.remove(key);
        if (upcalls) {
            engine.upcallContexts(-1);
        }
    }

    private void stop(long deadline, Teardown teardown) {
        int[] code = {DocaError.IN_USE.code()};
        // IN_USE: producers or consumers on the way to idle still count
        engine.await(() -> {
            if (code[0] == DocaError.IN_USE.code()) {
                code[0] = stopOnce(teardown);
            }
            return code[0] != DocaError.IN_USE.code();
        }, deadline, helper, teardown);
        DocaError error = DocaError.of(code[0]);
        if (error != DocaError.SUCCESS && error != DocaError.IN_PROGRESS && error != DocaError.BAD_STATE) {
            throw new DocaException(code[0], "doca_ctx_stop", "stopping " + name());
        }
        freeIdleTasks();
    }

    private int stopOnce(Teardown teardown) {
        int[] code = new int[1];
        try {
            engine.callWithCallbacks(this, () -> code[0] = Calls.code("doca_ctx_stop", () -> doca_h.doca_ctx_stop(view)));
        } catch (Throwable t) {
            teardown.add(t);
        }
        return code[0];
    }
}
