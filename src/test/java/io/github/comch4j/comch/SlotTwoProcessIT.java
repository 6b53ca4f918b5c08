package io.github.comch4j.comch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.comch4j.Child;
import io.github.comch4j.DocaException;
import io.github.comch4j.Machine;
import io.github.comch4j.core.ContextState;
import io.github.comch4j.core.Doca;
import io.github.comch4j.io.RecordReader;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Slots and records between two JVMs: what is sent, what a kill leaves, and what a hostile peer can do. */
@Timeout(240)
class SlotTwoProcessIT extends BothForms {
    private static final Map<String, String> DPU = Map.of("DOCA_EMU_SIDE", "dpu");
    private static final Map<String, String> HOST = Map.of("DOCA_EMU_SIDE", "host");

    private final Machine machine = new Machine();
    private final List<String> answers = new ArrayList<>();
    private final List<ConnectionState> ends = new ArrayList<>();
    private int consumer;

    @AfterEach
    void close() {
        machine.close();
    }

    private static List<String> form(boolean isBatched) {
        return List.of("-D" + Doca.BATCH_PROPERTY + "=" + isBatched);
    }

    private Child server() {
        Child child = Child.start(SlotPeer.class, form(batched), DPU, "serve", machine.name);
        assertThat(child.line()).isEqualTo("READY RUNNING");
        return child;
    }

    private ComchClient connect() {
        ComchClient client = machine.client()
                .onMessage((connection, message) ->
                        answers.add(new String(message.toArray(ValueLayout.JAVA_BYTE), StandardCharsets.US_ASCII)))
                .onConsumer((connection, id) -> consumer = id)
                .onConsumerExpired((connection, id) -> consumer = 0)
                .onDisconnected(connection -> ends.add(connection.state()))
                .connect(Machine.PATIENCE);
        machine.until("the consumer", () -> consumer != 0);
        return client;
    }

    private boolean put(SlotProducer producer, long number) {
        long at = producer.claim(SlotPeer.SLOT, consumer);
        if (at < 0) {
            return false;
        }
        SlotPeer.fill(producer.memory(), at, number);
        producer.commit(SlotPeer.size(number), MemorySegment.ofArray(new int[] {-(int) number}));
        return true;
    }

