package io.github.comch4j.comch;

import io.github.comch4j.internal.life.Context;
import io.github.comch4j.internal.observe.Counter;

/** The post-receive tasks of a consumer of either kind: what is counted of them. */
abstract sealed class IncomingTasks extends TransferTasks permits ReceiveTasks, SlotReceives {
    private final int immediateLength;
    final Counter received = new Counter();
    final Counter receivedBytes = new Counter();

    IncomingTasks(Context context, int count, int immediateLength) {
        super(context, true, count, immediateLength, 0);
        this.immediateLength = immediateLength;
    }

    /** The most immediate data that a receive can have, bytes. */
    final int immediateLength() {
        return immediateLength;
    }

    @Override
    public final boolean takesImmediates() {
        return immediateLength > 0;
    }

    /** How many are posted; any thread may ask. */
    int posted() {
        return inFlight();
    }
}
