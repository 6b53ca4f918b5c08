package io.github.comch4j.comch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.comch4j.Feature;
import io.github.comch4j.Machine;
import io.github.comch4j.Needs;
import io.github.comch4j.SubmitResult;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Many messages that have arrived when the engine progresses. */
@Timeout(60)
class MessageBurstTest extends BothForms {
    private static final int MANY = 200;

    private final Machine machine = new Machine();
    private final List<Integer> received = new ArrayList<>(); // numbers of messages
    private int[] lengths = {5, 64, 511, 5, 512, 513, 5, 4080, 2000, 256}; // on both sides of all limits; in turns
    private BiConsumer<ComchConnection, MemorySegment> then = (from, message) -> {};
    private ComchServer server;
    private ComchClient client;

    private void connect() {
        server = machine.server()
                .receiveQueueSize(MANY)
                .onMessage((from, message) -> {
                    int number = message.get(ValueLayout.JAVA_INT, 0);
                    assertThat(message.byteSize()).isEqualTo(length(number));
                    assertThat(message.get(ValueLayout.JAVA_BYTE, message.byteSize() - 1))
                            .isEqualTo((byte) number);
                    received.add(number);
                    then.accept(from, message);
                })
                .onHandlerFailed(Machine::rethrow)
                .start();
        client = machine.client().sendTasks(MANY).connect(Machine.PATIENCE);
        machine.until("the connection", () -> !server.connections().isEmpty());
        machine.settle();
    }

    @AfterEach
    void close() {
        machine.close();
    }

    private int length(int number) {
        return lengths[number % lengths.length];
    }

    private void send(int from, int to) {
        for (int i = from; i < to; i++) {
            byte[] bytes = new byte[length(i)];
            MemorySegment.ofArray(bytes).set(ValueLayout.JAVA_INT_UNALIGNED, 0, i);
            bytes[bytes.length - 1] = (byte) i;
            assertThat(client.connection().trySend(bytes)).isEqualTo(SubmitResult.ACCEPTED);
        }
    }

    private static List<Integer> upTo(int end) {
        return IntStream.range(0, end).boxed().toList();
    }

    private void untilReceived(int number) {
        machine.until(number + " messages", () -> received.size() >= number);
        machine.settle();
        assertThat(received).isEqualTo(upTo(number));
    }

    @Test
    void shortAndLongOnesArriveInTheirOrder() {
        arriveTogether();
    }

    /** More in a row than the inbox for them has places. */
    @Test
    void longOnesArriveInTheirOrder() {
        lengths = new int[] {4080, 513, 1000};
        arriveTogether();
        lengths = new int[] {5}; // the next one: its place is free again
        send(MANY, MANY + 1);
        untilReceived(MANY + 1);
    }

    private void arriveTogether() {
        connect();
        send(0, MANY);
        while (machine.engine.progress(1000) > 0) {
            // until nothing is ready
        }
        untilReceived(MANY);
    }

    @Test
    void oneProgressRunsNoMoreHandlersThanItIsAskedFor() {
        connect();
        send(0, MANY);
        for (int limit = 1; received.size() < MANY; limit = limit % 70 + 3) {
            int before = received.size();
            int events = machine.engine.progress(limit);
            assertThat(events).isLessThanOrEqualTo(limit);
            assertThat(received.size() - before).isLessThanOrEqualTo(events);
        }
        untilReceived(MANY);
    }

    @Test
    void aHandlerThatThrowsLosesNoMessage() {
        connect();
        then = (from, message) -> {
            if (received.size() % 7 == 3) {
                throw new IllegalArgumentException("message " + received.getLast());
            }
        };
        send(0, 50);
        List<String> thrown = new ArrayList<>();
        while (received.size() < 50) {
            try {
                machine.engine.progress(1000);
            } catch (IllegalArgumentException e) {
                thrown.add(e.getMessage());
                for (Throwable more : e.getSuppressed()) { // of what came before a long message, which is an upcall
                    thrown.add(more.getMessage());
                }
            }
        }
        assertThat(received).isEqualTo(upTo(50));
        assertThat(thrown)
                .containsExactly(
                        "message 2", "message 9", "message 16", "message 23", "message 30", "message 37", "message 44");
    }

    @Test
    @Needs(Feature.DISCONNECT)
    void nothingArrivesAfterTheHandlerHasEndedTheConnection() {
        connect();
        then = (from, message) -> {
            if (received.size() == 4) {
                from.disconnect();
            }
        };
        send(0, 20);
        machine.until("the end", () -> !client.isConnected());
        machine.settle();
        assertThat(received).isEqualTo(upTo(4));
    }

    @Test
    void whatArrivedBeforeTheClientsEndIsDelivered() {
        connect();
        send(0, 40);
        machine.until("all are on their way", () -> client.inFlight() == 0);
        client.close();
        machine.until("the end", () -> server.connections().isEmpty());
        assertThat(received).isEqualTo(upTo(40));
    }

    @Test
    void aHandlerMayNotProgressItsEngine() {
        connect();
        then = (from, message) ->
                assertThatThrownBy(machine.engine::progress).isInstanceOf(IllegalStateException.class);
        send(0, 40);
        untilReceived(40);
    }
}
