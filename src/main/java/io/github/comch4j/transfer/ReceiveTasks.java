package io.github.comch4j.transfer;

import io.github.comch4j.internal.observe.Counter;
import io.github.comch4j.internal.transport.TaskKind;

/** The post-receive tasks of a consumer of any kind: what is counted of them. */
public abstract class ReceiveTasks extends TaskSlots {
    private final int immediateLength;
    /** Those that have succeeded. */
    public final Counter received = new Counter();
    /** The data of those, without immediate data. */
    public final Counter receivedBytes = new Counter();

    /**
     * The tasks of a context that is not configured yet.
     *
     * @param immediateLength the most immediate data that a receive can have, bytes
     */
    protected ReceiveTasks(TransferContext context, int count, int immediateLength) {
        super(context, TaskKind.RECEIVE, count, immediateLength);
        this.immediateLength = immediateLength;
    }

    /** The most immediate data that a receive can have, bytes. */
    public final int immediateLength() {
        return immediateLength;
    }

    @Override
    public final boolean takesImmediates() {
        return immediateLength > 0;
    }

    /** How many are posted; any thread may ask. */
    public int posted() {
        return inFlight();
    }
}
