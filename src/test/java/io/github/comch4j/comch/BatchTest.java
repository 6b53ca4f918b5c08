package io.github.comch4j.comch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.comch4j.DocaError;
import io.github.comch4j.DocaException;
import io.github.comch4j.Feature;
import io.github.comch4j.Machine;
import io.github.comch4j.Needs;
import io.github.comch4j.SubmitResult;
import io.github.comch4j.core.Access;
import io.github.comch4j.core.Buffer;
import io.github.comch4j.core.MemoryMap;
import io.github.comch4j.core.ProgressEngine;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Queued sends, order of callbacks and exceptions: what batching must not change. */
@Timeout(60)
class BatchTest extends BothForms {
    private static final int SLOT = 64;

    private final Machine machine = new Machine();
    private final MemoryMap sendMemory = MemoryMap.allocate(machine.host, 256 * SLOT, Access.PCI_READ_WRITE);
    private final MemoryMap receiveMemory = MemoryMap.allocate(machine.dpu, 256 * SLOT, Access.PCI_READ_WRITE);
    private final List<Object> events = new ArrayList<>();
    private ComchServer server;
    private ComchConnection hostSide;
    private ComchConnection dpuSide;

    @BeforeEach
    void connect() {
        server = machine.server()
                .onMessage((connection, message) -> events.add("message"))
                .onHandlerFailed(Machine::rethrow)
                .start();
        ComchClient client = machine.client().connect(Machine.PATIENCE);
        machine.until("the connection", () -> !server.connections().isEmpty());
        hostSide = client.connection();
        dpuSide = server.connections().iterator().next();
    }

    @AfterEach
    void close() {
        machine.close();
    }

    private ComchConsumer.Builder recorder(ProgressEngine engine) {
        return dpuSide.consumer(engine, receiveMemory)
                .onReceive((consumer, buffer, producerId, immediate) ->
                        events.add(buffer.segment().get(ValueLayout.JAVA_INT, 0)));
    }

    private Buffer numbered(ComchProducer producer, int number) {
        Buffer buffer = producer.acquire(sendMemory, (long) number * SLOT, SLOT);
        buffer.segment().set(ValueLayout.JAVA_INT, 0, number);
        return buffer;
    }

    private static Object[] numbers(int count) {
        return IntStream.range(0, count).boxed().toArray();
    }

    @Test
    void queuedSendsArriveInOrderAndWaitForRoom() {
        ComchConsumer consumer = recorder(machine.engine).buffers(3, SLOT).start(Machine.PATIENCE);
        ComchProducer producer = hostSide.producer(machine.engine).tasks(256).start();
        for (int i = 0; i < 256; i++) {
            assertThat(producer.enqueue(numbered(producer, i), consumer.id()).accepted())
                    .isTrue();
        }
        assertThat(producer.inFlight()).isEqualTo(256);
        assertThat(producer.enqueue(producer.acquire(sendMemory, 0, 1), consumer.id()))
                .as("all tasks are queued or in flight")
                .isEqualTo(SubmitResult.NO_TASK);
        machine.until("all", () -> events.size() == 256 && producer.inFlight() == 0);
        assertThat(events).containsExactly(numbers(256));
        assertThat(producer.sent()).isEqualTo(256);
    }

    @Test
    void flushSubmitsWhatThereIsRoomForWithoutProgress() {
        ProgressEngine other = ProgressEngine.create();
        ComchConsumer consumer = recorder(other).buffers(2, SLOT).start(Machine.PATIENCE);
        ComchProducer producer = hostSide.producer(machine.engine).tasks(8).start();
        producer.enqueue(numbered(producer, 0), consumer.id());
        assertThat(producer.flush()).isTrue();
        Machine.until("the first", () -> events.size() == 1, other);
        for (int i = 1; i < 5; i++) {
            producer.enqueue(numbered(producer, i), consumer.id());
        }
        assertThat(producer.flush()).as("room for two").isFalse();
        Machine.until("what there was room for", () -> events.size() == 3, other);
        assertThat(producer.flush()).isTrue();
        Machine.until("the rest", () -> events.size() == 5, other);
        assertThat(events).containsExactly(numbers(5));
        assertThat(producer.flush()).as("nothing to do").isTrue();
        machine.until("completions", () -> producer.inFlight() == 0);
        other.close();
        assertThatThrownBy(() -> {
                    producer.close();
                    producer.flush();
                })
                .isInstanceOf(IllegalStateException.class);
    }

    @Test
    void progressFlushes() {
        ProgressEngine other = ProgressEngine.create();
        ComchConsumer consumer = recorder(other).buffers(2, SLOT).start(Machine.PATIENCE);
        ComchProducer producer = hostSide.producer(machine.engine).tasks(8).start();
        producer.enqueue(numbered(producer, 0), consumer.id());
        machine.engine.progress();
        Machine.until("it", () -> events.size() == 1, other);
        other.close();
    }

