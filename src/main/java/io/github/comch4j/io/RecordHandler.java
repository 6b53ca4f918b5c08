package io.github.comch4j.io;

import java.lang.foreign.MemorySegment;

/** Handles the records of messages, in the memory in which they arrived. */
@FunctionalInterface
public interface RecordHandler {
    /**
     * Called when a record has arrived. The bytes are valid until this method returns; copy those that the program
     * keeps.
     *
     * @param memory the consumer's memory, the same in every call
     * @param offset where the record begins in the memory, in bytes, a multiple of 8
     * @param length the length of the record in bytes
     * @param type the type that the writer gave the record
     * @param producerId the id of the producer that sent the record
     */
    void onRecord(MemorySegment memory, long offset, int length, int type, int producerId);
}
