package io.github.comch4j.comch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.comch4j.DocaError;
import io.github.comch4j.DocaException;
import io.github.comch4j.Machine;
import io.github.comch4j.NeedsEasyMachine;
import io.github.comch4j.SubmitResult;
import io.github.comch4j.core.Buffer;
import io.github.comch4j.core.BufferPool;
import io.github.comch4j.core.ContextState;
import io.github.comch4j.core.ProgressEngine;
import io.github.comch4j.emulator.EmulatedFaults;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class FastPathOptionsTest extends BothForms {
    private final Pair pair = new Pair();

    @AfterEach
    void close() {
        EmulatedFaults.clear();
        pair.close();
    }

    private ComchConsumer consumer() {
        return pair.dpuSide
                .consumer(pair.machine.engine, pair.receiveMemory)
                .buffers(4, Pair.SLOT)
                .start(Machine.PATIENCE);
    }

    @Test
    void producersAndConsumersTellTheirStates() {
        List<String> states = new ArrayList<>();
        BiConsumer<FastPathEndpoint, ContextState> recorder = (object, next) -> {
            assertThat(object.state()).isEqualTo(next);
            states.add(object.getClass().getSimpleName() + " " + next);
        };
        ComchConsumer consumer = pair.dpuSide
                .consumer(pair.machine.engine, pair.receiveMemory)
                .onStateChanged(recorder)
                .buffers(2, Pair.SLOT)
                .start(Machine.PATIENCE);
        assertThat(states).containsExactly("ComchConsumer STARTING", "ComchConsumer RUNNING");
        assertThat(consumer.isRunning()).isTrue();
        assertThat(consumer.posted()).isEqualTo(2);
        states.clear();
        consumer.close();
        assertThat(states).containsExactly("ComchConsumer STOPPING", "ComchConsumer IDLE");
        states.clear();
        ComchProducer producer = pair.hostSide
                .producer(pair.machine.engine)
                .onStateChanged(recorder)
                .start();
        assertThat(states).endsWith("ComchProducer RUNNING");
        producer.close();
        assertThat(states).endsWith("ComchProducer IDLE");
    }

    @Test
    void buffersAreTakenBySegment() {
        List<Buffer> received = new ArrayList<>();
        ComchConsumer consumer = pair.dpuSide
                .consumer(pair.machine.engine, pair.receiveMemory)
                .repost(false)
                .onReceive((self, buffer, producer, immediate) -> received.add(buffer))
                .start(Machine.PATIENCE);
        MemorySegment to = pair.receiveMemory.segment().asSlice(100, 8);
        consumer.tryPost(consumer.acquire(to));
        ComchProducer producer = pair.hostSide.producer(pair.machine.engine).start();
        MemorySegment from = pair.sendMemory.segment().asSlice(3, 8);
        from.set(ValueLayout.JAVA_LONG_UNALIGNED, 0, 42);
        Buffer buffer = producer.acquire(pair.sendMemory, from);
        pair.machine.until(
                "a send", () -> producer.trySend(buffer, consumer.id()).accepted());
        pair.machine.until("the buffer", () -> !received.isEmpty());
        assertThat(received.getFirst().offset()).isEqualTo(100);
        assertThat(to.get(ValueLayout.JAVA_LONG_UNALIGNED, 0)).isEqualTo(42);
    }

    @Test
    void aProducerLendsSoManyBuffersOfItsOwn() {
        assertThatThrownBy(() -> pair.hostSide.producer(pair.machine.engine).buffers(0))
                .isInstanceOf(IllegalArgumentException.class);
        ComchProducer producer =
                pair.hostSide.producer(pair.machine.engine).tasks(4).buffers(1).start();
        assertThat(producer.tasks()).isEqualTo(4);
        Buffer only = producer.acquire(pair.sendMemory, 0, 10);
        assertThatThrownBy(() -> producer.acquire(pair.sendMemory, 0, 10))
                .isInstanceOfSatisfying(
                        DocaException.class, e -> assertThat(e.error()).isEqualTo(DocaError.NO_MEMORY))
                .hasMessageContaining("releaseSent()");
        only.close();
        assertThat(producer.acquire(pair.sendMemory, 0, 10).capacity()).isEqualTo(10);
    }

    @Test
    void aConsumerThatDoesNotStartInTimeIsClosed() {
        FastPathEndpoint[] started = new FastPathEndpoint[1];
        try (ProgressEngine own = ProgressEngine.create()) {
            pair.machine.engine.release(); // nobody does the control path's part
            ComchConsumer.Builder builder = pair.dpuSide
                    .consumer(own, pair.receiveMemory)
                    .onStateChanged((object, after) -> started[0] = object);
            assertThatThrownBy(() -> builder.start(Duration.ofMillis(20)))
                    .isInstanceOfSatisfying(
                            DocaException.class, e -> assertThat(e.error()).isEqualTo(DocaError.TIME_OUT));
            assertThat(started[0].isClosed()).isTrue();
            pair.machine.engine.takeOver();
        }
        assertThat(consumer().isRunning()).as("the next one starts").isTrue();
    }

    @Test
    void aStateHandlerThatThrowsIsHeard() {
        assertThatThrownBy(() -> pair.hostSide
                        .producer(pair.machine.engine)
                        .onStateChanged((object, next) -> {
                            throw new ArithmeticException("on purpose");
                        })
                        .start())
                .isInstanceOf(ArithmeticException.class);
    }

    @Test
    void whatWasSentIsClosed() {
        ComchConsumer consumer = consumer();
        List<Buffer> told = new ArrayList<>();
        ComchProducer producer = pair.hostSide
                .producer(pair.machine.engine)
                .releaseSent()
                .onCompletion((self, buffer, status) -> {
                    assertThat(buffer.isClosed()).isFalse();
                    told.add(buffer);
                })
                .start();
        Buffer one = producer.acquire(pair.sendMemory, 0, 10);
        pair.machine.until("room", () -> producer.trySend(one, consumer.id()).accepted());
        pair.machine.until("completion", () -> producer.sent() == 1);
        assertThat(told).containsExactly(one);
        assertThat(one.isClosed()).isTrue();
        Buffer twice = producer.acquire(pair.sendMemory, 0, 10);
        pair.machine.until("room", () -> producer.enqueue(twice, consumer.id()).accepted());
        pair.machine.until("room", () -> producer.enqueue(twice, consumer.id()).accepted());
        pair.machine.until("completion", () -> producer.sent() == 3);
        assertThat(told).containsExactly(one, twice, twice);
        assertThat(twice.isClosed()).isTrue();
    }

    @Test
    void theHandlerMayCloseOrSendAgain() {
        ComchConsumer consumer = consumer();
        int[] count = new int[1];
        ComchProducer producer = pair.hostSide
                .producer(pair.machine.engine)
                .releaseSent()
                .onCompletion((self, buffer, status) -> {
                    if (count[0]++ == 0) {
                        assertThat(self.trySend(buffer, consumer.id()).accepted())
                                .isTrue();
                    } else {
                        buffer.close();
                    }
                })
                .start();
        Buffer buffer = producer.acquire(pair.sendMemory, 0, 10);
        pair.machine.until("room", () -> producer.trySend(buffer, consumer.id()).accepted());
        pair.machine.until("completions", () -> producer.sent() == 2);
        assertThat(buffer.isClosed()).isTrue();
    }

    @Test
    void aPoolsBufferReturnsToThePool() {
        ComchConsumer consumer = consumer();
        ComchProducer producer =
                pair.hostSide.producer(pair.machine.engine).releaseSent().start();
        try (BufferPool pool = BufferPool.create(pair.sendMemory, 1, 100)) {
            for (int i = 0; i < 3; i++) {
                Buffer buffer = pool.tryAcquire().commit(7).buffer();
                pair.machine.until(
                        "room", () -> producer.trySend(buffer, consumer.id()).accepted());
                assertThat(pool.tryAcquire()).isNull();
                pair.machine.until("completion", () -> producer.inFlight() == 0);
                assertThat(buffer.isClosed()).isFalse();
            }
            assertThat(pool.available()).isEqualTo(1);
        }
        assertThat(producer.sentBytes()).isEqualTo(21);
    }

    @Test
    @NeedsEasyMachine("a task fails alone")
    void aSendThatFailsReleasesTooAndOneThatIsNotAcceptedDoesNot() {
        ComchConsumer consumer = consumer();
        ComchProducer producer = pair.hostSide
                .producer(pair.machine.engine)
                .tasks(1)
                .releaseSent()
                .start();
        Buffer buffer = producer.acquire(pair.sendMemory, 0, 10);
        Buffer other = producer.acquire(pair.sendMemory, 10, 10);
        new EmulatedFaults().failSend(1, DocaError.IO_FAILED).apply();
        pair.machine.until("room", () -> producer.trySend(buffer, consumer.id()).accepted());
        assertThat(producer.trySend(other, consumer.id())).isEqualTo(SubmitResult.NO_TASK);
        assertThat(other.isInFlight()).isFalse();
        assertThat(other.isClosed()).isFalse();
        assertThatThrownBy(() -> pair.machine.until("the failure", () -> producer.failed() == 1))
                .isInstanceOf(DocaException.class);
        assertThat(buffer.isClosed()).isTrue();
    }

    @Test
    void closingTheProducerReleasesWhatIsInFlight() {
        ComchConsumer consumer =
                pair.dpuSide.consumer(pair.machine.engine, pair.receiveMemory).start(Machine.PATIENCE);
        pair.machine.until("the consumer is known", () -> pair.hostSide.remoteConsumers().length == 1);
        ComchProducer producer =
                pair.hostSide.producer(pair.machine.engine).releaseSent().start();
        Buffer buffer = producer.acquire(pair.sendMemory, 0, 10);
        assertThat(producer.enqueue(buffer, consumer.id()).accepted())
                .isTrue(); // nothing is posted: waits in the queue
        producer.close();
        assertThat(buffer.isClosed()).isTrue();
        assertThat(producer.failed()).isEqualTo(1);
    }
}
