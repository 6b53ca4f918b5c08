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
 * The end of a queue on the CPU that receives ({@code doca_comch_consumer}); made by {@link MessageQueue#consumer}. All
 * its receives are posted when it is started, and posted again when their message has been handled: producers have so
 * many credits. Receiving allocates nothing.
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
     * In the handler: its receive is not posted again when it returns, so that producers have a credit less, until
     * {@link #tryPost}.
     *
     * @throws WrongThreadException if another thread owns the engine
     * @throws IllegalStateException outside of the handler
     */
    public void keep() {
        receives.keep();
    }

    /**
     * Posts a receive that was kept ({@code doca_task_submit}).
     *
     * @return {@link SubmitResult#ACCEPTED}, or {@link SubmitResult#NO_TASK} if all are posted
     * @throws WrongThreadException if another thread owns the engine
     * @throws IllegalStateException if this is closed
     * @throws DocaException if DOCA refuses
     */
    public SubmitResult tryPost() {
        return receives.post(null);
    }

    /**
     * How many receives are posted. Any thread may ask.
     *
     * @return the credits of all producers together
     */
    public int posted() {
        return receives.inFlight();
    }

    /**
     * How many messages have been received. Any thread may ask.
     *
     * @return since it was started
     */
    public long received() {
        return receives.received.get();
    }

    /**
     * Settings of a consumer. Not thread safe; can be used once, also if DOCA refuses: afterwards every call throws
     * {@link IllegalStateException}.
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
         * How many receives it has ({@code doca_comch_consumer_task_post_recv_set_conf}). Default: 64.
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
         * How long a message can be ({@code doca_comch_consumer_set_imm_data_len}). Default: 32.
         *
         * @param bytes at least 1; the emulated device takes 96
         * @return this
         * @throws IllegalArgumentException if it is less than 1, or more than 4096
         */
        public Builder immediateLength(int bytes) {
            use.check();
            immediateLength = MessageQueue.checkLength(bytes);
            return this;
        }

        /**
         * Receives the messages. Default: nobody does.
         *
         * @param handler the handler
         * @return this
         * @throws IllegalStateException if there is one already
         */
        public Builder onMessage(MessageQueueHandler handler) {
            onMessage = use.once("onMessage", onMessage, handler);
            return this;
        }

        /**
         * Makes and starts it ({@code doca_comch_msgq_consumer_create}, {@code doca_ctx_start}), and posts its
         * receives. Allowed in callbacks.
         *
         * @return the consumer, running
         * @throws WrongThreadException if another thread owns the engine
         * @throws IllegalStateException if the engine or the queue is closed
         * @throws DocaException if DOCA refuses; {@link DocaError#NO_MEMORY} if the queue has as many consumers as it
         *     can have
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