    @Test
    void aSendDoesNotOvertakeQueuedOnes() {
        ComchConsumer consumer = recorder(machine.engine).start(Machine.PATIENCE);
        ComchProducer producer = hostSide.producer(machine.engine).tasks(8).start();
        producer.enqueue(numbered(producer, 0), consumer.id());
        Buffer last = numbered(producer, 1).setData(0, 8);
        assertThat(producer.trySend(last, consumer.id())).isEqualTo(SubmitResult.NO_RECEIVE);
        assertThat(last.isInFlight()).isFalse();
        consumer.tryPost(consumer.acquire(0, SLOT));
        consumer.tryPost(consumer.acquire(SLOT, SLOT));
        assertThat(producer.trySend(last, consumer.id()).accepted()).isTrue();
        machine.until("both", () -> events.size() == 2);
        assertThat(events).containsExactly(0, 1);
    }

    @Test
    @Needs(Feature.IMMEDIATE_DATA)
    void immediateDataMayBeQueued() {
        List<Long> lengths = new ArrayList<>();
        ComchConsumer consumer = dpuSide.consumer(machine.engine, receiveMemory)
                .buffers(4, SLOT)
                .onReceive((self, buffer, producerId, immediate) -> {
                    lengths.add(buffer.length());
                    lengths.add(immediate.byteSize());
                    events.add(immediate.get(ValueLayout.JAVA_BYTE, 0));
                })
                .start(Machine.PATIENCE);
        ComchProducer producer = hostSide.producer(machine.engine).tasks(2).start();
        MemorySegment bytes = MemorySegment.ofArray(new byte[] {5, 6});
        producer.enqueue(numbered(producer, 0).setLength(7), consumer.id(), bytes);
        bytes.set(ValueLayout.JAVA_BYTE, 0, (byte) 9);
        producer.enqueue(numbered(producer, 1), consumer.id(), bytes);
        machine.until("both", () -> events.size() == 2);
        assertThat(events).as("copied when queued").containsExactly((byte) 5, (byte) 9);
        assertThat(lengths).containsExactly(7L, 2L, 64L, 2L);
    }

    @Test
    void aQueuedSendThatIsRefusedEndsAsFailed() {
        List<String> completions = new ArrayList<>();
        ComchConsumer consumer = recorder(machine.engine).buffers(4, SLOT).start(Machine.PATIENCE);
        ComchProducer producer = hostSide.producer(machine.engine)
                .tasks(4)
                .onCompletion((self, buffer, status) -> completions.add(buffer.offset() / SLOT + " " + status))
                .start();
        producer.enqueue(numbered(producer, 0), consumer.id());
        Buffer lost = numbered(producer, 1);
        producer.enqueue(lost, 60000);
        producer.enqueue(numbered(producer, 2), consumer.id());
        machine.until("all", () -> completions.size() == 3 && events.size() == 2);
        assertThat(completions).containsExactlyInAnyOrder("0 SUCCESS", "1 INVALID_VALUE", "2 SUCCESS");
        assertThat(events).containsExactly(0, 2);
        assertThat(lost.isInFlight()).isFalse();
        assertThat(producer.failed()).isEqualTo(1);
    }

    @Test
    void withoutAHandlerProgressThrowsForAQueuedSendThatIsRefused() {
        ComchProducer producer = hostSide.producer(machine.engine).start();
        producer.enqueue(numbered(producer, 0), 60000);
        assertThatThrownBy(() -> machine.until("the failure", () -> producer.inFlight() == 0 && producer.failed() == 2))
                .isInstanceOfSatisfying(
                        DocaException.class, e -> assertThat(e.error()).isEqualTo(DocaError.INVALID_VALUE));
        assertThat(producer.inFlight()).isZero();
    }

    /** Once for each row: when a peer dies, everything in flight fails. */
    @Test
    void withoutAHandlerTheFirstFailureOfEachRowIsThrown() {
        ComchConsumer consumer = recorder(machine.engine).buffers(4, SLOT).start(Machine.PATIENCE);
        ComchProducer producer = hostSide.producer(machine.engine).tasks(4).start();
        for (int row = 1; row <= 3; row++) {
            int sends = row;
            producer.enqueue(numbered(producer, 0), 60000);
            producer.enqueue(numbered(producer, 1), 60000);
            assertThatThrownBy(() -> machine.until("a failure", () -> false))
                    .isInstanceOfSatisfying(
                            DocaException.class, e -> assertThat(e.error()).isEqualTo(DocaError.INVALID_VALUE));
            machine.until("the other one", () -> producer.failed() == 2L * sends);
            producer.enqueue(numbered(producer, 2), consumer.id());
            machine.until("a success", () -> producer.sent() == sends);
        }
    }

