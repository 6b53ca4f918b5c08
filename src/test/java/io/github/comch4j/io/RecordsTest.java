package io.github.comch4j.io;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.comch4j.DocaError;
import io.github.comch4j.DocaException;
import io.github.comch4j.Feature;
import io.github.comch4j.Machine;
import io.github.comch4j.Needs;
import io.github.comch4j.SubmitResult;
import io.github.comch4j.comch.BothForms;
import io.github.comch4j.comch.ConnectionClosedException;
import io.github.comch4j.comch.Pair;
import io.github.comch4j.comch.SlotConsumer;
import io.github.comch4j.comch.SlotHandler;
import io.github.comch4j.comch.SlotProducer;
import io.github.comch4j.core.ProgressEngine;
import io.github.comch4j.emulator.EmulatedFaults;
import java.io.StreamCorruptedException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Many records in a message. */
@Timeout(60)
class RecordsTest extends BothForms {
    private static final int SIZE = 512;
    private static final Duration NEVER = Duration.ofDays(1);

    private final Pair pair = new Pair();
    private final ProgressEngine receiving = ProgressEngine.create();
    private final List<String> received = new ArrayList<>();
    private final RecordReader reader = new RecordReader((memory, offset, length, type, producer) -> {
        assertThat(offset % 8).isZero();
        received.add(type + ":" + text(memory, offset, length));
    });
    private SlotConsumer consumer;
    private SlotProducer producer;
    private RecordWriter writer;

    @BeforeEach
    void open() {
        open(SIZE, 4, 4);
    }

    private void open(int slotSize, int slots, int posts) {
        consumer = pair.dpuSide.slotConsumer(receiving, slotSize).tasks(posts).start(Machine.PATIENCE);
        pair.awaitKnown(consumer.id());
        producer = pair.hostSide
                .slotProducer(pair.machine.engine, slotSize)
                .tasks(slots)
                .start();
        writer = new RecordWriter(producer, consumer.id());
    }

    @AfterEach
    void close() {
        pair.close();
        receiving.close();
    }

    private static String text(MemorySegment memory, long offset, int length) {
        return new String(memory.asSlice(offset, length).toArray(ValueLayout.JAVA_BYTE), UTF_8);
    }

    private boolean put(String text, int type) {
        long at = writer.claim(text.length(), type);
        if (at < 0) {
            return false;
        }
        MemorySegment.copy(text.getBytes(UTF_8), 0, writer.memory(), ValueLayout.JAVA_BYTE, at, text.length());
        writer.commit();
        return true;
    }

    private void await(int records) {
        Machine.until(
                records + " records",
                () -> {
                    consumer.poll(reader, 3);
                    return received.size() == records;
                },
                pair.machine.engine);
    }

    @Test
    void recordsOfAllLengthsArriveInTheirOrderAndWhole() {
        Random random = new Random(4);
        List<String> expected = new ArrayList<>();
        String most = "y".repeat(writer.maxLength());
        int[] next = {0};
        Machine.until(
                "all",
                () -> {
                    String text = next[0] % 50 == 0 ? most : "x".repeat(random.nextInt(next[0] % 7 == 0 ? 400 : 30));
                    if (next[0] < 3000 && put(text, next[0] - 1500)) {
                        expected.add((next[0] - 1500) + ":" + text);
                        next[0]++;
                    }
                    writer.progress();
                    consumer.poll(reader, 3);
                    return received.size() == 3000;
                },
                pair.machine.engine);
        assertThat(received).isEqualTo(expected);
        assertThat(writer.records()).isEqualTo(3000);
        assertThat(reader.records()).isEqualTo(3000);
        assertThat(reader.messages()).isEqualTo(writer.messages()).isEqualTo(consumer.received());
        assertThat(reader.bytes()).isEqualTo(writer.bytes()).isEqualTo(consumer.receivedBytes());
        assertThat(writer.toString()).contains("3000 in " + writer.messages() + " messages");
        assertThat(reader.toString()).contains("3000 in " + reader.messages() + " messages");
        assertThat(consumer.received()).isLessThanOrEqualTo(3000).isEqualTo(producer.sent() + producer.inFlight());
    }

