package io.github.comch4j.dma;

import io.github.comch4j.DocaError;
import io.github.comch4j.DocaException;
import io.github.comch4j.SubmitResult;
import io.github.comch4j.core.Access;
import io.github.comch4j.core.Buffer;
import io.github.comch4j.core.BufferList;
import io.github.comch4j.core.ContextState;
import io.github.comch4j.core.Device;
import io.github.comch4j.core.ProgressEngine;
import io.github.comch4j.internal.call.DeviceCalls;
import io.github.comch4j.internal.call.DmaCalls;
import io.github.comch4j.internal.life.Context;
import io.github.comch4j.internal.life.Handle;
import io.github.comch4j.internal.life.OneUse;
import io.github.comch4j.transfer.CopyTasks;
import io.github.comch4j.transfer.CoreObjects;
import io.github.comch4j.transfer.LimitedSetting;
import io.github.comch4j.transfer.SendLimits;
import java.util.Objects;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Has the device copy data between memory maps ({@code doca_dma}). A copy appends the data of one buffer to the data of
 * another, which must have {@linkplain io.github.comch4j.core.BufferInventory#acquireEmpty room} for them. Both buffers
 * are on maps of the context's device, either of this process or
 * {@linkplain io.github.comch4j.core.MemoryMap#importFrom imported}.
 *
 * {@snippet file="Pieces.java" region="dma"}
 *
 * <p>The context allocates tasks at their first use and reuses them, so copying allocates nothing. On a real device
 * copies can end in any order. Begin an operation that depends on a copy only after that copy has ended.
 *
 * <p>A copy that the device cannot carry out stops the context ({@link ContextState#STOPPING}, then
 * {@link ContextState#IDLE}), and all other copies in flight end with {@link DocaError#IO_FAILED}. {@link #restart()}
 * starts the context again.
 *
 * <p>Unless stated otherwise, only the thread that owns the engine may call these methods.
 */
public final class DmaContext implements AutoCloseable {
    private static final int DEFAULT_TASKS = 64;

    private final Device device;
    private final ProgressEngine engine;
    private final @Nullable BiConsumer<DmaContext, ContextState> onStateChanged;
    private final CopyContext context;
    private final CopyTasks copies;

    private DmaContext(Builder settings) {
        this.device = settings.device;
        this.engine = settings.engine;
        this.onStateChanged = settings.onStateChanged;
        Handle handle = CoreObjects.of(device);
        this.context = new CopyContext(this, device, handle, CoreObjects.of(engine));
        try {
            context.bind(DmaCalls.create(handle.handle(), "creating " + context.name()));
            DmaCapabilities most = DmaCapabilities.of(
                    context.object(), handle.handle(), "asking " + context.name() + " for its limits");
            this.copies = makeCopies(settings, most);
            LimitedSetting.set(
                    "tasks", settings.tasks, context::configureTasks, device, () -> Optional.of(most.maxTasks()));
            context.start();
        } catch (RuntimeException | Error e) {
            context.closeAfter(e);
            throw e;
        }
    }

    private CopyTasks makeCopies(Builder settings, DmaCapabilities most) {
        Consumer<DmaContext> room = settings.onWritable;
        CopyHandler<Buffer> copied = settings.onCopied;
        CopyHandler<BufferList> listCopied = settings.onListCopied;
        return new CopyTasks(
                context,
                settings.tasks,
                new SendLimits(device.toString(), most.maxBufferListLength(), most.maxBufferSize(), 0),
                room == null ? null : () -> room.accept(this),
                copied == null ? null : (from, to, status) -> copied.onCopied(this, from, to, status),
                listCopied == null ? null : (from, to, status) -> listCopied.onCopied(this, from, to, status));
    }

    /**
     * Returns whether a device has DMA ({@code doca_dma_cap_task_memcpy_is_supported}). Any thread may call it.
     *
     * @param device an open device
     * @return whether it has; false also if the libraries in use have no DMA
     * @throws IllegalStateException if the device is closed
     */
    public static boolean isSupported(Device device) {
        return DmaCalls.isSupported(DeviceCalls.infoOf(CoreObjects.of(device).handle()));
    }

    /**
     * Returns a builder for a context.
     *
     * @param device a device with DMA
     * @param engine the engine that the context runs on
     * @return the builder
     */
    public static Builder builder(Device device, ProgressEngine engine) {
        return new Builder(Objects.requireNonNull(device), Objects.requireNonNull(engine));
    }

    /**
     * Appends the data of one buffer to those of another if there is a free task ({@code doca_task_submit}). Never
     * waits. Both buffers are in flight until the copy has ended. {@code from} may be in flight in several copies of
     * this context at once, {@code to} only in this one.
     *
     * @param from the buffer whose data are copied; if it has none, the copy fails with {@link DocaError#IO_FAILED}
     * @param to the buffer that gets the data, with room for all of them behind its own; {@link Buffer#clear} makes the
     *     whole window room
     * @return {@link SubmitResult#ACCEPTED}, or {@link SubmitResult#NO_TASK}: progress, then try again
     * @throws IllegalStateException if the context is closed or has stopped, if a buffer or its memory is closed, or if
     *     a buffer is in flight in another way
     * @throws DocaException if DOCA refuses: {@link DocaError#INVALID_VALUE} for more data than the device copies at
     *     once or than there is room for, or for memory that is not mapped for the device;
     *     {@link DocaError#NOT_PERMITTED} for a destination that is mapped without {@link Access#LOCAL_READ_WRITE}
     * @throws WrongThreadException if another thread owns the engine
     */
    public SubmitResult tryCopy(Buffer from, Buffer to) {
        return copies.copy(CoreObjects.of(from), CoreObjects.of(to), true);
    }

    /**
     * Copies as {@link #tryCopy(Buffer, Buffer)} does, between lists. The data of the buffers of {@code from}, in
     * order, fill the room of the buffers of {@code to}, in order. Either list may have a single buffer. Until the copy
     * has ended, the lists and all their buffers are in flight and chained ({@code doca_buf_chain_list}), and cannot be
     * used in another way.
     *
     * @param from the buffers whose data are copied
     * @param to the buffers that get the data
     * @return {@link SubmitResult#ACCEPTED}, or {@link SubmitResult#NO_TASK}: progress, then try again
     * @throws IllegalArgumentException if a list is empty, or longer than {@link DmaCapabilities#maxBufferListLength()}
     */
    public SubmitResult tryCopy(BufferList from, BufferList to) {
        return copies.copy(CoreObjects.of(from), CoreObjects.of(to), true);
    }

    /**
     * Queues a copy. For many copies this costs a fraction of {@link #tryCopy(Buffer, Buffer)}. One native call submits
     * the queue: with every 64th copy, in {@link #flush()}, or in the engine's next {@code progress()}, whichever comes
     * first. The buffers are in flight from now on. If DOCA refuses a queued copy, it ends as a failed copy.
     *
     * @param from the buffer whose data are copied
     * @param to the buffer that gets the data, with room for all of them behind its own
     * @return {@link SubmitResult#ACCEPTED}, or {@link SubmitResult#NO_TASK}: progress, then try again
     * @throws IllegalStateException as {@link #tryCopy(Buffer, Buffer)}
     * @throws DocaException as {@link #tryCopy(Buffer, Buffer)}
     * @throws WrongThreadException if another thread owns the engine
     */
    public SubmitResult enqueue(Buffer from, Buffer to) {
        return copies.copy(CoreObjects.of(from), CoreObjects.of(to), false);
    }

    /**
     * Queues a copy as {@link #enqueue(Buffer, Buffer)} does, by the rules of {@link #tryCopy(BufferList, BufferList)}.
     *
     * @param from the buffers whose data are copied
     * @param to the buffers that get the data
     * @return {@link SubmitResult#ACCEPTED}, or {@link SubmitResult#NO_TASK}: progress, then try again
     */
    public SubmitResult enqueue(BufferList from, BufferList to) {
        return copies.copy(CoreObjects.of(from), CoreObjects.of(to), false);
    }

    /**
     * Copies as {@link #tryCopy(Buffer, Buffer)} does, and waits until the copy has ended, at most for
     * {@link ProgressEngine#timeout()}. It also waits for a free task. No handler is called. The thread that owns the
     * engine makes progress meanwhile. If the engine belongs to an {@link io.github.comch4j.core.EventLoop}, any other
     * thread may call this method, including a virtual thread: the loop does the work, and the caller must not touch
     * the buffers meanwhile.
     *
     * @param from the buffer whose data are copied
     * @param to the buffer that gets the data, with room for all of them behind its own
     * @throws DocaException as {@link #tryCopy(Buffer, Buffer)}; also {@link DocaError#IO_FAILED} if the device could
     *     not read or write, and {@link DocaError#TIME_OUT} if the copy takes too long: the buffers may then still be
     *     in flight
     * @throws IllegalStateException as {@link #tryCopy(Buffer, Buffer)}; also inside a callback of the engine
     * @throws io.github.comch4j.WaitInterruptedException if the thread is interrupted; the buffers may then still be in
     *     flight
     * @throws WrongThreadException if another thread owns the engine and is not an event loop's
     */
    public void copy(Buffer from, Buffer to) {
        check(copies.copyAndWait(CoreObjects.of(from), CoreObjects.of(to)));
    }

    /**
     * Copies as {@link #copy(Buffer, Buffer)} does, by the rules of {@link #tryCopy(BufferList, BufferList)}.
     *
     * @param from the buffers whose data are copied
     * @param to the buffers that get the data
     */
    public void copy(BufferList from, BufferList to) {
        check(copies.copyAndWait(CoreObjects.of(from), CoreObjects.of(to)));
    }

    private void check(DocaError status) {
        if (status != DocaError.SUCCESS) {
            throw copies.failure(status);
        }
    }

    /**
     * Submits the queued copies ({@code doca_task_submit}). Never waits.
     *
     * @return whether the queue is empty
     * @throws WrongThreadException if another thread owns the engine
     * @throws IllegalStateException if the context is closed
     */
    public boolean flush() {
        context.engine().checkOwner();
        context.checkOpen();
        return copies.queue.flush() == 0;
    }

    /**
     * Starts the context again after a copy that the device could not carry out ({@code doca_ctx_start}). Does nothing
     * if the context is running. Do not call it inside {@link CopyHandler#onCopied}: the context is idle only after all
     * copies have ended, see {@link Builder#onStateChanged}.
     *
     * @throws IllegalStateException if the context is closed, or not idle yet
     * @throws DocaException if DOCA refuses
     * @throws WrongThreadException if another thread owns the engine
     */
    public void restart() {
        context.engine().checkOwner();
        context.checkOpen();
        if (context.state() == Context.RUNNING) {
            return;
        }
        if (context.state() != Context.IDLE) {
            throw new IllegalStateException(context.name() + " is not idle yet: call progress() of its engine");
        }
        context.start();
    }

    /**
     * Returns the device. Any thread may call it.
     *
     * @return the device that copies
     */
    public Device device() {
        return device;
    }

    /**
     * Returns the engine. Any thread may call it.
     *
     * @return the engine that the context runs on
     */
    public ProgressEngine engine() {
        return engine;
    }

    /**
     * Returns the context's state ({@code doca_ctx_get_state}). Any thread may call it.
     *
     * @return the state that the last callback reported
     */
    public ContextState state() {
        return ContextState.of(context.state());
    }

    /**
     * Returns the number of tasks. Any thread may call it.
     *
     * @return the most copies that can be in flight at a time
     */
    public int tasks() {
        return copies.count();
    }

    /**
     * Returns the number of copies in flight. Any thread may call it.
     *
     * @return the copies that are submitted or queued and have not ended
     */
    public int inFlight() {
        return copies.inFlight();
    }

    /**
     * Returns the number of copies that succeeded. Any thread may call it.
     *
     * @return the count since the context was started
     */
    public long copied() {
        return copies.done.get();
    }

    /**
     * Returns the size of all copies that succeeded. Any thread may call it.
     *
     * @return bytes
     */
    public long copiedBytes() {
        return copies.doneBytes.get();
    }

    /**
     * Returns the number of accepted copies that failed later. Any thread may call it.
     *
     * @return the count since the context was started
     */
    public long failed() {
        return copies.failed.get();
    }

    /**
     * Returns how many times a copy was not accepted because no task was free. Any thread may call it.
     *
     * @return the count since the context was started; each attempt counts
     */
    public long refused() {
        return copies.backPressure.refusals();
    }

    /**
     * Returns whether the context is closed. Any thread may call it.
     *
     * @return true from the beginning of closing
     */
    public boolean isClosed() {
        return context.isClosed();
    }

    /**
     * Closes the context ({@code doca_ctx_stop}, {@code doca_dma_destroy}). Waits for the copies in flight, which
     * complete or are flushed. Their handlers still run, but cannot copy any more. The call progresses the engine
     * meanwhile, so handlers of other objects on the engine may run. Inside a callback of the engine, the context
     * closes after the callback has returned. A second call does nothing.
     *
     * @throws WrongThreadException if another thread owns the engine and is not an event loop's; an event loop closes
     *     the context on request
     * @throws DocaException if the context does not end within {@link ProgressEngine#timeout()}; it is then still open
     */
    @Override
    public void close() {
        context.close();
    }

    /**
     * Returns a description for logs.
     *
     * @return what it is
     */
    @Override
    public String toString() {
        return context.name();
    }

    void stateChanged(int next) {
        if (onStateChanged != null) {
            onStateChanged.accept(this, ContextState.of(next));
        }
    }

    /**
     * A builder for a context. Not thread safe. It can be used once, even if DOCA refuses: afterwards every call throws
     * {@link IllegalStateException}.
     */
    public static final class Builder {
        private final OneUse use;
        private final Device device;
        private final ProgressEngine engine;
        private int tasks = DEFAULT_TASKS;
        private @Nullable CopyHandler<Buffer> onCopied;
        private @Nullable CopyHandler<BufferList> onListCopied;
        private @Nullable Consumer<DmaContext> onWritable;
        private @Nullable BiConsumer<DmaContext, ContextState> onStateChanged;

        private Builder(Device device, ProgressEngine engine) {
            this.device = device;
            this.engine = engine;
            this.use = new OneUse("DmaContext.Builder on " + device);
        }

        /**
         * Sets how many copies can be in flight at a time ({@code doca_dma_task_memcpy_set_conf}). Default: 64.
         *
         * @param count 1 to {@link DmaCapabilities#maxTasks()}
         * @return this
         * @throws IllegalArgumentException if it is less than 1
         */
        public Builder tasks(int count) {
            tasks = use.atLeast(1, "tasks", count);
            return this;
        }

        /**
         * Sets the handler that is called when a copy of a buffer has ended, successfully or not. Without a handler,
         * {@code progress()} throws an exception for a failed copy, but only for the first of consecutive failures.
         *
         * @param handler the handler
         * @return this
         */
        public Builder onCopied(CopyHandler<Buffer> handler) {
            onCopied = use.once("onCopied", onCopied, handler);
            return this;
        }

        /**
         * Sets the handler that is called when a copy of a list has ended, as {@link #onCopied} does for a buffer.
         *
         * @param handler the handler
         * @return this
         */
        public Builder onListCopied(CopyHandler<BufferList> handler) {
            onListCopied = use.once("onListCopied", onListCopied, handler);
            return this;
        }

        /**
         * Sets the handler that is called when a task is free again after {@link SubmitResult#NO_TASK}.
         *
         * @param handler the handler; costs nothing as long as there are free tasks
         * @return this
         */
        public Builder onWritable(Consumer<DmaContext> handler) {
            onWritable = use.once("onWritable", onWritable, handler);
            return this;
        }

        /**
         * Sets the handler that is called for each change of state ({@code doca_ctx_set_state_changed_cb}), after the
         * library has acted on it. The handler gets the context and its new state. It runs inside {@code progress()} of
         * the engine, or inside the call that caused the change. The first call reports that the context is running,
         * before {@link #start} has returned.
         *
         * @param handler the handler
         * @return this
         */
        public Builder onStateChanged(BiConsumer<DmaContext, ContextState> handler) {
            onStateChanged = use.once("onStateChanged", onStateChanged, handler);
            return this;
        }

        /**
         * Creates and starts the context ({@code doca_dma_create}, {@code doca_ctx_start}). Callbacks may call it.
         *
         * @return the context, running
         * @throws io.github.comch4j.MissingFunctionException if the libraries in use have no DMA
         * @throws IllegalStateException if the engine or the device is closed
         * @throws DocaException if DOCA refuses; {@link DocaError#NOT_SUPPORTED} if the device has no DMA
         * @throws WrongThreadException if another thread owns the engine
         */
        public DmaContext start() {
            CoreObjects.of(engine).checkOwner();
            use.begin();
            return new DmaContext(this);
        }
    }
}
