package io.github.comch4j.comch;

import java.lang.foreign.MemorySegment;

/** Handles the messages of a slot consumer in rows, in the slots where they arrived. */
@FunctionalInterface
public interface SlotRowHandler {
    /**
     * Called when messages of one length from one producer have arrived in slots that lie side by side. When this
     * method returns, normally or with an exception, the consumer posts all of these slots again: copy the data that
     * you want to keep.
     *
     * @param memory the consumer's memory, the same segment for every call
     * @param offset where the first message begins in the memory, in bytes; each other message begins
     *     {@link SlotConsumer#stride()} bytes after the one before it
     * @param count the number of messages, at least 1
     * @param length the length of each message in bytes
     * @param producerId the id of the producer that sent the messages; 0 with DOCA 2.5, which does not report it
     */
    void onMessages(MemorySegment memory, long offset, int count, int length, int producerId);
}
