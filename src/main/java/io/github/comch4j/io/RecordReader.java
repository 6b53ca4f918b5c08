package io.github.comch4j.io;

import io.github.comch4j.DocaError;
import io.github.comch4j.DocaException;
import io.github.comch4j.comch.SlotHandler;
import io.github.comch4j.internal.call.PeCalls;
import io.github.comch4j.internal.failure.Failures;
import io.github.comch4j.internal.failure.Rethrow;
import io.github.comch4j.internal.observe.Counter;
import java.io.StreamCorruptedException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.Objects;
import java.util.function.IntConsumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Splits messages into the records that a {@link RecordWriter}, or a C program with the same format, has put into them.
 * A reader is the handler of a slot consumer:
 *
 * {@snippet file="Pieces.java" region="records-read"}
 *
 * <p>Messages are numbered. If messages of a writer are missing, the reader reports how many, at their place in the
 * sequence. Without a {@linkplain #RecordReader(RecordHandler, IntConsumer) handler} for missing messages, it throws a
 * {@link DocaException} ({@link DocaError#IO_FAILED}) at that place, and again for each later message of the same
 * writer: it hands over no record after a gap. A receive that fails without loss of a message is not a gap.
 *
 * <p>Several consumers can share a reader if they can share the record handler. The reader counts what it reads, and
 * any thread may read the counts. If consumers of several threads share a reader, the counts may be too low.
 */
public final class RecordReader implements SlotHandler {
    private final RecordHandler handler;
    private final @Nullable IntConsumer onMissing;
    private volatile WriterNumbers[] writers = {}; // each array is as it was made
    private WriterNumbers last = new WriterNumbers(0, -1, MemorySegment.NULL.scope()); // that of the message before
    private final Counter records = new Counter();
    private final Counter messages = new Counter();
    private final Counter bytes = new Counter();

    /**
     * Creates a reader.
     *
     * @param handler called for each record
     */
    public RecordReader(RecordHandler handler) {
        this.handler = Objects.requireNonNull(handler);
        this.onMissing = null;
    }

    /**
     * Creates a reader that continues when messages are missing.
     *
     * @param handler called for each record
     * @param onMissing called with the number of missing messages of a writer, at least 1, before the records of the
     *     next message
     */
    public RecordReader(RecordHandler handler, IntConsumer onMissing) {
        this.handler = Objects.requireNonNull(handler);
        this.onMissing = Objects.requireNonNull(onMissing);
    }

    /** What one writer has sent; belongs to the thread of the consumer that it sends to. */
    private static final class WriterNumbers {
        private final int own; // its number
        private final int producerId;
        private MemorySegment.Scope scope; // of the memory of one of its last messages
        private int next; // the number of its next message
        private int missing; // messages, at the gap at which it has ended here

        WriterNumbers(int own, int producerId, MemorySegment.Scope scope) {
            this.own = own;
            this.producerId = producerId;
            this.scope = scope;
        }

        boolean is(int number, int producer) {
            return own == number && producerId == producer;
        }
    }

    /**
     * Hands over the records of a message, from the first to the last. If the handler throws an exception for a record,
     * the reader still hands over the others, and throws the exception at the end.
     *
     * @throws UncheckedIOException if the message does not consist of whole records; the records before the error have
     *     been handed over
     * @throws DocaException if earlier messages are missing, and there is no handler for missing messages
     */
    @Override
    public void onMessage(MemorySegment memory, long offset, int length, int producerId) {
        // All loops are in this method: with them it is compiled before its caller, which then calls it. Compiled as a
        // part of the caller they would have too few registers, and a record would take half as long again.
        @Nullable Throwable failure = null;
        long at = offset;
        long number = 0;
        long end = offset + length;
        if (length >= Records.NUMBER) {
            checkNumber(memory, offset, producerId);
            at += Records.NUMBER;
        }
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
        if (at != end || length < Records.NUMBER) {
            failure = corrupt(length, producerId, at - offset, failure);
        }
        if (failure != null) {
            throw Rethrow.asIs(failure);
        }
    }

    private void checkNumber(MemorySegment memory, long offset, int producerId) {
        long word = memory.get(Records.NUMBER_LAYOUT, offset);
        int own = (int) (word >>> 32);
        WriterNumbers writer = last;
        if (!writer.is(own, producerId)) {
            writer = find(own, producerId, memory.scope());
            last = writer;
        }
        int missing = (int) word - writer.next;
        if (missing == 0) {
            writer.next++;
        } else {
            missing(writer, missing);
        }
    }

    private WriterNumbers find(int own, int producerId, MemorySegment.Scope scope) {
        for (WriterNumbers writer : writers) {
            if (writer.is(own, producerId)) {
                writer.scope = scope;
                return writer;
            }
        }
        return begin(new WriterNumbers(own, producerId, scope));
    }

    private synchronized WriterNumbers begin(WriterNumbers begun) {
        Stream<WriterNumbers> others =
                Arrays.stream(writers).filter(writer -> writer.scope.isAlive()); // else its consumer ended
        writers = Stream.concat(others, Stream.of(begun)).toArray(WriterNumbers[]::new);
        return begun;
    }

    private void missing(WriterNumbers writer, int missing) {
        if (onMissing != null) {
            writer.next += missing + 1;
            onMissing.accept(missing);
            return;
        }
        if (writer.missing == 0) {
            writer.missing = missing;
        }
        throw Failures.refused(
                DocaError.IO_FAILED,
                PeCalls.PROGRESS_NAME,
                "reading records of producer " + writer.producerId + ": " + Integer.toUnsignedString(writer.missing)
                        + " messages are missing after the first " + Integer.toUnsignedString(writer.next));
    }

    /** Ignores the failure: the numbers of the messages show whether one is missing. */
    @Override
    public boolean onReceiveFailed(DocaError status) {
        return true;
    }

    /**
     * Returns the number of records that the reader has handed over.
     *
     * @return the count since the reader was created
     */
    public long records() {
        return records.get();
    }

    /**
     * Returns the number of messages that contained these records.
     *
     * @return the count since the reader was created
     */
    public long messages() {
        return messages.get();
    }

    /**
     * Returns the total length of these messages, with numbers, headers and padding.
     *
     * @return bytes, since the reader was created
     */
    public long bytes() {
        return bytes.get();
    }

    /**
     * Returns a description for logs.
     *
     * @return its counts
     */
    @Override
    public String toString() {
        return "reader of records: " + records() + " in " + messages() + " messages of " + bytes() + " bytes";
    }

    private static UncheckedIOException corrupt(int length, int producerId, long at, @Nullable Throwable before) {
        UncheckedIOException corrupt = new UncheckedIOException(new StreamCorruptedException("a message of " + length
                + " bytes from producer " + producerId + " has an incomplete record at byte " + at));
        if (before != null) {
            corrupt.addSuppressed(before);
        }
        return corrupt;
    }
}
