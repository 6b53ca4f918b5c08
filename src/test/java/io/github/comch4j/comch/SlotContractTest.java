package io.github.comch4j.comch;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.comch4j.DocaError;
import io.github.comch4j.Feature;
import io.github.comch4j.Machine;
import io.github.comch4j.Needs;
import io.github.comch4j.NeedsEasyMachine;
import io.github.comch4j.SubmitResult;
import io.github.comch4j.core.Buffer;
import io.github.comch4j.core.ProgressEngine;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What holds for producers and consumers of buffers holds for those of slots, and for both side by side. */
@Timeout(60)
class SlotContractTest extends BothForms {
    private static final int SIZE = 128;

    private final Pair pair = new Pair();
    private final ProgressEngine receiving = ProgressEngine.create();

    @AfterEach
    void close() {
        pair.close();
        receiving.close();
    }

    private static String text(MemorySegment bytes) {
        return new String(bytes.toArray(ValueLayout.JAVA_BYTE), UTF_8);
    }

    private SlotConsumer consumer(int slots) {
        SlotConsumer consumer =
                pair.dpuSide.slotConsumer(receiving, SIZE).tasks(slots).start(Machine.PATIENCE);
        pair.awaitKnown(consumer.id());
        return consumer;
    }

    private SlotProducer producer(int slots) {
        return pair.hostSide
                .slotProducer(pair.machine.engine, SIZE)
                .tasks(slots)
                .start();
    }

    private static boolean put(SlotProducer producer, int to, String text) {
        return producer.offer(MemorySegment.ofArray(text.getBytes(UTF_8)), to).accepted();
    }

    /** What each producer sent to each consumer comes there once and in its order, by whatever object it was sent. */
    private static final class Orders {
        private final Map<String, Integer> seen = new HashMap<>();
        private int count;

