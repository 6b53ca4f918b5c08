package io.github.comch4j.dpa;

import static io.github.comch4j.dpa.DpaScene.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.comch4j.DocaError;
import io.github.comch4j.Feature;
import io.github.comch4j.Machine;
import io.github.comch4j.Needs;
import io.github.comch4j.SubmitResult;
import io.github.comch4j.comch.BothForms;
import io.github.comch4j.core.Access;
import io.github.comch4j.core.ContextState;
import io.github.comch4j.core.EventLoop;
import io.github.comch4j.core.MemoryMap;
import io.github.comch4j.core.ProgressEngine;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The life of queues and their ends, credits, and what goes wrong. */
@Timeout(60)
@Needs(Feature.DPA)
class MessageQueueTest extends BothForms {
    private static final int CREDITS = 4;
    private static final int LENGTH = 24;

    private final Machine machine = new Machine();
    private final MemorySegment message = Arena.ofAuto().allocate(LENGTH);
    private final List<Long> received = new ArrayList<>();

    @AfterEach
    void end() {
        machine.close();
    }

    private void received(MessageQueueConsumer consumer, int producerId, MemorySegment bytes) {
        received.add(Link.number(bytes));
    }

    private Link link(String kernel) {
        return new Link(machine, kernel, CREDITS, LENGTH, this::received);
    }

    private MemorySegment message(long number) {
        message.set(ValueLayout.JAVA_LONG, 0, number);
        return message;
    }

    private void echo(Link link, long number) {
        assertThat(link.producer.trySend(message(number), 1).accepted()).isTrue();
        machine.until("the answer", () -> received.contains(number));
    }

    @Test
    void theEndsSayWhatTheyAre() {
        try (Link link = link("echo")) {
            assertThat(link.producer.id()).isEqualTo(1);
            assertThat(link.dpaConsumer.id()).isEqualTo(1);
            assertThat(link.dpaProducer.id()).isEqualTo(1);
            assertThat(link.consumer.id()).isEqualTo(1);
            assertThat(link.producer.state()).isEqualTo(ContextState.RUNNING);
            assertThat(link.producer.tasks()).isEqualTo(CREDITS);
            assertThat(link.consumer.posted()).isEqualTo(CREDITS);
            assertThat(link.producer.queue()).isSameAs(link.toDpa);
            assertThat(link.consumer.engine()).isSameAs(machine.engine);
            assertThat(link.toDpa.device()).isSameAs(machine.host);
            assertThat(link.toDpa).hasToString("queue to " + link.dpa);
            assertThat(link.consumer).hasToString("consumer of queue from " + link.dpa);
            assertThat(link.dpaConsumer.queue()).isSameAs(link.toDpa);
            assertThat(link.dpaConsumer.completion()).isSameAs(link.received);
            assertThat(link.dpaProducer.completion()).isSameAs(link.sent);
            assertThat(link.dpaConsumer.dpa()).isSameAs(link.dpa);
        }
    }

    /** The CPU's ends first, then the DPA's, queues, completions and thread. */
    @Test
    void closingTheCpusEndsFirst() {
        Link link = link("echo");
        link.thread.run();
        echo(link, 1);
        link.consumer.close();
        link.producer.close();
        link.dpaConsumer.stop();
        link.dpaProducer.stop();
        link.dpaProducer.close();
        link.dpaConsumer.close();
        link.toDpa.close();
        link.fromDpa.close();
        link.received.stop();
        link.received.close();
        link.sent.stop();
        link.sent.close();
        link.thread.stop();
        link.thread.close();
        assertThat(link.dpa.lastError()).isNull();
        link.ends.close();
        link.close();
    }

    /** The DPA's ends first, with completions and thread, then the CPU's. */
    @Test
    void closingTheDpasEndsFirst() {
        Link link = link("echo");
        link.thread.run();
        echo(link, 1);
        link.dpaConsumer.stop();
        assertThat(link.dpaConsumer.isStarted()).isFalse();
        link.dpaProducer.stop();
        link.received.stop();
        link.sent.stop();
        link.thread.stop();
        link.producer.close();
        link.consumer.close();
        link.thread.close();
        assertThat(link.received.isClosed()).as("what names the thread").isTrue();
        link.sent.close();
        link.dpaConsumer.close();
        link.dpaProducer.close();
        link.toDpa.close();
        link.fromDpa.close();
        link.close();
    }

