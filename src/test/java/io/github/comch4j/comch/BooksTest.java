package io.github.comch4j.comch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.comch4j.DocaError;
import io.github.comch4j.DocaException;
import io.github.comch4j.Feature;
import io.github.comch4j.Machine;
import io.github.comch4j.Needs;
import io.github.comch4j.NeedsEasyMachine;
import io.github.comch4j.SubmitResult;
import io.github.comch4j.core.Buffer;
import io.github.comch4j.core.BufferList;
import io.github.comch4j.emulator.EmulatedFaults;
import io.github.comch4j.testing.EmulatedBlueField;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * What is refused or fails more often than there are tasks, slots or receives, and then works: nothing that was counted
 * or marked for it is left over. The table in docs/contributing/testing.md has those of other packages.
 */
@Timeout(60)
@EmulatedBlueField(limits = "max_buf_list_len 8")
class BooksTest extends BothForms {
    private static final int TASKS = 4; // DOCA 2.5 has powers of two only
    private static final int TIMES = TASKS + 1;
    private static final int NOBODY = 60_000; // no consumer has this id

    private final Pair pair = new Pair();
    private final List<Integer> received = new ArrayList<>();
    private final List<DocaError> ends = new ArrayList<>();

    @AfterEach
    void close() {
        EmulatedFaults.clear();
        pair.close();
    }

    private ComchConsumer consumer(int buffers) {
        ComchConsumer.Builder builder = pair.dpuSide
                .consumer(pair.machine.engine, pair.receiveMemory)
                .tasks(TASKS)
                .onReceive((self, buffer, producer, immediate) -> received.add((int) buffer.length()));
        if (buffers > 0) {
            builder.buffers(buffers, 64);
        }
        ComchConsumer consumer = builder.start(Machine.PATIENCE);
        pair.awaitKnown(consumer.id());
        return consumer;
    }

    private ComchProducer producer() {
        return pair.hostSide
                .producer(pair.machine.engine)
                .tasks(TASKS)
                .onCompletion((self, buffer, status) -> ends.add(status))
                .start();
    }

    private void untilEnded(int sends) {
        pair.machine.until(sends + " ends", () -> ends.size() == sends);
    }

    @Test
    @NeedsEasyMachine("a task fails alone")
    void messagesThatFailKeepNoTask() {
        for (int i = 1; i <= Pair.SEND_TASKS + 1; i++) {
            new EmulatedFaults().failSend(1, DocaError.IO_FAILED).apply();
            assertThat(pair.hostSide.trySend(new byte[1]).accepted()).isTrue();
            int failed = i;
            pair.machine.until("the failure", () -> pair.failures.size() == failed);
        }
        EmulatedFaults.clear();
        for (int i = 0; i < Pair.SEND_TASKS; i++) {
            assertThat(pair.hostSide.trySend(new byte[1]).accepted()).isTrue();
        }
        pair.machine.until("the messages", () -> pair.dpuSide.received() == Pair.SEND_TASKS);
    }

    @Test
    void messagesThatAreRefusedKeepNoTask() {
        for (int round = 1; round <= 2; round++) {
            for (int i = 0; i < Pair.SEND_TASKS; i++) {
                assertThat(pair.hostSide.trySend(new byte[1]).accepted()).isTrue();
            }
            for (int i = 0; i <= Pair.SEND_TASKS; i++) {
                assertThat(pair.hostSide.trySend(new byte[1]).accepted()).isFalse();
            }
            int all = round * Pair.SEND_TASKS;
            pair.machine.until("the messages", () -> pair.dpuSide.received() == all);
            pair.machine.until("their ends", () -> pair.client.inFlight() == 0);
        }
    }

    @Test
    void sendsThatAreRefusedKeepNeitherTaskNorBuffer() {
        ComchConsumer consumer = consumer(0);
        ComchProducer producer = producer();
        Buffer buffer = producer.acquire(pair.sendMemory, 0, 8);
        for (int i = 0; i < TIMES; i++) {
            assertThat(producer.trySend(buffer, consumer.id())).isEqualTo(SubmitResult.NO_RECEIVE);
            assertThatThrownBy(() -> producer.trySend(buffer, NOBODY)).isInstanceOf(DocaException.class);
            assertThat(buffer.isInFlight()).isFalse();
            assertThat(producer.inFlight()).isZero();
        }
        for (int i = 0; i < TASKS; i++) {
            assertThat(consumer.tryPost(consumer.acquire(64L * i, 64)).accepted())
                    .isTrue();
        }
        pair.machine.settle();
        for (int i = 0; i < TASKS; i++) {
            assertThat(producer.trySend(buffer, consumer.id()).accepted()).isTrue();
        }
        for (int i = 0; i < TIMES; i++) {
            assertThat(producer.trySend(buffer, consumer.id())).isEqualTo(SubmitResult.NO_TASK);
        }
        untilEnded(TASKS);
        assertThat(ends).containsOnly(DocaError.SUCCESS);
        assertThat(buffer.isInFlight()).isFalse();
        buffer.close();
    }

