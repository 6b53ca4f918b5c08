package io.github.comch4j.dpa;

import io.github.comch4j.DocaException;
import io.github.comch4j.core.ContextState;
import io.github.comch4j.core.ProgressEngine;
import io.github.comch4j.transfer.TaskSlots;

/** The common part of the ends of a queue on the CPU: a context of an engine, and tasks. */
abstract class MessageQueueEnd implements AutoCloseable {
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
     * Returns the queue of this end. Any thread may call this method.
     *
     * @return the queue
     */
    public MessageQueue queue() {
        return queue;
    }

    /**
     * Returns the engine of this end. Any thread may call this method.
     *
     * @return the engine that it runs on
     */
    public ProgressEngine engine() {
        return engine;
    }

    /**
     * Returns the id of this end in the queue ({@code doca_comch_producer_get_id}, {@code doca_comch_consumer_get_id}).
     * Any thread may call this method.
     *
     * @return at least 1
     */
    public int id() {
        return id;
    }

    /**
     * Returns the state of this end ({@code doca_ctx_get_state}). Any thread may call this method.
     *
     * @return {@link ContextState#RUNNING} until it is closed
     */
    public ContextState state() {
        return ContextState.of(context.state());
    }

    /**
     * Returns how many tasks this end has. Any thread may call this method.
     *
     * @return the most messages in flight, or receives posted, at a time
     */
    public int tasks() {
        return transfers().count();
    }

    /**
     * Returns how many accepted tasks have failed. Any thread may call this method.
     *
     * @return the number since it was started, including receives that come back when it is closed
     */
    public long failed() {
        return transfers().failed.get();
    }

    /**
     * Returns whether this end is closed. Any thread may call this method.
     *
     * @return true as soon as closing has begun
     */
    public boolean isClosed() {
        return context.isClosed();
    }

    /**
     * Closes this end ({@code doca_ctx_stop}, {@code doca_comch_producer_destroy},
     * {@code doca_comch_consumer_destroy}). Progresses the engine in the meantime, so handlers of other contexts on the
     * engine may run; handlers of this end no longer run. Messages in a producer's queue for which no receive is posted
     * are not sent. Calling it again does nothing.
     *
     * @throws WrongThreadException if another thread owns the engine; if that is an event loop's thread, the loop
     *     closes this end instead
     * @throws DocaException if this end does not close within {@link ProgressEngine#timeout()}; it is still open then
     */
    @Override
    public void close() {
        context.close();
    }

    /**
     * Returns a description of this end, for logs.
     *
     * @return a text that identifies this end
     */
    @Override
    public String toString() {
        return context.name();
    }

    final QueueContext context() {
        return context;
    }
}
