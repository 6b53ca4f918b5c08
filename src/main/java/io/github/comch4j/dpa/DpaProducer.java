package io.github.comch4j.dpa;

import io.github.comch4j.DocaException;
import io.github.comch4j.internal.call.ContextCalls;
import io.github.comch4j.internal.call.MsgqCalls;
import io.github.comch4j.internal.call.ProducerCalls;
import io.github.comch4j.internal.life.OneUse;
import java.lang.foreign.MemorySegment;

/**
 * The sending end of a queue on the DPA ({@code doca_comch_producer}): an object with a handle for kernels.
 * {@link MessageQueue#dpaProducer} creates it.
 */
public final class DpaProducer extends DpaStartedObject {
    private static final DpaHandle.Kind KIND = new DpaHandle.Kind(
            (producer, action) -> ContextCalls.stop(ProducerCalls.get().asContext(producer), action),
            ProducerCalls.get()::destroy);

    private final MessageQueue queue;
    private final DpaCompletion completion;

    private DpaProducer(Builder settings, DpaHandle resource) {
        super(settings.completion.dpa(), resource);
        this.queue = settings.queue;
        this.completion = settings.completion;
    }

    /**
     * Returns the queue of this producer.
     *
     * @return the queue
     */
    public MessageQueue queue() {
        return queue;
    }

    /**
     * Returns the completion that reports the end of sends to kernels.
     *
     * @return the completion given at creation
     */
    public DpaCompletion completion() {
        return completion;
    }

    /**
     * Returns the id of this producer in the queue ({@code doca_comch_producer_get_id}).
     *
     * @return at least 1
     * @throws IllegalStateException if this producer is closed
     */
    public int id() {
        return resource().ask("asking " + this + " for its id", ProducerCalls.get()::id);
    }

    /**
     * Returns the handle by which kernels refer to this producer ({@code doca_comch_producer_get_dpa_handle}).
     *
     * @return the handle
     * @throws IllegalStateException if this producer is closed
     * @throws DocaException if this producer is stopped
     */
    public long handle() {
        return handle(MsgqCalls::producerHandle);
    }

    /**
     * Builds a producer on the DPA. Not thread-safe. A builder can be used only once, even if DOCA refuses: afterwards
     * every call throws {@link IllegalStateException}.
     */
    public static final class Builder {
        private final OneUse use;
        private final MessageQueue queue;
        private final DpaCompletion completion;
        private int sends = MessageQueue.DEFAULT_DEPTH;

        Builder(MessageQueue queue, DpaCompletion completion) {
            this.queue = queue;
            this.completion = completion;
            this.use = new OneUse("DpaProducer.Builder on " + queue);
        }

        /**
         * Sets how many operations of kernels the producer holds that have not been acknowledged
         * ({@code doca_comch_producer_set_dev_max_num_send}). Default: 64.
         *
         * @param most at least 1
         * @return this
         * @throws IllegalArgumentException if it is less than 1
         */
        public Builder sends(int most) {
            sends = use.atLeast(1, "sends", most);
            return this;
        }

        /**
         * Creates and starts the producer ({@code doca_comch_msgq_producer_create}, {@code doca_ctx_start}).
         *
         * @return the producer, started
         * @throws IllegalStateException if the queue or the completion is closed
         * @throws DocaException if DOCA refuses; {@link io.github.comch4j.DocaError#INVALID_VALUE} if the queue's
         *     producers are not on the DPA of the completion
         */
        public DpaProducer start() {
            use.begin();
            DpaHandle made = DpaHandle.make(
                    queue.resource().lock(),
                    DpaHandle.Rank.FAST_PATH,
                    KIND,
                    "producer of " + queue,
                    action -> MsgqCalls.createProducer(queue.resource().handle(), action),
                    queue.resource(),
                    completion.resource());
            made.start(this::configureAndStart);
            return new DpaProducer(this, made);
        }

        private void configureAndStart(MemorySegment producer, String action) {
            MemorySegment context = ProducerCalls.get().asContext(producer);
            MsgqCalls.setDatapath(context, completion.dpa().resource().handle(), action);
            MsgqCalls.setSends(producer, sends, action);
            MsgqCalls.attach(producer, completion.resource().handle(), action);
            ContextCalls.start(context, action);
        }
    }
}
