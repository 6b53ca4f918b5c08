package io.github.comch4j.dpa;

import java.lang.foreign.MemorySegment;

/** Receives the messages of a queue's consumer on the CPU. */
@FunctionalInterface
public interface MessageQueueHandler {
    /**
     * A message has arrived ({@code doca_comch_consumer_task_post_recv_completion_cb_t}). Runs inside
     * {@code progress()} of the consumer's engine; when it returns, its receive is posted again.
     *
     * @param consumer what has received it
     * @param producerId the producer that has sent it
     * @param message what was sent; valid until this returns
     */
    void onMessage(MessageQueueConsumer consumer, int producerId, MemorySegment message);
}
