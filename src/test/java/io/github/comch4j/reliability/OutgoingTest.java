package io.github.comch4j.reliability;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.comch4j.DocaError;
import io.github.comch4j.Machine;
import io.github.comch4j.comch.Pair;
import io.github.comch4j.comch.SlotConsumer;
import io.github.comch4j.emulator.EmulatedFaults;
import java.lang.foreign.MemorySegment;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The books of the kills: what one end says has been sent must have been sent, or the peer seems to have lost it. */
@Timeout(60)
class OutgoingTest {
    private static final int ROOM = 4096;

    private Pair pair;
    private SlotConsumer consumer;
    private Outgoing outgoing;
    private long submitted;
    private long completed;

    @BeforeEach
    void open() {
        pair = new Pair();
        consumer = pair.dpuSide
                .slotConsumer(pair.machine.engine, ROOM)
                .tasks(16)
                .onMessage((memory, offset, length, id) -> {})
                .start(Machine.PATIENCE);
        pair.awaitKnown(consumer.id());
        outgoing = Outgoing.open(
                Outgoing.Kind.RECORDS,
                pair.hostSide,
                pair.machine.engine,
                pair.machine.host,
                4,
                ROOM,
                new Random(1),
                new Outgoing.Content() {
                    @Override
                    public int size() {
                        return 100;
                    }

                    @Override
                    public void write(MemorySegment payload, long number) {}

                    @Override
                    public void completed(long count) {
                        completed += count;
                    }
                });
    }

    @AfterEach
    void close() {
        EmulatedFaults.clear();
        outgoing.parts().forEach(Runnable::run);
        pair.close();
    }

    /** A message with so many records; it is submitted, and its completion is not reported yet. */
    private void message(int records) {
        for (int sent = 0; sent < records; ) {
            sent += outgoing.send(submitted, consumer.id()) ? 1 : 0;
            submitted += 1;
        }
        outgoing.isIdle();
    }

    private void awaitIdle() {
        pair.machine.until("everything has ended", outgoing::isIdle);
        outgoing.countCompletions();
    }

    @Test
    void recordsCountOnceTheyAreSent() {
        message(3);
        message(1);
        outgoing.countCompletions();
        assertThat(completed).as("before any completion is reported").isZero();
        awaitIdle();
        assertThat(completed).isEqualTo(4);
        for (int i = 1; i <= 20; i++) { // all slots are used again and again
            message(i);
            awaitIdle();
        }
        assertThat(completed).isEqualTo(4 + 210);
    }

    @Test
    void recordsOfAMessageThatFailsDoNotCountNorThoseBehindIt() {
        new EmulatedFaults().failSend(1, DocaError.IO_FAILED).apply();
        message(3);
        message(1);
        awaitIdle();
        assertThat(completed).isZero();
    }

    @Test
    void recordsCountWhenNothingIsInFlight() {
        message(3);
        message(1);
        pair.machine.until("some are sent", () -> {
            outgoing.countCompletions();
            return completed > 0;
        });
        // a producer tells how many messages it has sent, not which
        assertThat(completed).isEqualTo(4);
    }
}
