package io.github.comch4j.comch;

import io.github.comch4j.core.Buffer;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** Handles payloads that arrive on the fast path ({@code doca_comch_consumer_task_post_recv_completion_cb_t}). */
@FunctionalInterface
public interface ReceiveHandler {
    /**
     * Called when a producer's send has used up a posted receive. Runs inside {@code progress()} of the consumer's
     * engine. When this method returns, normally or with an exception, the consumer posts the receive again with an
     * empty buffer. It does not if {@link ComchConsumer#keep()} was called or re-posting is switched off.
     *
     * @param consumer the consumer
     * @param buffer the buffer, whose data are the payload; null if the receive has no buffer
     *     ({@link ComchConsumer#tryPostImmediate})
     * @param producerId the id of the peer's producer; 0 with DOCA 2.5, which does not report it
     * @param immediate the immediate data, empty if there are none; <b>valid until this method returns</b>
     */
    void onReceive(ComchConsumer consumer, @Nullable Buffer buffer, int producerId, MemorySegment immediate);
}