    @Test
    void closingWhatItAllStandsOn() {
        for (int what = 0; what < 5; what++) {
            Link link = link("echo");
            link.thread.run();
            echo(link, what);
            switch (what) {
                case 0 -> link.dpa.close();
                case 1 -> {
                    link.toDpa.close();
                    link.fromDpa.close();
                }
                case 2 -> link.thread.close();
                case 3 -> link.received.close();
                default -> link.sent.close();
            }
            assertThat(link.dpaConsumer.isClosed()).isEqualTo(what != 4);
            assertThat(link.producer.isClosed()).isEqualTo(what < 2);
            link.close();
            assertThat(link.consumer.isClosed()).isTrue();
            assertThat(link.consumer.state()).isEqualTo(ContextState.IDLE);
            assertThatThrownBy(() -> link.producer.trySend(message, 1)).isInstanceOf(IllegalStateException.class);
            assertThatThrownBy(link.producer::flush).isInstanceOf(IllegalStateException.class);
            assertThatThrownBy(link.consumer::tryPost).isInstanceOf(IllegalStateException.class);
            assertThatThrownBy(() -> link.toDpa.producer(machine.engine).start())
                    .isInstanceOf(IllegalStateException.class);
        }
    }

    @Test
    void closingTheEngineWithMessagesOnTheWay() {
        ProgressEngine other = ProgressEngine.create();
        try (Link link = link("echo")) {
            MessageQueueProducer producer = second(link, other);
            for (int i = 0; i < CREDITS; i++) {
                assertThat(producer.trySend(message(i), 1).accepted()).isTrue();
            }
            assertThat(producer.enqueue(message(9), 1)).isEqualTo(SubmitResult.NO_TASK);
            other.close();
            assertThat(producer.isClosed()).isTrue();
            link.thread.run();
            machine.until("all that was sent", () -> received.size() == CREDITS);
        }
    }

    /** In place of the link's own producer. */
    private static MessageQueueProducer second(Link link, ProgressEngine engine) {
        link.producer.close();
        return link.toDpa.producer(engine).tasks(CREDITS).start();
    }

    @Test
    void whatThereIsNoRoomForIsNamed() {
        try (Link link = link("echo")) {
            link.producer.close();
            List<String> room = new ArrayList<>();
            MessageQueueProducer producer = link.toDpa
                    .producer(machine.engine)
                    .tasks(CREDITS + 2)
                    .onWritable(self -> room.add("room"))
                    .start();
            for (int i = 0; i < CREDITS; i++) {
                assertThat(producer.trySend(message(i), 1)).isEqualTo(SubmitResult.ACCEPTED);
            }
            assertThat(producer.trySend(message(99), 1)).isEqualTo(SubmitResult.NO_RECEIVE);
            machine.until("the ends of the sends", () -> producer.inFlight() == 0);
            for (int i = 0; i < CREDITS + 2; i++) {
                assertThat(producer.enqueue(message(CREDITS + i), 1)).isEqualTo(SubmitResult.ACCEPTED);
            }
            assertThat(producer.enqueue(message(99), 1)).isEqualTo(SubmitResult.NO_TASK);
            assertThat(producer.flush()).as("no credits").isFalse();
            assertThat(producer.refused()).isEqualTo(2);
            link.thread.run();
            machine.until("all that was accepted", () -> received.size() == 2 * CREDITS + 2);
            assertThat(received).isSorted().doesNotHaveDuplicates();
            assertThat(room).isNotEmpty();
            assertThat(producer.flush()).isTrue();
            assertThat(link.dpa.lastError()).isNull();
        }
    }

