package io.github.comch4j.comch;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.comch4j.DocaError;
import io.github.comch4j.Feature;
import io.github.comch4j.Machine;
import io.github.comch4j.Needs;
import io.github.comch4j.core.ContextState;
import io.github.comch4j.core.ProgressEngine;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Immediate data beside the messages of a slot producer. */
@Timeout(60)
@Needs(Feature.IMMEDIATE_DATA)
class SlotImmediateTest extends BothForms {
    private static final int SIZE = 64;

    private final Pair pair = new Pair();
    private final ProgressEngine receiving = ProgressEngine.create();
    private final List<String> received = new ArrayList<>();
    private SlotConsumer consumer;
    private final SlotHandler note = (memory, offset, length, id) ->
            received.add(text(memory.asSlice(offset, length)) + "+" + text(consumer.immediate()));

    @AfterEach
    void close() {
        pair.close();
        receiving.close();
    }

    private static String text(MemorySegment bytes) {
        return new String(bytes.toArray(ValueLayout.JAVA_BYTE), UTF_8);
    }

    private static MemorySegment heap(String text) {
        return MemorySegment.ofArray(text.getBytes(UTF_8));
    }

    private SlotProducer open(int slots, int posts) {
        consumer = pair.dpuSide.slotConsumer(receiving, SIZE).tasks(posts).start(Machine.PATIENCE);
        pair.awaitKnown(consumer.id());
        return pair.hostSide
                .slotProducer(pair.machine.engine, SIZE)
                .tasks(slots)
                .start();
    }

    /** Notes what has failed, and how. */
    private SlotProducer producer(int slots, List<String> failures) {
        return pair.hostSide
                .slotProducer(pair.machine.engine, SIZE)
                .tasks(slots)
                .onSendFailed((self, offset, length, status) ->
                        failures.add(text(self.memory().asSlice(offset, length)) + " " + status))
                .start();
    }

    private int deviceLimit() {
        return (int) Capabilities.of(pair.machine.host).maxImmediateLength();
    }

    private boolean put(SlotProducer producer, int to, String text, MemorySegment immediate) {
        long at = producer.claim(SIZE, to);
        if (at < 0) {
            return false;
        }
        MemorySegment.copy(heap(text), 0, producer.memory(), at, text.length());
        if (immediate == null) {
            producer.commit(text.length());
        } else {
            producer.commit(text.length(), immediate);
        }
        return true;
    }

    private void awaitReceived(int count) {
        Machine.until(
                count + " messages",
                () -> {
                    consumer.poll(note, 3);
                    return received.size() == count;
                },
                pair.machine.engine);
    }

