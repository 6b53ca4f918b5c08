package io.github.comch4j.comch;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.comch4j.Feature;
import io.github.comch4j.Machine;
import io.github.comch4j.Needs;
import io.github.comch4j.core.ProgressEngine;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Messages in slots that are polled in rows. */
@Timeout(60)
class SlotRowsTest extends BothForms {
    private static final int SIZE = 200;
    private static final SlotRowHandler NOTHING = (memory, offset, count, length, id) -> {};

    private final Pair pair = new Pair();
    private final ProgressEngine receiving = ProgressEngine.create();
    private SlotConsumer consumer;
    private final List<String> received = new ArrayList<>();
    private final List<Integer> rows = new ArrayList<>();
    private final SlotRowHandler note = (memory, offset, count, length, id) -> {
        rows.add(count);
        for (int i = 0; i < count; i++) {
            received.add(text(memory.asSlice(offset + i * consumer.stride(), length)));
        }
    };

    @AfterEach
    void close() {
        pair.close();
        receiving.close();
    }

    private static String text(MemorySegment bytes) {
        return new String(bytes.toArray(ValueLayout.JAVA_BYTE), UTF_8);
    }

    private SlotProducer open(int posts, int slots) {
        consumer = pair.dpuSide.slotConsumer(receiving, SIZE).tasks(posts).start(Machine.PATIENCE);
        pair.awaitKnown(consumer.id());
        return producer(slots);
    }

    private SlotProducer producer(int slots) {
        return pair.hostSide
                .slotProducer(pair.machine.engine, SIZE)
                .tasks(slots)
                .start();
    }

    private boolean put(SlotProducer producer, String text) {
        return producer.offer(MemorySegment.ofArray(text.getBytes(UTF_8)), consumer.id())
                .accepted();
    }

    private void awaitReceived(int number) {
        Machine.until(
                number + " messages",
                () -> {
                    consumer.pollRows(note, 100);
                    return received.size() >= number;
                },
                pair.machine.engine);
    }

    @Test
    void messagesArriveInTheirOrderAndWhole() {
        SlotProducer producer = open(16, 64);
        assertThat(consumer.stride()).isEqualTo(256);
        Random random = new Random(20261124);
        List<String> expected = new ArrayList<>();
        Machine.until(
                "all",
                () -> {
                    for (int i = random.nextInt(40); i > 0 && expected.size() < 3000; i--) {
                        String text = expected.size() + ".".repeat(random.nextInt(5) == 0 ? random.nextInt(90) : 0);
                        if (put(producer, text)) {
                            expected.add(text);
                        }
                    }
                    int most = 1 + random.nextInt(20);
                    int before = received.size();
                    if (random.nextInt(4) == 0) {
                        receiving.progress(1 + random.nextInt(4)); // these wait for the poll
                    }
                    int polled = consumer.pollRows(note, most, random.nextInt(2));
                    assertThat(polled).isEqualTo(received.size() - before).isBetween(0, most);
                    return expected.size() >= 3000 && received.size() == expected.size();
                },
                pair.machine.engine);
        assertThat(received).isEqualTo(expected);
        assertThat(rows).allMatch(count -> batched ? count >= 1 : count == 1);
        assertThat(rows.stream().mapToInt(count -> count).max().orElseThrow() > 4)
                .isEqualTo(batched);
        assertThat(consumer.received()).isEqualTo(3000);
        assertThat(consumer.receivedBytes())
                .isEqualTo(expected.stream().mapToLong(String::length).sum());
        assertThat(consumer.posted()).isEqualTo(16);
    }

    @Test
    void whatIsLeftOfARowIsPolledInAnyWay() {
        SlotProducer producer = open(16, 16);
        for (char c = 'a'; c <= 'l'; c++) {
            put(producer, Character.toString(c));
        }
        producer.flush();
        SlotHandler one = (memory, offset, length, id) -> received.add("1" + text(memory.asSlice(offset, length)));
        assertThat(consumer.pollRows(note, 1)).isEqualTo(1);
        assertThat(consumer.poll(one, 2)).isEqualTo(2);
        assertThat(consumer.pollRows(note, 3)).isEqualTo(3);
        receiving.progress(2); // these wait for the poll
        assertThat(consumer.poll(one, 1)).isEqualTo(1);
        awaitReceived(12);
        assertThat(received).containsExactly("a", "1b", "1c", "d", "e", "f", "1g", "h", "i", "j", "k", "l");
        assertThat(rows).isEqualTo(batched ? List.of(1, 3, 1, 4) : List.of(1, 1, 1, 1, 1, 1, 1, 1, 1));
        assertThat(consumer.posted()).isEqualTo(16);
        assertThat(consumer.received()).isEqualTo(12);
    }

    /** An upcall in the middle of a poll is of the connection's other side, which tells of its new consumers. */
    @Test
    void aRowThatAnUpcallEndsIsWhole() {
        consumer =
                pair.dpuSide.slotConsumer(pair.machine.engine, SIZE).tasks(16).start(Machine.PATIENCE);
        pair.awaitKnown(consumer.id());
        SlotProducer producer = producer(16);
        List<String> expected = new ArrayList<>();
        for (int round = 0; round < 300; round++) {
            for (int i = 0; i < 12; i++) {
                String text = round + "." + i;
                assertThat(put(producer, text)).isTrue();
                expected.add(text);
            }
            try (SlotConsumer other =
                    pair.hostSide.slotConsumer(receiving, SIZE).tasks(1).start()) {
                producer.flush();
                pair.machine.until("the other consumer", () -> {
                    receiving.progress(100);
                    consumer.pollRows(note, 100);
                    return other.isRunning() && received.size() == expected.size();
                });
            }
        }
        assertThat(received).isEqualTo(expected);
    }

