package io.github.comch4j.io;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Whatever a peer writes into a message: records within it, or an exception, and nothing else.
 * {@code -Dfuzz.messages=… -Dfuzz.seed=…} for a longer run.
 */
@Timeout(600)
class RecordReaderFuzzTest {
    private static final int MESSAGES = Integer.getInteger("fuzz.messages", 200_000);
    private static final long SEED = Long.getLong("fuzz.seed", new Random().nextLong(1_000_000_000));
    private static final int MOST = 600;
    private static final int BEFORE = 64; // of the consumer's memory, before the message

    private final Random random = new Random(SEED);
    private final List<String> read = new ArrayList<>();
    private final RecordHandler note = (memory, offset, length, type, producer) -> {
        read.add((offset - BEFORE) + "+" + length + ":" + type);
        if (length > 0) {
            memory.asSlice(offset, length).toArray(ValueLayout.JAVA_BYTE);
        }
    };

    /** The records of a message, by the words of docs/records.md; the last line is {@code corrupt} if it is. */
    private static List<String> expected(byte[] message) {
        ByteBuffer bytes = ByteBuffer.wrap(message).order(ByteOrder.LITTLE_ENDIAN);
        List<String> records = new ArrayList<>();
        if (message.length < 8) {
            records.add("corrupt");
            return records;
        }
        bytes.position(8); // its number, which is right
        while (bytes.remaining() >= 8) {
            int at = bytes.position();
            long length = bytes.getInt();
            int type = bytes.getInt();
            if (length < 0 || length > bytes.remaining()) {
                bytes.position(at);
                break;
            }
            records.add((at + 8) + "+" + length + ":" + type);
            long end = at + 8 + (length + 7) / 8 * 8;
            if (end > message.length) {
                bytes.position(at);
                break; // some of the padding is missing
            }
            bytes.position((int) end);
        }
        if (bytes.hasRemaining()) {
            records.add("corrupt");
        }
        return records;
    }

    /** A number and a row of records, or nearly. */
    private byte[] message() {
        ByteBuffer bytes = ByteBuffer.allocate(8 + MOST).order(ByteOrder.LITTLE_ENDIAN);
        int end = 8 + random.nextInt(MOST + 1);
        bytes.putLong(0);
        while (bytes.position() + 8 <= end) {
            int room = end - bytes.position() - 8;
            int length = random.nextInt(8) == 0 ? room : Math.min(room, random.nextInt(40));
            bytes.putInt(length).putInt(random.nextInt(4) == 0 ? random.nextInt() : 1);
            bytes.position(Math.min(end, bytes.position() + (length + 7) / 8 * 8));
        }
        byte[] message = new byte[random.nextInt(4) == 0 ? random.nextInt(end + 1) : bytes.position()];
        bytes.get(0, message);
        for (int i = random.nextInt(4); i > 0 && message.length > 0; i--) {
            int at = random.nextInt(message.length);
            switch (random.nextInt(4)) {
                case 0 -> message[at] = (byte) random.nextInt();
                case 1 -> message[at & ~7] ^= (byte) (1 << random.nextInt(8));
                case 2 -> message[Math.min(message.length - 1, (at & ~7) | 3)] = (byte) random.nextInt();
                default -> message[at] = -1;
            }
        }
        return message;
    }

    @Test
    void whatIsNoRowOfRecordsIsToldAndTheRestIsRead() {
        int corrupt = 0;
        for (int i = 0; i < MESSAGES; i++) {
            byte[] message = message();
            if (message.length >= 8) {
                ByteBuffer.wrap(message)
                        .order(ByteOrder.LITTLE_ENDIAN)
                        .putInt(0)
                        .putInt(1);
            }
            // nothing follows it: who reads beyond it is caught
            MemorySegment memory = MemorySegment.ofArray(new byte[BEFORE + message.length]);
            MemorySegment.copy(message, 0, memory, ValueLayout.JAVA_BYTE, BEFORE, message.length);
            memory = aligned(memory);
            read.clear();
            RecordReader reader = new RecordReader(note); // message 0 is the first one that it gets
            try {
                reader.onMessage(memory, BEFORE, message.length, 3);
            } catch (UncheckedIOException e) {
                assertThat(e).hasMessageContaining("producer 3");
                read.add("corrupt");
                corrupt++;
            }
            assertThat(read).as("message %d of seed %d", i, SEED).isEqualTo(expected(message));
        }
        assertThat(corrupt).as("of both kinds").isBetween(MESSAGES / 20, MESSAGES - MESSAGES / 20);
    }

    private static MemorySegment aligned(MemorySegment bytes) {
        MemorySegment copy = Arena.ofAuto().allocate(bytes.byteSize(), 8);
        return copy.copyFrom(bytes);
    }

    @Test
    void aPeerThatWritesWhileItIsReadGetsNoRecordOutsideOfTheMessage() throws InterruptedException {
        try (Arena arena = Arena.ofShared()) {
            MemorySegment memory = arena.allocate(BEFORE + MOST + 8, 8);
            int[] missing = new int[1];
            AtomicBoolean over = new AtomicBoolean();
            Thread peer = new Thread(() -> {
                Random wild = new Random(SEED + 1);
                while (!over.get()) {
                    long at = BEFORE + wild.nextInt(MOST / 8) * 8L;
                    memory.set(
                            ValueLayout.JAVA_INT,
                            at,
                            switch (wild.nextInt(4)) {
                                case 0 -> wild.nextInt();
                                case 1 -> wild.nextInt(MOST);
                                case 2 -> -1;
                                default -> 0;
                            });
                }
            });
            peer.start();
            int[] records = new int[1];
            int[] length = new int[1];
            RecordReader strict = new RecordReader(
                    (seen, offset, recordLength, type, producer) -> {
                        records[0]++;
                        if (offset < BEFORE + 16
                                || offset % 8 != 0
                                || recordLength < 0
                                || offset + recordLength > BEFORE + length[0]) {
                            throw new AssertionError(recordLength + " bytes at " + offset + ", seed " + SEED);
                        }
                    },
                    count -> missing[0]++);
            try {
                for (int i = 0; i < MESSAGES; i++) {
                    length[0] = random.nextInt(MOST + 1);
                    try {
                        strict.onMessage(memory, BEFORE, length[0], 3);
                    } catch (UncheckedIOException e) {
                        assertThat(e.getSuppressed()).isEmpty();
                    }
                }
            } finally {
                over.set(true);
                peer.join();
            }
            assertThat(records[0]).isPositive();
        }
    }
}
