package io.github.comch4j.comch;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.github.comch4j.DocaError;
import io.github.comch4j.DocaException;
import io.github.comch4j.Feature;
import io.github.comch4j.Machine;
import io.github.comch4j.Needs;
import io.github.comch4j.SubmitResult;
import io.github.comch4j.core.Buffer;
import io.github.comch4j.core.ContextState;
import io.github.comch4j.core.ProgressEngine;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Messages in slots of registered memory. */
@Timeout(60)
class SlotsTest extends BothForms {
    private static final int SIZE = 200;

    private final Pair pair = new Pair();
    /** The consumer's engine, so that its messages come with poll() only, unless a test says otherwise. */
    private final ProgressEngine receiving = ProgressEngine.create();

    private final List<String> received = new ArrayList<>();
    private final SlotHandler note = (memory, offset, length, producer) -> received.add(text(memory, offset, length));

    @AfterEach
    void close() {
        pair.close();
        receiving.close();
    }

    private static String text(MemorySegment memory, long offset, int length) {
        return new String(memory.asSlice(offset, length).toArray(ValueLayout.JAVA_BYTE), UTF_8);
    }

    private SlotConsumer consumer(int slots) {
        return pair.dpuSide.slotConsumer(receiving, SIZE).tasks(slots).start(Machine.PATIENCE);
    }

    private SlotProducer producer(int slots) {
        return producer(slots, false);
    }

    private SlotProducer producer(int slots, boolean roundRobin) {
        SlotProducer.Builder settings =
                pair.hostSide.slotProducer(pair.machine.engine, SIZE).tasks(slots);
        return (roundRobin ? settings.roundRobin() : settings).start();
    }

    private static void write(SlotProducer producer, long at, String text) {
        byte[] bytes = text.getBytes(UTF_8);
        MemorySegment.copy(bytes, 0, producer.memory(), ValueLayout.JAVA_BYTE, at, bytes.length);
    }

    private static long put(SlotProducer producer, int consumer, String text) {
        long at = producer.claim(text.length(), consumer);
        if (at >= 0) {
            write(producer, at, text);
            producer.commit();
        }
        return at;
    }

    /** Sends {@code from} to {@code to}, taking what arrives meanwhile. */
    private void exchange(SlotProducer producer, SlotConsumer consumer, int from, int to) {
        int expected = received.size() + to - from;
        int[] next = {from};
        Machine.until(
                "messages up to " + to,
                () -> {
                    while (next[0] < to && put(producer, consumer.id(), Integer.toString(next[0])) >= 0) {
                        next[0]++;
                    }
                    consumer.poll(note, 7);
                    return received.size() == expected;
                },
                pair.machine.engine);
    }

    private static List<String> numbers(int from, int to) {
        return IntStream.range(from, to).mapToObj(Integer::toString).toList();
    }

    @Test
    void messagesOfAllLengthsArriveInTheirOrderAndWhole() {
        SlotConsumer consumer = consumer(4);
        pair.awaitKnown(consumer.id());
        SlotProducer producer = producer(3);
        List<String> expected = new ArrayList<>();
        int[] next = {0};
        Machine.until(
                "all",
                () -> {
                    String text = "x".repeat(next[0] % (SIZE + 1));
                    if (next[0] < 1000 && put(producer, consumer.id(), text) >= 0) {
                        expected.add(text);
                        next[0]++;
                    }
                    int before = received.size();
                    assertThat(consumer.poll(note, 3)).isEqualTo(received.size() - before);
                    return received.size() == 1000;
                },
                pair.machine.engine);
        assertThat(received).isEqualTo(expected);
        pair.machine.until("the completions", () -> producer.inFlight() == 0);
        assertThat(producer.sent()).isEqualTo(1000);
        assertThat(producer.sentBytes())
                .isEqualTo(expected.stream().mapToLong(String::length).sum());
        assertThat(consumer.received()).isEqualTo(1000);
        assertThat(consumer.receivedBytes()).isEqualTo(producer.sentBytes());
        assertThat(producer.failed() + consumer.failed()).isZero();
        assertThat(consumer.posted()).isEqualTo(4);
    }

