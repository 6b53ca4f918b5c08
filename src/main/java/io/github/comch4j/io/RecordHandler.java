package io.github.comch4j.io;

import java.lang.foreign.MemorySegment;

/** Takes the records of messages, where they arrived. */
@FunctionalInterface
public interface RecordHandler {
    /**
     * A record has arrived. The bytes are there until this returns: copy what is to be kept.
     *
     * @param memory the consumer's memory, the same with every call
     * @param offset where the record begins in it, bytes, a multiple of 8
     * @param length how long it is, bytes
     * @param type what its writer gave as its type
     * @param producerId the id of the producer that sent it
     */
    void onRecord(MemorySegment memory, long offset, int length, int type, int producerId);
}
