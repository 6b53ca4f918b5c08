package io.github.comch4j.dpa;

import io.github.comch4j.DocaError;
import io.github.comch4j.DocaException;
import io.github.comch4j.SubmitResult;
import io.github.comch4j.core.ProgressEngine;
import io.github.comch4j.internal.call.ConsumerCalls;
import io.github.comch4j.internal.call.MsgqCalls;
import io.github.comch4j.internal.life.OneUse;
import io.github.comch4j.transfer.BufferReceiveTasks;
import org.jspecify.annotations.Nullable;

/**
 * The receiving end of a queue on the CPU ({@code doca_comch_consumer}). {@link MessageQueue#consumer} creates it. It
 * posts all its receives when it starts, and posts each one again after the handler has returned from its message.
 * Producers have as many credits as receives are posted. Receiving allocates nothing. Only the thread that owns the
 * engine may call the methods, except where a method states otherwise.
 */
public final class MessageQueueConsumer extends MessageQueueEnd {
    private final BufferReceiveTasks receives;

    private MessageQueueConsumer(Builder settings, QueueContext context) {
        super(settings.queue, settings.engine, context);
        MessageQueueHandler handler = settings.onMessage;
        this.receives = new BufferReceiveTasks(
                context,
                settings.receives,
                settings.immediateLength,
                true,
                handler == null
                        ? (buffer, producerId, message) -> {}
                        : (buffer, producerId, message) -> handler.onMessage(this, producerId, message),
                null);
    }

    @Override
    BufferReceiveTasks transfers() {
        return receives;
    }

    /**
     * Keeps the receive of the current message. Call this in the handler: when the handler returns, the receive is not
     * posted again. Producers have one credit less until {@link #tryPost}.
     *
     * @throws WrongThreadException if another thread owns the engine
     * @throws IllegalStateException if called outside the handler
     */
    public void keep() {
        receives.keep();
    }

    /**
     * Posts a receive that was kept ({@code doca_task_submit}).
     *
     * @return {@link SubmitResult#ACCEPTED}, or {@link SubmitResult#NO_TASK} if all receives are posted
     * @throws WrongThreadException if another thread owns the engine
     * @throws IllegalStateException if this consumer is closed
     * @throws DocaException if DOCA refuses
     */
    public SubmitResult tryPost() {
        return receives.post(null);
    }

    /**
     * Returns how many receives are posted. Any thread may call this method.
     *
     * @return the credits of all producers together
     */
    public int posted() {
        return receives.inFlight();
    }

    /**
     * Returns how many messages this consumer has received. Any thread may call this method.
     *
     * @return the number since it was started
     */
    public long received() {
        return receives.received.get();
    }

    /**
     * Builds a consumer. Not thread-safe. A builder can be used only once, even if DOCA refuses: afterwards every call
     * throws {@link IllegalStateException}.
     */
    public static final class Builder {
        private final OneUse use;
        private final MessageQueue queue;
        private final ProgressEngine engine;
        private int receives = MessageQueue.DEFAULT_DEPTH;
        private int immediateLength = MessageQueue.DEFAULT_IMMEDIATE;
        private @Nullable MessageQueueHandler onMessage;

        Builder(MessageQueue queue, ProgressEngine engine) {
            this.queue = queue;
            this.engine = engine;
            this.use = new OneUse("MessageQueueConsumer.Builder on " + queue);
        }

        /**
         * Sets how many receives the consumer has ({@code doca_comch_consumer_task_post_recv_set_conf}). Default: 64.
         *
         * @param count at least 1
         * @return this
         * @throws IllegalArgumentException if it is less than 1
         */
        public Builder receives(int count) {
            use.check();
            receives = Dpa.checkPositive("receives", count);
            return this;
        }

        /**
         * Sets the maximum length of a message ({@code doca_comch_consumer_set_imm_data_len}). Default: 32 bytes.
         *
         * @param bytes at least 1; the emulated device accepts 96
         * @return this
         * @throws IllegalArgumentException if it is less than 1, or more than 4096
         */
        public Builder immediateLength(int bytes) {
            use.check();
            immediateLength = MessageQueue.checkLength(bytes);
            return this;
        }

        /**
         * Sets the handler that receives the messages. Default: none.
         *
         * @param handler the handler
         * @return this
         * @throws IllegalStateException if a handler is already set
         */
        public Builder onMessage(MessageQueueHandler handler) {
            onMessage = use.once("onMessage", onMessage, handler);
            return this;
        }

        /**
         * Creates and starts the consumer ({@code doca_comch_msgq_consumer_create}, {@code doca_ctx_start}), and posts
         * its receives. Callbacks may call this method.
         *
         * @return the consumer, running
         * @throws WrongThreadException if another thread owns the engine
         * @throws IllegalStateException if the engine or the queue is closed
         * @throws DocaException if DOCA refuses; {@link DocaError#NO_MEMORY} if the queue already has its maximum
         *     number of consumers
         */
        public MessageQueueConsumer start() {
            QueueContext context =
                    MessageQueue.end(use, "consumer", ConsumerCalls.get(), engine, queue, MsgqCalls::createConsumer);
            return context.closingUnless(() -> {
                ConsumerCalls.setImmediateLength(context.object(), immediateLength, "configuring " + context);
                MessageQueueConsumer consumer = new MessageQueueConsumer(this, context);
                context.configureTasks(receives);
                context.start();
                while (consumer.tryPost().accepted()) {
                    // until all are posted
                }
                return consumer;
            });
        }
    }
}
