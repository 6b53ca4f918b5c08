package io.github.comch4j.comch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.comch4j.DocaError;
import io.github.comch4j.DocaException;
import io.github.comch4j.Feature;
import io.github.comch4j.Machine;
import io.github.comch4j.Needs;
import io.github.comch4j.SubmitResult;
import io.github.comch4j.core.Buffer;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Receives without a buffer: immediate data alone. */
@Timeout(60)
@Needs(Feature.IMMEDIATE_DATA)
class ImmediateReceiveTest extends BothForms {
    private final Pair pair = new Pair();
    private final List<String> received = new ArrayList<>();
    private final List<String> failed = new ArrayList<>();

    @AfterEach
    void close() {
        pair.close();
    }

    private ComchConsumer.Builder consumer() {
        return consumer((self, buffer, producerId, immediate) -> received.add(text(buffer, immediate)));
    }

    private ComchConsumer.Builder consumer(ReceiveHandler onReceive) {
        return pair.dpuSide
                .consumer(pair.machine.engine, pair.receiveMemory)
                .onReceive(onReceive)
                .onReceiveFailed(
                        (self, buffer, error) -> failed.add((buffer == null ? "none" : "buffer") + " " + error));
    }

    private static String text(Buffer buffer, MemorySegment immediate) {
        byte[] bytes = immediate.toArray(ValueLayout.JAVA_BYTE);
        return (buffer == null ? "none" : Long.toString(buffer.length()))
                + (bytes.length == 0 ? "" : " " + bytes[0] + "x" + bytes.length);
    }

    private ComchProducer producer() {
        return pair.hostSide.producer(pair.machine.engine).start();
    }

    private static MemorySegment immediate(int value, int length) {
        byte[] bytes = new byte[length];
        java.util.Arrays.fill(bytes, (byte) value);
        return MemorySegment.ofArray(bytes);
    }

    private void sendImmediate(ComchProducer producer, ComchConsumer consumer, int value, int length) {
        pair.machine.until(
                "room",
                () -> producer.trySendImmediate(consumer.id(), immediate(value, length))
                        .accepted());
    }

    private void awaitReceived(int count) {
        pair.machine.until(count + " receives", () -> received.size() == count);
    }

