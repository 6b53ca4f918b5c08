package io.github.comch4j.comch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.github.comch4j.Feature;
import io.github.comch4j.Machine;
import io.github.comch4j.core.ContextState;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** A slot producer and a slot consumer in each of their states, ended in each way. Nothing may be left of them. */
@Timeout(60)
class SlotClosingTest extends BothForms {
    private static final int SIZE = 20_000; // not inline in the device's queue

    /** What the producer is doing. */
    enum Sending {
        NOTHING,
        CLAIMED,
        COMMITTED,
        COMMITTED_AND_CLAIMED,
        CLAIMED_MANY,
        WITHOUT_ROOM,
        SENT
    }

    /** What the consumer is doing. */
    enum Receiving {
        STARTING,
        POSTED,
        UNPOLLED,
        POLLED
    }

    /** What ends. */
    enum End {
        PRODUCER,
        CONSUMER,
        DISCONNECT,
        CLIENT,
        SERVER,
        ENGINE,
        HOST,
        DPU
    }

    static Stream<Arguments> cases() {
        return Arrays.stream(Sending.values())
                .flatMap(sending -> Arrays.stream(Receiving.values())
                        // to whom nobody can send yet
                        .filter(receiving -> receiving != Receiving.STARTING || sending == Sending.NOTHING)
                        .filter(receiving -> receiving == Receiving.POSTED
                                || receiving == Receiving.STARTING
                                || sending.compareTo(Sending.COMMITTED) > 0)
                        .flatMap(receiving ->
                                Arrays.stream(End.values()).map(end -> arguments(sending, receiving, end))));
    }

    private static void put(SlotProducer producer, int to) {
        long at = producer.claim(SIZE, to);
        assertThat(at).isNotNegative();
        producer.memory().set(ValueLayout.JAVA_INT, at, 7);
        producer.commit();
    }

    @ParameterizedTest(name = "{0}, {1}: {2}")
    @MethodSource("cases")
    void endsWell(Sending sending, Receiving receiving, End end) {
        if (end == End.DISCONNECT) {
            Feature.DISCONNECT.assume();
        }
        try (Pair pair = new Pair()) {
            int[] failed = new int[1];
            int[] handled = new int[1];
            SlotConsumer.Builder builder =
                    pair.dpuSide.slotConsumer(pair.machine.engine, SIZE).tasks(2);
            SlotConsumer consumer;
            if (receiving == Receiving.STARTING) {
                consumer = builder.start();
                assertThat(consumer.state()).isEqualTo(ContextState.STARTING);
            } else {
                consumer = builder.start(Machine.PATIENCE);
                pair.awaitKnown(consumer.id());
            }
            SlotProducer producer = pair.hostSide
                    .slotProducer(pair.machine.engine, SIZE)
                    .tasks(8)
                    .onSendFailed((self, offset, length, status) -> failed[0]++)
                    .start();
            int committed = switch (sending) {
                case NOTHING, CLAIMED -> 0;
                case COMMITTED, COMMITTED_AND_CLAIMED, CLAIMED_MANY, SENT -> 2;
                case WITHOUT_ROOM -> 6;
            };
            for (int i = 0; i < committed; i++) {
                put(producer, consumer.id());
            }
            if (sending == Sending.CLAIMED || sending == Sending.COMMITTED_AND_CLAIMED) {
                assertThat(producer.claim(SIZE, consumer.id())).isNotNegative();
            }
            if (sending == Sending.CLAIMED_MANY) {
                assertThat(producer.claimMany(4, SIZE, consumer.id())).isNotNegative();
                assertThat(producer.claimed()).isEqualTo(4);
            }
            if (sending == Sending.WITHOUT_ROOM) {
                assertThat(producer.flush()).isFalse();
            } else if (sending == Sending.SENT) {
                assertThat(producer.flush()).isTrue();
            }
            if (receiving == Receiving.UNPOLLED) {
                pair.machine.until("messages", () -> consumer.received() == 2);
            } else if (receiving == Receiving.POLLED) {
                pair.machine.until(
                        "messages", () -> consumer.poll((memory, offset, length, id) -> handled[0]++, 1) == 1);
            }
            MemorySegment sent = producer.memory();
            MemorySegment received = consumer.memory();

            switch (end) {
                case PRODUCER -> producer.close();
                case CONSUMER -> consumer.close();
                case DISCONNECT -> pair.dpuSide.disconnect();
                case CLIENT -> pair.client.close();
                case SERVER -> pair.server.close();
                case ENGINE -> pair.machine.engine.close();
                case HOST -> pair.machine.host.close();
                case DPU -> pair.machine.dpu.close();
            }
            if (end == End.DISCONNECT) {
                pair.machine.until("its end", () -> !producer.isRunning());
            }
            if (end == End.CONSUMER) { // nobody is there any more for what waits
                pair.machine.until("the end of all sends", () -> producer.inFlight() == 0);
            }
            assertThat(consumer.isClosed() || producer.isClosed()).isTrue();
            if (!pair.machine.engine.isClosed()) {
                consumer.close();
                producer.close();
            }
            for (MemorySegment memory : new MemorySegment[] {sent, received}) {
                assertThatThrownBy(() -> memory.get(ValueLayout.JAVA_BYTE, 0))
                        .isInstanceOf(IllegalStateException.class);
            }
            assertThat(producer.inFlight()).isZero();
            assertThat(consumer.posted()).isZero();
            assertThat(producer.sent() + producer.failed()).isEqualTo(committed);
            assertThat(producer.failed()).isEqualTo(failed[0]);
            assertThat(consumer.received()).isLessThanOrEqualTo(producer.sent());
            producer.close();
            consumer.close();
            pair.machine.dpu.close(); // fails if a map or context were left on it
            pair.machine.host.close();
        }
    }
}
