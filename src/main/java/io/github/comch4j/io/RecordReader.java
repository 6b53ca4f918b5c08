package io.github.comch4j.io;

import io.github.comch4j.comch.SlotHandler;
import java.io.StreamCorruptedException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Takes messages apart into the records that a {@link RecordWriter}, or a C program with the same format, has put into
 * them. It is the handler of a slot consumer:
 *
 * {@snippet file="Pieces.java" region="records-read"}
 *
 * <p>It has no state: several consumers may share one, if the record handler can be shared.
 */
public final class RecordReader implements SlotHandler {
    private final RecordHandler handler;

    /**
     * A reader.
     *
     * @param handler what to do with each record
     */
    public RecordReader(RecordHandler handler) {
        this.handler = Objects.requireNonNull(handler);
    }

    /**
     * Hands over the records of a message, first to last. What the handler throws for one does not keep the others from
     * it, and is thrown at the end.
     *
     * @throws UncheckedIOException if the message is not made of whole records; those before the place have been handed
     *     over
     */
    @Override
    public void onMessage(MemorySegment memory, long offset, int length, int producerId) {
        @Nullable Throwable failure = null;
        int at = 0;
        while (length - at >= Records.HEADER) {
            // read once: a peer with access to the memory could change it
            long header = memory.get(Records.HEADER_LAYOUT, offset + at);
            int recordLength = Records.length(header);
            if (recordLength < 0 || recordLength > length - at - Records.HEADER) {
                break;
            }
            try {
                handler.onRecord(memory, offset + at + Records.HEADER, recordLength, Records.type(header), producerId);
            } catch (RuntimeException | Error e) {
                if (failure == null) {
                    failure = e;
                } else if (failure != e) {
                    failure.addSuppressed(e);
                }
            }
            at += Records.size(recordLength);
        }
        if (at != length) {
            UncheckedIOException corrupt = new UncheckedIOException(new StreamCorruptedException(
                    "a message of " + length + " bytes from producer " + producerId + " has no whole record at " + at));
            if (failure != null) {
                corrupt.addSuppressed(failure);
            }
            throw corrupt;
        }
        if (failure instanceof RuntimeException e) {
            throw e;
        }
        if (failure instanceof Error e) {
            throw e;
        }
    }
}
