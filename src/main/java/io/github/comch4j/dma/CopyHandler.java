package io.github.comch4j.dma;

import io.github.comch4j.DocaError;

/**
 * Learns that a copy has ended ({@code doca_dma_task_memcpy_completion_cb_t}). Its task is free again.
 *
 * @param <T> {@link io.github.comch4j.core.Buffer} or {@link io.github.comch4j.core.BufferList}
 */
@FunctionalInterface
public interface CopyHandler<T> {
    /**
     * A copy ended. Runs inside {@code progress()} of the engine.
     *
     * @param dma whose copy it was; may copy again at once, unless it has stopped
     * @param from what was copied from; the program's again, unless other copies from it are in flight
     * @param to what was copied to; the program's again. Its data are longer by those copied if that went well, and
     *     otherwise as they were, while its memory may have some of them
     * @param status {@link DocaError#SUCCESS}; {@link DocaError#IO_FAILED} if the device could not read or write, for
     *     example because the process that exported the memory has ended or does not allow writing, and of all copies
     *     that are in flight when the context stops
     */
    void onCopied(DmaContext dma, T from, T to, DocaError status);
}
