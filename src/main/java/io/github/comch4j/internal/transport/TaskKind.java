package io.github.comch4j.internal.transport;

import io.github.comch4j.ffi.batch.batch_h;

/** What the tasks of a context do. */
public enum TaskKind {
    /** They send, {@code doca_comch_producer_task_send}. */
    SEND(batch_h.BATCH_SENDS()),
    /** They are posted receives, {@code doca_comch_consumer_task_post_recv}. */
    RECEIVE(batch_h.BATCH_RECEIVES()),
    /** They copy, {@code doca_dma_task_memcpy}. */
    COPY(batch_h.BATCH_COPIES());

    /** As the batch library knows it. */
    final int code;

    TaskKind(int code) {
        this.code = code;
    }
}