    @Test
    void aMessageTakesAsManyAsFit() {
        writer.setMaxDelay(NEVER);
        for (int i = 0; i < 3 * 7 + 1; i++) { // 72 bytes each, seven to a slot
            assertThat(put("r".repeat(64), i)).isTrue();
        }
        await(21);
        assertThat(consumer.received()).isEqualTo(3);
        assertThat(writer.flush()).isTrue();
        await(22);
        assertThat(consumer.received()).isEqualTo(4);
        assertThat(consumer.receivedBytes()).isEqualTo(22 * 72 + 4 * 8);
        assertThat(writer.flush()).isTrue(); // nothing is open
        assertThat(consumer.received()).isEqualTo(4);
    }

    @Test
    void manyAreClaimedAtOnceAsFarAsTheyFit() {
        writer.setMaxDelay(NEVER);
        assertThat(put("first", 1)).isTrue(); // 24 bytes of 512
        assertThat(claimAndNumber(100, 30)).isEqualTo(12); // of 40 bytes each
        assertThat(claimAndNumber(2, 30)).isEqualTo(2); // in the next message
        assertThat(writer.records()).isEqualTo(15);
        assertThat(writer.flush()).isTrue();
        await(15);
        assertThat(consumer.received()).isEqualTo(2);
        assertThat(received.get(0)).isEqualTo("1:first");
        for (int i = 0; i < 14; i++) {
            assertThat(received.get(i + 1)).startsWith("30:" + (char) ('a' + (i < 12 ? i : i - 12)));
        }
    }

    /** Records that begin with a, b, c, and so on. */
    private int claimAndNumber(int most, int length) {
        long at = writer.claimMany(most, length, length);
        assertThat(at % 8).isZero();
        int claimed = writer.claimed();
        for (int i = 0; i < claimed; i++) {
            writer.memory().set(ValueLayout.JAVA_BYTE, at + (long) i * RecordWriter.stride(length), (byte) ('a' + i));
        }
        writer.commit();
        assertThat(writer.claimed()).isZero();
        return claimed;
    }

    @Test
    void manyThatAreAbortedAreNotSent() {
        assertThat(writer.claimMany(3, 8, 1)).isNotNegative();
        assertThat(writer.claimed()).isEqualTo(3);
        assertThatThrownBy(() -> writer.claimMany(1, 8, 1)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> writer.commit(4)).isInstanceOf(IllegalStateException.class);
        writer.abort();
        assertThatThrownBy(() -> writer.claimMany(0, 8, 1)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> writer.claimMany(1, -1, 1)).isInstanceOf(IllegalArgumentException.class);
        assertThat(put("after", 2)).isTrue();
        assertThat(writer.flush()).isTrue();
        await(1);
        assertThat(received).containsExactly("2:after");
    }

    @Test
    void theFormatIsTheDocumentedOne() {
        assertThat(put("abc", 0x01020304)).isTrue();
        assertThat(put("", -1)).isTrue();
        assertThat(put("12345678", 7)).isTrue();
        assertThat(writer.flush()).isTrue();
        List<byte[]> messages = new ArrayList<>();
        SlotHandler raw = (memory, offset, length, id) ->
                messages.add(memory.asSlice(offset, length).toArray(ValueLayout.JAVA_BYTE));
        Machine.until("it", () -> consumer.poll(raw, 1) > 0, pair.machine.engine);
        byte[] message = messages.getFirst();
        assertThat(message).hasSize(8 + 16 + 8 + 16);
        assertThat(message).startsWith(0, 0, 0, 0);
        assertThat(Arrays.copyOfRange(message, 8, 19)).containsExactly(3, 0, 0, 0, 4, 3, 2, 1, 'a', 'b', 'c');
        assertThat(Arrays.copyOfRange(message, 24, 48))
                .containsExactly(
                        0, 0, 0, 0, -1, -1, -1, -1, 8, 0, 0, 0, 7, 0, 0, 0, '1', '2', '3', '4', '5', '6', '7', '8');
    }

