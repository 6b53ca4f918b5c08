package io.github.comch4j.comch;

import io.github.comch4j.DocaError;
import io.github.comch4j.internal.life.Context;
import io.github.comch4j.internal.life.RoomWaiter;
import io.github.comch4j.internal.observe.BackPressure;
import io.github.comch4j.internal.observe.Counter;
import io.github.comch4j.internal.observe.Events;

/** The send tasks of a producer of either kind: what is counted of them, and who waits for a free one. */
abstract sealed class OutgoingTasks extends TransferTasks implements RoomWaiter permits SendTasks, SlotSends {
    final BackPressure backPressure = new BackPressure();
    final Counter sent = new Counter();
    final Counter sentBytes = new Counter();
    private boolean refused; // since the program was last told of room
    private boolean awaitsRoom; // the engine asks

    OutgoingTasks(Context context, int count, int outgoing) {
        super(context, false, count, 0, outgoing);
    }

    /** Counts a refusal, and has the program told when it is over, if it wants to be. */
    final SubmitResult refuse(FastPathProducer producer, SubmitResult why) {
        if (tellsRoom()) {
            refused = true;
            if (!awaitsRoom) {
                awaitsRoom = true;
                engine.awaitRoom(this);
            }
        }
        return backPressure.refuse(producer, why);
    }

    /** Whether the program has a handler for room. */
    abstract boolean tellsRoom();

    /** Calls it. */
    abstract void tellRoom();

    @Override
    public final boolean serveRoom() {
        if (!context.isRunning() || context.isEnding()) {
            refused = false;
        } else if (refused && freeCount > 0) {
            refused = false;
            tellRoom();
        }
        awaitsRoom = refused;
        return awaitsRoom;
    }

    final void countFailure(FastPathProducer producer, DocaError status) {
        failed.increment();
        if (!context.isEnding()) {
            Events.taskFailed("send", producer, status.name());
        }
    }
}
