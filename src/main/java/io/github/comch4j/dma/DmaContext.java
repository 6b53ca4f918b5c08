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
import io.github.comch4j.core.StateHandler;
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
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Copies between memory maps, by the device ({@code doca_dma}). The data of one buffer go behind those of another one,
 * which has {@linkplain io.github.comch4j.core.BufferInventory#acquireEmpty room} for them; both are on maps of the
 * context's device, of this process or {@linkplain io.github.comch4j.core.MemoryMap#importFrom imported}.
 *
 * {@snippet file="Pieces.java" region="dma"}
 *
 * <p>Tasks are allocated at their first use and used again: copying allocates nothing. Copies end in any order on a
 * real device, so what has to follow a copy is begun when it has ended.
 *
 * <p>A copy that the device cannot make stops the context ({@link ContextState#STOPPING}, then
 * {@link ContextState#IDLE}), and all others in flight end with {@link DocaError#IO_FAILED}; {@link #restart()} makes
 * it run again.
 *
 * <p>All methods belong to the thread that owns the engine, unless they say otherwise.
 */
public final class DmaContext implements AutoCloseable {
    private static final int DEFAULT_TASKS = 64;

    private final Device device;
    private final ProgressEngine engine;
    private final @Nullable StateHandler<DmaContext> onStateChanged;
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
     * Whether a device has DMA ({@code doca_dma_cap_task_memcpy_is_supported}). Any thread may ask.
     *
     * @param device an open device
     * @return also false where the libraries in use have no DMA
     * @throws IllegalStateException if the device is closed
     */
    public static boolean isSupported(Device device) {
        return DmaCalls.isSupported(DeviceCalls.infoOf(CoreObjects.of(device).handle()));
    }

    /**
     * Begins the settings of a context.
     *
     * @param device a device with DMA
     * @param engine what it runs on
     * @return the settings
     */
    public static Builder builder(Device device, ProgressEngine engine) {
        return new Builder(Objects.requireNonNull(device), Objects.requireNonNull(engine));
    }

    /**
     * Copies the data of a buffer behind those of another one if there is a free task ({@code doca_task_submit}). Never
     * waits. Until the copy has ended both are in flight: {@code from} may be so in several copies of this context at
     * once, {@code to} in this one alone.
     *
     * @param from what to copy: its data; without any the copy fails, with {@link DocaError#IO_FAILED}
     * @param to what to copy to: room behind its data for all of them; {@link Buffer#clear} makes the whole window room
     * @return {@link SubmitResult#ACCEPTED}, or {@link SubmitResult#NO_TASK}: progress, then try again
     * @throws IllegalStateException if the context is closed or has stopped, or a buffer or its memory is closed, or
     *     one is in flight in another way
     * @throws DocaException if DOCA refuses: {@link DocaError#INVALID_VALUE} for more data than the device copies at
     *     once or than there is room for, or memory that is not mapped for the device; {@link DocaError#NOT_PERMITTED}
     *     for a destination that is mapped without {@link Access#LOCAL_READ_WRITE}
     * @throws WrongThreadException if another thread owns the engine
     */
    public SubmitResult tryCopy(Buffer from, Buffer to) {
        return copies.copy(CoreObjects.of(from), CoreObjects.of(to), true);
    }

    /**
     * As {@link #tryCopy(Buffer, Buffer)}, of lists: the data of all buffers of {@code from}, one after the other, fill
     * the room of those of {@code to}, one after the other. A list of one buffer will do on either side. Until the copy
     * has ended the lists and all their buffers are in flight, and chained ({@code doca_buf_chain_list}); they cannot
     * be used in another way meanwhile.
     *
     * @param from what to copy
     * @param to what to copy to
     * @return {@link SubmitResult#ACCEPTED}, or {@link SubmitResult#NO_TASK}: progress, then try again
     * @throws IllegalArgumentException if a list is empty, or longer than
     *     {@link DmaCapabilities#maxBufferListLength()}
     */
    public SubmitResult tryCopy(BufferList from, BufferList to) {
        return copies.copy(CoreObjects.of(from), CoreObjects.of(to), true);
    }

    /**
     * Queues a copy, which costs a fraction of {@link #tryCopy(Buffer, Buffer)} when there are many: the queue is
     * submitted by one native call with every 64th copy, by {@link #flush()}, or by the engine's next
     * {@code progress()}, whichever comes first. The buffers are in flight from now on. A copy that DOCA refuses when
     * its turn comes ends as one that failed.
     *
     * @param from what to copy: its data
     * @param to what to copy to: room behind its data for all of them
     * @return {@link SubmitResult#ACCEPTED}, or {@link SubmitResult#NO_TASK}: progress, then try again
     * @throws IllegalStateException as {@link #tryCopy(Buffer, Buffer)}
     * @throws DocaException as {@link #tryCopy(Buffer, Buffer)}
     * @throws WrongThreadException if another thread owns the engine
     */
    public SubmitResult enqueue(Buffer from, Buffer to) {
        return copies.copy(CoreObjects.of(from), CoreObjects.of(to), false);
    }

    /**
     * As {@link #enqueue(Buffer, Buffer)}, with the rules of {@link #tryCopy(BufferList, BufferList)}.
     *
     * @param from what to copy
     * @param to what to copy to
     * @return {@link SubmitResult#ACCEPTED}, or {@link SubmitResult#NO_TASK}: progress, then try again
     */
    public SubmitResult enqueue(BufferList from, BufferList to) {
        return copies.copy(CoreObjects.of(from), CoreObjects.of(to), false);
    }

    /**
     * Copies and waits until that has ended, for {@link ProgressEngine#timeout()} at most: as
     * {@link #tryCopy(Buffer, Buffer)}, but for a free task it waits as well, and no handler is called. The thread that
     * owns the engine makes progress meanwhile. Where an {@link io.github.comch4j.core.EventLoop} has the engine, any
     * other thread may call it, also a virtual one; the loop does the work, and the buffers are not to be touched
     * meanwhile.
     *
     * @param from what to copy: its data
     * @param to what to copy to: room behind its data for all of them
     * @throws DocaException as {@link #tryCopy(Buffer, Buffer)}; also {@link DocaError#IO_FAILED} if the device could
     *     not read or write, and {@link DocaError#TIME_OUT} if it takes too long: the buffers may still be in flight
     *     then
     * @throws IllegalStateException as {@link #tryCopy(Buffer, Buffer)}; also inside a callback of the engine
     * @throws io.github.comch4j.WaitInterruptedException if the thread is interrupted; the buffers may still be in
     *     flight then
     * @throws WrongThreadException if another thread owns the engine that is no event loop's
     */
    public void copy(Buffer from, Buffer to) {
        check(copies.copyAndWait(CoreObjects.of(from), CoreObjects.of(to)));
    }

    /**
     * As {@link #copy(Buffer, Buffer)}, with the rules of {@link #tryCopy(BufferList, BufferList)}.
     *
     * @param from what to copy
     * @param to what to copy to
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
     * Submits the copies in the queue ({@code doca_task_submit}). Never waits.
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
     * Starts the context again after a copy that the device could not make ({@code doca_ctx_start}). Does nothing while
     * it runs. Not inside {@link CopyHandler#onCopied}: the context is idle only when all copies have ended, see
     * {@link Builder#onStateChanged}.
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
            throw new IllegalStateException(context.name() + " is not idle yet: progress its engine");
        }
        context.start();
    }

    /**
     * The device. Any thread may ask.
     *
     * @return what copies
     */
    public Device device() {
        return device;
    }

    /**
     * The engine. Any thread may ask.
     *
     * @return what it runs on
     */
    public ProgressEngine engine() {
        return engine;
    }

    /**
     * Its state ({@code doca_ctx_get_state}). Any thread may ask.
     *
     * @return the state that the last callback told
     */
    public ContextState state() {
        return ContextState.of(context.state());
    }

    /**
     * How many tasks it has. Any thread may ask.
     *
     * @return the most copies that can be in flight at a time
     */
    public int tasks() {
        return copies.count();
    }

    /**
     * How many copies are in flight. Any thread may ask.
     *
     * @return submitted or queued, and not ended
     */
    public int inFlight() {
        return copies.inFlight();
    }

    /**
     * How many copies have succeeded. Any thread may ask.
     *
     * @return since it was started
     */
    public long copied() {
        return copies.done.get();
    }

    /**
     * How many bytes those had. Any thread may ask.
     *
     * @return bytes
     */
    public long copiedBytes() {
        return copies.doneBytes.get();
    }

    /**
     * How many copies were accepted and failed later. Any thread may ask.
     *
     * @return since it was started
     */
    public long failed() {
        return copies.failed.get();
    }

    /**
     * How many times a copy was not accepted because there was no task. Any thread may ask.
     *
     * @return since it was started; each attempt counts
     */
    public long refused() {
        return copies.backPressure.refusals();
    }

    /**
     * Whether it is closed. Any thread may ask.
     *
     * @return true from the beginning of closing
     */
    public boolean isClosed() {
        return context.isClosed();
    }

    /**
     * Ends it ({@code doca_ctx_stop}, {@code doca_dma_destroy}). Waits for the copies in flight, which complete or are
     * flushed; their handlers still run, and cannot copy any more. Progresses the engine meanwhile, so that handlers of
     * others on it may run. Inside a callback of the engine all this is done when the callback has returned. The second
     * call does nothing.
     *
     * @throws WrongThreadException if another thread owns the engine, and is no event loop's, which would be asked to
     *     close it
     * @throws DocaException if it does not end within {@link ProgressEngine#timeout()}; it is still open then
     */
    @Override
    public void close() {
        context.close();
    }

    /**
     * For logs.
     *
     * @return what it is
     */
    @Override
    public String toString() {
        return context.name();
    }

    void stateChanged(int previous, int next) {
        if (onStateChanged != null) {
            onStateChanged.onStateChanged(this, ContextState.of(previous), ContextState.of(next));
        }
    }

    /**
     * Settings of a context. Not thread safe; can be used once, also if DOCA refuses: afterwards every call throws
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
        private @Nullable StateHandler<DmaContext> onStateChanged;

        private Builder(Device device, ProgressEngine engine) {
            this.device = device;
            this.engine = engine;
            this.use = new OneUse("DmaContext.Builder on " + device);
        }

        /**
         * How many copies can be in flight at a time ({@code doca_dma_task_memcpy_set_conf}). Default: 64.
         *
         * @param count 1 to {@link DmaCapabilities#maxTasks()}
         * @return this
         * @throws IllegalArgumentException if it is less than 1
         */
        public Builder tasks(int count) {
            use.check();
            if (count < 1) {
                throw new IllegalArgumentException("tasks " + count + " is less than 1");
            }
            tasks = count;
            return this;
        }

        /**
         * Called when a copy of a buffer has ended, well or not. Without it {@code progress()} throws for a copy that
         * failed, the first of a row only.
         *
         * @param handler the handler
         * @return this
         */
        public Builder onCopied(CopyHandler<Buffer> handler) {
            onCopied = use.once("onCopied", onCopied, handler);
            return this;
        }

        /**
         * The same, of lists.
         *
         * @param handler the handler
         * @return this
         */
        public Builder onListCopied(CopyHandler<BufferList> handler) {
            onListCopied = use.once("onListCopied", onListCopied, handler);
            return this;
        }

        /**
         * Called when there is a free task again after {@link SubmitResult#NO_TASK}.
         *
         * @param handler the handler; costs nothing as long as there are tasks
         * @return this
         */
        public Builder onWritable(Consumer<DmaContext> handler) {
            onWritable = use.once("onWritable", onWritable, handler);
            return this;
        }

        /**
         * Called for each change of state ({@code doca_ctx_set_state_changed_cb}), after the library has acted on it:
         * the first one is that the context runs, before {@link #start} has returned.
         *
         * @param handler the handler
         * @return this
         */
        public Builder onStateChanged(StateHandler<DmaContext> handler) {
            onStateChanged = use.once("onStateChanged", onStateChanged, handler);
            return this;
        }

        /**
         * Creates and starts the context ({@code doca_dma_create}, {@code doca_ctx_start}). Allowed in callbacks.
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