    @Test
    void aLoneRecordGoesOutWithTheNextProgress() {
        writer.setMaxDelay(NEVER);
        put("alone", 1);
        assertThat(writer.progress()).isTrue();
        Machine.until(
                "it",
                () -> {
                    consumer.poll(reader, 3);
                    return received.size() == 1;
                },
                receiving);
        assertThat(received).containsExactly("1:alone");
    }

    @Test
    void whatFollowsWaitsWhileSomethingIsInFlightUntilItIsTooOld() {
        open(SIZE, 4, 1);
        writer.setMaxDelay(NEVER);
        put("first", 1);
        writer.flush();
        put("second", 2);
        writer.flush(); // no buffer is posted for it: it stays in flight
        put("third", 3);
        for (int i = 0; i < 20; i++) {
            writer.progress();
        }
        assertThat(producer.inFlight()).isEqualTo(1);
        put("fourth", 4);
        writer.setMaxDelay(Duration.ZERO);
        assertThat(writer.progress()).isTrue();
        assertThat(producer.inFlight()).isEqualTo(2);
        put("fifth", 5);
        writer.setMaxDelay(Duration.ofNanos(1));
        Machine.until(
                "the delay has passed",
                () -> {
                    writer.progress();
                    return producer.inFlight() == 3;
                },
                pair.machine.engine);
        await(5);
        assertThat(received).containsExactly("1:first", "2:second", "3:third", "4:fourth", "5:fifth");
        assertThat(consumer.received()).isEqualTo(4);
        assertThatThrownBy(() -> writer.setMaxDelay(Duration.ofNanos(-1))).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void aWriterWithoutRoomIsToldWhoseTurnItIs() {
        writer.setMaxDelay(NEVER);
        String one = "x".repeat(writer.maxLength());
        int written = 0;
        while (put(one, written)) {
            written++;
        }
        assertThat(written).isEqualTo(4); // three have been sent and one is open, or all four
        assertThat(writer.claim(1, 0)).isIn(SlotProducer.NO_SLOT, SlotProducer.NO_PEER_RECEIVE);
        assertThat(writer.offer(MemorySegment.ofArray(new byte[1]), 0).accepted())
                .isFalse();
        await(4);
        pair.machine.until("completions", () -> producer.inFlight() == 0);
        assertThat(writer.offer(MemorySegment.ofArray("more".getBytes(UTF_8)), 9))
                .isEqualTo(SubmitResult.ACCEPTED);
        writer.flush();
        await(5);
        assertThat(received.getLast()).isEqualTo("9:more");
    }

    @Test
    void oneRecordIsClaimedAtATime() {
        assertThatThrownBy(writer::commit).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> writer.commit(0)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(writer::abort).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> writer.claim(writer.maxLength() + 1, 0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("496");
        assertThatThrownBy(() -> writer.claim(-1, 0)).isInstanceOf(IllegalArgumentException.class);
        long at = writer.claim(100, 5);
        assertThatThrownBy(() -> writer.claim(1, 0))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("claimed already");
        assertThatThrownBy(writer::flush).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> writer.commit(101)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> writer.commit(-1)).isInstanceOf(IllegalArgumentException.class);
        writer.progress(); // leaves the claimed record alone
        writer.memory().set(ValueLayout.JAVA_BYTE, at, (byte) 'z');
        writer.commit(1);
        put("gone", 6);
        long again = writer.claim(4, 7);
        writer.abort();
        assertThat(writer.claim(4, 8)).isEqualTo(again);
        writer.abort();
        writer.flush();
        await(2);
        assertThat(received).containsExactly("5:z", "6:gone");
        assertThatThrownBy(() ->
                        CompletableFuture.runAsync(() -> writer.claim(1, 1)).join())
                .isInstanceOf(CompletionException.class)
                .hasCauseInstanceOf(WrongThreadException.class);
    }

    @Test
    void anEmptyMessageIsNotSent() {
        writer.claim(10, 1);
        writer.abort();
        assertThat(writer.flush()).isTrue();
        assertThat(producer.inFlight()).isZero();
        assertThat(writer.progress()).isFalse();
    }

    @Test
    void aSlotThatIsNoMultipleOfEightIsUsedUpToOne() {
        open(38, 2, 2);
        assertThat(writer.maxLength()).isEqualTo(16);
        put("0123456789abcdef", 1);
        writer.flush();
        await(1);
        assertThat(received).containsExactly("1:0123456789abcdef");
        SlotProducer tiny = pair.hostSide.slotProducer(pair.machine.engine, 15).start();
        assertThatThrownBy(() -> new RecordWriter(tiny, 1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("no room");
    }

    @Test
    void whatAHandlerThrowsForOneRecordDoesNotKeepTheOthersFromIt() {
        for (int i = 0; i < 5; i++) {
            put("r", i);
        }
        writer.flush();
        RecordReader failing = new RecordReader((memory, offset, length, type, id) -> {
            received.add(Integer.toString(type));
            if (type == 1 || type == 3) {
                throw new ArithmeticException("on purpose " + type);
            }
        });
        assertThatThrownBy(() -> Machine.until("the message", () -> consumer.poll(failing, 1) > 0, pair.machine.engine))
                .isInstanceOf(ArithmeticException.class)
                .hasMessage("on purpose 1")
                .satisfies(e -> assertThat(e.getSuppressed()).hasSize(1));
        assertThat(received).containsExactly("0", "1", "2", "3", "4");
        assertThat(consumer.posted()).isEqualTo(4);
    }

    private int sentRaw;

    /** The next message of a writer 0. */
    private MemorySegment raw(int... bytes) {
        ByteBuffer message = ByteBuffer.allocate(8 + bytes.length).order(ByteOrder.LITTLE_ENDIAN);
        message.putInt(sentRaw++).putInt(0);
        for (int b : bytes) {
            message.put((byte) b);
        }
        return MemorySegment.ofArray(message.array());
    }

    private void assertCorrupt(int handedOver, int... bytes) {
        assertCorrupt(handedOver, raw(bytes));
    }

    private void assertCorrupt(int handedOver, MemorySegment message) {
        received.clear();
        pair.machine.until("room", () -> producer.offer(message, consumer.id()).accepted());
        assertThatThrownBy(() -> Machine.until("the message", () -> consumer.poll(reader, 1) > 0, pair.machine.engine))
                .isInstanceOf(UncheckedIOException.class)
                .hasCauseInstanceOf(StreamCorruptedException.class)
                .hasMessageContaining("producer " + producer.id());
        assertThat(received).hasSize(handedOver);
    }

    @Test
    void whatIsNotARowOfRecordsIsRefused() {
        assertCorrupt(0, 1);
        assertCorrupt(0, 0, 0, 0, 0, 0, 0, 0);
        assertCorrupt(0, 1, 0, 0, 0, 0, 0, 0, 0); // longer than the message
        assertCorrupt(0, -1, -1, -1, -1, 0, 0, 0, 0, 0); // negative
        assertCorrupt(0, -1, -1, -1, 0x7f, 0, 0, 0, 0, 0); // the largest
        assertCorrupt(1, 1, 0, 0, 0, 0, 0, 0, 0, 'x'); // without its padding
        assertCorrupt(1, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0);
        assertCorrupt(1, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3);
        assertCorrupt(0, MemorySegment.ofArray(new byte[0])); // without its number
        assertCorrupt(0, MemorySegment.ofArray(new byte[7]));
        received.clear();
        MemorySegment none = raw();
        pair.machine.until("room", () -> producer.offer(none, consumer.id()).accepted());
        Machine.until("the message", () -> consumer.poll(reader, 1) > 0, pair.machine.engine);
        assertThat(received).isEmpty(); // a message without records is none
    }

    /** Sends one record in each of six messages, of which one is lost. */
    private void sendAndLose(EmulatedFaults faults) {
        open(SIZE, 8, 8);
        faults.apply();
        try {
            for (int i = 0; i < 6; i++) {
                assertThat(put("r", i)).isTrue();
                assertThat(writer.flush()).isTrue();
            }
            pair.machine.until("all to be sent", () -> producer.inFlight() == 0);
        } catch (DocaException e) {
            assertThat(e.error()).as("there is no handler of failed sends").isEqualTo(DocaError.IO_FAILED);
        }
    }

    private static EmulatedFaults fault(boolean atReceiver) {
        return atReceiver
                ? new EmulatedFaults().loseReceive(3, DocaError.IO_FAILED)
                : new EmulatedFaults().failSend(3, DocaError.IO_FAILED);
    }

    private void pollTo(RecordReader target, int records) {
        Machine.until(
                records + " records",
                () -> {
                    consumer.poll(target, 3);
                    return received.size() == records;
                },
                pair.machine.engine);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aMessageThatIsMissingEndsTheReaderInItsPlace(boolean atReceiver) {
        try {
            sendAndLose(fault(atReceiver));
            for (int i = 0; i < 2; i++) {
                assertThatThrownBy(() -> pollTo(reader, 6))
                        .isInstanceOf(DocaException.class)
                        .hasMessageContaining("1 messages are missing after the first 2")
                        .extracting(e -> ((DocaException) e).error())
                        .isEqualTo(DocaError.IO_FAILED);
                assertThat(received).containsExactly("0:r", "1:r");
            }
            assertThat(consumer.isClosed()).isFalse();
            received.clear();
            RecordWriter other = new RecordWriter(producer, consumer.id());
            assertThat(other.offer(MemorySegment.ofArray("o".getBytes(UTF_8)), 9)
                            .accepted())
                    .isTrue();
            Machine.until(
                    "the messages of the other writer",
                    () -> {
                        var _ = other.flush();
                        try {
                            consumer.poll(reader, 1);
                        } catch (DocaException e) {
                            assertThat(e).hasMessageContaining("1 messages are missing");
                        }
                        return !received.isEmpty();
                    },
                    pair.machine.engine);
            assertThat(received).as("that of another one is not concerned").containsExactly("9:o");
        } finally {
            EmulatedFaults.clear();
        }
    }

    @Test
    void aReceiveThatFailsIsNoGap() {
        try {
            sendAndLose(new EmulatedFaults().failReceive(3, DocaError.IO_FAILED));
            pollTo(reader, 6);
            assertThat(received).containsExactly("0:r", "1:r", "2:r", "3:r", "4:r", "5:r");
            assertThat(consumer.failed()).isEqualTo(1);
            assertThat(consumer.posted()).isEqualTo(8);
        } finally {
            EmulatedFaults.clear();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aReaderThatIsToldOfWhatIsMissingGoesOn(boolean atReceiver) {
        try {
            sendAndLose(fault(atReceiver));
            RecordReader enduring = new RecordReader(
                    (memory, offset, length, type, id) -> received.add(Integer.toString(type)),
                    missing -> received.add("-" + missing));
            pollTo(enduring, 6);
            assertThat(received).containsExactly("0", "1", "-1", "3", "4", "5");
            assertThat(consumer.posted()).isEqualTo(8);
        } finally {
            EmulatedFaults.clear();
        }
    }

    @Test
    void severalWritersAndReadersCountForThemselves() {
        open(SIZE, 8, 8);
        RecordWriter other = new RecordWriter(producer, consumer.id());
        for (int i = 0; i < 20; i++) {
            RecordWriter next = i % 3 == 0 ? other : writer;
            MemorySegment text = MemorySegment.ofArray(Integer.toString(i).getBytes(UTF_8));
            Machine.until(
                    "room",
                    () -> {
                        consumer.poll(reader, 3);
                        return next.offer(text, 0).accepted();
                    },
                    pair.machine.engine);
            var _ = next.flush();
        }
        await(20);
    }

    @Test
    @Needs(Feature.DISCONNECT)
    void theEndOfTheConnectionIsToldAndTheWriterIsOfNoMoreUse() {
        put("never", 1);
        pair.dpuSide.disconnect();
        pair.machine.until("the end", () -> !producer.isRunning());
        assertThatThrownBy(writer::flush).isInstanceOf(ConnectionClosedException.class);
        assertThatThrownBy(() -> writer.claim(1, 1)).isInstanceOf(ConnectionClosedException.class);
    }
}
