package io.github.comch4j.dpa;

import io.github.comch4j.DocaError;
import io.github.comch4j.DocaException;
import io.github.comch4j.SubmitResult;
import io.github.comch4j.core.ProgressEngine;
import io.github.comch4j.internal.call.MsgqCalls;
import io.github.comch4j.internal.call.ProducerCalls;
import io.github.comch4j.internal.life.BufferState;
import io.github.comch4j.internal.life.OneUse;
import io.github.comch4j.transfer.BufferSendTasks;
import io.github.comch4j.transfer.SendLimits;
import java.lang.foreign.MemorySegment;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The sending end of a queue on the CPU ({@code doca_comch_producer}). {@link MessageQueue#producer} creates it.
 * Messages of one producer to one consumer arrive in order. The producer reuses its tasks: sending allocates nothing.
 * Only the thread that owns the engine may call the methods, except where a method states otherwise.
 */
public final class MessageQueueProducer extends MessageQueueEnd {
    private final int longest;
    private final BufferSendTasks sends;

    private MessageQueueProducer(Builder settings, QueueContext context) {
        super(settings.queue, settings.engine, context);
        this.longest = settings.longest;
        Consumer<MessageQueueProducer> room = settings.onWritable;
        BiConsumer<MessageQueueProducer, DocaError> failure = settings.onSendFailed;
        this.sends = new BufferSendTasks(
                context,
                settings.tasks,
                new SendLimits(settings.queue.device().toString(), 0, 0, longest),
                room == null ? null : () -> room.accept(this),
                failure == null ? null : (buffer, status) -> tellFailure(failure, context, status),
                null,
                false);
    }

    private void tellFailure(
            BiConsumer<MessageQueueProducer, DocaError> handler, QueueContext context, DocaError status) {
        if (status != DocaError.SUCCESS && !context.isEnding()) {
            handler.accept(this, status);
        }
    }

    private MemorySegment checked(MemorySegment message) {
        long length = message.byteSize();
        if (length < 1 || length > longest) {
            context().engine().checkOwner();
            throw new IllegalArgumentException(this + " takes messages of 1 to " + longest + " bytes, not " + length);
        }
        return message;
    }

    @Override
    BufferSendTasks transfers() {
        return sends;
    }

    /**
     * Sends a message if there is room ({@code doca_task_submit}). Never waits.
     *
     * @param message at least 1 byte, at most the consumer's maximum; copied before this method returns
     * @param consumerId the id of a consumer of the queue, from 1
     * @return {@link SubmitResult#ACCEPTED}; {@link SubmitResult#NO_TASK} if you must call {@code progress()} and then
     *     try again; {@link SubmitResult#NO_RECEIVE} if the consumer must make room
     * @throws IllegalArgumentException if the message is empty, or longer than {@link Builder#messageLength}
     * @throws IllegalStateException if this producer is closed
     * @throws DocaException if DOCA refuses; {@link DocaError#INVALID_VALUE} if the consumer does not exist, or the
     *     message is longer than it accepts
     * @throws WrongThreadException if another thread owns the engine
     */
    public SubmitResult trySend(MemorySegment message, int consumerId) {
        return sends.send((BufferState) null, consumerId, checked(message), true);
    }

    /**
     * Queues a message, which costs less than {@link #trySend} if there are many messages. One native call submits the
     * queue with every 64th message, in {@link #flush()}, or in the engine's next {@code progress()}, whichever comes
     * first. While the consumer of the first message has no room, all messages wait, and each {@code progress()} tries
     * again. If DOCA refuses a message when its turn comes, the message has failed: see {@link Builder#onSendFailed}.
     *
     * @param message at least 1 byte, at most the consumer's maximum; copied before this method returns
     * @param consumerId the id of a consumer of the queue, from 1
     * @return {@link SubmitResult#ACCEPTED}, or {@link SubmitResult#NO_TASK} if you must call {@code progress()} and
     *     then try again
     * @throws IllegalArgumentException if the message is empty, or longer than {@link Builder#messageLength}
     * @throws IllegalStateException if this producer is closed
     * @throws DocaException if DOCA refuses at once
     * @throws WrongThreadException if another thread owns the engine
     */
    public SubmitResult enqueue(MemorySegment message, int consumerId) {
        return sends.send((BufferState) null, consumerId, checked(message), false);
    }

    /**
     * Submits the messages in the queue ({@code doca_task_submit}), as far as consumers have room. Never waits.
     *
     * @return whether the queue is empty
     * @throws WrongThreadException if another thread owns the engine
     * @throws IllegalStateException if this producer is closed
     */
    public boolean flush() {
        context().engine().checkOwner();
        context().checkOpen();
        return sends.queue.flush() == 0;
    }

    /**
     * Returns how many messages are in flight. Any thread may call this method.
     *
     * @return the number of messages that are submitted or queued, and not completed
     */
    public int inFlight() {
        return sends.inFlight();
    }

    /**
     * Returns how many messages this producer has sent. Any thread may call this method.
     *
     * @return the number since it was started
     */
    public long sent() {
        return sends.done.get();
    }

    /**
     * Returns how many times a message was not accepted because there was no room. Any thread may call this method.
     *
     * @return the number since it was started; each attempt counts
     */
    public long refused() {
        return sends.backPressure.refusals();
    }

    /**
     * Builds a producer. Not thread-safe. A builder can be used only once, even if DOCA refuses: afterwards every call
     * throws {@link IllegalStateException}.
     */
    public static final class Builder {
        private final OneUse use;
        private final MessageQueue queue;
        private final ProgressEngine engine;
        private int tasks = MessageQueue.DEFAULT_DEPTH;
        private int longest = MessageQueue.DEFAULT_IMMEDIATE;
        private @Nullable Consumer<MessageQueueProducer> onWritable;
        private @Nullable BiConsumer<MessageQueueProducer, DocaError> onSendFailed;

        Builder(MessageQueue queue, ProgressEngine engine) {
            this.queue = queue;
            this.engine = engine;
            this.use = new OneUse("MessageQueueProducer.Builder on " + queue);
        }

        /**
         * Sets how many messages can be in flight at a time ({@code doca_comch_producer_task_send_set_conf}). Default:
         * 64.
         *
         * @param count at least 1
         * @return this
         * @throws IllegalArgumentException if it is less than 1
         */
        public Builder tasks(int count) {
            use.check();
            tasks = Dpa.checkPositive("tasks", count);
            return this;
        }

        /**
         * Sets the maximum length of a message. Default: 32 bytes.
         *
         * @param bytes at least 1; the emulated device accepts 96
         * @return this
         * @throws IllegalArgumentException if it is less than 1, or more than 4096
         */
        public Builder messageLength(int bytes) {
            use.check();
            longest = MessageQueue.checkLength(bytes);
            return this;
        }

        /**
         * Sets a handler that runs when there is room again, or may be, after a message was not accepted.
         *
         * @param handler the handler; costs nothing as long as all messages are accepted
         * @return this
         * @throws IllegalStateException if a handler is already set
         */
        public Builder onWritable(Consumer<MessageQueueProducer> handler) {
            onWritable = use.once("onWritable", onWritable, handler);
            return this;
        }

        /**
         * Sets a handler that runs for each message that was accepted and not sent. Without a handler,
         * {@code progress()} throws an exception for the first message of a series of failures.
         *
         * @param handler the handler
         * @return this
         * @throws IllegalStateException if a handler is already set
         */
        public Builder onSendFailed(BiConsumer<MessageQueueProducer, DocaError> handler) {
            onSendFailed = use.once("onSendFailed", onSendFailed, handler);
            return this;
        }

        /**
         * Creates and starts the producer ({@code doca_comch_msgq_producer_create}, {@code doca_ctx_start}). Callbacks
         * may call this method.
         *
         * @return the producer, running
         * @throws WrongThreadException if another thread owns the engine
         * @throws IllegalStateException if the engine or the queue is closed
         * @throws DocaException if DOCA refuses; {@link DocaError#NO_MEMORY} if the queue already has its maximum
         *     number of producers
         */
        public MessageQueueProducer start() {
            QueueContext context =
                    MessageQueue.end(use, "producer", ProducerCalls.get(), engine, queue, MsgqCalls::createProducer);
            return context.closingUnless(() -> {
                MessageQueueProducer producer = new MessageQueueProducer(this, context);
                context.configureTasks(tasks);
                context.start();
                return producer;
            });
        }
    }
}