    /** The kernel waits for credits of the CPU's consumer. */
    @Test
    void aConsumerKeepsAndPostsItsReceives() {
        List<Integer> posted = new ArrayList<>();
        try (Link link = new Link(machine, "echo", CREDITS, LENGTH, (consumer, producerId, bytes) -> {
            received.add(Link.number(bytes));
            consumer.keep();
            posted.add(consumer.posted());
        })) {
            link.thread.run();
            assertThatThrownBy(link.consumer::keep).isInstanceOf(IllegalStateException.class);
            assertThat(link.consumer.tryPost()).isEqualTo(SubmitResult.NO_TASK);
            for (int i = 0; i < CREDITS; i++) {
                echo(link, i);
            }
            assertThat(link.consumer.posted()).isZero();
            assertThat(link.producer.trySend(message(77), 1).accepted()).isTrue();
            long empty = 40; // struct ends: how often it has found no credit
            machine.until("the kernel's look", () -> link.get(empty) > 0);
            assertThat(received).hasSize(CREDITS);
            assertThat(posted)
                    .hasSize(CREDITS)
                    .isSortedAccordingTo(Comparator.reverseOrder())
                    .doesNotHaveDuplicates();
            assertThat(link.consumer.tryPost()).isEqualTo(SubmitResult.ACCEPTED);
            machine.until("the answer", () -> received.contains(77L));
            assertThat(link.consumer.posted()).isZero();
        }
    }

    @Test
    void wrongMessagesAreRefused() {
        try (Link link = link("echo")) {
            assertThatThrownBy(() -> link.producer.trySend(MemorySegment.NULL, 1))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("bytes, not 0");
            assertThatThrownBy(() -> link.producer.enqueue(MemorySegment.ofArray(new byte[LENGTH + 1]), 1))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("takes messages of 1 to " + LENGTH);
            assertRefused(DocaError.INVALID_VALUE, () -> link.producer.trySend(message, 2));
            assertThat(link.producer.inFlight()).isZero();
            link.producer.enqueue(message, 2);
            assertRefused(DocaError.INVALID_VALUE, () -> machine.until("the end", () -> link.producer.inFlight() == 0));
            assertThat(link.producer.failed()).isEqualTo(1);
            List<DocaError> failures = new ArrayList<>();
            link.producer.close();
            MessageQueueProducer told = link.toDpa
                    .producer(machine.engine)
                    .onSendFailed((producer, status) -> failures.add(status))
                    .start();
            told.enqueue(message, 2);
            told.enqueue(message, 3);
            machine.until("both ends", () -> told.inFlight() == 0);
            assertThat(failures).containsExactly(DocaError.INVALID_VALUE, DocaError.INVALID_VALUE);
            told.enqueue(message, 1);
            told.enqueue(message(6), 1);
            told.flush();
            link.thread.run();
            assertThat(told.trySend(MemorySegment.ofArray(new long[] {5}), 1).accepted())
                    .as("from the heap, and shorter")
                    .isTrue();
            machine.until("the answer", () -> received.contains(5L));
        }
    }

    @Test
    void withoutAHandlerTheFirstFailureOfEachRowIsThrown() {
        try (Link link = link("echo")) {
            link.thread.run();
            for (int row = 1; row <= 2; row++) {
                link.producer.enqueue(message, 2);
                assertRefused(DocaError.INVALID_VALUE, () -> machine.until("a failure", () -> false));
                echo(link, row);
            }
        }
    }

    @Test
    void messagesThatAreRefusedOrFailKeepNoTask() {
        try (Link link = link("echo")) {
            link.producer.close();
            MessageQueueProducer producer = link.toDpa
                    .producer(machine.engine)
                    .tasks(CREDITS)
                    .onSendFailed((self, status) -> {})
                    .start();
            for (int i = 0; i <= CREDITS; i++) {
                assertRefused(DocaError.INVALID_VALUE, () -> producer.trySend(message, 2));
                assertThat(producer.enqueue(message, 2).accepted()).isTrue();
                machine.until("its end", () -> producer.inFlight() == 0);
            }
            assertThat(producer.failed()).isEqualTo(CREDITS + 1);
            for (int i = 0; i < CREDITS; i++) {
                assertThat(producer.trySend(message(i), 1).accepted()).isTrue();
            }
            for (int i = 0; i <= CREDITS; i++) {
                assertThat(producer.trySend(message, 1).accepted()).isFalse();
            }
            link.thread.run();
            machine.until("the answers", () -> received.size() == CREDITS);
            machine.until("a task", () -> producer.trySend(message(9), 1).accepted());
            machine.until("the last answer", () -> received.contains(9L));
        }
    }

