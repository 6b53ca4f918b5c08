package io.github.comch4j.comch;

import io.github.comch4j.DocaError;
import io.github.comch4j.core.Buffer;
import org.jspecify.annotations.Nullable;

/** Learns that a fast-path send has ended ({@code doca_comch_producer_task_send_completion_cb_t}). */
@FunctionalInterface
public interface SendCompletionHandler {
    /**
     * A send ended; its task is free again. Runs inside {@code progress()} of the producer's engine.
     *
     * @param producer the producer; may send again at once
     * @param buffer the buffer, the program's again unless other sends with it are in flight; null for a send of
     *     immediate data alone
     * @param status {@link DocaError#SUCCESS} if the data are in the consumer's memory; anything else means that they
     *     are not, or not all
     */
    void onCompletion(ComchProducer producer, @Nullable Buffer buffer, DocaError status);
}
