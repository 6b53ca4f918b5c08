package io.github.comch4j.transfer;

import io.github.comch4j.internal.call.TaskCalls;
import io.github.comch4j.internal.life.BufferState;
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

    // by slot
    protected final long[] typed; // the task as what it does, 0: not allocated
    private final long[] tasks; // the same as struct doca_task *

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
        typed = new long[count];
        tasks = new long[count];
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

    /** Before the first task of a buffer: fails if DOCA may not use its memory, which it does not check itself. */
    void checkMemory(BufferState buffer) {}

    /** How many there are. */
    public final int count() {
        return free.length;
    }

    /** How many are in flight; any thread may ask. */
    public final int inFlight() {
        return free.length - (int) FREE_COUNT.getOpaque(this);
    }

    /** A task has been allocated for the slot; the pointer is in {@link #staging}. */
    protected final void allocated(int slot, long task, long buffer, int consumer) {
        long allocated = staging.result();
        queue.allocated(slot, allocated, task, buffer, consumer);
        typed[slot] = allocated;
        tasks[slot] = task;
    }

    /** As {@link #allocated}, of a copy. */
    protected final void allocatedCopy(int slot, long task, long source, long destination) {
        long allocated = staging.result();
        queue.allocatedCopy(slot, allocated, task, source, destination);
        typed[slot] = allocated;
        tasks[slot] = task;
    }

    /** The slot's task has ended and may be used again, if this goes on. */
    protected final void release(int slot) {
        free[freeCount++] = slot;
        freeUnlessRunning(slot);
    }

    /** The slot is free: its task is used again only while this runs. */
    protected final void freeUnlessRunning(int slot) {
        if (!context.isRunning()) {
            freeTask(slot);
        }
    }

    protected final void freeTask(int slot) {
        if (typed[slot] != 0) {
            TaskCalls.free(tasks[slot]);
            typed[slot] = 0;
            tasks[slot] = 0;
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
            freeTask(free[i]);
        }
    }

    /** The producer or consumer is gone. */
    public void close() {
        queue.close();
        scratch.close();
    }
}
