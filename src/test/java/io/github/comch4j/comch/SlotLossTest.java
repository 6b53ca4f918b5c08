package io.github.comch4j.comch;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.comch4j.DocaError;
import io.github.comch4j.DocaException;
import io.github.comch4j.Machine;
import io.github.comch4j.NeedsEasyMachine;
import io.github.comch4j.core.ProgressEngine;
import io.github.comch4j.emulator.EmulatedFaults;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Receives of a slot consumer that fail while its connection lives on, of which each loses its message here. */
@Timeout(60)
class SlotLossTest extends BothForms {
    private static final int SLOTS = 8;

    private final Pair pair = new Pair();
    private final ProgressEngine receiving = ProgressEngine.create();
    private final List<String> received = new ArrayList<>();

    /** Notes what it gets; goes on after losses. */
    private final class Enduring implements SlotHandler {
        @Override
        public void onMessage(MemorySegment memory, long offset, int length, int producerId) {
            note.onMessage(memory, offset, length, producerId);
        }

        @Override
        public boolean onReceiveFailed(DocaError status) {
            received.add(status.name());
            return true;
        }
    }

    private final SlotHandler note = (memory, offset, length, producer) ->
            received.add(new String(memory.asSlice(offset, length).toArray(ValueLayout.JAVA_BYTE), UTF_8));

    @AfterEach
    void close() {
        EmulatedFaults.clear();
        pair.close();
        receiving.close();
    }

    private SlotConsumer.Builder settings() {
        return pair.dpuSide.slotConsumer(receiving, 64).tasks(SLOTS);
    }

    /** Numbers from 0, of which the receive of 2 fails. */
    private SlotProducer send(SlotConsumer consumer, int count, DocaError error) {
        pair.awaitKnown(consumer.id());
        SlotProducer producer =
                pair.hostSide.slotProducer(pair.machine.engine, 64).tasks(SLOTS).start();
        new EmulatedFaults().loseReceive(3, error).apply();
        for (int i = 0; i < count; i++) {
            write(producer, consumer.id(), Integer.toString(i));
        }
        pair.machine.until("all to be sent", () -> producer.inFlight() == 0);
        return producer;
    }

    private void write(SlotProducer producer, int consumer, String text) {
        long at = producer.claim(text.length(), consumer);
        assertThat(at).isNotNegative();
        MemorySegment.copy(text.getBytes(UTF_8), 0, producer.memory(), ValueLayout.JAVA_BYTE, at, text.length());
        producer.commit();
    }

    private void await(int count, Runnable poll) {
        pair.machine.until("what comes", () -> {
            poll.run();
            return received.size() == count;
        });
    }

    private static void assertLoss(org.assertj.core.api.ThrowableAssert.ThrowingCallable poll, DocaError error) {
        assertThatThrownBy(poll)
                .isInstanceOf(DocaException.class)
                .hasMessageContaining("a message may be lost")
                .extracting(e -> ((DocaException) e).error())
                .isEqualTo(error);
    }

