package io.github.comch4j.dpa;

import io.github.comch4j.DocaException;
import io.github.comch4j.core.ContextState;
import io.github.comch4j.core.ProgressEngine;
import io.github.comch4j.transfer.TaskSlots;

/**
 * What the ends of a queue on the CPU have in common: a context of an engine, and tasks. All methods belong to the
 * thread that owns the engine, unless they say otherwise.
 */
public abstract sealed class MessageQueueEnd implements AutoCloseable
        permits MessageQueueProducer, MessageQueueConsumer {
    private final MessageQueue queue;
    private final ProgressEngine engine;
    private final QueueContext context;
    private final int id;

    MessageQueueEnd(MessageQueue queue, ProgressEngine engine, QueueContext context) {
        this.queue = queue;
        this.engine = engine;
        this.context = context;
        this.id = context.id();
    }

    abstract TaskSlots transfers();

    /**
     * The queue. Any thread may ask.
     *
     * @return what it belongs to
     */
    public final MessageQueue queue() {
        return queue;
    }

    /**
     * The engine. Any thread may ask.
     *
     * @return what it runs on
     */
    public final ProgressEngine engine() {
        return engine;
    }

    /**
     * Its id in the queue ({@code doca_comch_producer_get_id}, {@code doca_comch_consumer_get_id}). Any thread may ask.
     *
     * @return at least 1
     */
    public final int id() {
        return id;
    }

    /**
     * Its state ({@code doca_ctx_get_state}). Any thread may ask.
     *
     * @return {@link ContextState#RUNNING} until it is closed
     */
    public final ContextState state() {
        return ContextState.of(context.state());
    }

    /**
     * How many tasks it has. Any thread may ask.
     *
     * @return the most messages in flight, or receives posted, at a time
     */
    public final int tasks() {
        return transfers().count();
    }

    /**
     * How many tasks were accepted and failed later. Any thread may ask.
     *
     * @return since it was started; receives that come back when it is closed are among them
     */
    public final long failed() {
        return transfers().failed.get();
    }

    /**
     * Whether it is closed. Any thread may ask.
     *
     * @return true from the beginning of closing
     */
    public final boolean isClosed() {
        return context.isClosed();
    }

    /**
     * Ends it ({@code doca_ctx_stop}, {@code doca_comch_producer_destroy}, {@code doca_comch_consumer_destroy}).
     * Progresses the engine meanwhile, so that handlers of others on it may run; its own runs no more. Messages in a
     * producer's queue that no receive is posted for end here. The second call does nothing.
     *
     * @throws WrongThreadException if another thread owns the engine, and is no event loop's, which would be asked to
     *     close it
     * @throws DocaException if it does not end within {@link ProgressEngine#timeout()}; it is still open then
     */
    @Override
    public final void close() {
        context.close();
    }

    /**
     * For logs.
     *
     * @return what it is
     */
    @Override
    public final String toString() {
        return context.name();
    }

    final QueueContext context() {
        return context;
    }
}
