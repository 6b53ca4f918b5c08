package io.github.comch4j.dpa;

import java.lang.foreign.MemorySegment;

/** Receives the messages of a queue's consumer on the CPU. */
@FunctionalInterface
public interface MessageQueueHandler {
    /**
     * Handles a message that has arrived ({@code doca_comch_consumer_task_post_recv_completion_cb_t}). Runs inside
     * {@code progress()} of the consumer's engine. When this method returns, the receive of the message is posted
     * again.
     *
     * @param consumer the consumer that has received the message
     * @param producerId the id of the producer that has sent it
     * @param message the message; valid until this method returns
     */
    void onMessage(MessageQueueConsumer consumer, int producerId, MemorySegment message);
}