    @Test
    void theyTravelBesideTheMessageInAllLengths() {
        SlotProducer producer = open(3, 2); // more than are posted: some wait in the queue
        int limit = deviceLimit();
        assertThat(limit).isPositive();
        List<String> expected = new ArrayList<>();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment bytes = arena.allocate(limit);
            int[] next = {0};
            Machine.until(
                    "all",
                    () -> {
                        int number = next[0];
                        String text = "m".repeat(number % (SIZE + 1));
                        String immediate = ("i" + number + "-".repeat(limit)).substring(0, number % (limit + 1));
                        MemorySegment.copy(heap(immediate), 0, bytes, 0, immediate.length());
                        if (number < 500
                                && put(
                                        producer,
                                        consumer.id(),
                                        text,
                                        number % 3 == 0 ? null : bytes.asSlice(0, immediate.length()))) {
                            expected.add(text + "+" + (number % 3 == 0 ? "" : immediate));
                            next[0]++;
                        }
                        consumer.poll(note, 2);
                        return received.size() == 500;
                    },
                    pair.machine.engine);
        }
        assertThat(received).isEqualTo(expected);
        assertThat(producer.failed()).isZero();
        pair.machine.until("completions", () -> producer.inFlight() == 0);
        assertThat(producer.sentBytes())
                .isEqualTo(IntStream.range(0, 500).map(i -> i % (SIZE + 1)).sum());
    }

    @Test
    void theyAreCopiedWhenTheMessageIsCommitted() {
        SlotProducer producer = open(8, 4);
        byte[] reused = new byte[4];
        MemorySegment segment = MemorySegment.ofArray(reused);
        for (int i = 0; i < 8; i++) {
            java.util.Arrays.fill(reused, (byte) ('a' + i));
            assertThat(put(producer, consumer.id(), Integer.toString(i), segment))
                    .isTrue();
        }
        java.util.Arrays.fill(reused, (byte) '?');
        awaitReceived(8);
        assertThat(received)
                .isEqualTo(IntStream.range(0, 8)
                        .mapToObj(i -> i + "+" + Character.toString('a' + i).repeat(4))
                        .toList());
    }

    @Test
    void aSlotThatHadSomeHasNoneTheNextTime() {
        SlotProducer producer = open(1, 16);
        List<String> expected = new ArrayList<>();
        for (String immediate : new String[] {"one", "", "other", "longer than that", null, "x", null, null, "y"}) {
            pair.machine.until(
                    "the slot", () -> put(producer, consumer.id(), "same", immediate == null ? null : heap(immediate)));
            expected.add("same+" + (immediate == null ? "" : immediate));
        }
        awaitReceived(expected.size());
        assertThat(received).isEqualTo(expected);
    }

    @Test
    void messagesThatWaitToBePolledKeepTheirs() {
        SlotProducer producer = open(4, 4);
        for (int i = 0; i < 4; i++) {
            put(producer, consumer.id(), "late", heap("imm " + i));
        }
        producer.flush();
        Machine.until("all", () -> consumer.received() == 4, receiving);
        awaitReceived(4);
        assertThat(received).containsExactly("late+imm 0", "late+imm 1", "late+imm 2", "late+imm 3");
    }

    @Test
    void aMessageNeedNotBePolledForTheConsumerToEnd() {
        SlotProducer producer = open(2, 2);
        put(producer, consumer.id(), "last", heap("imm"));
        producer.flush();
        pair.client.close();
        Machine.until(
                "the consumer's end", () -> consumer.state() == ContextState.IDLE, pair.machine.engine, receiving);
        assertThat(consumer.received()).isEqualTo(1);
        awaitReceived(1);
        assertThat(received).containsExactly("last+imm");
    }

    @Test
    void aMessageOfNoBytesCanHaveSome() {
        SlotProducer producer = open(2, 2);
        assertThat(producer.claim(0, consumer.id())).isNotNegative();
        producer.commit(0, heap("alone"));
        awaitReceived(1);
        assertThat(received).containsExactly("+alone");
    }

    @Test
    void theyArriveInBuffersTooAndWhatTheConsumerDoesNotTakeFails() {
        List<String> failures = new ArrayList<>();
        ComchConsumer buffers = pair.dpuSide
                .consumer(receiving, pair.receiveMemory)
                .immediateLength(4)
                .buffers(4, 4096)
                .onReceive((self, buffer, id, immediate) -> received.add(text(buffer.data()) + "+" + text(immediate)))
                .start(Machine.PATIENCE);
        pair.awaitKnown(buffers.id());
        SlotProducer producer = producer(1, failures);
        String[] immediates = {"1234", "12345", "1", null, "123456", null, "abcd"};
        for (String immediate : immediates) {
            Machine.until(
                    "the slot",
                    () -> put(producer, buffers.id(), "to buffers", immediate == null ? null : heap(immediate)),
                    pair.machine.engine,
                    receiving);
        }
        Machine.until("all", () -> received.size() + failures.size() == 7, pair.machine.engine, receiving);
        assertThat(received)
                .containsExactly("to buffers+1234", "to buffers+1", "to buffers+", "to buffers+", "to buffers+abcd");
        assertThat(failures).containsExactly("to buffers INVALID_VALUE", "to buffers INVALID_VALUE");
        assertThat(producer.failed()).isEqualTo(2);
    }

    @Test
    void aConsumerThatTakesNoneGetsMessagesWithoutThem() {
        List<String> failures = new ArrayList<>();
        consumer = pair.dpuSide
                .slotConsumer(receiving, SIZE)
                .tasks(4)
                .immediateLength(0)
                .start(Machine.PATIENCE);
        assertThat(consumer.immediateLength()).isZero();
        pair.awaitKnown(consumer.id());
        SlotProducer producer = producer(4, failures);
        put(producer, consumer.id(), "plain", null);
        put(producer, consumer.id(), "with", heap("i"));
        put(producer, consumer.id(), "again", null);
        pair.machine.until("the failure", () -> failures.size() == 1);
        awaitReceived(2);
        put(producer, consumer.id(), "row", null);
        Machine.until(
                "the row",
                () -> consumer.pollRows(
                                (memory, offset, count, length, id) -> note.onMessage(memory, offset, length, id), 4)
                        == 1,
                pair.machine.engine);
        assertThat(received).containsExactly("plain+", "again+", "row+");
        assertThat(failures).containsExactly("with INVALID_VALUE");
    }

    @Test
    void whatIsWrongIsRefusedAndTheSlotStaysClaimed() {
        SlotProducer producer = open(2, 2);
        MemorySegment one = heap("1");
        assertThatThrownBy(() -> producer.commit(0, one))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("no slot");
        long at = producer.claim(10, consumer.id());
        assertThatThrownBy(() -> producer.commit(1, MemorySegment.ofArray(new byte[deviceLimit() + 1])))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("takes at most " + deviceLimit());
        assertThatThrownBy(() -> producer.commit(11, one))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("10 are claimed");
        assertThatThrownBy(() -> producer.commit(-1, one)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> producer.commit(1, null)).isInstanceOf(NullPointerException.class);
        MemorySegment closed;
        try (Arena arena = Arena.ofConfined()) {
            closed = arena.allocate(4);
        }
        assertThatThrownBy(() -> producer.commit(1, closed)).isInstanceOf(IllegalStateException.class);
        assertThat(producer.inFlight()).isZero();
        MemorySegment.copy(heap("still"), 0, producer.memory(), at, 5);
        producer.commit(5, one);
        awaitReceived(1);
        assertThat(received).containsExactly("still+1");
    }

    @Test
    void aClaimIsVoidOnceTheConnectionHasEnded() {
        SlotProducer producer = open(2, 2);
        MemorySegment one = heap("1");
        assertThat(producer.claim(1, consumer.id())).isNotNegative();
        pair.dpuSide.disconnect();
        pair.machine.until("the end", () -> !producer.isRunning());
        assertThatThrownBy(() -> producer.commit(1, one)).isInstanceOf(ConnectionClosedException.class);
        assertThatThrownBy(() -> producer.commit(1, one))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("no slot");
        producer.close();
        assertThatThrownBy(() -> producer.commit(1, one))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("closed");
    }

    @Test
    void whatNobodyKnowsFailsAndItsSlotIsAsGoodAsNew() {
        List<DocaError> failures = new ArrayList<>();
        consumer = pair.dpuSide.slotConsumer(receiving, SIZE).tasks(2).start(Machine.PATIENCE);
        pair.awaitKnown(consumer.id());
        SlotProducer producer = pair.hostSide
                .slotProducer(pair.machine.engine, SIZE)
                .tasks(1)
                .onSendFailed((self, offset, length, status) -> failures.add(status))
                .start();
        assertThat(put(producer, 4711, "lost", heap("with it"))).isTrue();
        pair.machine.until("the failure", () -> failures.size() == 1);
        assertThat(put(producer, consumer.id(), "plain", null)).isTrue();
        awaitReceived(1);
        assertThat(received).containsExactly("plain+");
        assertThat(failures).containsExactly(DocaError.INVALID_VALUE);
    }
}