    @Test
    void whatIsStillQueuedWhenTheProducerClosesFails() {
        List<DocaError> statuses = new ArrayList<>();
        ComchConsumer consumer =
                recorder(machine.engine).buffers(1, SLOT).repost(false).start(Machine.PATIENCE);
        ComchProducer producer = hostSide.producer(machine.engine)
                .tasks(4)
                .onCompletion((self, buffer, status) -> statuses.add(status))
                .start();
        for (int i = 0; i < 3; i++) {
            producer.enqueue(numbered(producer, i), consumer.id());
        }
        producer.close();
        assertThat(statuses).hasSize(3);
        assertThat(Collections.frequency(statuses, DocaError.SUCCESS)).isEqualTo(1);
        machine.until("what was submitted before the stop", () -> events.size() == 1);
    }

    @Test
    void memoryUnderAQueuedSendMayBeClosed() {
        ComchConsumer consumer = recorder(machine.engine).start(Machine.PATIENCE);
        List<DocaError> statuses = new ArrayList<>();
        ComchProducer producer = hostSide.producer(machine.engine)
                .tasks(4)
                .onCompletion((self, buffer, status) -> statuses.add(status))
                .start();
        MemoryMap memory = MemoryMap.allocate(machine.host, SLOT, Access.PCI_READ_WRITE);
        producer.enqueue(producer.acquire(memory, 0, SLOT), consumer.id());
        memory.close();
        assertThat(statuses).hasSize(1).doesNotContain(DocaError.SUCCESS);
        assertThat(producer.inFlight()).isZero();
    }

    @Test
    void queuedSendsEndWithTheConnection() {
        ComchConsumer consumer = recorder(machine.engine).start(Machine.PATIENCE);
        List<DocaError> statuses = new ArrayList<>();
        ComchProducer producer = hostSide.producer(machine.engine)
                .tasks(4)
                .onCompletion((self, buffer, status) -> statuses.add(status))
                .start();
        producer.enqueue(numbered(producer, 0), consumer.id());
        producer.enqueue(numbered(producer, 1), consumer.id());
        server.close();
        machine.until("the failures", () -> statuses.size() == 2 && producer.inFlight() == 0);
        machine.until("the end", () -> producer.state() == io.github.comch4j.core.ContextState.IDLE);
        assertThat(statuses).doesNotContain(DocaError.SUCCESS);
        assertThatThrownBy(() -> producer.enqueue(numbered(producer, 2), consumer.id()))
                .isInstanceOf(ConnectionClosedException.class);
    }

    @Test
    void oneProgressRunsOneCallback() {
        ProgressEngine other = ProgressEngine.create();
        ComchConsumer consumer = recorder(other).buffers(16, SLOT).start(Machine.PATIENCE);
        ComchProducer producer = hostSide.producer(machine.engine).tasks(16).start();
        for (int i = 0; i < 16; i++) {
            producer.enqueue(numbered(producer, i), consumer.id());
        }
        producer.flush();
        for (int i = 1; i <= 3; i++) {
            assertThat(other.progress()).isTrue();
            assertThat(events).hasSize(i);
        }
        assertThat(other.progress(5)).isEqualTo(5);
        assertThat(events).hasSize(8);
        assertThat(other.progress(100)).isEqualTo(8);
        assertThat(other.progress()).isFalse();
        assertThat(events).containsExactly(numbers(16));
        other.close();
    }

    @Test
    void anExceptionStopsProgressAndLosesNothing() {
        ProgressEngine other = ProgressEngine.create();
        ComchConsumer consumer = dpuSide.consumer(other, receiveMemory)
                .buffers(8, SLOT)
                .onReceive((self, buffer, producerId, immediate) -> {
                    int number = buffer.segment().get(ValueLayout.JAVA_INT, 0);
                    events.add(number);
                    if (number % 2 == 1) {
                        throw new IllegalArgumentException("number " + number);
                    }
                })
                .start(Machine.PATIENCE);
        ComchProducer producer = hostSide.producer(machine.engine).tasks(8).start();
        for (int i = 0; i < 5; i++) {
            producer.enqueue(numbered(producer, i), consumer.id());
        }
        producer.flush();
        assertThatThrownBy(() -> other.progress(100))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("number 1")
                .hasNoSuppressedExceptions();
        assertThat(events).containsExactly(0, 1);
        assertThatThrownBy(() -> other.progress(100)).hasMessage("number 3");
        assertThatCode(() -> other.progress(100)).doesNotThrowAnyException();
        assertThat(events).containsExactly(numbers(5));
        assertThat(consumer.posted()).as("posted again, thrown or not").isEqualTo(8);
        other.close();
    }

