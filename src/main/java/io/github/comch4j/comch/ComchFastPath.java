package io.github.comch4j.comch;

import io.github.comch4j.DocaError;
import io.github.comch4j.DocaException;
import io.github.comch4j.core.Buffer;
import io.github.comch4j.core.BufferInventory;
import io.github.comch4j.core.ContextState;
import io.github.comch4j.core.Device;
import io.github.comch4j.core.ProgressEngine;
import io.github.comch4j.internal.BackPressure;
import io.github.comch4j.internal.Calls;
import io.github.comch4j.internal.CompletionRing;
import io.github.comch4j.internal.Context;
import io.github.comch4j.internal.CoreAccess;
import io.github.comch4j.internal.Counter;
import io.github.comch4j.internal.Engine;
import io.github.comch4j.internal.FastPathCalls;
import io.github.comch4j.internal.Lane;
import io.github.comch4j.internal.Observed;
import io.github.comch4j.internal.Resource;
import io.github.comch4j.internal.Scratch;
import io.github.comch4j.internal.TaskCalls;
import io.github.comch4j.internal.Teardown;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Objects;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Function;

/**
 * What producers and consumers have in common: a connection, an engine, an id, tasks.
 *
 * <p>Tasks are allocated at their first use and used again: neither sending nor receiving allocates anything. All methods belong to the thread that owns the
 * engine, unless they say otherwise; it need not be that of the connection.
 */
public abstract sealed class ComchFastPath implements AutoCloseable permits ComchProducer, ComchConsumer {
    private static final int DEFAULT_TASKS = 64;

    static final CoreAccess CORE = CoreAccess.get();
    private static final VarHandle FREE_COUNT = freeCountHandle();

    final Engine progress;
    final Node node;
    final Lane lane;
    Scratch scratch; // made by the subclass, which knows how much immediate data there can be

    // one slot per task; a task's user data is its slot
    final long[] typed; // struct doca_comch_…_task_… *, 0: not allocated
    final long[] tasks; // the same as struct doca_task *
    final Buffer[] buffers; // in flight, or what was last
    final int[] free; // slots, used as a stack: the last one is still in the caches
    int freeCount;
    final Counter failed = new Counter();
    final BackPressure backPressure = new BackPressure();

    private final FastPathCalls calls;
    private final ComchConnection connection;
    private final ProgressEngine engine;
    private final int id;
    private final FastPathStateHandler onStateChanged;
    private BufferInventory inventory; // made when the first buffer is acquired

    ComchFastPath(Builder<?> settings, FastPathCalls calls, String kind, int count, MemorySegment created, Resource... owners) {
        this.calls = calls;
        this.connection = settings.connection;
        this.engine = settings.engine;
        this.onStateChanged = settings.onStateChanged;
        this.progress = CORE.engine(engine);
        typed = new long[count];
        tasks = new long[count];
        buffers = new Buffer[count];
        free = new int[count];
        for (int slot = 0; slot < count; slot++) {
            free[slot] = count - 1 - slot;
        }
        freeCount = count;
        this.id = id(created);
        this.node = new Node(kind + " " + id + " on " + connection, owners);
        try {
            node.adoptNative(created);
            Lane made = Lane.create(node, calls.asContext(created), calls == FastPathCalls.CONSUMER, count);
            this.lane = made;
            String function = calls.taskFunction("_set_conf");
            int code = Calls.code(function, () -> calls.configureTasks(created, made.completedCallback(), made.failedCallback(), count));
            checkSetting(code, function, "tasks", count, capabilities -> calls == FastPathCalls.CONSUMER
                    ? capabilities.consumer().map(ComchCapabilities.Consumer::maxTasks) : capabilities.producer().map(ComchCapabilities.Producer::maxTasks));
        } catch (RuntimeException | Error e) {
            node.closeAfter(e);
            throw e;
        }
    }

    /** Throws unless DOCA has taken a setting; of one that is too large, says what the device takes. */
    final void checkSetting(int code, String function, String setting, int value, Function<ComchCapabilities, Optional<Long>> limit) {
        if (code == DocaError.INVALID_VALUE.code()) {
            Device device = connection.endpoint().device();
            throw new DocaException(code, function, "configuring " + this + " with " + setting + " " + value
                    + limit.apply(ComchCapabilities.of(device)).map(most -> ", where " + device + " takes at most " + most).orElse(""));
        }
        if (code != Calls.SUCCESS) {
            throw new DocaException(code, function, "configuring " + this);
        }
    }