    @Test
    void sendsThatFailKeepNeitherTaskNorBuffer() {
        ComchConsumer consumer = consumer(TASKS);
        ComchProducer producer = producer();
        Buffer buffer = producer.acquire(pair.sendMemory, 0, 8);
        for (int i = 1; i <= TIMES; i++) {
            assertThat(producer.enqueue(buffer, NOBODY).accepted()).isTrue();
            untilEnded(i);
            assertThat(buffer.isInFlight()).isFalse();
        }
        for (int i = 0; i < TASKS; i++) {
            assertThat(producer.enqueue(buffer, consumer.id()).accepted()).isTrue();
        }
        untilEnded(TIMES + TASKS);
        assertThat(producer.failed()).isEqualTo(TIMES);
        assertThat(producer.sent()).isEqualTo(TASKS);
        assertThat(producer.inFlight()).isZero();
    }

    @Test
    @Needs(Feature.BUFFER_LISTS)
    void listsThatAreRefusedOrFailKeepNothing() {
        ComchConsumer consumer = consumer(TASKS);
        ComchProducer producer = pair.hostSide
                .producer(pair.machine.engine)
                .tasks(TASKS)
                .onListCompletion((self, list, status) -> ends.add(status))
                .start();
        Buffer first = producer.acquire(pair.sendMemory, 0, 8);
        Buffer second = producer.acquire(pair.sendMemory, 8, 8);
        BufferList list = BufferList.of(first, second);
        for (int i = 1; i <= TIMES; i++) {
            assertThatThrownBy(() -> producer.trySend(list, NOBODY)).isInstanceOf(DocaException.class);
            assertThat(producer.enqueue(list, NOBODY).accepted()).isTrue();
            untilEnded(i);
            assertThat(first.isInFlight() || second.isInFlight()).isFalse();
        }
        ends.clear();
        for (int i = 1; i <= TASKS; i++) {
            assertThat(producer.enqueue(list, consumer.id()).accepted()).isTrue();
            untilEnded(i);
        }
        assertThat(ends).containsOnly(DocaError.SUCCESS);
    }

    @Test
    void slotsWhoseSendsFailAreFree() {
        SlotConsumer consumer =
                pair.dpuSide.slotConsumer(pair.machine.engine, 64).tasks(TASKS).start(Machine.PATIENCE);
        pair.awaitKnown(consumer.id());
        SlotProducer producer = pair.hostSide
                .slotProducer(pair.machine.engine, 64)
                .tasks(TASKS)
                .onSendFailed((self, offset, length, status) -> ends.add(status))
                .start();
        for (int i = 1; i <= TIMES; i++) {
            assertThat(producer.claim(8, NOBODY)).isNotNegative();
            producer.commit();
            untilEnded(i);
        }
        for (int i = 0; i < TASKS; i++) {
            assertThat(producer.claim(8, consumer.id())).isNotNegative();
            producer.commit();
        }
        for (int i = 0; i < TIMES; i++) {
            assertThat(producer.claim(8, consumer.id())).isNegative();
        }
        pair.machine.until("the messages", () -> consumer.received() == TASKS);
        pair.machine.until("a slot", () -> producer.claim(8, consumer.id()) >= 0);
    }

    @Test
    void receivesThatFailArePostedAgain() {
        ComchConsumer consumer = consumer(0);
        ComchProducer producer = producer();
        Buffer buffer = producer.acquire(pair.sendMemory, 0, 8);
        Buffer target = consumer.acquire(0, 64);
        assertThat(consumer.tryPost(target).accepted()).isTrue();
        for (int i = 1; i <= TIMES; i++) {
            pair.machine.settle();
            new EmulatedFaults().loseReceive(1, DocaError.DRIVER).apply();
            assertThat(producer.trySend(buffer, consumer.id()).accepted()).isTrue();
            assertThatThrownBy(() -> pair.machine.until("the failure", () -> false))
                    .isInstanceOf(DocaException.class);
            assertThat(consumer.failed()).isEqualTo(i);
            assertThat(target.isInFlight()).isTrue();
            untilEnded(i);
        }
        EmulatedFaults.clear();
        for (int i = 1; i < TASKS; i++) {
            assertThat(consumer.tryPost(consumer.acquire(64L * i, 64)).accepted())
                    .isTrue();
        }
        assertThat(consumer.tryPost(consumer.acquire(64L * TASKS, 64))).isEqualTo(SubmitResult.NO_TASK);
        pair.machine.settle();
        assertThat(producer.trySend(buffer, consumer.id()).accepted()).isTrue();
        pair.machine.until("the message", () -> received.size() == 1);
    }
}