    @Test
    void nothingMoreIsToldOnceAHandlerHasThrown() {
        List<ComchConnection> told = new ArrayList<>();
        try (ProgressEngine serving = ProgressEngine.create()) {
            ComchServer server = ComchServer.builder(serving, machine.dpu, machine.representor, Machine.uniqueName())
                    .onConnected(connection -> {
                        told.add(connection);
                        throw new IllegalArgumentException("as ordered");
                    })
                    .onHandlerFailed(Machine::rethrow)
                    .start();
            for (int i = 0; i < 3; i++) {
                ComchClient.builder(machine.engine, machine.host, server.name()).start();
            }
            for (int i = 1; i <= 3; i++) {
                assertThatThrownBy(() -> Machine.until("connections", () -> serving.progress(100) < 0, machine.engine))
                        .isInstanceOf(IllegalArgumentException.class)
                        .hasNoSuppressedExceptions();
                assertThat(told).hasSize(i);
            }
        }
    }

    @Test
    void callbacksMaySendAndPostAndStartOthers() {
        List<ComchProducer> started = new ArrayList<>();
        List<Buffer> waiting = new ArrayList<>();
        ComchConsumer consumer = dpuSide.consumer(machine.engine, receiveMemory)
                .repost(false)
                .onReceive((self, buffer, producerId, immediate) -> {
                    events.add(buffer.segment().get(ValueLayout.JAVA_INT, 0));
                    assertThat(self.tryPost(buffer.clear()).accepted()).isTrue();
                    if (started.isEmpty()) {
                        started.add(hostSide.producer(machine.engine).tasks(100).start());
                    }
                    if (!waiting.isEmpty()) {
                        assertThat(started.getFirst()
                                        .enqueue(waiting.removeFirst(), self.id())
                                        .accepted())
                                .isTrue();
                    }
                })
                .start(Machine.PATIENCE);
        consumer.tryPost(consumer.acquire(0, SLOT));
        consumer.tryPost(consumer.acquire(SLOT, SLOT));
        ComchProducer producer = hostSide.producer(machine.engine).tasks(128).start();
        for (int i = 80; i < 160; i++) {
            waiting.add(numbered(producer, i));
        }
        for (int i = 0; i < 80; i++) {
            producer.enqueue(numbered(producer, i), consumer.id());
        }
        machine.until(
                "all",
                () -> events.size() == 160
                        && producer.inFlight() == 0
                        && started.getFirst().inFlight() == 0);
        assertThat(events)
                .doesNotHaveDuplicates()
                .filteredOn(number -> (int) number >= 80)
                .isSorted();
        assertThat(events).filteredOn(number -> (int) number < 80).containsExactly(numbers(80));
    }

    @Test
    void messagesAndDataShareAnEngine() {
        ComchConsumer consumer = recorder(machine.engine).buffers(64, SLOT).start(Machine.PATIENCE);
        ComchProducer producer = hostSide.producer(machine.engine).tasks(64).start();
        for (int i = 0; i < 50; i++) {
            producer.enqueue(numbered(producer, i), consumer.id());
            hostSide.send(new byte[] {1});
        }
        machine.until("all", () -> events.size() == 100 && producer.inFlight() == 0);
        assertThat(events).filteredOn(Integer.class::isInstance).containsExactly(numbers(50));
        assertThat(Collections.frequency(events, "message")).isEqualTo(50);
    }

    @Test
    void manyProducersAndConsumersMayShareAnEngine() {
        List<ComchConsumer> consumers = new ArrayList<>();
        List<ComchProducer> producers = new ArrayList<>();
        int[] count = new int[10];
        for (int i = 0; i < 10; i++) {
            int at = i;
            ComchConsumer consumer = dpuSide.consumer(machine.engine, receiveMemory)
                    .tasks(20)
                    .onReceive((self, buffer, producerId, immediate) -> count[at]++)
                    .start(Machine.PATIENCE);
            for (int j = 0; j < 20; j++) {
                consumer.tryPost(consumer.acquire((i * 20L + j) * SLOT, SLOT));
            }
            consumers.add(consumer);
            producers.add(hostSide.producer(machine.engine).tasks(20).start());
            if (i == 4) {
                consumers.removeFirst().close();
                producers.removeFirst().close();
            }
        }
        Buffer[] buffers =
                producers.stream().map(producer -> numbered(producer, 0)).toArray(Buffer[]::new);
        for (int round = 0; round < 100; round++) {
            for (int i = 0; i < 9; i++) {
                ComchProducer producer = producers.get(i);
                Buffer buffer = buffers[i];
                int id = consumers.get((i + round) % 9).id();
                machine.until("a task", () -> producer.enqueue(buffer, id).accepted());
            }
        }
        machine.until(
                "all",
                () -> IntStream.of(count).sum() == 900
                        && producers.stream().allMatch(producer -> producer.inFlight() == 0));
        assertThat(count).startsWith(0).endsWith(100, 100, 100);
    }
}
