package io.github.comch4j.comch;

import io.github.comch4j.DocaError;
import io.github.comch4j.DocaException;
import io.github.comch4j.core.BufferInventory;
import io.github.comch4j.core.ContextState;
import io.github.comch4j.core.Device;
import io.github.comch4j.core.ProgressEngine;
import io.github.comch4j.internal.call.ContextCalls;
import io.github.comch4j.internal.call.FastPathCalls;
import io.github.comch4j.internal.call.InventoryCalls;
import io.github.comch4j.internal.call.Pools;
import io.github.comch4j.internal.failure.Failures;
import io.github.comch4j.internal.life.Context;
import io.github.comch4j.internal.life.Engine;
import io.github.comch4j.internal.life.Nanos;
import io.github.comch4j.internal.life.OneUse;
import io.github.comch4j.internal.life.Resource;
import io.github.comch4j.internal.life.Teardown;
import io.github.comch4j.internal.observe.LiveObjects;
import io.github.comch4j.transfer.CoreObjects;
import io.github.comch4j.transfer.LimitedSetting;
import io.github.comch4j.transfer.TaskSlots;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The common part of producers and consumers: a connection, an engine, an id, tasks.
 *
 * <p>The library allocates tasks at their first use and then reuses them, so that neither sending nor receiving
 * allocates anything. Unless a method's description says otherwise, it must be called by the thread that owns the
 * engine. This engine can differ from the connection's engine.
 */
public abstract sealed class FastPathEndpoint implements AutoCloseable permits FastPathProducer, FastPathConsumer {
    private static final int DEFAULT_TASKS = 64;

    final FastPathContext context;
    private final ComchConnection connection;
    private final ProgressEngine engine;
    private final int id;
    private final @Nullable BiConsumer<? super FastPathEndpoint, ContextState> onStateChanged;
    private @Nullable BufferInventory inventory; // made when the first buffer is acquired

    FastPathEndpoint(Builder<?> settings, FastPathCalls calls, String kind, MemorySegment created, Resource... owners) {
        this.connection = settings.connection;
        this.engine = settings.engine;
        this.onStateChanged = settings.onStateChanged;
        this.id = id(calls, created);
        this.context = new FastPathContext(
                this, calls, kind + (id == 0 ? "" : " " + id) + " on " + connection, CoreObjects.of(engine), owners);
        try {
            context.bind(created);
        } catch (RuntimeException | Error e) {
            context.closeAfter(e);
            throw e;
        }
    }

    /** The id is part of the name. */
    private int id(FastPathCalls calls, MemorySegment created) {
        String action = "creating a producer or consumer on " + connection;
        try {
            return calls.id(created, action);
        } catch (RuntimeException | Error e) {
            try {
                calls.destroy(created, action);
            } catch (DocaException refusal) {
                e.addSuppressed(refusal);
            }
            throw e;
        }
    }

    /** Tells DOCA how its tasks end. */
    final void configureTasks(Function<Capabilities, Optional<Capabilities.FastPath>> limits) {
        Device device = connection.device();
        LimitedSetting.set(
                "tasks",
                transfers().count(),
                context::configureTasks,
                device,
                () -> limits.apply(Capabilities.of(device)).map(Capabilities.FastPath::maxTasks));
    }

    /** Its tasks. */
    abstract TaskSlots transfers();

    /** Starts it: from now on it can be looked at. What cannot be started is closed. */
    final void begin() {
        try {
            LiveObjects.add(this);
            context.start();
        } catch (RuntimeException | Error e) {
            context.closeAfter(e);
            throw e;
        }
    }

    /**
     * Progresses its engine, and that of the connection if that is this thread's too, until it runs; closes it if it
     * does not.
     */
    final void awaitRunning(Duration timeout) {
        try {
            if (!context.awaitStarted(Nanos.deadline(timeout))) {
                throw Failures.refused(
                        DocaError.TIME_OUT,
                        ContextCalls.START_NAME,
                        "starting " + this + " for " + Failures.text(timeout));
            }
            if (!isRunning()) {
                throw Failures.refused(DocaError.NOT_CONNECTED, ContextCalls.START_NAME, "starting " + this);
            }
        } catch (RuntimeException | Error e) {
            context.closeAfter(e);
            throw e;
        }
    }

