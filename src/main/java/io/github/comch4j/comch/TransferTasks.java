package io.github.comch4j.comch;

import io.github.comch4j.core.Buffer;
import io.github.comch4j.internal.call.TaskCalls;
import io.github.comch4j.internal.life.BufferState;
import io.github.comch4j.internal.life.Context;
import io.github.comch4j.internal.life.Engine;
import io.github.comch4j.internal.observe.Counter;
import io.github.comch4j.internal.transport.Scratch;
import io.github.comch4j.internal.transport.SlotEvents;
import io.github.comch4j.internal.transport.TaskQueue;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * The tasks of a producer or consumer, one slot for each. They are allocated at their first use and used again, so that
 * neither sending nor receiving allocates anything.
 */
abstract sealed class TransferTasks implements SlotEvents permits OutgoingTasks, IncomingTasks {
    private static final VarHandle FREE_COUNT = freeCountHandle();

    final Engine engine;
    final Context context;
    final TaskQueue queue;
    final Scratch scratch;

    // by slot
    final long[] typed; // struct doca_comch_…_task_… *, 0: not allocated
    private final long[] tasks; // the same as struct doca_task *
    final BufferState[] buffers; // in flight, or what was last; null: none

    final int[] free; // slots, used as a stack: the last one is still in the caches
    int freeCount;
    final Counter failed = new Counter();

    /**
     * The tasks of a context that is not configured yet.
     *
     * @param incoming the most immediate data that a receive can have, bytes
     * @param outgoing the most immediate data that a send can have, bytes
     */
    TransferTasks(Context context, boolean receives, int count, int incoming, int outgoing) {
        this.engine = context.engine();
        this.context = context;
        this.queue = context.transport().taskQueue(context, this, context.view(), receives, count);
        this.scratch = new Scratch(incoming, outgoing);
        typed = new long[count];
        tasks = new long[count];
        buffers = new BufferState[count];
        free = new int[count];
        for (int slot = 0; slot < count; slot++) {
            free[slot] = count - 1 - slot;
        }
        freeCount = count;
    }

    private static VarHandle freeCountHandle() {
        try {
            return MethodHandles.lookup().findVarHandle(TransferTasks.class, "freeCount", int.class);
        } catch (ReflectiveOperationException e) {
            throw new AssertionError(e);
        }
    }

    /** How many there are. */
    final int count() {
        return free.length;
    }

    /** How many are in flight; any thread may ask. */
    final int inFlight() {
        return free.length - (int) FREE_COUNT.getOpaque(this);
    }

    /** What handlers get: null for a task without a buffer. */
    static Buffer buffer(BufferState state) {
        return state == null ? null : (Buffer) state.buffer();
    }

    /** A task has been allocated for the slot; the pointer is in {@link #scratch}. */
    final void allocated(int slot, long task, long buffer, int consumer) {
        long allocated = scratch.result();
        queue.allocated(slot, allocated, task, buffer, consumer);
        typed[slot] = allocated;
        tasks[slot] = task;
    }

    /** The slot's task has ended and may be used again, if this goes on. */
    final void release(int slot) {
        free[freeCount++] = slot;
        if (context.state() != Context.RUNNING) {
            freeTask(slot);
        }
    }

    final void freeTask(int slot) {
        if (typed[slot] != 0) {
            TaskCalls.free(tasks[slot]);
            typed[slot] = 0;
            tasks[slot] = 0;
        }
    }

    /** Ends what is queued, and frees the tasks that are not in flight. */
    void freeIdle() {
        queue.cancel();
        for (int i = 0; i < freeCount; i++) {
            freeTask(free[i]);
        }
    }

    /** The producer or consumer is gone. */
    final void close() {
        queue.close();
        scratch.close();
    }
}
