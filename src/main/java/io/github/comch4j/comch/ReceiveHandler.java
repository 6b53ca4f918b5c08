package io.github.comch4j.comch;

import io.github.comch4j.core.Buffer;
import java.lang.foreign.MemorySegment;

/** Receives on the fast path ({@code doca_comch_consumer_task_post_recv_completion_cb_t}). */
@FunctionalInterface
public interface ReceiveHandler {
    /**
     * A producer wrote into a posted buffer. Runs inside {@code progress()} of the consumer's engine. When it returns, normally or by an
     * exception, the buffer is posted again, empty, unless {@link ComchConsumer#keep()} was called or re-posting is switched off.
     *
     * @param consumer the consumer
     * @param buffer the buffer; its data are what arrived
     * @param producerId the id of the other side's producer
     * @param immediate immediate data, empty if there are none; <b>valid until this method returns</b>
     */
    void onReceive(ComchConsumer consumer, Buffer buffer, int producerId, MemorySegment immediate);
}