    /** The inventory for this object's own buffers. */
    final BufferInventory inventory(int capacity) {
        context.engine().checkOwner();
        if (context.hasEnded()) {
            throw connection.life().ended(InventoryCalls.TAKE_NAME, "taking a buffer of " + this);
        }
        context.checkOpen();
        if (inventory == null) {
            inventory = BufferInventory.create(capacity);
        }
        return inventory;
    }

    /**
     * Returns the id of this producer or consumer ({@code doca_comch_producer_get_id},
     * {@code doca_comch_consumer_get_id}). Producers of the peer send to a consumer's id. A receive handler of the peer
     * gets a producer's id. Any thread may call this method.
     *
     * @return an id of at least 1, unique among the producers or the consumers of this side of the connection; always 0
     *     for a producer with DOCA 2.5, whose producers have no ids
     */
    public final int id() {
        return id;
    }

    /**
     * Returns the connection. Any thread may call this method.
     *
     * @return the connection that this endpoint sends on or receives from
     */
    public final ComchConnection connection() {
        return connection;
    }

    /**
     * Returns the engine. Any thread may call this method.
     *
     * @return the engine that this endpoint runs on
     */
    public final ProgressEngine engine() {
        return engine;
    }

    /**
     * Returns the state of this endpoint ({@code doca_ctx_get_state}). Any thread may call this method.
     *
     * @return the state that the last callback reported
     */
    public final ContextState state() {
        return ContextState.of(context.state());
    }

    /**
     * Returns whether buffers can be sent or posted. Any thread may call this method.
     *
     * @return whether the state is {@link ContextState#RUNNING}
     */
    public final boolean isRunning() {
        return context.state() == Context.RUNNING;
    }

    /**
     * Returns how many tasks this endpoint has. Any thread may call this method.
     *
     * @return the greatest number of sends that can be in flight, or of buffers that can be posted, at a time
     */
    public final int tasks() {
        return transfers().count();
    }

    /**
     * Returns how many tasks were accepted and failed later: sends that did not arrive, and posted receives that came
     * back without a payload. Any thread may call this method.
     *
     * @return tasks since this endpoint was started
     */
    public final long failed() {
        return transfers().failed.get();
    }

    /**
     * Returns whether this endpoint is closed. Any thread may call this method.
     *
     * @return true from the beginning of closing
     */
    public final boolean isClosed() {
        return context.isClosed();
    }

    /**
     * Closes this endpoint and the buffers of its inventory ({@code doca_ctx_stop},
     * {@code doca_comch_producer_destroy}, {@code doca_comch_consumer_destroy}). A producer waits until its sends in
     * flight complete or are flushed. A consumer gets back the buffers that it has posted, and the peer learns that the
     * consumer has expired. Progresses the engine meanwhile, so that handlers of other objects on the engine may run.
     * Inside a callback of the engine, the endpoint is closed when the callback has returned. A second call does
     * nothing.
     *
     * <p>From the beginning of closing, the receive handler no longer runs, and data that arrive are discarded. This
     * also applies if the endpoint is closed with an object that it depends on. The handlers that give buffers back
     * still run ({@link ComchProducer.Builder#onCompletion}, {@link ComchConsumer.Builder#onReceiveFailed}), and so
     * does the state handler. These handlers can neither send nor post any more, see {@link #isRunning()}.
     *
     * @throws WrongThreadException if another thread owns the engine; not if that is an event loop's thread, because
     *     the loop then does the closing
     * @throws DocaException if the endpoint does not end within {@link ProgressEngine#timeout()}; it is then still open
     */
    @Override
    public final void close() {
        context.close();
    }

    /**
     * Returns a description for logs.
     *
     * @return the name of this endpoint
     */
    @Override
    public final String toString() {
        return context.name();
    }

    /** Runs after each change of state. */
    void changed(int previous, int next) {}

