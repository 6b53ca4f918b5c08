package io.github.comch4j.comch;

import io.github.comch4j.DocaError;
import io.github.comch4j.internal.life.Context;
import io.github.comch4j.internal.observe.BackPressure;
import io.github.comch4j.internal.observe.Counter;
import io.github.comch4j.internal.observe.Events;

/** The send tasks of a producer of either kind: what is counted of them. */
abstract sealed class OutgoingTasks extends TransferTasks permits SendTasks, SlotSends {
    final BackPressure backPressure = new BackPressure();
    final Counter sent = new Counter();
    final Counter sentBytes = new Counter();

    OutgoingTasks(Context context, int count, int outgoing) {
        super(context, false, count, 0, outgoing);
    }

    final void countFailure(FastPathProducer producer, DocaError status) {
        failed.increment();
        if (!context.isEnding()) {
            Events.taskFailed("send", producer, status.name());
        }
    }
}
