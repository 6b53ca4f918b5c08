package io.github.comch4j.comch;

import io.github.comch4j.core.Buffer;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** Receives on the fast path ({@code doca_comch_consumer_task_post_recv_completion_cb_t}). */
@FunctionalInterface
public interface ReceiveHandler {
    /**
     * A producer's send used up a posted receive. Runs inside {@code progress()} of the consumer's engine. When it
     * returns, normally or by an exception, the receive is posted again, its buffer empty, unless
     * {@link ComchConsumer#keep()} was called or re-posting is switched off.
     *
     * @param consumer the consumer
     * @param buffer the buffer, whose data are what arrived; null if the receive has none
     *     ({@link ComchConsumer#tryPostImmediate})
     * @param producerId the id of the peer's producer; 0 with DOCA 2.5, which does not tell it
     * @param immediate immediate data, empty if there are none; <b>valid until this method returns</b>
     */
    void onReceive(ComchConsumer consumer, @Nullable Buffer buffer, int producerId, MemorySegment immediate);
}