    @Test
    void slotsBeginAtCacheLinesAndDoNotOverlap() {
        SlotConsumer consumer = consumer(4);
        SlotProducer producer = producer(4);
        List<Long> offsets = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            offsets.add(producer.claim(SIZE, consumer.id()));
            producer.commit();
        }
        assertThat(offsets)
                .doesNotHaveDuplicates()
                .allMatch(offset ->
                        offset % 64 == 0 && offset + SIZE <= producer.memory().byteSize());
        assertThat(offsets.stream().sorted().reduce((a, b) -> {
                    assertThat(b - a).isGreaterThanOrEqualTo(SIZE);
                    return b;
                }))
                .isPresent();
        assertThat(producer.slotSize()).isEqualTo(SIZE);
        assertThat(consumer.slotSize()).isEqualTo(SIZE);
        assertThat(producer.memory().address() % 64).isZero();
    }

    @Test
    void oneSlotIsClaimedAtATime() {
        SlotConsumer consumer = consumer(4);
        pair.awaitKnown(consumer.id());
        SlotProducer producer = producer(2);
        assertThatThrownBy(producer::commit)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("no slot");
        assertThatThrownBy(() -> producer.commit(0))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("no slot");
        assertThatThrownBy(producer::abort)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("no slot");
        long at = producer.claim(10, consumer.id());
        assertThat(at).isNotNegative();
        assertThatThrownBy(() -> producer.claim(10, consumer.id()))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("claimed already");
        producer.abort();
        assertThatThrownBy(producer::commit).isInstanceOf(IllegalStateException.class);
        for (int i = 0; i < 10; i++) { // more than there are: all come back
            assertThat(producer.claim(10, consumer.id())).isNotNegative();
            producer.abort();
        }
        assertThat(producer.inFlight()).isZero();
        exchange(producer, consumer, 0, 10);
        assertThat(received).isEqualTo(numbers(0, 10));
    }

    @Test
    void lengthsAreChecked() {
        SlotConsumer consumer = consumer(4);
        pair.awaitKnown(consumer.id());
        SlotProducer producer = producer(2);
        assertThatThrownBy(() -> producer.claim(SIZE + 1, consumer.id()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("has 200");
        assertThatThrownBy(() -> producer.claim(-1, consumer.id())).isInstanceOf(IllegalArgumentException.class);
        long at = producer.claim(100, consumer.id());
        write(producer, at, "abcdef");
        assertThatThrownBy(() -> producer.commit(101))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("100 are claimed");
        assertThatThrownBy(() -> producer.commit(-1)).isInstanceOf(IllegalArgumentException.class);
        producer.commit(3);
        Machine.until("the message", () -> consumer.poll(note, 1) > 0, pair.machine.engine);
        assertThat(received).containsExactly("abc");
        assertThatThrownBy(() -> pair.hostSide.slotProducer(pair.machine.engine, 0))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> pair.dpuSide.slotConsumer(receiving, -1)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> consumer.poll(note, 0)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> consumer.poll(note, 1, -1)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void aPollThatSpinsBringsWhatIsSentMeanwhile() throws InterruptedException {
        SlotConsumer consumer = consumer(2);
        SlotProducer producer = producer(2);
        pair.awaitKnown(consumer.id());
        assertThat(consumer.poll(note, 5, 100)).isZero();
        pair.machine.engine.release();
        Thread sender = new Thread(() -> {
            pair.machine.engine.takeOver();
            try {
                Thread.sleep(50);
                put(producer, consumer.id(), "late");
                producer.flush();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            } finally {
                pair.machine.engine.release();
            }
        });
        sender.start();
        int polls = 0;
        while (consumer.poll(note, 5, 1 << 16) == 0) {
            polls++; // each of them some milliseconds long, not one look
        }
        assertThat(polls).isLessThan(5000);
        assertThat(received).containsExactly("late");
        sender.join();
        pair.machine.engine.takeOver();
    }

    @Test
    void offerCopies() {
        SlotConsumer consumer = consumer(1);
        pair.awaitKnown(consumer.id());
        SlotProducer producer = producer(1);
        MemorySegment message = MemorySegment.ofArray("copied".getBytes(UTF_8));
        assertThat(producer.offer(message, consumer.id())).isEqualTo(SubmitResult.ACCEPTED);
        assertThat(producer.offer(message, consumer.id()).accepted()).isFalse();
        Machine.until("the message", () -> consumer.poll(note, 1) > 0, pair.machine.engine);
        assertThat(received).containsExactly("copied");
        assertThatThrownBy(() -> producer.offer(MemorySegment.ofArray(new byte[SIZE + 1]), consumer.id()))
                .isInstanceOf(IllegalArgumentException.class);
        assertThat(producer.claim(0, consumer.id())).isNotNegative();
    }

    @Test
    void whatCompletesWhileASlotIsClaimedDoesNotTakeItsPlace() {
        SlotConsumer consumer = consumer(8);
        pair.awaitKnown(consumer.id());
        SlotProducer producer = producer(4);
        for (int round = 0; round < 50; round++) {
            assertThat(put(producer, consumer.id(), "first " + round)).isNotNegative();
            assertThat(put(producer, consumer.id(), "second " + round)).isNotNegative();
            long at = producer.claim(20, consumer.id());
            pair.machine.until("the first two", () -> producer.inFlight() == 0);
            write(producer, at, "third");
            producer.commit(5);
            List<Long> others = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                long other = put(producer, consumer.id(), "other");
                others.add(other);
            }
            assertThat(others).doesNotContain(at).doesNotHaveDuplicates().allMatch(offset -> offset >= 0);
            Machine.until(
                    "all",
                    () -> {
                        consumer.poll(note, 9);
                        return received.size() == 6 && producer.inFlight() == 0;
                    },
                    pair.machine.engine);
            assertThat(received)
                    .containsExactly("first " + round, "second " + round, "third", "other", "other", "other");
            received.clear();
        }
    }

    @Test
    void aProducerWithoutSlotsIsToldWhoseTurnItIs() {
        SlotConsumer consumer = consumer(2);
        pair.awaitKnown(consumer.id());
        SlotProducer producer = producer(4);
        for (int i = 0; i < 4; i++) {
            assertThat(put(producer, consumer.id(), Integer.toString(i))).isNotNegative();
        }
        assertThat(producer.flush()).isFalse(); // two have arrived, two wait for the consumer to post
        assertThat(producer.claim(1, consumer.id())).isEqualTo(SlotProducer.NO_PEER_RECEIVE);
        assertThat(producer.refused()).isEqualTo(1);
        assertThat(producer.retries()).isPositive();
        assertThat(consumer.poll(note, 2)).isEqualTo(2);
        receiving.progress(); // posts
        assertThat(producer.flush()).isTrue();
        assertThat(producer.claim(1, consumer.id()))
                .isEqualTo(SlotProducer.NO_SLOT); // all have gone out, no completion was taken
        assertThat(producer.refused()).isEqualTo(2);
        assertThat(producer.backPressures()).isEqualTo(1);
        pair.machine.until("completions", () -> producer.inFlight() == 0);
        assertThat(producer.claim(1, consumer.id())).isNotNegative();
        Machine.until("the last two", () -> consumer.poll(note, 2) > 0 && received.size() == 4, pair.machine.engine);
        assertThat(received).isEqualTo(numbers(0, 4));
    }

    @Test
    void slotsAreUsedInTheirTurnWhereThatIsAskedFor() {
        SlotConsumer consumer = consumer(8);
        pair.awaitKnown(consumer.id());
        SlotProducer producer = pair.hostSide
                .slotProducer(pair.machine.engine, SIZE)
                .tasks(4)
                .roundRobin()
                .onSendFailed((self, offset, length, status) -> received.add("lost"))
                .start();
        long[] places = new long[30];
        for (int i = 0; i < places.length; i++) {
            if (i % 7 == 3) {
                producer.claim(1, consumer.id());
                producer.abort(); // the next claim gets the same
            }
            places[i] = put(producer, consumer.id(), Integer.toString(i));
            assertThat(places[i]).isEqualTo(i < 4 ? i * 256L : places[i - 4]);
            if (i % 3 == 2) {
                awaitSent(producer, consumer, i + 1);
            }
        }
        for (int i = 0; i < 4; i++) {
            put(producer, i == 1 ? 4711 : consumer.id(), "x"); // one is refused, and free before those ahead of it
        }
        awaitSent(producer, consumer, places.length + 4);
        assertThat(received).contains("lost");
        assertThat(IntStream.range(0, 4).mapToObj(i -> put(producer, consumer.id(), "x")))
                .containsExactlyInAnyOrder(0L, 256L, 2 * 256L, 3 * 256L);
    }

    private void awaitSent(SlotProducer producer, SlotConsumer consumer, int number) {
        Machine.until(
                number + " messages",
                () -> {
                    consumer.poll(note, 4);
                    return received.size() == number && producer.inFlight() == 0;
                },
                pair.machine.engine);
    }

    @Test
    void theSlotThatWasFreeLastIsUsedFirst() {
        SlotConsumer consumer = consumer(8);
        pair.awaitKnown(consumer.id());
        SlotProducer producer = producer(4);
        for (int i = 0; i < 3; i++) {
            assertThat(put(producer, consumer.id(), "x")).isZero();
            pair.machine.until("its completion", () -> producer.inFlight() == 0);
        }
    }

    private static String number(int number, int length) {
        return ("%0" + length + "d").formatted(number);
    }

    /** Writes the next numbers into what is claimed from {@code at} on, unless nothing is. */
    private static int fill(SlotProducer producer, long at, int length, int from) {
        if (at < 0) {
            return 0;
        }
        for (int i = 0; i < producer.claimed(); i++) {
            write(producer, at + i * producer.stride(), number(from + i, length));
        }
        return producer.claimed();
    }

    @ParameterizedTest
    @CsvSource({"false, 1", "false, 2", "true, 3", "true, 4"})
    void rowsOfSlotsArriveInTheirOrderAndWhole(boolean roundRobin, long seed) {
        SlotConsumer consumer = consumer(5);
        pair.awaitKnown(consumer.id());
        SlotProducer producer = producer(40, roundRobin);
        Random random = new Random(seed);
        List<String> expected = new ArrayList<>();
        int[] longest = {0};
        Machine.until(
                "all",
                () -> {
                    int most = 1 + random.nextInt(50);
                    int length = 5 + random.nextInt(SIZE - 5);
                    long at = expected.size() < 3000 ? producer.claimMany(most, length, consumer.id()) : -1;
                    int claimed = fill(producer, at, length, expected.size());
                    assertThat(claimed).isEqualTo(producer.claimed()).isBetween(0, most);
                    if (claimed > 0 && random.nextInt(4) == 0) {
                        pair.machine.engine.progress(1 + random.nextInt(20)); // frees others meanwhile
                    }
                    longest[0] = Math.max(longest[0], claimed);
                    if (claimed > 0 && random.nextInt(5) == 0) {
                        producer.abort();
                    } else if (claimed > 0) {
                        if (random.nextBoolean()) {
                            producer.commit();
                        } else {
                            producer.commitNow();
                        }
                        IntStream.range(expected.size(), expected.size() + claimed)
                                .mapToObj(number -> number(number, length))
                                .forEach(expected::add);
                    }
                    assertThat(producer.claimed()).isZero();
                    if (expected.size() < 3000 && put(producer, consumer.id(), "single") >= 0) {
                        expected.add("single");
                    }
                    consumer.poll(note, 1 + random.nextInt(60));
                    return expected.size() >= 3000 && received.size() == expected.size();
                },
                pair.machine.engine);
        assertThat(received).isEqualTo(expected);
        assertThat(longest[0]).isGreaterThan(2);
        pair.machine.until("the completions", () -> producer.inFlight() == 0);
        assertThat(producer.sent()).isEqualTo(expected.size());
        assertThat(producer.sentBytes())
                .isEqualTo(expected.stream().mapToLong(String::length).sum());
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void asManySlotsAreClaimedAsLieSideBySide(boolean roundRobin) {
        SlotConsumer consumer = consumer(64);
        pair.awaitKnown(consumer.id());
        SlotProducer producer = producer(16, roundRobin); // doca_cc has powers of two
        assertThat(producer.stride()).isEqualTo(256);
        assertThat(producer.claimed()).isZero();
        assertThat(producer.claimMany(7, 5, consumer.id())).isZero();
        assertThat(producer.claimed()).isEqualTo(7);
        producer.abort();
        assertThat(producer.claimMany(100, 5, consumer.id())).isZero();
        assertThat(producer.claimed()).isEqualTo(16);
        fill(producer, 0, 5, 0);
        assertThat(producer.commitNow()).isTrue();
        assertThat(producer.claimMany(1, 5, consumer.id())).isEqualTo(SlotProducer.NO_SLOT);
        awaitSent(producer, consumer, 16);
        assertThat(producer.claim(5, consumer.id())).isNotNegative();
        assertThat(producer.claimed()).isEqualTo(1);
        producer.abort();
        assertThat(producer.claimMany(100, 5, consumer.id())).isZero();
        assertThat(producer.claimed()).isEqualTo(16);
        producer.commit();
        awaitSent(producer, consumer, 32);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void rowsStayLongWhateverWasSent(boolean roundRobin) {
        SlotConsumer consumer = consumer(16);
        pair.awaitKnown(consumer.id());
        SlotProducer producer = producer(16, roundRobin);
        for (int i = 0; i < 3; i++) {
            put(producer, consumer.id(), "single");
        }
        awaitSent(producer, consumer, 3);
        assertThat(producer.claimMany(13, 5, consumer.id())).isNotNegative();
        assertThat(producer.claimed()).isEqualTo(13);
        producer.abort();
    }

    @Test
    void rowsOfSlotsAreCommittedTogether() {
        SlotConsumer consumer = consumer(4);
        pair.awaitKnown(consumer.id());
        SlotProducer producer = producer(4);
        assertThatThrownBy(() -> producer.claimMany(0, 1, consumer.id()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("at least 1 slot, not 0");
        assertThatThrownBy(() -> producer.claimMany(2, SIZE + 1, consumer.id()))
                .isInstanceOf(IllegalArgumentException.class);
        assertThat(producer.claimed()).isZero();
        producer.claimMany(2, 5, consumer.id());
        assertThatThrownBy(() -> producer.claimMany(2, 5, consumer.id()))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("claimed already");
        assertThatThrownBy(() -> producer.commit(3))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("committed together");
        assertThatThrownBy(() -> producer.commit(3, MemorySegment.ofArray(new byte[4])))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("committed together");
        assertThat(producer.claimed()).isEqualTo(2);
        producer.abort();
        assertThatThrownBy(producer::commit)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("no slot");
        assertThatThrownBy(producer::commitNow)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("no slot");
        exchange(producer, consumer, 0, 10);
    }

    private void awaitWithoutTheSender(SlotConsumer consumer, int atLeast) {
        Machine.until(
                atLeast + " messages without progress of their sender",
                () -> {
                    consumer.poll(note, 128);
                    return received.size() >= atLeast;
                },
                receiving);
    }

    @Test
    void aFullQueueGoesOutWithTheNextRowAndALongRowAtOnce() {
        SlotConsumer consumer = consumer(256);
        pair.awaitKnown(consumer.id());
        SlotProducer producer = producer(256);
        int sent = 0;
        for (int row : new int[] {20, 44, 1}) {
            fill(producer, producer.claimMany(row, 5, consumer.id()), 5, sent);
            producer.commit();
            sent += row;
        }
        awaitWithoutTheSender(consumer, 64);
        fill(producer, producer.claimMany(80, 5, consumer.id()), 5, sent);
        producer.commit();
        awaitWithoutTheSender(consumer, 128);
        awaitSent(producer, consumer, 145);
        assertThat(received)
                .isEqualTo(IntStream.range(0, 145).mapToObj(i -> number(i, 5)).toList());
    }

    private static boolean putNow(SlotProducer producer, int consumer, String text) {
        write(producer, producer.claim(text.length(), consumer), text);
        return producer.commitNow();
    }

    @Test
    void aMessageThatIsCommittedNowGoesOutAtOnceAndInItsTurn() {
        SlotConsumer consumer = consumer(2);
        pair.awaitKnown(consumer.id());
        SlotProducer producer = producer(8);
        assertThat(putNow(producer, consumer.id(), "0")).isTrue();
        Machine.until("a message without progress of its sender", () -> consumer.poll(note, 1) == 1, receiving);
        receiving.progress(); // posts
        put(producer, consumer.id(), "1");
        assertThat(putNow(producer, consumer.id(), "2")).isTrue(); // and so has the one before it
        Machine.until("both", () -> consumer.received() == 3, receiving);
        for (int i = 3; i < 6; i++) {
            assertThat(putNow(producer, consumer.id(), Integer.toString(i))).isFalse(); // nothing is posted
        }
        assertThat(producer.retries()).isPositive();
        Machine.until(
                "the others",
                () -> {
                    consumer.poll(note, 2);
                    return received.size() == 6;
                },
                pair.machine.engine);
        assertThat(received).isEqualTo(numbers(0, 6));
        pair.machine.until("the completions", () -> producer.inFlight() == 0);
        assertThat(producer.sent()).isEqualTo(6);
        assertThat(putNow(producer, consumer.id(), "6")).isTrue(); // at once again
    }

    @Test
    void whatIsNotPolledKeepsItsSlotAndItsTurn() {
        SlotConsumer consumer = consumer(4);
        pair.awaitKnown(consumer.id());
        SlotProducer producer = producer(16);
        for (int i = 0; i < 10; i++) {
            put(producer, consumer.id(), Integer.toString(i));
        }
        assertThat(producer.flush()).isFalse();
        Machine.until("four", () -> consumer.received() == 4, receiving);
        assertThat(consumer.posted()).isZero();
        assertThat(producer.flush()).isFalse();
        assertThat(consumer.poll(note, 3)).isEqualTo(3);
        assertThat(received).isEqualTo(numbers(0, 3));
        assertThat(consumer.posted()).isEqualTo(3);
        Machine.until(
                "the others",
                () -> {
                    consumer.poll(note, 2);
                    return received.size() == 10;
                },
                pair.machine.engine);
        assertThat(received).isEqualTo(numbers(0, 10));
        assertThat(consumer.posted()).isEqualTo(4);
    }

    @Test
    void aHandlerOfItsOwnTakesMessagesWithProgress() {
        SlotConsumer consumer =
                pair.dpuSide.slotConsumer(receiving, SIZE).onMessage(note).start(Machine.PATIENCE);
        pair.awaitKnown(consumer.id());
        SlotProducer producer = producer(4);
        put(producer, consumer.id(), "one");
        Machine.until("it", () -> !received.isEmpty(), pair.machine.engine, receiving);
        assertThat(received).containsExactly("one");
        assertThatThrownBy(() -> consumer.poll(note, 1))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("has a handler");
    }

    private void failingHandler(Consumer<SlotConsumer> before) {
        SlotConsumer consumer = consumer(2);
        pair.awaitKnown(consumer.id());
        SlotProducer producer = producer(8);
        for (int i = 0; i < 2; i++) {
            put(producer, consumer.id(), Integer.toString(i));
        }
        assertThat(producer.flush()).isTrue();
        before.accept(consumer);
        for (int i = 0; i < 2; i++) {
            int thrown = i;
            assertThatThrownBy(() -> Machine.until(
                            "the exception",
                            () -> {
                                consumer.poll(
                                        (memory, offset, length, id) -> {
                                            received.add(text(memory, offset, length));
                                            throw new ArithmeticException("on purpose " + thrown);
                                        },
                                        5);
                                return false;
                            },
                            receiving))
                    .isInstanceOf(ArithmeticException.class)
                    .hasMessage("on purpose " + thrown);
        }
        assertThat(consumer.posted()).isEqualTo(2);
        exchange(producer, consumer, 2, 20);
        assertThat(received).isEqualTo(numbers(0, 20));
    }

    @Test
    void whatAHandlerThrowsComesOutOfPollAndItsSlotIsPostedAgain() {
        failingHandler(consumer -> {});
    }

    @Test
    void alsoForMessagesThatHaveWaited() {
        failingHandler(consumer -> Machine.until("both", () -> consumer.received() == 2, receiving));
    }

    @Test
    void whatAHandlerThrowsForALoneMessageComesOutOfPollToo() {
        SlotConsumer consumer = consumer(2);
        pair.awaitKnown(consumer.id());
        SlotProducer producer = producer(2);
        SlotHandler failing = (memory, offset, length, id) -> {
            throw new ArithmeticException("on purpose " + text(memory, offset, length));
        };
        for (String number : numbers(0, 5)) {
            Machine.until("a slot", () -> put(producer, consumer.id(), number) >= 0, pair.machine.engine);
            assertThat(producer.flush()).isTrue();
            assertThatThrownBy(() -> Machine.until(
                            "the exception", () -> consumer.poll(failing, 1, 100) > 1, pair.machine.engine))
                    .isInstanceOf(ArithmeticException.class)
                    .hasMessage("on purpose " + number);
            assertThat(consumer.posted()).isEqualTo(2);
        }
        assertThat(consumer.received()).isEqualTo(5);
        assertThat(receiving.callbackFailures()).isEqualTo(5);
        exchange(producer, consumer, 5, 20);
        assertThat(received).isEqualTo(numbers(5, 20));
    }

    @Test
    void twoConsumersOfAnEngineHaveTheirMessagesWhicheverIsPolled() {
        SlotConsumer[] consumers = {consumer(4), consumer(4)};
        SlotProducer producer = producer(8);
        List<List<String>> sent = List.of(new ArrayList<>(), new ArrayList<>());
        List<List<String>> came = List.of(new ArrayList<>(), new ArrayList<>());
        for (SlotConsumer consumer : consumers) {
            pair.awaitKnown(consumer.id());
        }
        Random random = new Random(20261123);
        for (int i = 0; i < 2000; i++) {
            int to = random.nextInt(2);
            String text = Integer.toString(i);
            if (put(producer, consumers[to].id(), text) >= 0) {
                sent.get(to).add(text);
            }
            if (random.nextInt(3) > 0) {
                int polled = random.nextInt(2);
                producer.flush();
                int count = came.get(polled).size();
                int polls = consumers[polled].poll(
                        (memory, offset, length, id) -> came.get(polled).add(text(memory, offset, length)),
                        1 + random.nextInt(3),
                        random.nextInt(2));
                assertThat(came.get(polled)).hasSize(count + polls);
                pair.machine.engine.progress();
            }
        }
        Machine.until(
                "the others",
                () -> {
                    for (int i = 0; i < 2; i++) {
                        List<String> list = came.get(i);
                        consumers[i].poll((memory, offset, length, id) -> list.add(text(memory, offset, length)), 1);
                    }
                    return came.get(0).size() + came.get(1).size()
                            == sent.get(0).size() + sent.get(1).size();
                },
                pair.machine.engine);
        assertThat(came).isEqualTo(sent);
        assertThat(sent).allMatch(list -> list.size() > 300);
        assertThat(consumers[0].posted() + consumers[1].posted()).isEqualTo(8);
    }

    static Stream<Arguments> moments() {
        return Stream.of(arguments(false), arguments(true));
    }

    /** @param late whether the message has waited for the poll */
    @ParameterizedTest
    @MethodSource("moments")
    void handlersMayNotPoll(boolean late) {
        SlotConsumer consumer = consumer(2);
        pair.awaitKnown(consumer.id());
        SlotProducer producer = producer(8);
        put(producer, consumer.id(), "one");
        producer.flush();
        if (late) {
            Machine.until("it", () -> consumer.received() == 1, receiving);
        }
        List<Throwable> thrown = new ArrayList<>();
        Machine.until(
                "it",
                () -> consumer.poll(
                                (memory, offset, length, id) -> {
                                    for (Runnable forbidden :
                                            List.<Runnable>of(() -> consumer.poll(note, 1), receiving::progress)) {
                                        try {
                                            forbidden.run();
                                        } catch (RuntimeException e) {
                                            thrown.add(e);
                                        }
                                    }
                                },
                                1)
                        == 1,
                pair.machine.engine);
        assertThat(thrown).hasSize(2).allMatch(IllegalStateException.class::isInstance);
        assertThat(consumer.isClosed()).isFalse();
        exchange(producer, consumer, 0, 5);
        assertThat(received).isEqualTo(numbers(0, 5));
    }

    @Test
    @Needs(Feature.IMMEDIATE_DATA)
    void producersOfBuffersSendToSlotsToo() {
        SlotConsumer consumer = consumer(4);
        pair.awaitKnown(consumer.id());
        ComchProducer other = pair.hostSide.producer(pair.machine.engine).start();
        SlotProducer producer = producer(4);
        Buffer buffer = other.acquire(pair.sendMemory, 0, 3);
        MemorySegment.copy("buf".getBytes(UTF_8), 0, buffer.segment(), ValueLayout.JAVA_BYTE, 0, 3);
        SlotHandler full = (memory, offset, length, id) -> received.add(text(memory, offset, length) + "+"
                + text(consumer.immediate(), 0, (int) consumer.immediate().byteSize()) + " of "
                + (id == other.id() ? "other" : id == producer.id() ? "slots" : "?"));
        assertThatThrownBy(consumer::immediate).isInstanceOf(IllegalStateException.class);
        for (boolean late : new boolean[] {false, true}) {
            received.clear();
            long before = consumer.received();
            assertThat(other.trySend(buffer, consumer.id(), MemorySegment.ofArray("imm".getBytes(UTF_8)))
                            .accepted())
                    .isTrue();
            put(producer, consumer.id(), "slot");
            producer.flush();
            assertThat(other.trySendImmediate(consumer.id(), MemorySegment.ofArray("alone".getBytes(UTF_8)))
                            .accepted())
                    .isTrue();
            if (late) {
                Machine.until("all", () -> consumer.received() == before + 3, receiving);
            }
            Machine.until("all", () -> consumer.poll(full, 9) == 0 && received.size() == 3, pair.machine.engine);
            assertThat(received).containsExactly("buf+imm of other", "slot+ of slots", "+alone of other");
        }
    }

    @Test
    void slotsArriveInBuffersToo() {
        List<String> arrived = new ArrayList<>();
        ComchConsumer consumer = pair.dpuSide
                .consumer(receiving, pair.receiveMemory)
                .buffers(4, 4096)
                .onReceive((self, buffer, id, immediate) ->
                        arrived.add(text(buffer.segment(), 0, (int) buffer.length()) + immediate.byteSize()))
                .start(Machine.PATIENCE);
        pair.machine.until("the consumer is known", () -> pair.hostSide.remoteConsumers().length == 1);
        SlotProducer producer = producer(4);
        put(producer, consumer.id(), "hello");
        Machine.until("it", () -> !arrived.isEmpty(), pair.machine.engine, receiving);
        assertThat(arrived).containsExactly("hello0");
    }

    @Test
    @Needs(Feature.PRODUCER_IDS)
    void twoProducersShareAConsumerAndKeepTheirOrders() {
        SlotConsumer consumer = consumer(3);
        pair.awaitKnown(consumer.id());
        SlotProducer[] producers = {producer(2), producer(5)};
        int[] next = {0, 0};
        int[] seen = {0, 0};
        Machine.until(
                "all",
                () -> {
                    for (int i = 0; i < 2; i++) {
                        if (next[i] < 300 && put(producers[i], consumer.id(), Integer.toString(next[i])) >= 0) {
                            next[i]++;
                        }
                    }
                    consumer.poll(
                            (memory, offset, length, id) -> {
                                int which = id == producers[0].id() ? 0 : 1;
                                assertThat(id).isEqualTo(producers[which].id());
                                assertThat(text(memory, offset, length)).isEqualTo(Integer.toString(seen[which]++));
                            },
                            5);
                    return seen[0] + seen[1] == 600;
                },
                pair.machine.engine);
        assertThat(seen).containsExactly(300, 300);
    }

    @Test
    void aMessageToNobodyFailsAndItsSlotIsFreeAgain() {
        List<String> failures = new ArrayList<>();
        SlotProducer producer = pair.hostSide
                .slotProducer(pair.machine.engine, SIZE)
                .tasks(1)
                .onSendFailed((self, offset, length, status) ->
                        failures.add(text(self.memory(), offset, length) + " " + status))
                .start();
        for (int i = 0; i < 3; i++) {
            assertThat(put(producer, 4711, "lost " + i)).isNotNegative();
            int expected = i + 1;
            pair.machine.until("the failure", () -> failures.size() == expected);
        }
        assertThat(failures).containsExactly("lost 0 INVALID_VALUE", "lost 1 INVALID_VALUE", "lost 2 INVALID_VALUE");
        assertThat(producer.failed()).isEqualTo(3);
        assertThat(producer.sent()).isZero();
    }

    @Test
    void aMessageThatIsCommittedNowAndRefusedFailsWithProgress() {
        List<String> failures = new ArrayList<>();
        SlotProducer producer = pair.hostSide
                .slotProducer(pair.machine.engine, SIZE)
                .tasks(1)
                .onSendFailed((self, offset, length, status) ->
                        failures.add(text(self.memory(), offset, length) + " " + status))
                .start();
        for (int i = 0; i < 3; i++) {
            putNow(producer, 4711, "lost " + i);
            assertThat(failures).hasSize(i);
            int expected = i + 1;
            pair.machine.until("the failure", () -> failures.size() == expected);
        }
        assertThat(failures).containsExactly("lost 0 INVALID_VALUE", "lost 1 INVALID_VALUE", "lost 2 INVALID_VALUE");
        assertThat(producer.failed()).isEqualTo(3);
    }

    @Test
    void withoutAHandlerTheFirstFailureOfARowIsThrown() {
        SlotConsumer consumer = consumer(2);
        pair.awaitKnown(consumer.id());
        SlotProducer producer = producer(4);
        put(producer, 4711, "a");
        put(producer, 4711, "b");
        assertThatThrownBy(() -> pair.machine.until("nothing", () -> false))
                .isInstanceOfSatisfying(
                        DocaException.class, e -> assertThat(e.error()).isEqualTo(DocaError.INVALID_VALUE));
        pair.machine.until("the second", () -> producer.failed() == 2);
        exchange(producer, consumer, 0, 3);
        put(producer, 4711, "c");
        assertThatThrownBy(() -> pair.machine.until("nothing", () -> false)).isInstanceOf(DocaException.class);
    }

    @Test
    void closingEndsWhatWaits() {
        List<DocaError> failures = new ArrayList<>();
        SlotConsumer consumer = consumer(1);
        pair.awaitKnown(consumer.id());
        SlotProducer producer = pair.hostSide
                .slotProducer(pair.machine.engine, SIZE)
                .tasks(4)
                .onSendFailed((self, offset, length, status) -> failures.add(status))
                .start();
        for (int i = 0; i < 3; i++) {
            put(producer, consumer.id(), Integer.toString(i));
        }
        assertThat(producer.claim(1, consumer.id())).isNotNegative(); // and never committed
        MemorySegment memory = producer.memory();
        producer.close();
        assertThat(failures).containsExactly(DocaError.IO_FAILED, DocaError.IO_FAILED);
        assertThat(producer.sent()).isEqualTo(1);
        assertThatThrownBy(() -> memory.get(ValueLayout.JAVA_BYTE, 0)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> producer.claim(1, consumer.id()))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("closed");
        assertThatThrownBy(producer::commit).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(producer::flush).isInstanceOf(IllegalStateException.class);
        producer.close();
    }

    @Test
    void aConsumerIsClosedWithMessagesThatNobodyPolled() {
        SlotConsumer consumer = consumer(3);
        pair.awaitKnown(consumer.id());
        SlotProducer producer = producer(4);
        put(producer, consumer.id(), "one");
        put(producer, consumer.id(), "two");
        producer.flush();
        Machine.until("both", () -> consumer.received() == 2, receiving);
        MemorySegment memory = consumer.memory();
        consumer.close();
        assertThatThrownBy(() -> memory.get(ValueLayout.JAVA_BYTE, 0)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> consumer.poll(note, 1))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("closed");
        assertThat(received).isEmpty();
        pair.machine.until("the end is known", () -> pair.hostSide.remoteConsumers().length == 0);
    }

    @Test
    @Needs(Feature.IMMEDIATE_DATA)
    void afterTheEndOfTheConnectionWhatArrivedCanBePolled() {
        SlotConsumer consumer = consumer(3);
        pair.awaitKnown(consumer.id());
        SlotProducer producer = producer(4);
        put(producer, consumer.id(), "one");
        put(producer, consumer.id(), "two");
        producer.flush();
        ComchProducer other = pair.hostSide.producer(pair.machine.engine).start();
        assertThat(other.trySendImmediate(consumer.id(), MemorySegment.ofArray("three".getBytes(UTF_8)))
                        .accepted())
                .isTrue();
        Machine.until("all", () -> consumer.received() == 3, receiving);
        assertThat(producer.claim(1, consumer.id())).isNotNegative();
        pair.client.close();
        Machine.until("the end", () -> consumer.state() == ContextState.IDLE, pair.machine.engine, receiving);
        SlotHandler full = (memory, offset, length, id) -> received.add(text(memory, offset, length)
                + text(consumer.immediate(), 0, (int) consumer.immediate().byteSize()));
        assertThat(consumer.poll(full, 5)).isEqualTo(3);
        assertThat(received).containsExactly("one", "two", "three");
        assertThat(consumer.poll(note, 5)).isZero();
        assertThatThrownBy(producer::commit).isInstanceOf(IllegalStateException.class); // closed with its client
        consumer.close();
    }

    @Test
    @Needs(Feature.DISCONNECT)
    void aClaimIsVoidOnceTheConnectionHasEnded() {
        SlotConsumer consumer = consumer(3);
        pair.awaitKnown(consumer.id());
        SlotProducer producer = producer(4);
        assertThat(producer.claim(1, consumer.id())).isNotNegative();
        pair.dpuSide.disconnect();
        pair.machine.until("the end", () -> !producer.isRunning());
        assertThatThrownBy(producer::commitNow).isInstanceOf(ConnectionClosedException.class);
        assertThatThrownBy(producer::commit).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(producer::commitNow).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> producer.claim(1, consumer.id())).isInstanceOf(ConnectionClosedException.class);
        producer.close();
    }

    @Test
    void otherThreadsAreRefused() {
        SlotConsumer consumer = consumer(4);
        SlotProducer producer = producer(4);
        for (Runnable call : List.<Runnable>of(
                () -> producer.claim(1, 1),
                producer::commit,
                producer::commitNow,
                producer::abort,
                producer::flush,
                () -> consumer.poll(note, 1),
                () -> consumer.pollRows((memory, offset, count, length, id) -> {}, 1),
                consumer::immediate)) {
            assertThatThrownBy(() -> CompletableFuture.runAsync(call).join())
                    .isInstanceOf(CompletionException.class)
                    .hasCauseInstanceOf(WrongThreadException.class);
        }
        assertThat(CompletableFuture.supplyAsync(() -> producer.inFlight()
                                + producer.sent()
                                + producer.refused()
                                + consumer.posted()
                                + consumer.received())
                        .join())
                .isEqualTo(4);
    }

    @Test
    void buildersAreUsedOnceAndLeaveNothingBehind() {
        SlotProducer.Builder builder = pair.hostSide.slotProducer(pair.machine.engine, SIZE);
        builder.start();
        assertThatThrownBy(builder::start)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("has been used");
        SlotConsumer.Builder other = pair.dpuSide.slotConsumer(receiving, SIZE);
        other.start(Machine.PATIENCE);
        assertThatThrownBy(other::start)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("has been used");
        assertThatThrownBy(() -> pair.dpuSide
                        .slotConsumer(receiving, SIZE)
                        .tasks(1_000_000)
                        .start())
                .isInstanceOf(DocaException.class)
                .hasMessageContaining("takes at most");
        assertThatThrownBy(() -> pair.hostSide
                        .slotProducer(pair.machine.engine, SIZE)
                        .tasks(1_000_000)
                        .start())
                .isInstanceOf(DocaException.class)
                .hasMessageContaining("takes at most");
        pair.machine.dpu.close(); // fails if a map or context were left on it
    }
}