    @Test
    void aRowIsOfOneProducer() {
        SlotProducer first = open(16, 16);
        SlotProducer second = producer(16);
        for (int i = 0; i < 9; i++) {
            put(i % 3 == 0 ? first : second, Integer.toString(i));
            first.flush();
            second.flush();
        }
        List<Integer> producers = new ArrayList<>();
        SlotRowHandler handler = (memory, offset, count, length, id) -> {
            note.onMessages(memory, offset, count, length, id);
            producers.add(id);
        };
        Machine.until(
                "all",
                () -> {
                    consumer.pollRows(handler, 100);
                    return received.size() == 9;
                },
                pair.machine.engine);
        assertThat(received)
                .isEqualTo(IntStream.range(0, 9).mapToObj(Integer::toString).toList());
        assertThat(rows).allMatch(count -> count <= 9);
        assertThat(producers).hasSameSizeAs(rows);
    }

    @Test
    void whatAHandlerThrowsComesOutAndItsSlotsArePostedAgain() {
        SlotProducer producer = open(8, 16);
        for (int i = 0; i < 4; i++) {
            put(producer, Integer.toString(i));
        }
        assertThat(producer.flush()).isTrue();
        int[] given = {0};
        SlotRowHandler failing = (memory, offset, count, length, id) -> {
            given[0] += count;
            throw new ArithmeticException("on purpose");
        };
        int thrown = 0;
        while (given[0] < 4) {
            try {
                consumer.pollRows(failing, 100);
                pair.machine.engine.progress();
            } catch (ArithmeticException e) {
                thrown++;
            }
        }
        assertThat(thrown).isEqualTo(batched ? 1 : 4);
        assertThat(consumer.posted()).isEqualTo(8);
        assertThat(consumer.received()).isEqualTo(4);
        for (int i = 0; i < 12; i++) {
            put(producer, "later");
        }
        awaitReceived(12);
        assertThat(received).hasSize(12).containsOnly("later");
    }

    @Test
    @Needs(Feature.IMMEDIATE_DATA)
    void aMessageWithImmediateDataIsARowOfItsOwn() {
        SlotProducer producer = open(8, 8);
        for (int i = 0; i < 6; i++) {
            long at = producer.claim(1, consumer.id());
            producer.memory().set(ValueLayout.JAVA_BYTE, at, (byte) ('a' + i));
            if (i == 3) {
                producer.commit(1, MemorySegment.ofArray("now".getBytes(UTF_8)));
            } else {
                producer.commit();
            }
        }
        List<String> immediates = new ArrayList<>();
        SlotRowHandler handler = (memory, offset, count, length, id) -> {
            note.onMessages(memory, offset, count, length, id);
            immediates.add(count + text(consumer.immediate()));
        };
        Machine.until(
                "all",
                () -> {
                    consumer.pollRows(handler, 100);
                    return received.size() == 6;
                },
                pair.machine.engine);
        assertThat(received).containsExactly("a", "b", "c", "d", "e", "f");
        assertThat(immediates)
                .contains("1now")
                .filteredOn(text -> text.contains("now"))
                .hasSize(1);
    }

    @Test
    void theConnectionEndsWhileARowIsHandled() {
        SlotProducer producer = open(8, 8);
        for (int i = 0; i < 5; i++) {
            put(producer, Integer.toString(i));
        }
        assertThat(producer.flush()).isTrue();
        SlotRowHandler handler = (memory, offset, count, length, id) -> {
            note.onMessages(memory, offset, count, length, id);
            if (pair.client.isConnected()) {
                pair.client.close();
            }
        };
        Machine.until(
                "the end",
                () -> {
                    consumer.pollRows(handler, 100);
                    return received.size() == 5 && !consumer.isRunning();
                },
                pair.machine.engine);
        assertThat(received).containsExactly("0", "1", "2", "3", "4");
        assertThat(consumer.posted()).isZero();
        consumer.close();
    }

    @Test
    void misuseIsRefused() {
        SlotProducer producer = open(4, 4);
        assertThatThrownBy(() -> consumer.pollRows(NOTHING, 0)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> consumer.pollRows(NOTHING, 1, -1)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> consumer.pollRows(null, 1)).isInstanceOf(NullPointerException.class);
        put(producer, "it");
        List<Throwable> thrown = new ArrayList<>();
        SlotRowHandler polls = (memory, offset, count, length, id) -> {
            try {
                consumer.pollRows(NOTHING, 1);
            } catch (RuntimeException e) {
                thrown.add(e);
            }
        };
        Machine.until("it", () -> consumer.pollRows(polls, 1) == 1, pair.machine.engine);
        assertThat(thrown).singleElement().isInstanceOf(IllegalStateException.class);
        consumer.close();
        assertThatThrownBy(() -> consumer.pollRows(NOTHING, 1)).isInstanceOf(IllegalStateException.class);
        try (SlotConsumer other = pair.dpuSide
                .slotConsumer(receiving, SIZE)
                .onMessage((memory, offset, length, id) -> {})
                .start(Machine.PATIENCE)) {
            assertThatThrownBy(() -> other.pollRows(NOTHING, 1)).hasMessageContaining("has a handler");
        }
    }
}
