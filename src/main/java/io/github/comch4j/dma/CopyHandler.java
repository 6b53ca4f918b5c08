package io.github.comch4j.dma;

import io.github.comch4j.DocaError;

/**
 * Handles the end of a copy ({@code doca_dma_task_memcpy_completion_cb_t}). The copy's task is free again.
 *
 * @param <T> {@link io.github.comch4j.core.Buffer} or {@link io.github.comch4j.core.BufferList}
 */
@FunctionalInterface
public interface CopyHandler<T> {
    /**
     * Called when a copy has ended, inside {@code progress()} of the engine.
     *
     * @param dma the context of the copy; may copy again at once, unless it has stopped
     * @param from the source of the copy; belongs to the program again, unless other copies from it are in flight
     * @param to the destination of the copy; belongs to the program again. If the copy succeeded, its data include the
     *     copied bytes. Otherwise its data are unchanged, but some of the bytes may be in its memory
     * @param status {@link DocaError#SUCCESS}; {@link DocaError#IO_FAILED} if the device could not read or write, for
     *     example because the process that exported the memory has ended or does not allow writing, and for all copies
     *     in flight when the context stops
     */
    void onCopied(DmaContext dma, T from, T to, DocaError status);
}
