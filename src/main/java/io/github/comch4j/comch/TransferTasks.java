package io.github.comch4j.comch;

import io.github.comch4j.core.Buffer;
import io.github.comch4j.internal.life.BufferState;
import io.github.comch4j.internal.life.Context;
import io.github.comch4j.internal.life.TaskSlots;

/** The tasks of a producer or consumer, with the buffers of those that have one. */
abstract sealed class TransferTasks extends TaskSlots permits OutgoingTasks, IncomingTasks {
    final BufferState[] buffers; // by slot: in flight, or what was last; null: none

    /** See {@link TaskSlots}. */
    TransferTasks(Context context, boolean receives, int count, int incoming, int outgoing) {
        super(context, receives, count, incoming, outgoing);
        buffers = new BufferState[count];
    }

    /** What handlers get: null for a task without a buffer. */
    static Buffer buffer(BufferState state) {
        return state == null ? null : (Buffer) state.buffer();
    }
}
