package io.github.comch4j.transfer;

import io.github.comch4j.internal.call.Calls;
import io.github.comch4j.internal.call.ProducerCalls;
import io.github.comch4j.internal.transport.TaskKind;
import org.jspecify.annotations.Nullable;

/** The send tasks of a producer of any kind. */
public abstract class SendTasks extends SubmitTasks {
    private final boolean[] immediates; // by slot: whether its task has some, so that DOCA is told of changes only
    private @Nullable ImmediatePlaces places; // made when there are immediate data for the first time

    /**
     * The tasks of a context that is not configured yet.
     *
     * @param limits of one send
     * @param onWritable see {@link SubmitTasks}
     */
    protected SendTasks(TransferContext context, int count, SendLimits limits, @Nullable Runnable onWritable) {
        super(context, TaskKind.SEND, count, limits, onWritable);
        immediates = new boolean[count];
    }

    /** Where the immediate data of the slots' sends are put. */
    protected final ImmediatePlaces places() {
        if (places == null) {
            places = new ImmediatePlaces(count(), limits.immediate());
        }
        return places;
    }

    /**
     * Makes the slot's task one with this buffer, consumer and immediate data; returns the answer of DOCA's allocation.
     *
     * @param immediate in the slot's place, or 0
     */
    protected final int prepareTask(int slot, long buffer, int consumerId, long immediate, int length) {
        if (queue.typed(slot) == 0) {
            int code = ProducerCalls.allocate(
                    context.address(), buffer, immediate, length, consumerId, staging.resultAddress());
            if (code != Calls.SUCCESS) {
                return code;
            }
            allocated(slot, ProducerCalls.asTask(staging.result()), buffer, consumerId);
        } else {
            queue.prepare(slot, buffer, consumerId);
            if (length > 0 || immediates[slot]) {
                queue.setImmediate(slot, immediate, length);
            }
        }
        immediates[slot] = length > 0;
        return Calls.SUCCESS;
    }
}