    private static void pollFor(SlotConsumer consumer, SlotHandler handler) {
        for (int i = 0; i < 1000; i++) {
            consumer.poll(handler, 3);
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = DocaError.class,
            names = {"IO_FAILED", "DRIVER", "NOT_CONNECTED"})
    void aPollEndsWithTheErrorAndWithNothingBehindIt(DocaError error) {
        SlotConsumer consumer = settings().start(Machine.PATIENCE);
        SlotProducer producer = send(consumer, 6, error);
        assertLoss(() -> pollFor(consumer, note), error);
        assertThat(received).containsExactly("0", "1");
        assertLoss(() -> pollFor(consumer, note), error);
        assertThat(received).containsExactly("0", "1");
        Machine.until("its end", consumer::isClosed, receiving, pair.machine.engine);
        assertLoss(() -> consumer.poll(note, 1), error);
        pair.machine.until("the peer's event", () -> pair.hostSide.remoteConsumers().length == 0);
        write(producer, consumer.id(), "behind");
        assertThatThrownBy(() -> pair.machine.until("the refusal", () -> false))
                .as("the writer hears")
                .isInstanceOf(DocaException.class);
    }

    @Test
    void rowsEndWithTheErrorAsWell() {
        SlotConsumer consumer = settings().start(Machine.PATIENCE);
        send(consumer, 6, DocaError.IO_FAILED);
        SlotRowHandler rows = (memory, offset, count, length, producer) -> {
            for (int i = 0; i < count; i++) {
                note.onMessage(memory, offset + i * consumer.stride(), length, producer);
            }
        };
        assertLoss(
                () -> {
                    for (int i = 0; i < 1000; i++) {
                        consumer.pollRows(rows, 10);
                    }
                },
                DocaError.IO_FAILED);
        assertThat(received).containsExactly("0", "1");
    }

    @Test
    void aHandlerOfLossesHearsInOrderAndTheSlotIsPostedAgain() {
        SlotConsumer consumer = settings()
                .onReceiveFailed((self, status) -> received.add(status + " of " + self.id()))
                .start(Machine.PATIENCE);
        send(consumer, 6, DocaError.IO_FAILED);
        await(6, () -> consumer.poll(note, 3));
        assertThat(received).containsExactly("0", "1", "IO_FAILED of " + consumer.id(), "3", "4", "5");
        assertThat(consumer.posted()).isEqualTo(SLOTS);
        assertThat(consumer.failed()).isEqualTo(1);
    }

    @Test
    void theHandlerOfMessagesMayGoOn() {
        SlotConsumer consumer = settings().start(Machine.PATIENCE);
        send(consumer, 6, DocaError.DRIVER);
        Enduring enduring = new Enduring();
        await(6, () -> consumer.poll(enduring, 3));
        assertThat(received).containsExactly("0", "1", "DRIVER", "3", "4", "5");
        assertThat(consumer.posted()).isEqualTo(SLOTS);
    }

    @Test
    void whatFailsWhileNobodyPollsKeepsItsPlace() {
        SlotConsumer consumer = settings().start(Machine.PATIENCE);
        send(consumer, 6, DocaError.IO_FAILED);
        Machine.until("all to wait", () -> consumer.posted() == SLOTS - 6, receiving);
        Enduring enduring = new Enduring();
        assertThat(consumer.poll(enduring, 2)).isEqualTo(2);
        assertThat(received).containsExactly("0", "1");
        await(6, () -> consumer.poll(enduring, 3));
        assertThat(received).containsExactly("0", "1", "IO_FAILED", "3", "4", "5");
        assertThat(consumer.posted()).isEqualTo(SLOTS);
    }

    @Test
    void whatFailsWhileNobodyPollsEndsThePollThere() {
        SlotConsumer consumer = settings().start(Machine.PATIENCE);
        send(consumer, 6, DocaError.IO_FAILED);
        Machine.until("all to wait", () -> consumer.posted() == SLOTS - 6, receiving);
        assertLoss(() -> pollFor(consumer, note), DocaError.IO_FAILED);
        assertThat(received).containsExactly("0", "1");
        Machine.until("its end", consumer::isClosed, receiving, pair.machine.engine);
    }

    @Test
    void whereMessagesComeWithProgressThatFails() {
        SlotConsumer consumer = settings().onMessage(note).start(Machine.PATIENCE);
        send(consumer, 6, DocaError.IO_FAILED);
        assertLoss(() -> Machine.until("the failure", () -> false, receiving), DocaError.IO_FAILED);
        Machine.until("its end", consumer::isClosed, receiving, pair.machine.engine);
        assertThat(received).containsExactly("0", "1");
    }

    @Test
    @NeedsEasyMachine("a task fails alone")
    void aReceiveThatLosesNothingIsToldAsWell() {
        SlotConsumer consumer = settings()
                .onReceiveFailed((self, status) -> received.add(status.name()))
                .start(Machine.PATIENCE);
        pair.awaitKnown(consumer.id());
        SlotProducer producer =
                pair.hostSide.slotProducer(pair.machine.engine, 64).tasks(SLOTS).start();
        new EmulatedFaults().failReceive(2, DocaError.IO_FAILED).apply();
        for (int i = 0; i < 3; i++) {
            write(producer, consumer.id(), Integer.toString(i));
        }
        pair.machine.until("all to be sent", () -> producer.inFlight() == 0);
        await(4, () -> consumer.poll(note, 3));
        assertThat(received).containsExactly("0", "IO_FAILED", "1", "2");
        assertThat(consumer.posted()).isEqualTo(SLOTS);
    }

    @Test
    void theEndOfTheConnectionIsNoLoss() {
        SlotConsumer consumer = settings().start(Machine.PATIENCE);
        SlotProducer producer = send(consumer, 2, DocaError.IO_FAILED);
        await(2, () -> consumer.poll(note, 3));
        producer.close();
        pair.client.close();
        Machine.until(
                "the end",
                () -> {
                    consumer.poll(note, 3);
                    return consumer.isClosed();
                },
                pair.machine.engine);
        assertThat(received).containsExactly("0", "1");
    }
}