    @Test
    void whatAHandlerThrowsComesOutOfProgress() {
        try (Link link = new Link(machine, "echo", CREDITS, LENGTH, (consumer, producerId, bytes) -> {
            received.add(Link.number(bytes));
            throw new IllegalArgumentException("number " + Link.number(bytes));
        })) {
            link.thread.run();
            for (int i = 0; i < 3 * CREDITS; i++) {
                long number = i;
                assertThatThrownBy(() -> echo(link, number)).hasMessage("number " + number);
            }
            assertThat(link.consumer.received()).isEqualTo(3 * CREDITS);
        }
    }

    @Test
    void anEndBelongsToItsEnginesThread() {
        try (Link link = link("echo")) {
            for (ThrowingCallable call : List.<ThrowingCallable>of(
                    () -> link.producer.trySend(message, 1),
                    () -> link.producer.enqueue(message, 1),
                    link.producer::flush,
                    link.producer::close,
                    link.consumer::tryPost,
                    link.consumer::keep,
                    link.toDpa::close,
                    link.dpa::close,
                    () -> link.toDpa.producer(machine.engine).start())) {
                assertThatThrownBy(() -> Machine.onThread(() -> {
                                    try {
                                        call.call();
                                    } catch (Throwable t) {
                                        throw new ExecutionException(t);
                                    }
                                    return null;
                                })
                                .get())
                        .rootCause()
                        .isInstanceOf(WrongThreadException.class);
            }
            link.thread.run();
            echo(link, 1);
        }
    }

    @Test
    void anEventLoopIsWokenByTheDpa() throws Exception {
        ConcurrentLinkedQueue<Long> answers = new ConcurrentLinkedQueue<>();
        try (Link link = link("echo");
                EventLoop loop = EventLoop.start("dpa")) {
            link.thread.run();
            link.producer.close();
            link.consumer.close();
            MessageQueueProducer producer = loop.call(() -> {
                link.fromDpa
                        .consumer(loop.engine())
                        .receives(CREDITS)
                        .onMessage((consumer, id, bytes) -> answers.add(Link.number(bytes)))
                        .start();
                return link.toDpa.producer(loop.engine()).start();
            });
            for (long i = 0; i < 100; i++) {
                long number = i;
                SubmitResult result =
                        loop.call(() -> producer.trySend(MemorySegment.ofArray(new long[] {number, 0, 0}), 1));
                assertThat(result.accepted()).isTrue();
                machine.until("the answer", () -> answers.contains(number));
            }
            link.dpa.close(); // the loop's thread closes its ends
            assertThat(producer.isClosed()).isTrue();
        }
    }

    @Test
    void aQueueOnTheCpuAlone() {
        try (MessageQueue queue = MessageQueue.onCpu(machine.host, 2, 3)) {
            List<String> arrived = new ArrayList<>();
            MessageQueueConsumer[] consumers = new MessageQueueConsumer[3];
            for (int i = 0; i < consumers.length; i++) {
                consumers[i] = queue.consumer(machine.engine)
                        .receives(2)
                        .onMessage((self, producer, bytes) ->
                                arrived.add(producer + " to " + self.id() + ": " + Link.number(bytes)))
                        .start();
            }
            MessageQueueProducer first = queue.producer(machine.engine).start();
            MessageQueueProducer second = queue.producer(machine.engine).start();
            assertThat(second.id()).isEqualTo(2);
            assertRefused(
                    DocaError.NO_MEMORY, () -> queue.producer(machine.engine).start());
            first.trySend(message(10), 1);
            second.trySend(message(20), 1);
            second.trySend(message(30), 3);
            machine.until("all", () -> arrived.size() == 3);
            assertThat(arrived).containsExactlyInAnyOrder("1 to 1: 10", "2 to 1: 20", "2 to 3: 30");
            consumers[2].close();
            assertRefused(DocaError.INVALID_VALUE, () -> second.trySend(message, 3));
        }
    }