    /** The id is part of the name. */
    private int id(MemorySegment created) {
        try {
            return (int) Calls.uint32(calls.function("_get_id"), "creating something on " + connection, out -> calls.getId(created, out));
        } catch (RuntimeException | Error e) {
            calls.destroy(created);
            throw e;
        }
    }

    private static VarHandle freeCountHandle() {
        try {
            return MethodHandles.lookup().findVarHandle(ComchFastPath.class, "freeCount", int.class);
        } catch (ReflectiveOperationException e) {
            throw new AssertionError(e);
        }
    }

    /** Started: from now on it can be looked at. */
    final void begin() {
        node.start();
        Observed.add(this);
    }

    /** How many tasks are in flight; any thread may ask. */
    final int busy() {
        return free.length - (int) FREE_COUNT.getOpaque(this);
    }

    /** A slot's task has ended: may be used again, if this goes on. */
    final void giveBack(int slot) {
        free[freeCount++] = slot;
        if (node.state() != Context.RUNNING) {
            freeTask(slot);
        }
    }

    private void freeTask(int slot) {
        if (typed[slot] != 0) {
            TaskCalls.free(tasks[slot]);
            typed[slot] = 0;
            tasks[slot] = 0;
        }
    }

    /** The inventory for this object's own buffers. */
    final BufferInventory inventory(int capacity) {
        progress.checkOwner();
        node.checkOpen();
        if (inventory == null) {
            inventory = BufferInventory.create(capacity);
        }
        return inventory;
    }

    /**
     * Its id ({@code doca_comch_producer_get_id}, {@code doca_comch_consumer_get_id}). Any thread may ask. Producers of the other side send to a consumer's id; a
     * receive handler of the other side is told a producer's.
     *
     * @return unique among the producers or the consumers of this side of the connection, at least 1
     */
    public final int id() {
        return id;
    }

    /**
     * The connection. Any thread may ask.
     *
     * @return what it sends on or receives from
     */
    public final ComchConnection connection() {
        return connection;
    }

    /**
     * The engine. Any thread may ask.
     *
     * @return what it runs on
     */
    public final ProgressEngine engine() {
        return engine;
    }

    /**
     * Its state ({@code doca_ctx_get_state}). Any thread may ask.
     *
     * @return the state that the last callback told
     */
    public final ContextState state() {
        return ContextState.of(node.state());
    }

    /**
     * Whether buffers can be sent or posted. Any thread may ask.
     *
     * @return whether the state is {@link ContextState#RUNNING}
     */
    public final boolean isRunning() {
        return node.state() == Context.RUNNING;
    }

    /**
     * How many tasks it has. Any thread may ask.
     *
     * @return the most sends that can be in flight, or buffers that can be posted, at a time
     */
    public final int tasks() {
        return free.length;
    }

    /**
     * How many tasks were accepted and failed later: sends that did not arrive, posted buffers that came back without data. Any thread may ask.
     *
     * @return since it was started
     */
    public final long failed() {
        return failed.get();
    }

    /**
     * Whether it is closed. Any thread may ask.
     *
     * @return true from the beginning of closing
     */
    public final boolean isClosed() {
        return node.isClosed();
    }

    /**
     * Ends it ({@code doca_ctx_stop}, {@code doca_comch_producer_destroy}, {@code doca_comch_consumer_destroy}), and closes the buffers of its inventory. A producer
     * waits for what is in flight to complete or be flushed; the buffers that a consumer has posted come back, and the other side is told that it expired.
     * From the beginning of closing, also when it is closed with something that it depends on, the receive handler does not run any more, and what arrives is discarded.
     * The handlers that give buffers back still run ({@link ComchProducer.Builder#onCompletion}, {@link ComchConsumer.Builder#onReceiveFailed}), and that of the
     * state; they can neither send nor post any more, see {@link #isRunning()}.
     * Progresses the engine meanwhile, so that handlers of others on it may run. The second call does nothing.
     *
     * @throws WrongThreadException if another thread owns the engine, and is no event loop's, which would be asked to close it
     * @throws IllegalStateException inside a callback of the engine
     * @throws DocaException if it does not end within {@link ProgressEngine#timeout()}; it is still open then
     */
    @Override
    public final void close() {
        node.close();
    }

    /**
     * For logs.
     *
     * @return what it is
     */
    @Override
    public final String toString() {
        return node.name();
    }

    /** A task ended; {@code entry} is where the completion ring has more about it, or 0. */
    abstract void completed(int slot, int code, long entry);

    /** Tasks ended: all that the ring has of these. The same loop in both subclasses: each is to be compiled with what it calls. */
    abstract void completed(CompletionRing ring, int index);

