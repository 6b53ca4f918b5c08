package io.github.comch4j.comch;

import io.github.comch4j.internal.life.Context;
import io.github.comch4j.internal.observe.Counter;

/** The post-receive tasks of a consumer of either kind: what is counted of them. */
abstract sealed class IncomingTasks extends TransferTasks permits ReceiveTasks, SlotReceives {
    final Counter received = new Counter();
    final Counter receivedBytes = new Counter();

    IncomingTasks(Context context, int count, int immediateLength) {
        super(context, true, count, immediateLength, 0);
    }

    /** How many are posted; any thread may ask. */
    int posted() {
        return inFlight();
    }
}
