package io.github.comch4j.transfer;

import io.github.comch4j.internal.life.Engine;
import io.github.comch4j.internal.observe.Counter;
import io.github.comch4j.internal.transport.CallMemory;
import io.github.comch4j.internal.transport.ReceivedMemory;
import io.github.comch4j.internal.transport.SlotEvents;
import io.github.comch4j.internal.transport.TaskKind;
import io.github.comch4j.internal.transport.TaskQueue;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * The tasks of a producer, consumer or DMA context, one slot for each. They are allocated at their first use and used
 * again, so that none of these allocates anything. All methods but {@link #inFlight} belong to the engine's owner.
 */
public abstract class TaskSlots implements SlotEvents {
    private static final VarHandle FREE_COUNT = freeCountHandle();

    protected final Engine engine;
    protected final TransferContext context;
    /** How they are submitted, and how their ends come back. */
    public final TaskQueue queue;

    protected final CallMemory staging;
    protected final ReceivedMemory scratch;

    // slots, used as a stack: the last one is still in the caches
    protected final int[] free;
    protected int freeCount;
    /** Tasks that were accepted and failed later. */
    public final Counter failed = new Counter();

    /**
     * The tasks of a context that is not configured yet.
     *
     * @param incoming the most immediate data that a receive can have, bytes
     */
    protected TaskSlots(TransferContext context, TaskKind kind, int count, int incoming) {
        this.engine = context.engine();
        this.context = context;
        this.queue = context.transport().taskQueue(context, this, context.view(), kind, count);
        this.staging = engine.staging();
        this.scratch = new ReceivedMemory(incoming);
        free = new int[count];
        for (int slot = 0; slot < count; slot++) {
            free[slot] = count - 1 - slot;
        }
        freeCount = count;
        context.give(this);
    }

    private static VarHandle freeCountHandle() {
        try {
            return MethodHandles.lookup().findVarHandle(TaskSlots.class, "freeCount", int.class);
        } catch (ReflectiveOperationException e) {
            throw new AssertionError(e);
        }
    }

    @Override
    public void failed(Throwable thrown) {
        context.failed(thrown);
    }

    /** How many there are. */
    public final int count() {
        return free.length;
    }

    /** How many are in flight; any thread may ask. */
    public final int inFlight() {
        return free.length - (int) FREE_COUNT.getOpaque(this);
    }

    /** A task has been allocated for the slot; the pointer is in {@link #staging}. */
    protected final void allocated(int slot, long task, long buffer) {
        queue.allocated(slot, staging.result(), task, buffer);
    }

    /** The slot's task has ended and may be used again, if this goes on. */
    protected final void release(int slot) {
        free[freeCount++] = slot;
        freeUnlessRunning(slot);
    }

    /** The slot is free: its task is used again only while this runs. */
    protected final void freeUnlessRunning(int slot) {
        if (!context.isRunning()) {
            queue.free(slot);
        }
    }

    /** Ends what is queued, and frees the tasks that are not in flight. */
    public void freeIdle() {
        queue.cancel();
        freeIdleTasks();
    }

    /** Frees the tasks of the free slots. */
    protected void freeIdleTasks() {
        for (int i = 0; i < freeCount; i++) {
            queue.free(free[i]);
        }
    }

    /** The producer or consumer is gone. */
    public void close() {
        queue.close();
        scratch.close();
    }
}
