package io.github.comch4j.comch;

import io.github.comch4j.DocaError;
import org.jspecify.annotations.Nullable;

/**
 * Handles the end of a fast-path task: a send ({@code doca_comch_producer_task_send_completion_cb_t}), or a posted
 * receive that came back without a payload. The task is free again.
 *
 * @param <S> {@link ComchProducer} or {@link ComchConsumer}
 * @param <T> {@link io.github.comch4j.core.Buffer} or {@link io.github.comch4j.core.BufferList}
 */
@FunctionalInterface
public interface CompletionHandler<S, T extends @Nullable Object> {
    /**
     * Called when a task has ended. Runs inside {@code progress()} of the engine.
     *
     * @param source the producer or consumer whose task has ended; it may send or post again at once
     * @param transferred the buffer or list; null for a task without a buffer. It belongs to the program again, unless
     *     other sends with it are in flight, or the producer takes it over when this method has returned
     *     ({@link ComchProducer.Builder#releaseSent}).
     * @param status for a send, {@link DocaError#SUCCESS} if the data are in the consumer's memory; any other value
     *     means that none or not all of them are
     */
    void onCompletion(S source, T transferred, DocaError status);
}
