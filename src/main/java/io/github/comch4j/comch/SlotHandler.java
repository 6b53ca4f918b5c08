package io.github.comch4j.comch;

import io.github.comch4j.DocaError;
import java.lang.foreign.MemorySegment;

/** Takes the messages of a slot consumer, where they arrived. */
@FunctionalInterface
public interface SlotHandler {
    /**
     * A message has arrived. When this returns, normally or by an exception, its slot is posted again: copy what is to
     * be kept.
     *
     * @param memory the consumer's memory, the same with every call
     * @param offset where the message begins in it, bytes
     * @param length how long it is, bytes
     * @param producerId the id of the producer that sent it; 0 with DOCA 2.5, which does not tell it
     */
    void onMessage(MemorySegment memory, long offset, int length, int producerId);

    /**
     * A slot has come back without a message while the consumer runs on, in this place among the messages. Its posting
     * has failed, and a message may be lost with it. The slot is posted again. Not called if the consumer has a
     * {@linkplain SlotConsumer.Builder#onReceiveFailed handler} for that.
     *
     * @param status why
     * @return whether to go on; the default is not to: the consumer ends, and nothing more is delivered
     */
    default boolean onReceiveFailed(DocaError status) {
        return false;
    }
}
