package io.github.comch4j.comch;

import java.lang.foreign.MemorySegment;

/** Takes the messages of a slot consumer, where they arrived, in rows. */
@FunctionalInterface
public interface SlotRowHandler {
    /**
     * Messages of one length and one producer have arrived in slots that lie side by side. When this returns, normally
     * or by an exception, all of these slots are posted again: copy what is to be kept.
     *
     * @param memory the consumer's memory, the same with every call
     * @param offset where the first message begins in it, bytes; each of the others begins
     *     {@link SlotConsumer#stride()} bytes after the one before it
     * @param count how many messages there are, at least 1
     * @param length how long each of them is, bytes
     * @param producerId the id of the producer that sent them; 0 with DOCA 2.5, which does not tell it
     */
    void onMessages(MemorySegment memory, long offset, int count, int length, int producerId);
}
