package io.github.comch4j.dpa;

import io.github.comch4j.DocaException;
import io.github.comch4j.internal.call.ConsumerCalls;
import io.github.comch4j.internal.call.ContextCalls;
import io.github.comch4j.internal.call.MsgqCalls;
import java.lang.foreign.MemorySegment;

/**
 * The receiving end of a queue on the DPA ({@code doca_comch_consumer}): an object with a handle for kernels.
 * {@link MessageQueue#dpaConsumer} creates it.
 */
public final class DpaConsumer extends DpaStartedObject {
    private static final DpaHandle.Kind KIND = new DpaHandle.Kind(
            (consumer, action) -> ContextCalls.stop(ConsumerCalls.get().asContext(consumer), action),
            ConsumerCalls.get()::destroy);

    private final MessageQueue queue;
    private final DpaConsumerCompletion completion;

    DpaConsumer(MessageQueue queue, DpaConsumerCompletion completion, int receives, int immediateLength) {
        super(completion.dpa(), make(queue, completion, receives, immediateLength));
        this.queue = queue;
        this.completion = completion;
    }

    private static DpaHandle make(
            MessageQueue queue, DpaConsumerCompletion completion, int receives, int immediateLength) {
        Dpa.checkPositive("receives", receives);
        Dpa.checkPositive("immediateLength", immediateLength);
        DpaHandle made = queue.makeEnd(KIND, "consumer", MsgqCalls::createConsumer, completion);
        made.start((consumer, action) -> {
            MemorySegment context = ConsumerCalls.get().asContext(consumer);
            MsgqCalls.setDatapath(context, completion.dpa().resource().handle(), action);
            MsgqCalls.setReceives(consumer, receives, action);
            ConsumerCalls.setImmediateLength(consumer, immediateLength, action);
            MsgqCalls.setCompletion(consumer, completion.resource().handle(), 0, action);
            ContextCalls.start(context, action);
        });
        return made;
    }

    /**
     * Returns the queue of this consumer.
     *
     * @return the queue
     */
    public MessageQueue queue() {
        return queue;
    }

    /**
     * Returns the completion in which kernels find the messages of this consumer.
     *
     * @return the completion given at creation
     */
    public DpaConsumerCompletion completion() {
        return completion;
    }

    /**
     * Returns the id of this consumer in the queue ({@code doca_comch_consumer_get_id}).
     *
     * @return at least 1
     * @throws IllegalStateException if this consumer is closed
     */
    public int id() {
        return resource().ask("asking " + this + " for its id", ConsumerCalls.get()::id);
    }

    /**
     * Returns the handle by which kernels refer to this consumer ({@code doca_comch_consumer_get_dpa_handle}).
     *
     * @return the handle
     * @throws IllegalStateException if this consumer is closed
     * @throws DocaException if this consumer is stopped
     */
    public long handle() {
        return handle(MsgqCalls::consumerHandle);
    }
}
