package io.github.comch4j.dpa;

import io.github.comch4j.internal.call.TaskCalls;
import io.github.comch4j.internal.life.Context;
import io.github.comch4j.internal.life.Engine;
import io.github.comch4j.internal.observe.Counter;
import io.github.comch4j.internal.transport.Scratch;
import io.github.comch4j.internal.transport.SlotEvents;
import io.github.comch4j.internal.transport.TaskQueue;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * The tasks of a queue's end on the CPU, one slot for each. They are allocated at their first use and used again, so
 * that neither sending nor receiving allocates anything.
 */
abstract sealed class QueueTasks implements SlotEvents permits QueueSends, QueueReceives {
    private static final VarHandle FREE_COUNT = freeCountHandle();

    final Engine engine;
    final Context context;
    final TaskQueue queue;
    final Scratch scratch;
    final Counter failed = new Counter();

    // by slot
    final long[] typed; // struct doca_comch_…_task_… *, 0: not allocated
    private final long[] tasks; // the same as struct doca_task *

    private final int[] free; // slots, used as a stack: the last one is still in the caches
    private int freeCount;

    /**
     * The tasks of a context that is not configured yet.
     *
     * @param incoming the longest message that is received, bytes
     */
    QueueTasks(Context context, boolean receives, int count, int incoming) {
        this.engine = context.engine();
        this.context = context;
        this.queue = context.transport().taskQueue(context, this, context.view(), receives, count);
        this.scratch = new Scratch(incoming, 0);
        typed = new long[count];
        tasks = new long[count];
        free = new int[count];
        for (int slot = 0; slot < count; slot++) {
            free[slot] = count - 1 - slot;
        }
        freeCount = count;
    }

    private static VarHandle freeCountHandle() {
        try {
            return MethodHandles.lookup().findVarHandle(QueueTasks.class, "freeCount", int.class);
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

    final boolean noneFree() {
        return freeCount == 0;
    }

    /** Takes a free slot. */
    final int take() {
        return free[--freeCount];
    }

    /** Gives back a slot that was taken and whose task was not submitted. */
    final void giveBack(int slot) {
        free[freeCount++] = slot;
    }

    /** The slot's task has ended and may be used again, if this goes on. */
    final void release(int slot) {
        giveBack(slot);
        if (context.state() != Context.RUNNING) {
            freeTask(slot);
        }
    }

    /** A task has been allocated for the slot; the pointer is in {@link #scratch}. */
    final void allocated(int slot, long task, int consumer) {
        long allocated = scratch.result();
        queue.allocated(slot, allocated, task, 0, consumer);
        typed[slot] = allocated;
        tasks[slot] = task;
    }

    private void freeTask(int slot) {
        if (typed[slot] != 0) {
            TaskCalls.free(tasks[slot]);
            typed[slot] = 0;
            tasks[slot] = 0;
        }
    }

    /** Ends what is queued, and frees the tasks that are not in flight. */
    final void freeIdle() {
        queue.cancel();
        for (int i = 0; i < freeCount; i++) {
            freeTask(free[i]);
        }
    }

    final void checkRunning() {
        if (context.state() != Context.RUNNING) {
            context.checkOpen();
            throw new IllegalStateException(context.name() + " has stopped");
        }
    }

    /** The end of the queue is gone. */
    void close() {
        queue.close();
        scratch.close();
    }
}
