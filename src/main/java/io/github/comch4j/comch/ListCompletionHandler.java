package io.github.comch4j.comch;

import io.github.comch4j.DocaError;
import io.github.comch4j.core.BufferList;

/**
 * Learns that a fast-path send of a list of buffers has ended ({@code doca_comch_producer_task_send_completion_cb_t}).
 */
@FunctionalInterface
public interface ListCompletionHandler {
    /**
     * A send ended; its task is free again, and neither the list nor its buffers are in flight, unless the producer is
     * to give them back ({@link ComchProducer.Builder#releaseSent}): then the list is in flight until this returns.
     * Runs inside {@code progress()} of the producer's engine.
     *
     * @param producer the producer; may send again at once
     * @param list the list, as it was sent
     * @param status {@link DocaError#SUCCESS} if the data are in the consumer's memory; anything else means that they
     *     are not, or not all
     */
    void onCompletion(ComchProducer producer, BufferList list, DocaError status);
}