    @Test
    void theSideOfTheDpaIsKept() {
        try (Link link = link("echo")) {
            link.dpaProducer.close();
            link.dpaConsumer.close();
            link.producer.close();
            link.consumer.close();
            assertRefused(DocaError.INVALID_VALUE, () -> link.fromDpa.dpaConsumer(link.received, 64));
            assertRefused(DocaError.INVALID_VALUE, () -> link.toDpa.dpaProducer(link.sent, 64));
            assertRefused(DocaError.INVALID_VALUE, () -> link.toDpa.dpaConsumer(link.received, 1, LENGTH + 1));
            link.toDpa.dpaConsumer(link.received, 64);
        }
        try (Dpa one = Dpa.builder(machine.host).start();
                Dpa two = Dpa.builder(machine.host).start();
                MessageQueue queue = MessageQueue.toDpa(one)) {
            assertRefused(
                    DocaError.INVALID_VALUE,
                    () -> queue.dpaConsumer(two.consumerCompletion().start(), 64));
        }
    }

    @Test
    void aKernelsMistakesAreTheDpasLastError() {
        try (Link link = link("echo")) {
            DpaFunction send = link.program.function("send_number");
            assertThat(link.dpa.rpc(send, link.dpaProducer.handle(), 1, 5, 8, Link.FLUSH))
                    .isZero();
            machine.until("the message", () -> received.contains(5L));
            assertThat(link.dpa.lastError()).isNull();
            assertThat(link.dpa.rpc(send, link.dpaProducer.handle(), 2, 6, 8, Link.FLUSH))
                    .as("nobody")
                    .isEqualTo(1);
            assertThat(link.dpa.lastError()).satisfies(e -> {
                assertThat(e.error()).isEqualTo(DocaError.BAD_STATE);
                assertThat(e.function()).isEqualTo("doca_dpa_peek_at_last_error");
            });
            assertThat(link.dpa.rpc(link.program.function("next_sent"), link.sent.handle()))
                    .isZero(); // SEND of the first
            assertThat(link.dpa.rpc(link.program.function("next_sent"), link.sent.handle()))
                    .isEqualTo(0xd); // SEND_ERR
            link.thread.run();
            echo(link, 7);
        }
        try (Link link = link("echo")) {
            link.dpa.rpc(link.program.function("post_receives"), link.dpaConsumer.handle(), 1);
            assertThat(link.dpa.lastError()).as("more receives than places").isNotNull();
        }
        try (Link link = link("echo")) {
            long handle = link.dpaConsumer.handle();
            link.dpaConsumer.close();
            link.dpa.rpc(link.program.function("post_receives"), handle, 1);
            assertThat(link.dpa.lastError()).as("a handle of what is closed").isNotNull();
        }
    }

    /** From memory of the DPA to memory of the CPU, and then the message. */
    @Test
    void aKernelCopiesBeforeItSends() {
        try (Link link = link("echo");
                MemoryMap target =
                        MemoryMap.allocate(machine.host, 4096, Access.LOCAL_READ_WRITE, Access.PCI_READ_WRITE);
                MemoryMap foreign = MemoryMap.allocate(machine.dpu, 8)) {
            DpaMemory source = link.dpa.allocate(64).fill((byte) 7);
            long map = source.mapHandle();
            assertThat(source.mapHandle()).isEqualTo(map);
            link.dpa.rpc(
                    link.program.function("copy_and_send"),
                    link.dpaProducer.handle(),
                    link.dpa.handleOf(target),
                    target.segment().address() + 100,
                    map,
                    source.address(),
                    64);
            machine.until("the message", () -> received.contains(64L));
            assertThat(target.segment().asSlice(100, 64).toArray(ValueLayout.JAVA_BYTE))
                    .containsOnly(7);
            assertThat(target.segment().get(ValueLayout.JAVA_BYTE, 164)).isZero();
            assertThat(link.dpa.lastError()).isNull();
            assertRefused(DocaError.NOT_FOUND, () -> link.dpa.handleOf(foreign));
            source.close();
            assertThatThrownBy(source::mapHandle).isInstanceOf(IllegalStateException.class);
        }
    }

    /** Told to end, it ends: cooperation by a flag in the DPA's memory. */
    @Test
    void aKernelThatPollsIsToldToEnd() {
        try (Link link = link("echo_polling")) {
            link.thread.run();
            echo(link, 1);
            echo(link, 2);
            link.put(Link.STOP, 1);
            link.thread.stop();
            assertThat(link.dpa.lastError()).isNull();
        }
    }
}