    final void stateChanged(int previous, int next) {
        try {
            changed(previous, next);
        } finally {
            if (onStateChanged != null) {
                onStateChanged.accept(this, ContextState.of(next));
            }
            if (next == Context.IDLE && !context.isEnding()) {
                context.endWithConnection();
            }
        }
    }

    /** Whether nothing is left of it that the program has not got yet; if there is, that is the end when it has. */
    boolean mayEnd() {
        return true;
    }

    /** The native object is gone. */
    void released(Teardown teardown) {
        LiveObjects.remove(this);
        if (inventory != null) {
            try {
                if (context.hasEnded()) {
                    CoreObjects.end(inventory); // what was received and kept can still be read
                } else {
                    inventory.close();
                }
            } catch (RuntimeException e) {
                teardown.add(e); // a buffer is in use elsewhere; the producer or consumer has ended all the same
            }
        }
    }

    /**
     * What the builders of producers and consumers have in common.
     *
     * @param <B> the builder's own type
     */
    abstract static sealed class Builder<B extends Builder<B>>
            permits ComchProducer.Builder, SlotProducer.Builder, FastPathConsumer.Builder {
        final ComchConnection connection;
        final ProgressEngine engine;
        final OneUse use;
        int tasks = DEFAULT_TASKS;
        private @Nullable BiConsumer<? super FastPathEndpoint, ContextState> onStateChanged;

        Builder(String type, ComchConnection connection, ProgressEngine engine) {
            this.connection = connection;
            this.engine = Objects.requireNonNull(engine, "engine");
            this.use = new OneUse(type + " on " + connection);
        }

        /**
         * Sets how many sends can be in flight, or buffers can be posted, at a time
         * ({@code doca_comch_producer_task_send_set_conf}, {@code doca_comch_consumer_task_post_recv_set_conf}).
         * Default: 64; a consumer has at least as many tasks as {@link ComchConsumer.Builder#buffers} requests. With
         * DOCA 2.5, the number is rounded up to a power of two; {@link FastPathEndpoint#tasks()} returns the rounded
         * number.
         *
         * @param count 1 to {@link Capabilities.FastPath#maxTasks()}
         * @return this
         * @throws IllegalArgumentException if {@code count} is less than 1
         */
        public B tasks(int count) {
            tasks = Pools.size(use.atLeast(1, "tasks", count));
            return self();
        }

        /**
         * Sets a handler that is called for each change of state ({@code doca_ctx_set_state_changed_cb}), after the
         * library has acted on it. The handler gets the producer or consumer and its new state, which {@code state()}
         * returns, too. It runs inside {@code progress()} of the engine, or inside the call that caused the change,
         * such as a start or {@code close()}.
         *
         * @param handler the handler
         * @return this
         */
        public B onStateChanged(BiConsumer<? super FastPathEndpoint, ContextState> handler) {
            onStateChanged = use.once("onStateChanged", onStateChanged, handler);
            return self();
        }

        /** Creates the native object, once. */
        final MemorySegment create(FastPathCalls calls, String what, String hint, ConnectionLife.Creation creation) {
            CoreObjects.of(engine).checkOwner();
            use.begin();
            return connection.life().create(calls.createFunction(), what, hint, creation);
        }

        /** Starts what has memory for slots, which is closed if that fails. */
        final <T extends FastPathEndpoint> T startWithSlots(int slotSize, Function<SlotMemory, T> make) {
            use.check();
            SlotMemory memory = new SlotMemory(connection.device(), tasks, slotSize);
            try {
                T made = make.apply(memory);
                made.begin();
                return made;
            } catch (RuntimeException | Error e) {
                memory.closeAfter(e);
                throw e;
            }
        }

        /** Fails inside a callback of an engine that would have to make progress. */
        final void checkCanWait() {
            Engine control = connection.controlEngine();
            if (CoreObjects.of(engine).isInCallbacks() || (control.isMine() && control.isInCallbacks())) {
                throw new IllegalStateException("start(Duration) cannot be called inside a callback; use start()");
            }
        }

        abstract B self();
    }
}
