package io.github.comch4j.comch;

import io.github.comch4j.DocaError;
import org.jspecify.annotations.Nullable;

/**
 * Learns that a fast-path task has ended: a send ({@code doca_comch_producer_task_send_completion_cb_t}), or a posted
 * receive that came back with nothing. Its task is free again.
 *
 * @param <S> {@link ComchProducer} or {@link ComchConsumer}
 * @param <T> {@link io.github.comch4j.core.Buffer} or {@link io.github.comch4j.core.BufferList}
 */
@FunctionalInterface
public interface CompletionHandler<S, T extends @Nullable Object> {
    /**
     * A task ended. Runs inside {@code progress()} of the engine.
     *
     * @param source whose task it was; may send or post again at once
     * @param transferred the buffer or list, the program's again unless other sends with it are in flight or the
     *     producer gives it back when this has returned ({@link ComchProducer.Builder#releaseSent}); null for a task
     *     without a buffer
     * @param status of a send {@link DocaError#SUCCESS} if the data are in the consumer's memory; anything else means
     *     that they are not, or not all
     */
    void onCompletion(S source, T transferred, DocaError status);
}