    @Test
    void theFirstReceivesAreThereAtOnceAndArePostedAgain() {
        ComchConsumer consumer = consumer().tasks(1).immediateReceives(3).start(Machine.PATIENCE);
        assertThat(consumer.tasks()).isEqualTo(3);
        assertThat(consumer.posted()).isEqualTo(3);
        ComchProducer producer = producer();
        List<String> expected = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            sendImmediate(producer, consumer, i, 1 + i % 32);
            expected.add("none " + i + "x" + (1 + i % 32));
        }
        awaitReceived(100);
        assertThat(received).isEqualTo(expected);
        assertThat(consumer.received()).isEqualTo(100);
        assertThat(consumer.receivedBytes()).isZero();
        assertThat(consumer.failed()).isZero();
        assertThat(consumer.posted()).isEqualTo(3);
    }

    @Test
    void theyMixWithBuffersInTheOrderOfPosting() {
        ComchConsumer consumer =
                consumer().buffers(1, 64).immediateReceives(1).tasks(4).start(Machine.PATIENCE);
        assertThat(consumer.tryPost(consumer.acquire(64, 64))).isEqualTo(SubmitResult.ACCEPTED);
        assertThat(consumer.tryPostImmediate()).isEqualTo(SubmitResult.ACCEPTED);
        assertThat(consumer.tryPostImmediate()).isEqualTo(SubmitResult.NO_TASK);
        ComchProducer producer = producer();
        Buffer data = producer.acquire(pair.sendMemory, 0, 20);
        for (int i = 0; i < 40; i++) {
            if (i % 2 == 0) {
                pair.machine.until(
                        "room", () -> producer.trySend(data, consumer.id()).accepted());
            } else {
                sendImmediate(producer, consumer, i, 4);
            }
            awaitReceived(i + 1); // each is posted again, and so behind the others
            assertThat(received.getLast()).isEqualTo(i % 2 == 0 ? "20" : "none " + i + "x4");
        }
        assertThat(consumer.receivedBytes()).isEqualTo(20 * 20);
        assertThat(consumer.posted()).isEqualTo(4);
    }

    @Test
    void oneTaskHasABufferAndHasNone() {
        ComchConsumer consumer = consumer().tasks(1).repost(false).start(Machine.PATIENCE);
        ComchProducer producer = producer();
        Buffer to = consumer.acquire(0, 64);
        Buffer data = producer.acquire(pair.sendMemory, 0, 8);
        for (int i = 1; i <= 4; i++) {
            assertThat(consumer.tryPost(to.clear())).isEqualTo(SubmitResult.ACCEPTED);
            pair.machine.until(
                    "room", () -> producer.trySend(data, consumer.id()).accepted());
            awaitReceived(2 * i - 1);
            assertThat(consumer.posted()).isZero();
            assertThat(to.isInFlight()).isFalse();
            assertThat(consumer.tryPostImmediate()).isEqualTo(SubmitResult.ACCEPTED);
            assertThat(to.isInFlight()).isFalse();
            sendImmediate(producer, consumer, i, 2);
            awaitReceived(2 * i);
            assertThat(consumer.posted()).isZero();
        }
        assertThat(received).containsExactly("8", "none 1x2", "8", "none 2x2", "8", "none 3x2", "8", "none 4x2");
        assertThat(to.length()).isEqualTo(8);
    }

    @Test
    void dataThatMeetOneAreRefusedAndItStays() {
        ComchConsumer consumer = consumer().immediateReceives(1).start(Machine.PATIENCE);
        List<DocaError> ended = new ArrayList<>();
        ComchProducer producer = pair.hostSide
                .producer(pair.machine.engine)
                .onCompletion((self, buffer, status) -> ended.add(status))
                .start();
        pair.machine.until("the consumer is known", () -> pair.hostSide.remoteConsumers().length == 1);
        Buffer data = producer.acquire(pair.sendMemory, 0, 8);
        assertThatThrownBy(() -> producer.trySend(data, consumer.id(), immediate(1, 1)))
                .isInstanceOfSatisfying(
                        DocaException.class, e -> assertThat(e.error()).isEqualTo(DocaError.INVALID_VALUE));
        assertThat(producer.enqueue(data, consumer.id())).isEqualTo(SubmitResult.ACCEPTED);
        pair.machine.until("the refusal", () -> !ended.isEmpty());
        assertThat(ended).containsExactly(DocaError.INVALID_VALUE);
        assertThat(received).isEmpty();
        assertThat(consumer.posted()).isEqualTo(1);
        pair.machine.until(
                "room", () -> producer.trySend(data.setLength(0), consumer.id()).accepted()); // no data do fit
        sendImmediate(producer, consumer, 7, 3);
        awaitReceived(2);
        assertThat(received).containsExactly("none", "none 7x3");
    }

    @Test
    void whatIsKeptIsNotPostedAgain() {
        ComchConsumer consumer = consumer((self, buffer, producerId, immediate) -> {
                    received.add(text(buffer, immediate));
                    self.keep();
                })
                .immediateReceives(2)
                .start(Machine.PATIENCE);
        ComchProducer producer = producer();
        sendImmediate(producer, consumer, 1, 1);
        sendImmediate(producer, consumer, 2, 1);
        awaitReceived(2);
        assertThat(consumer.posted()).isZero();
        assertThat(producer.trySendImmediate(consumer.id(), immediate(3, 1))).isEqualTo(SubmitResult.NO_RECEIVE);
    }

    @Test
    void aHandlerThatThrowsOrPostsAnotherLosesNone() {
        boolean[] first = {true};
        ComchConsumer consumer = consumer((self, buffer, producerId, immediate) -> {
                    received.add(text(buffer, immediate));
                    if (first[0]) {
                        first[0] = false;
                        assertThat(self.tryPostImmediate()).isEqualTo(SubmitResult.ACCEPTED);
                        throw new ArithmeticException("on purpose");
                    }
                })
                .tasks(2)
                .immediateReceives(1)
                .start(Machine.PATIENCE);
        ComchProducer producer = producer();
        sendImmediate(producer, consumer, 1, 1);
        assertThatThrownBy(() -> awaitReceived(2)).isInstanceOf(ArithmeticException.class);
        assertThat(consumer.posted()).isEqualTo(2);
        sendImmediate(producer, consumer, 2, 1);
        sendImmediate(producer, consumer, 3, 1);
        awaitReceived(3);
        assertThat(received).containsExactly("none 1x1", "none 2x1", "none 3x1");
    }

    @Test
    void closingTellsWhatIsStillPosted() {
        ComchConsumer consumer = consumer().buffers(1, 64).immediateReceives(2).start(Machine.PATIENCE);
        consumer.close();
        assertThat(failed).containsExactly("buffer IO_FAILED", "none IO_FAILED", "none IO_FAILED");
        assertThat(consumer.failed()).isEqualTo(3);
        assertThatThrownBy(consumer::tryPostImmediate)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("closed");
    }

    @Test
    void theEndOfTheConnectionTellsToo() {
        ComchConsumer consumer = consumer().immediateReceives(2).start(Machine.PATIENCE);
        ComchProducer producer = producer();
        sendImmediate(producer, consumer, 1, 1);
        awaitReceived(1);
        pair.client.close();
        pair.machine.until("both", () -> failed.size() == 2);
        assertThat(failed).containsOnly("none IO_FAILED");
        assertThatThrownBy(consumer::tryPostImmediate).isInstanceOf(ConnectionClosedException.class);
    }

    @Test
    void nothingIsPostedBeforeItRuns() {
        ComchConsumer consumer = consumer().immediateReceives(1).start();
        assertThatThrownBy(consumer::tryPostImmediate)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("not running yet");
        assertThatThrownBy(() -> consumer().immediateReceives(0)).isInstanceOf(IllegalArgumentException.class);
    }
}