        void arrived(String at, String text) {
            String[] parts = text.split(":");
            int due = seen.merge(at + "<" + parts[0], 1, Integer::sum) - 1;
            assertThat(Integer.parseInt(parts[1]))
                    .as("from %s at %s", parts[0], at)
                    .isEqualTo(due);
            count++;
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4})
    void severalProducersAndConsumersOfBothKindsKeepTheirOrders(long seed) {
        int each = 400;
        Random random = new Random(seed);
        Orders orders = new Orders();
        SlotConsumer polled = consumer(3);
        SlotHandler atPolled =
                (memory, offset, length, id) -> orders.arrived("polled", text(memory.asSlice(offset, length)));
        SlotConsumer handed = pair.dpuSide
                .slotConsumer(receiving, SIZE)
                .tasks(2)
                .onMessage(
                        (memory, offset, length, id) -> orders.arrived("handed", text(memory.asSlice(offset, length))))
                .start(Machine.PATIENCE);
        ComchConsumer buffers = pair.dpuSide
                .consumer(receiving, pair.receiveMemory)
                .buffers(4, SIZE)
                .onReceive((self, buffer, id, immediate) -> orders.arrived("buffers", text(buffer.data())))
                .start(Machine.PATIENCE);
        pair.awaitKnown(handed.id());
        pair.awaitKnown(buffers.id());
        int[] ids = {polled.id(), handed.id(), buffers.id()};
        SlotProducer[] producers = {producer(1), producer(5), producer(40)};
        ComchProducer plain =
                pair.hostSide.producer(pair.machine.engine).tasks(8).start();
        List<Buffer> free = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            free.add(plain.acquire(pair.sendMemory, i * 1024L, SIZE));
        }
        int[][] next = new int[4][3];
        int[] sent = new int[4];
        Machine.until(
                "all",
                () -> {
                    int who = random.nextInt(4);
                    int to = random.nextInt(3);
                    if (sent[who] < each) {
                        String text = who + ":" + next[who][to];
                        boolean accepted = false;
                        if (who < 3) {
                            accepted = put(producers[who], ids[to], text);
                        } else {
                            Buffer buffer = free.get(sent[3] % 8);
                            if (!buffer.isInFlight()) {
                                buffer.setData(0, text.length());
                                buffer.data().copyFrom(MemorySegment.ofArray(text.getBytes(UTF_8)));
                                accepted = plain.enqueue(buffer, ids[to]).accepted();
                            }
                        }
                        if (accepted) {
                            next[who][to]++;
                            sent[who]++;
                        }
                    }
                    if (random.nextInt(3) == 0) {
                        polled.poll(atPolled, 1 + random.nextInt(4));
                    }
                    return orders.count == 4 * each;
                },
                pair.machine.engine,
                receiving);
        polled.poll(atPolled, 9);
        pair.machine.settle();
        assertThat(orders.count).as("nothing comes twice").isEqualTo(4 * each);
        for (int who = 0; who < 4; who++) {
            for (int to = 0; to < 3; to++) {
                assertThat(orders.seen.getOrDefault(
                                List.of("polled", "handed", "buffers").get(to) + "<" + who, 0))
                        .isEqualTo(next[who][to]);
            }
        }
    }

    @Test
    void slotsBuffersAndMessagesShareAConnectionInBothDirections() {
        int each = 300;
        List<String> atDpu = new ArrayList<>();
        List<String> atHost = new ArrayList<>();
        SlotConsumer down = consumer(4);
        SlotConsumer up = pair.hostSide
                .slotConsumer(pair.machine.engine, SIZE)
                .tasks(4)
                .onMessage((memory, offset, length, id) -> atHost.add(text(memory.asSlice(offset, length))))
                .start(Machine.PATIENCE);
        SlotProducer toDpu = producer(4);
        SlotProducer toHost =
                pair.dpuSide.slotProducer(pair.machine.engine, SIZE).tasks(2).start();
        ComchProducer plain =
                pair.hostSide.producer(pair.machine.engine).tasks(2).start();
        Buffer buffer = plain.acquire(pair.sendMemory, 0, 3);
        buffer.segment().copyFrom(MemorySegment.ofArray("buf".getBytes(UTF_8)));
        pair.machine.until("the consumer is known", () -> pair.dpuSide.remoteConsumers().length == 1);
        int[] sent = new int[4];
        long before = pair.dpuSide.received();
        Machine.until(
                "all",
                () -> {
                    sent[0] += sent[0] < each && put(toDpu, down.id(), "d" + sent[0]) ? 1 : 0;
                    sent[1] += sent[1] < each && put(toHost, up.id(), "u" + sent[1]) ? 1 : 0;
                    sent[2] +=
                            sent[2] < each && plain.enqueue(buffer, down.id()).accepted() ? 1 : 0;
                    sent[3] +=
                            sent[3] < each && pair.hostSide.trySend(new byte[8]).accepted() ? 1 : 0;
                    down.poll((memory, offset, length, id) -> atDpu.add(text(memory.asSlice(offset, length))), 5);
                    return atDpu.size() == 2 * each
                            && atHost.size() == each
                            && pair.dpuSide.received() - before == each;
                },
                pair.machine.engine);
        assertThat(atDpu.stream().filter(text -> text.startsWith("d")))
                .containsExactlyElementsOf(
                        IntStream.range(0, each).mapToObj(i -> "d" + i).toList());
        assertThat(atDpu.stream().filter("buf"::equals)).hasSize(each);
        assertThat(atHost)
                .containsExactlyElementsOf(
                        IntStream.range(0, each).mapToObj(i -> "u" + i).toList());
    }

    @ParameterizedTest
    @ValueSource(longs = {10, 11, 12})
    void fullQueuesLoseNothing(long seed) {
        Random random = new Random(seed);
        int total = 600;
        SlotConsumer consumer = consumer(1 + random.nextInt(3));
        SlotProducer producer = producer(1 + random.nextInt(50));
        int[] next = {0};
        int[] received = {0};
        int[] refused = {0};
        SlotHandler inOrder = (memory, offset, length, id) -> {
            assertThat(text(memory.asSlice(offset, length))).isEqualTo("m" + received[0]);
            received[0]++;
        };
        pair.machine.until("all", () -> {
            while (next[0] < total && put(producer, consumer.id(), "m" + next[0])) { // until it is full
                next[0]++;
            }
            refused[0] += next[0] < total ? 1 : 0;
            switch (random.nextInt(4)) {
                case 0 -> pair.machine.engine.progress();
                case 1 -> receiving.progress();
                case 2 -> producer.flush();
                default -> consumer.poll(inOrder, 1);
            }
            return received[0] == total;
        });
        assertThat(producer.refused()).isGreaterThanOrEqualTo(refused[0]).isPositive();
        pair.machine.until("completions", () -> producer.inFlight() == 0);
        assertThat(producer.sent()).isEqualTo(total);
        assertThat(consumer.received()).isEqualTo(total);
        assertThat(producer.failed() + consumer.failed()).isZero();
    }

    @Test
    void producersAndConsumersMayRunOnThreadsOfTheirOwn() throws Exception {
        int messages = 20_000;
        AtomicBoolean stop = new AtomicBoolean();
        CompletableFuture<Integer> consumerId = new CompletableFuture<>();
        CompletableFuture<Long> consumed = Machine.onThread(() -> {
            try (ProgressEngine engine = ProgressEngine.create()) {
                SlotConsumer consumer =
                        pair.dpuSide.slotConsumer(engine, SIZE).tasks(32).start(Machine.PATIENCE);
                consumerId.complete(consumer.id());
                long[] due = {0};
                while (due[0] < messages && !stop.get()) {
                    consumer.poll(
                            (memory, offset, length, id) -> {
                                assertThat(memory.get(ValueLayout.JAVA_LONG, offset))
                                        .isEqualTo(due[0]);
                                due[0]++;
                            },
                            100);
                }
                return due[0];
            }
        });
        CompletableFuture<Long> produced = Machine.onThread(() -> {
            try (ProgressEngine engine = ProgressEngine.create();
                    SlotProducer producer =
                            pair.hostSide.slotProducer(engine, SIZE).tasks(32).start()) {
                int id = consumerId.get(20, TimeUnit.SECONDS);
                for (int i = 0; i < messages && !stop.get(); i++) {
                    long[] at = new long[1];
                    Machine.until("room", () -> stop.get() || (at[0] = producer.claim(8, id)) >= 0, engine);
                    producer.memory().set(ValueLayout.JAVA_LONG, at[0], i);
                    producer.commit();
                }
                Machine.until("completion", () -> producer.inFlight() == 0, engine);
                return producer.sent();
            }
        });
        try {
            pair.machine.until(
                    "both threads",
                    () -> (consumed.isDone() && produced.isDone())
                            || consumed.isCompletedExceptionally()
                            || produced.isCompletedExceptionally());
        } finally {
            stop.set(true);
        }
        assertThat(produced.get(20, TimeUnit.SECONDS)).isEqualTo(messages);
        assertThat(consumed.get(20, TimeUnit.SECONDS)).isEqualTo(messages);
    }

    @Test
    void anotherThreadThatMeddlesIsTurnedAwayAndNothingIsHarmed() throws Exception {
        SlotConsumer consumer = consumer(4);
        SlotProducer producer = producer(4);
        int id = consumer.id();
        AtomicBoolean over = new AtomicBoolean();
        List<Runnable> meddling = List.of(
                () -> producer.claim(1, id),
                producer::commit,
                () -> producer.commit(1),
                () -> producer.commit(0, MemorySegment.ofArray(new byte[1])),
                producer::abort,
                producer::flush,
                producer::close,
                () -> consumer.poll((memory, offset, length, from) -> {}, 1),
                consumer::close);
        CompletableFuture<Integer> other = Machine.onThread(() -> {
            int turnedAway = 0;
            do {
                for (Runnable call : meddling) {
                    assertThatThrownBy(call::run).isInstanceOf(WrongThreadException.class);
                    turnedAway++;
                }
            } while (!over.get());
            return turnedAway;
        });
        int[] counts = {0, 0};
        Machine.until(
                "all",
                () -> {
                    counts[0] += counts[0] < 5000 && put(producer, id, "m" + counts[0]) ? 1 : 0;
                    consumer.poll(
                            (memory, offset, length, from) -> {
                                assertThat(text(memory.asSlice(offset, length))).isEqualTo("m" + counts[1]);
                                counts[1]++;
                            },
                            4);
                    return counts[1] == 5000;
                },
                pair.machine.engine);
        over.set(true);
        assertThat(other.get(20, TimeUnit.SECONDS)).isGreaterThanOrEqualTo(meddling.size());
    }

    @Test
    void aClaimIsHandedOverWithItsEngine() throws Exception {
        SlotConsumer consumer = consumer(4);
        SlotProducer producer = producer(4);
        long at = producer.claim(10, consumer.id());
        MemorySegment.copy(MemorySegment.ofArray("handed".getBytes(UTF_8)), 0, producer.memory(), at, 6);
        pair.machine.engine.release();
        Machine.onThread(() -> {
                    pair.machine.engine.takeOver();
                    producer.commit(6);
                    producer.flush();
                    pair.machine.engine.release();
                    return null;
                })
                .get(20, TimeUnit.SECONDS);
        pair.machine.engine.takeOver();
        List<String> received = new ArrayList<>();
        Machine.until(
                "it",
                () -> consumer.poll(
                                (memory, offset, length, id) -> received.add(text(memory.asSlice(offset, length))), 1)
                        == 1,
                pair.machine.engine);
        assertThat(received).containsExactly("handed");
    }

    @Test
    @Needs(Feature.IMMEDIATE_DATA)
    @NeedsEasyMachine("a posted buffer stays as it was")
    void aViewThatIsKeptShowsWhatComesNextAndEndsWithItsConsumer() {
        SlotConsumer consumer = consumer(1);
        SlotProducer producer = producer(2);
        List<MemorySegment> kept = new ArrayList<>();
        List<MemorySegment> keptImmediates = new ArrayList<>();
        SlotHandler keep = (memory, offset, length, id) -> {
            kept.add(memory.asSlice(offset, length));
            keptImmediates.add(consumer.immediate());
        };
        for (String text : List.of("first", "later")) {
            Machine.until(
                    "room",
                    () -> {
                        long at = producer.claim(5, consumer.id());
                        if (at < 0) {
                            return false;
                        }
                        MemorySegment.copy(MemorySegment.ofArray(text.getBytes(UTF_8)), 0, producer.memory(), at, 5);
                        producer.commit(5, MemorySegment.ofArray(text.getBytes(UTF_8)));
                        return true;
                    },
                    pair.machine.engine);
            Machine.until("it", () -> consumer.poll(keep, 1) == 1, pair.machine.engine);
        }
        assertThat(text(kept.getFirst())).as("the one slot's next message").isEqualTo("later");
        assertThat(kept.getFirst().isReadOnly()).isFalse();
        assertThat(text(keptImmediates.getFirst())).isEqualTo("later");
        consumer.close();
        for (MemorySegment view : List.of(kept.getFirst(), keptImmediates.getFirst())) {
            assertThatThrownBy(() -> view.get(ValueLayout.JAVA_BYTE, 0)).isInstanceOf(IllegalStateException.class);
        }
        assertThat(producer.isRunning()).isTrue();
    }

    @Test
    void aClaimThatIsNeverCommittedKeepsOneSlotAndNothingElse() {
        SlotConsumer consumer = consumer(8);
        SlotProducer producer = producer(3);
        assertThat(put(producer, consumer.id(), "before")).isTrue();
        assertThat(producer.claim(10, consumer.id())).isNotNegative();
        for (int i = 0; i < 100; i++) {
            pair.machine.engine.progress();
            producer.flush();
            assertThatThrownBy(() -> producer.claim(10, consumer.id())).isInstanceOf(IllegalStateException.class);
        }
        List<String> received = new ArrayList<>();
        SlotHandler note = (memory, offset, length, id) -> received.add(text(memory.asSlice(offset, length)));
        Machine.until("the first", () -> consumer.poll(note, 9) > 0, pair.machine.engine);
        assertThat(received).as("what is claimed does not go out").containsExactly("before");
        assertThat(producer.inFlight()).isZero();
        producer.abort();
        for (int i = 0; i < 3; i++) {
            assertThat(put(producer, consumer.id(), "after"))
                    .as("all slots are free again")
                    .isTrue();
        }
        pair.machine.until("completions", () -> producer.inFlight() == 0);
        assertThat(producer.claim(10, consumer.id())).isNotNegative();
        pair.machine.engine.close(); // with the claim
        assertThat(producer.isClosed()).isTrue();
        assertThatThrownBy(producer::commit).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(producer::abort).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void handlersMaySendWithSlots() {
        List<String> answers = new ArrayList<>();
        SlotProducer back =
                pair.dpuSide.slotProducer(pair.machine.engine, SIZE).tasks(64).start();
        SlotConsumer atHost = pair.hostSide
                .slotConsumer(pair.machine.engine, SIZE)
                .onMessage((memory, offset, length, id) -> answers.add(text(memory.asSlice(offset, length))))
                .start(Machine.PATIENCE);
        SlotConsumer atDpu = pair.dpuSide
                .slotConsumer(pair.machine.engine, SIZE)
                .onMessage((memory, offset, length, id) -> assertThat(
                                back.offer(memory.asSlice(offset, length), atHost.id()))
                        .isEqualTo(SubmitResult.ACCEPTED))
                .start(Machine.PATIENCE);
        pair.awaitKnown(atDpu.id());
        pair.machine.until("the consumer is known", () -> pair.dpuSide.remoteConsumers().length == 1);
        SlotProducer producer = producer(64);
        for (int i = 0; i < 64; i++) {
            assertThat(put(producer, atDpu.id(), "ping " + i)).isTrue();
        }
        pair.machine.until("the answers", () -> answers.size() == 64);
        assertThat(answers)
                .isEqualTo(IntStream.range(0, 64).mapToObj(i -> "ping " + i).toList());
    }

    @Test
    void aConsumerThatClosesWhileSlotsWaitFailsThemAndTheNextOneIsServed() {
        SlotConsumer first = consumer(2);
        List<DocaError> failures = new ArrayList<>();
        SlotProducer producer = pair.hostSide
                .slotProducer(pair.machine.engine, SIZE)
                .tasks(6)
                .onSendFailed((self, offset, length, status) -> failures.add(status))
                .start();
        for (int i = 0; i < 6; i++) {
            assertThat(put(producer, first.id(), "m" + i)).isTrue();
        }
        assertThat(producer.flush()).isFalse(); // four wait for room
        first.close();
        pair.machine.until("the end of all", () -> producer.inFlight() == 0);
        assertThat(failures).hasSize(4).containsOnly(DocaError.INVALID_VALUE);
        assertThat(producer.sent()).isEqualTo(2);
        SlotConsumer next = consumer(2);
        List<String> received = new ArrayList<>();
        assertThat(put(producer, next.id(), "again")).isTrue();
        Machine.until(
                "it",
                () -> next.poll((memory, offset, length, id) -> received.add(text(memory.asSlice(offset, length))), 1)
                        == 1,
                pair.machine.engine);
        assertThat(received).containsExactly("again");
    }

    @Test
    void aPollWithoutAHandlerIsRefusedAndLosesNothing() {
        SlotConsumer consumer = consumer(2);
        SlotProducer producer = producer(2);
        put(producer, consumer.id(), "kept");
        producer.flush();
        assertThatThrownBy(() -> consumer.poll(null, 1)).isInstanceOf(NullPointerException.class);
        Machine.until("it", () -> consumer.received() == 1, receiving);
        assertThatThrownBy(() -> consumer.poll(null, 1)).isInstanceOf(NullPointerException.class);
        List<String> received = new ArrayList<>();
        assertThat(consumer.poll((memory, offset, length, id) -> received.add(text(memory.asSlice(offset, length))), 1))
                .isEqualTo(1);
        assertThat(received).containsExactly("kept");
    }
}
