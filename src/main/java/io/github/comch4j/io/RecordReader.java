package io.github.comch4j.io;

import io.github.comch4j.comch.SlotHandler;
import io.github.comch4j.internal.failure.Rethrow;
import io.github.comch4j.internal.observe.Counter;
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
 * <p>Several consumers may share one, if the record handler can be shared. It counts what it reads, which any thread
 * may ask for; where consumers of several threads share it, the counts may miss some.
 */
public final class RecordReader implements SlotHandler {
    private final RecordHandler handler;
    private final Counter records = new Counter();
    private final Counter messages = new Counter();
    private final Counter bytes = new Counter();

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
        // All loops are in this method: with them it is compiled before its caller, which then calls it. Compiled as a
        // part of the caller they would have too few registers, and a record would take half as long again.
        @Nullable Throwable failure = null;
        long at = offset;
        long number = 0;
        long end = offset + length;
        while (end - at >= Records.HEADER) {
            // read here and not again when it is used: a peer with access to the memory could change it
            long header = memory.get(Records.HEADER_LAYOUT, at);
            int recordLength = Records.length(header);
            if (recordLength < 0 || recordLength > end - at - Records.HEADER) {
                break;
            }
            // Records of one length and type in a row. Nothing here waits for a header to know where the next one is,
            // and no handler runs between two of them: that makes such records cheap.
            long size = Records.size(recordLength);
            long rowEnd = at + size;
            while (end - rowEnd >= size && memory.get(Records.HEADER_LAYOUT, rowEnd) == header) {
                rowEnd += size;
            }
            number += rowEnd - at == size ? 1 : (rowEnd - at) / size;
            int type = Records.type(header);
            for (; at < rowEnd; at += size) {
                try {
                    handler.onRecord(memory, at + Records.HEADER, recordLength, type, producerId);
                } catch (RuntimeException | Error e) {
                    failure = Rethrow.first(failure, e);
                }
            }
        }
        records.add(number);
        messages.increment();
        bytes.add(length);
        if (at != end) {
            failure = corrupt(length, producerId, at - offset, failure);
        }
        if (failure != null) {
            throw Rethrow.asIs(failure);
        }
    }

    /**
     * How many records it has handed over.
     *
     * @return since the reader was made
     */
    public long records() {
        return records.get();
    }

    /**
     * How many messages they were in.
     *
     * @return since the reader was made
     */
    public long messages() {
        return messages.get();
    }

    /**
     * How long these messages were together, with headers and padding.
     *
     * @return bytes, since the reader was made
     */
    public long bytes() {
        return bytes.get();
    }

    /**
     * For logs.
     *
     * @return its counts
     */
    @Override
    public String toString() {
        return "reader of records: " + records() + " in " + messages() + " messages of " + bytes() + " bytes";
    }

    private static UncheckedIOException corrupt(int length, int producerId, long at, @Nullable Throwable before) {
        UncheckedIOException corrupt = new UncheckedIOException(new StreamCorruptedException(
                "a message of " + length + " bytes from producer " + producerId + " has no whole record at " + at));
        if (before != null) {
            corrupt.addSuppressed(before);
        }
        return corrupt;
    }
}
