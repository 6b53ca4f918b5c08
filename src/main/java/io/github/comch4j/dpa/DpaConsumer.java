package io.github.comch4j.dpa;

import io.github.comch4j.DocaException;
import io.github.comch4j.internal.call.ConsumerCalls;
import io.github.comch4j.internal.call.ContextCalls;
import io.github.comch4j.internal.call.MsgqCalls;
import io.github.comch4j.internal.life.OneUse;
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

    private DpaConsumer(Builder settings, DpaHandle resource) {
        super(settings.completion.dpa(), resource);
        this.queue = settings.queue;
        this.completion = settings.completion;
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

    /**
     * Builds a consumer on the DPA. Not thread-safe. A builder can be used only once, even if DOCA refuses: afterwards
     * every call throws {@link IllegalStateException}.
     */
    public static final class Builder {
        private final OneUse use;
        private final MessageQueue queue;
        private final DpaConsumerCompletion completion;
        private int receives = MessageQueue.DEFAULT_DEPTH;
        private int immediateLength;

        Builder(MessageQueue queue, DpaConsumerCompletion completion) {
            this.queue = queue;
            this.completion = completion;
            this.use = new OneUse("DpaConsumer.Builder on " + queue);
            this.immediateLength = completion.immediateLength();
        }

        /**
         * Sets how many messages the consumer has room for at a time
         * ({@code doca_comch_consumer_set_dev_max_num_recv}). At first it has room for none; kernels make room
         * ({@code doca_dpa_dev_comch_consumer_ack}). Default: 64.
         *
         * @param most at least 1
         * @return this
         * @throws IllegalArgumentException if it is less than 1
         */
        public Builder receives(int most) {
            receives = use.atLeast(1, "receives", most);
            return this;
        }

        /**
         * Sets the maximum length of a message's immediate data in bytes
         * ({@code doca_comch_consumer_set_imm_data_len}). Default: the maximum of the completion.
         *
         * @param bytes 1 to {@link DpaConsumerCompletion#immediateLength}
         * @return this
         * @throws IllegalArgumentException if it is less than 1
         */
        public Builder immediateLength(int bytes) {
            immediateLength = use.atLeast(1, "immediateLength", bytes);
            return this;
        }

        /**
         * Creates and starts the consumer ({@code doca_comch_msgq_consumer_create}, {@code doca_ctx_start}).
         *
         * @return the consumer, started
         * @throws IllegalStateException if the queue or the completion is closed
         * @throws DocaException if DOCA refuses; {@link io.github.comch4j.DocaError#INVALID_VALUE} if the queue's
         *     consumers are not on the DPA of the completion
         */
        public DpaConsumer start() {
            use.begin();
            DpaHandle made = DpaHandle.make(
                    queue.resource().lock(),
                    DpaHandle.Rank.FAST_PATH,
                    KIND,
                    "consumer of " + queue,
                    action -> MsgqCalls.createConsumer(queue.resource().handle(), action),
                    queue.resource(),
                    completion.resource());
            made.start(this::configureAndStart);
            return new DpaConsumer(this, made);
        }

        private void configureAndStart(MemorySegment consumer, String action) {
            MemorySegment context = ConsumerCalls.get().asContext(consumer);
            MsgqCalls.setDatapath(context, completion.dpa().resource().handle(), action);
            MsgqCalls.setReceives(consumer, receives, action);
            ConsumerCalls.setImmediateLength(consumer, immediateLength, action);
            MsgqCalls.setCompletion(consumer, completion.resource().handle(), 0, action);
            ContextCalls.start(context, action);
        }
    }
}