    /** Runs after each change of state. */
    void stateChanged(int previous, int next) {
    }

    /** Progresses, while something is being closed, until {@code done} or the engine's timeout. */
    abstract boolean giveBack(BooleanSupplier done, Teardown teardown);

    /** The native object. */
    final class Node extends Context {
        Node(String description, Resource... owners) {
            super(Rank.FAST_PATH, description, progress, connection.controlEngine(), owners);
        }

        void adoptNative(MemorySegment created) {
            bind(created, calls.asContext(created));
        }

        MemorySegment handle() {
            return object();
        }

        long address() {
            return object().address();
        }

        /** As {@link Context#giveBack} is without an override. */
        boolean awaitReturn(BooleanSupplier done, Teardown teardown) {
            return super.giveBack(done, teardown);
        }

        boolean closeNow(Teardown teardown) {
            return closeTree(teardown);
        }

        @Override
        public boolean giveBack(BooleanSupplier done, Teardown teardown) {
            return ComchFastPath.this.giveBack(done, teardown);
        }

        @Override
        protected int destroy(MemorySegment nativeObject) {
            return calls.destroy(nativeObject);
        }

        @Override
        protected String destroyFunction() {
            return calls.function("_destroy");
        }

        @Override
        protected void taskEnded(long task, long userData, boolean success) {
            completed((int) userData, success ? Calls.SUCCESS : TaskCalls.status(task), 0);
        }

        @Override
        protected void slotEnded(int slot, int status, long entry) {
            completed(slot, status, entry);
        }

        @Override
        protected void slotsEnded(CompletionRing ring, int index) {
            ComchFastPath.this.completed(ring, index);
        }

        @Override
        protected void stateChanged(int previous, int next) {
            try {
                ComchFastPath.this.stateChanged(previous, next);
            } finally {
                if (onStateChanged != null) {
                    onStateChanged.onStateChanged(ComchFastPath.this, ContextState.of(previous), ContextState.of(next));
                }
            }
        }

        @Override
        protected void stopping() {
            if (lane != null) {
                lane.flush();
            }
        }

        @Override
        protected void freeIdleTasks() {
            if (lane != null) {
                lane.cancel();
            }
            for (int i = 0; i < freeCount; i++) {
                freeTask(free[i]);
            }
        }

        @Override
        protected void release(Teardown teardown) {
            super.release(teardown);
            Observed.remove(ComchFastPath.this);
            backPressure.close();
            if (lane != null) {
                lane.close();
            }
            if (inventory != null) {
                closeInventory(teardown);
            }
            if (scratch != null) {
                scratch.close();
            }
        }

        private void closeInventory(Teardown teardown) {
            try {
                inventory.close();
            } catch (RuntimeException e) {
                teardown.add(e); // one of its buffers is in use elsewhere; what this is about has ended all the same
            }
        }
    }

    /**
     * Settings of a producer or consumer. Not thread safe; can be used once.
     *
     * @param <B> the builder's own type
     */
    public abstract static sealed class Builder<B extends Builder<B>> permits ComchProducer.Builder, ComchConsumer.Builder {
        final ComchConnection connection;
        final ProgressEngine engine;
        int tasks = DEFAULT_TASKS;
        private FastPathStateHandler onStateChanged;

        Builder(ComchConnection connection, ProgressEngine engine) {
            this.connection = connection;
            this.engine = Objects.requireNonNull(engine, "engine");
        }

        /**
         * How many sends can be in flight, or buffers be posted, at a time ({@code doca_comch_producer_task_send_set_conf},
         * {@code doca_comch_consumer_task_post_recv_set_conf}). Default: 64; a consumer has at least as many as {@link ComchConsumer.Builder#buffers} asks for.
         *
         * @param count 1 to {@link ComchCapabilities.Producer#maxTasks()} or {@link ComchCapabilities.Consumer#maxTasks()}
         * @return this
         * @throws IllegalArgumentException if it is less than 1
         */
        public final B tasks(int count) {
            if (count < 1) {
                throw new IllegalArgumentException("tasks " + count + " is less than 1");
            }
            tasks = count;
            return self();
        }

        /**
         * Called for each change of state ({@code doca_ctx_set_state_changed_cb}), after the library has acted on it.
         *
         * @param handler the handler
         * @return this
         */
        public final B onStateChanged(FastPathStateHandler handler) {
            onStateChanged = Objects.requireNonNull(handler);
            return self();
        }

        abstract B self();
    }
}