    @Test
    void messagesAndImmediateDataArriveInOrder() {
        int count = 500;
        try (Child child = server()) {
            ComchClient client = connect();
            SlotProducer producer = client.connection()
                    .slotProducer(machine.engine, SlotPeer.SLOT)
                    .tasks(32)
                    .start();
            List<String> expected = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                int number = i;
                machine.until("room", () -> put(producer, number));
                expected.add(i + " " + -i);
            }
            machine.until("the answers", () -> answers.size() == count && producer.inFlight() == 0);
            assertThat(answers).isEqualTo(expected);
            producer.close();
            client.close();
            assertThat(child.line()).isEqualTo("DONE");
            assertThat(child.exitCode()).isZero();
        }
    }

    @Test
    void aServerThatIsKilledIsNoticedAndAnotherOneServes() {
        try (Child child = server()) {
            ComchClient client = connect();
            int[] failures = new int[1];
            SlotProducer producer = client.connection()
                    .slotProducer(machine.engine, SlotPeer.SLOT)
                    .tasks(8)
                    .onSendFailed((self, offset, length, status) -> failures[0]++)
                    .start();
            long[] number = {0};
            machine.until("traffic", () -> {
                number[0] += put(producer, number[0]) ? 1 : 0;
                return answers.size() > 50;
            });
            child.kill();
            machine.until("the end", () -> client.state() == ContextState.IDLE && producer.inFlight() == 0);
            assertThat(ends).containsExactly(ConnectionState.CLOSED);
            assertThat(producer.sent() + failures[0]).isEqualTo(number[0]);
            assertThat(producer.sent()).isGreaterThanOrEqualTo(answers.size());
            assertThatThrownBy(() -> producer.claim(1, consumer)).isInstanceOf(ConnectionClosedException.class);
            producer.close();
        }
        answers.clear();
        consumer = 0;
        try (Child next = server()) {
            ComchClient client = connect();
            SlotProducer producer = client.connection()
                    .slotProducer(machine.engine, SlotPeer.SLOT)
                    .start();
            machine.until("room", () -> put(producer, 7));
            machine.until("the answer", () -> !answers.isEmpty());
            assertThat(answers).containsExactly("7 -7");
            client.close();
            assertThat(next.exitCode()).isZero();
        }
    }

    /** A server in this process, whose clients send numbered messages or records into slots that are polled. */
    private final class Survivor {
        private final Random random = new Random(5);
        private final ComchServer server;
        private SlotConsumer slots;
        private long due;
        private boolean isRow;
        private boolean isLenient;
        private final RecordReader records =
                new RecordReader((memory, offset, length, type, id) -> take(memory, offset, length));

        Survivor() {
            server = machine.server()
                    .onConnected(connected -> {
                        slots = connected
                                .slotConsumer(machine.engine, SlotPeer.SLOT)
                                .tasks(8)
                                .start();
                    })
                    .onDisconnected(connected -> ends.add(connected.state()))
                    .start();
        }

        private void take(MemorySegment memory, long offset, int length) {
            assertThat(offset % 8).isZero();
            if (isLenient) {
                memory.asSlice(offset, length).toArray(ValueLayout.JAVA_BYTE); // it can be read
            } else {
                assertThat(SlotPeer.wrong(memory, offset, length, due))
                        .as("number " + due)
                        .isNull();
            }
            due++;
        }

        private void arrived(MemorySegment memory, long offset, int length, int id) {
            assertThat(memory).isSameAs(slots.memory());
            assertThat(length).isBetween(0, SlotPeer.SLOT);
            assertThat(slots.immediate().byteSize()).isBetween(0L, isLenient ? 32L : 0L);
            if (isRow) {
                records.onMessage(memory, offset, length, id);
            } else {
                take(memory, offset, length);
            }
        }

        void begin(boolean row, boolean lenient) {
            due = 0;
            isRow = row;
            isLenient = lenient;
            ends.clear();
        }

        boolean poll() {
            return slots != null && !slots.isClosed() && slots.poll(this::arrived, 1 + random.nextInt(16)) > 0;
        }

        /** The end is reported, and everything before it was delivered. */
        void awaitEnd() {
            machine.until("the end", () -> {
                boolean isOver = !ends.isEmpty() && slots.state() == ContextState.IDLE;
                return !poll() && isOver;
            });
            assertThat(ends).containsExactly(ConnectionState.LOST);
            assertThat(due).isPositive();
            slots.close();
            slots = null;
        }
    }

    @Test
    void aClientThatIsKilledAtAnyPointLosesNothingThatItWasToldIsSent() {
        Survivor survivor = new Survivor();
        Random random = new Random(6);
        for (int round = 0; round < 8; round++) {
            boolean packs = round % 2 == 1;
            survivor.begin(packs, false);
            try (Child child = Child.start(
                    SlotPeer.class, form(random.nextBoolean()), HOST, packs ? "pack" : "flood", machine.name)) {
                long enough = 1L + random.nextInt(round < 4 ? 50 : 20_000);
                machine.until("traffic", () -> {
                    survivor.poll();
                    return survivor.due >= enough;
                });
                child.kill();
                survivor.awaitEnd();
            }
            assertThat(survivor.server.connections()).isEmpty();
        }
    }

    /** A receive that fails is told, and nothing else happens. */
    private static boolean pollWhatever(Survivor survivor) {
        try {
            return survivor.poll();
        } catch (DocaException e) {
            return true;
        }
    }

    @Test
    void aPeerThatScribblesHarmsNobodyElse() {
        Survivor survivor = new Survivor();
        for (int round = 0; round < 4; round++) {
            survivor.begin(false, true);
            long seed = Long.getLong("scribble.seed", 40) + round;
            try (Child child =
                    Child.start(SlotPeer.class, form(batched), HOST, "scribble", machine.name, Long.toString(seed))) {
                machine.until("good messages", () -> {
                    survivor.poll();
                    return survivor.due >= SlotPeer.GOOD - 100;
                });
                long until = System.nanoTime() + 2_000_000_000L;
                machine.until("some of it, seed " + seed, () -> {
                    pollWhatever(survivor);
                    return System.nanoTime() - until > 0 || !ends.isEmpty();
                });
                child.kill();
                machine.until("the end, seed " + seed, () -> {
                    boolean isOver = !ends.isEmpty() && survivor.slots.state() == ContextState.IDLE;
                    return !pollWhatever(survivor) && isOver;
                });
                survivor.slots.close();
                survivor.slots = null;
            }
        }
        survivor.begin(true, false);
        try (Child good = Child.start(SlotPeer.class, form(batched), HOST, "pack", machine.name)) {
            machine.until("a good peer's records", () -> {
                survivor.poll();
                return survivor.due > 5000;
            });
            good.kill();
            survivor.awaitEnd();
        }
    }
}
