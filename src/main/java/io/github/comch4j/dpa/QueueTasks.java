package io.github.comch4j.dpa;

import io.github.comch4j.internal.life.Context;
import io.github.comch4j.internal.life.TaskSlots;

/** The tasks of a queue's end on the CPU, which have no buffers. */
abstract sealed class QueueTasks extends TaskSlots permits QueueSends, QueueReceives {
    /**
     * The tasks of a context that is not configured yet.
     *
     * @param incoming the longest message that is received, bytes
     */
    QueueTasks(Context context, boolean receives, int count, int incoming) {
        super(context, receives, count, incoming, 0);
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

    final void checkRunning() {
        if (!context.isRunning()) {
            context.checkOpen();
            throw new IllegalStateException(context.name() + " has stopped");
        }
    }
}
