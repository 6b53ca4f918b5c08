package io.github.comch4j.comch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.github.comch4j.DocaError;
import io.github.comch4j.DocaException;
import io.github.comch4j.Feature;
import io.github.comch4j.Machine;
import io.github.comch4j.Needs;
import io.github.comch4j.NeedsEasyMachine;
import io.github.comch4j.SubmitResult;
import io.github.comch4j.core.Access;
import io.github.comch4j.core.Buffer;
import io.github.comch4j.core.BufferInventory;
import io.github.comch4j.core.BufferList;
import io.github.comch4j.core.BufferPool;
import io.github.comch4j.core.MemoryMap;
import io.github.comch4j.emulator.EmulatedFaults;
import io.github.comch4j.ffi.doca_h;
import io.github.comch4j.internal.call.BufferCalls;
import io.github.comch4j.testing.EmulatedBlueField;
import io.github.comch4j.transfer.CoreObjects;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Lists of buffers, on a machine that takes such of {@link Gathering#LIMIT}. */
@Timeout(60)
@EmulatedBlueField(limits = "max_buf_list_len " + Gathering.LIMIT)
@Needs(Feature.BUFFER_LISTS)
class BufferListTest extends BothForms {
    private final Pair pair = new Pair();
    private final Machine machine = pair.machine;
    private final BufferInventory inventory = BufferInventory.create(32);
    private final List<String> received = new ArrayList<>();
    private final List<String> ended = new ArrayList<>();
    private ComchConsumer consumer;
    private int taken;

    @BeforeEach
    void receive() {
        consumer = pair.dpuSide
                .consumer(machine.engine, pair.receiveMemory)
                .buffers(4, Pair.SLOT)
                .onReceive((self, buffer, producerId, immediate) -> received.add(text(buffer.data()) + text(immediate)))
                .start(Machine.PATIENCE);
    }

    @AfterEach
    void close() {
        pair.close();
        inventory.close();
    }

    private static String text(MemorySegment data) {
        return new String(data.toArray(ValueLayout.JAVA_BYTE), StandardCharsets.US_ASCII);
    }

    private ComchProducer.Builder producer() {
        return producer((self, list, status) -> ended.add(list.size() + " " + status));
    }

    private ComchProducer.Builder producer(CompletionHandler<ComchProducer, BufferList> onListCompletion) {
        return pair.hostSide
                .producer(machine.engine)
                .onListCompletion(onListCompletion)
                .onCompletion((self, buffer, status) -> ended.add(status.toString()));
    }

    /** A buffer of the inventory with a text, somewhere in its window. */
    private Buffer buffer(String text) {
        Buffer buffer = inventory.acquire(pair.sendMemory, 64L * taken++, 64).setData(7, text.length());
        buffer.data().copyFrom(MemorySegment.ofArray(text.getBytes(StandardCharsets.US_ASCII)));
        return buffer;
    }

    private BufferList list(String... texts) {
        BufferList list = BufferList.of();
        for (String text : texts) {
            list.add(buffer(text));
        }
        return list;
    }

    private void arrive(ComchProducer producer, String... texts) {
        machine.until("completions", () -> producer.inFlight() == 0);
        machine.until("what was sent", () -> received.size() >= texts.length);
        assertThat(received).containsExactly(texts);
        received.clear();
    }

    /** The buffers are those of a program again, and chained no more: each arrives alone. */
    private void assertFree(ComchProducer producer, BufferList list, String... texts) {
        assertThat(list.isInFlight()).isFalse();
        for (int i = 0; i < list.size(); i++) {
            Buffer buffer = list.get(i);
            assertThat(buffer.isInFlight()).isFalse();
            machine.until("room", () -> producer.trySend(buffer, consumer.id()).accepted());
        }
        arrive(producer, texts);
    }

    private static void assertRefused(ThrowingCallable call, Class<? extends Exception> type, String... parts) {
        assertThatThrownBy(call).isInstanceOf(type).message().contains(parts);
    }

    private static final Class<IllegalStateException> STATE = IllegalStateException.class;
    private static final Class<IllegalArgumentException> ARGUMENT = IllegalArgumentException.class;

    @Test
    void theDataArriveInTheOrderOfTheList() {
        consumer.close();
        for (int tasks : new int[] {2, 100}) {
            int[] number = new int[1];
            try (MemoryMap memory = MemoryMap.allocate(
                            machine.dpu, 2L * Gathering.LARGEST, Access.LOCAL_READ_WRITE, Access.PCI_READ_WRITE);
                    ComchConsumer large = pair.dpuSide
                            .consumer(machine.engine, memory)
                            .tasks(tasks)
                            .buffers(2, Gathering.LARGEST)
                            .onReceive((self, buffer, producerId, immediate) ->
                                    Gathering.check(number[0]++, buffer.data(), immediate))
                            .start(Machine.PATIENCE)) {
                Gathering.sendAll(pair.hostSide, machine.engine, large.id());
                machine.until("the last one", () -> number[0] == Gathering.PAYLOADS);
                assertThat(large.received()).isEqualTo(Gathering.PAYLOADS);
            }
        }
    }

    @Test
    void aListIsOnePayloadAmongOthers() {
        ComchProducer producer = producer().tasks(1).start(); // one slot for all
        MemorySegment immediate = MemorySegment.ofArray("!?".getBytes(StandardCharsets.US_ASCII));
        BufferList list = list("a", "", "bc");
        Buffer first = list.get(0);
        assertThat(producer.trySend(list, consumer.id(), immediate).accepted()).isTrue();
        arrive(producer, "abc!?");
        assertThat(producer.trySend(first, consumer.id()).accepted()).isTrue();
        arrive(producer, "a");
        assertThat(producer.enqueue(list.add(buffer("d")), consumer.id()).accepted())
                .isTrue();
        arrive(producer, "abcd");
        assertThat(producer.trySendImmediate(consumer.id(), immediate).accepted())
                .isTrue();
        arrive(producer, "!?");
        assertThat(producer.enqueue(list, consumer.id(), immediate).accepted()).isTrue();
        arrive(producer, "abcd!?");
        assertThat(producer.enqueue(first, consumer.id(), immediate).accepted()).isTrue();
        arrive(producer, "a!?");
        assertThat(ended).containsExactly("3 SUCCESS", "SUCCESS", "4 SUCCESS", "SUCCESS", "4 SUCCESS", "SUCCESS");
        assertThat(List.of(producer.sent(), producer.sentBytes(), producer.failed()))
                .containsExactly(6L, 13L, 0L);
        assertFree(producer, list, "a", "", "bc", "d");
    }

    @Test
    void theDataAreThoseOfTheMomentOfTheSend() {
        ComchProducer producer = producer().start();
        BufferList list = list("abc", "def", "ghi");
        assertThat(producer.trySend(list, consumer.id()).accepted()).isTrue();
        arrive(producer, "abcdefghi");
        list.get(0).setData(8, 2);
        list.get(2).setLength(0);
        assertThat(producer.enqueue(list, consumer.id()).accepted()).isTrue();
        arrive(producer, "bcdef");
        assertFree(producer, list, "bc", "def", "");
    }

    @Test
    void limitsAndNonsense() {
        ComchProducer producer = producer().start();
        BufferList longest = list("1", "2", "3", "4", "5", "6", "7", "8");
        assertThat(producer.trySend(longest, consumer.id()).accepted()).isTrue();
        arrive(producer, "12345678");
        longest.add(buffer("9"));
        assertRefused(
                () -> producer.trySend(longest, consumer.id()),
                ARGUMENT,
                "a list of 9 buffers",
                machine.host.toString(),
                "at most 8");
        assertRefused(() -> producer.enqueue(longest, consumer.id()), ARGUMENT, "at most 8");
        assertFree(producer, longest, "1", "2", "3", "4", "5", "6", "7", "8", "9");
        assertRefused(() -> producer.trySend(longest.clear(), consumer.id()), ARGUMENT, "without buffers");
        assertRefused(() -> producer.enqueue(BufferList.of(), consumer.id()), ARGUMENT, "without buffers");
        Buffer twice = buffer("twice");
        BufferList list = BufferList.of(buffer("once"), twice);
        assertRefused(() -> list.add(twice), ARGUMENT, twice.toString(), "already in the list of 2 buffers");
        assertRefused(() -> BufferList.of(twice, twice), ARGUMENT, "already");
        assertThat(list.size()).isEqualTo(2);
        assertThat(list.get(1)).isSameAs(twice);
        assertRefused(() -> list.get(2), IndexOutOfBoundsException.class, "2");
        assertRefused(() -> list.get(-1), IndexOutOfBoundsException.class, "-1");
        assertThatThrownBy(() -> list.add(null)).isInstanceOf(NullPointerException.class);
        assertThatThrownBy(() -> producer.trySend((BufferList) null, consumer.id()))
                .isInstanceOf(NullPointerException.class);
        assertThatThrownBy(() -> producer.enqueue((BufferList) null, consumer.id()))
                .isInstanceOf(NullPointerException.class);
        assertRefused(
                () -> producer.trySend(list, consumer.id(), MemorySegment.NULL), ARGUMENT, "immediate data have 1 to");
        assertRefused(
                () -> producer.enqueue(list, consumer.id(), MemorySegment.NULL), ARGUMENT, "immediate data have 1 to");
        assertFree(producer, list, "once", "twice");
    }

    @Test
    void whatIsInFlightCannotBeTouched() {
        ComchProducer producer = producer().start();
        ComchProducer other = producer().start();
        ComchConsumer receiver =
                pair.hostSide.consumer(machine.engine, pair.sendMemory).start(Machine.PATIENCE);
        BufferPool pool = BufferPool.create(pair.sendMemory, 4, Pair.SLOT);
        BufferPool.Slot slot = pool.tryAcquire().commit(0);
        taken = 32 * Pair.SLOT / 64;
        BufferList list = list("a", "b").add(slot.buffer());
        assertFree(producer, list, "a", "b", ""); // sent alone before
        ended.clear();
        assertThat(producer.trySend(list, consumer.id()).accepted()).isTrue();
        assertThat(list.isInFlight()).isTrue();
        for (Buffer buffer : List.of(list.get(0), list.get(1), list.get(2))) {
            BufferList overlapping = list("x").add(buffer);
            List<ThrowingCallable> calls = List.of(
                    buffer::close,
                    buffer::segment,
                    buffer::data,
                    buffer::length,
                    () -> buffer.setLength(1),
                    buffer::clear,
                    () -> producer.trySend(buffer, consumer.id()),
                    () -> producer.enqueue(buffer, consumer.id()),
                    () -> other.trySend(buffer, consumer.id()),
                    () -> receiver.tryPost(buffer),
                    () -> producer.trySend(overlapping, consumer.id()),
                    () -> other.enqueue(overlapping, consumer.id()));
            for (int i = 0; i < calls.size(); i++) {
                assertThatThrownBy(calls.get(i))
                        .as("call %d", i)
                        .isInstanceOf(STATE)
                        .hasMessageMatching(".* in flight (already|with producer " + producer.id() + " on .*)");
            }
            assertThat(overlapping.isInFlight() || overlapping.get(0).isInFlight())
                    .isFalse();
        }
        assertRefused(slot::release, STATE, "in flight");
        for (ThrowingCallable call : List.<ThrowingCallable>of(
                list::clear,
                () -> list.add(buffer("c")),
                () -> producer.trySend(list, consumer.id()),
                () -> other.enqueue(list, consumer.id()))) {
            assertRefused(call, STATE, "the list of 3 buffers is in flight");
        }
        arrive(producer, "ab");
        assertThat(ended).containsExactly("3 SUCCESS");
        assertFree(producer, list, "a", "b", "");
        slot.release();
        pool.close();
    }

    @Test
    void aBufferThatIsInFlightOrClosedKeepsTheListFromBeingSent() {
        ComchProducer producer = producer().start();
        BufferList list = list("a", "b", "c");
        assertThat(producer.trySend(list.get(2), consumer.id()).accepted()).isTrue();
        assertRefused(() -> producer.trySend(list, consumer.id()), STATE, "in flight");
        assertThat(list.isInFlight() || list.get(0).isInFlight()).isFalse();
        arrive(producer, "c");
        assertFree(producer, list, "a", "b", "c");
        list.get(1).close();
        assertRefused(
                () -> producer.trySend(list, consumer.id()), STATE, list.get(1).toString(), "closed");
        assertRefused(() -> producer.enqueue(list, consumer.id()), STATE, "closed");
        assertFree(producer, BufferList.of(list.get(0), list.get(2)), "a", "c");
    }

    @Test
    void memoryThatIsGone() {
        ComchProducer producer = producer().start();
        BufferList list = list("a");
        MemoryMap closed = MemoryMap.allocate(machine.host, 64, Access.PCI_READ_WRITE);
        list.add(inventory.acquire(closed, 0, 8));
        closed.close();
        assertRefused(() -> producer.trySend(list, consumer.id()), STATE, "closed");
        assertFree(producer, BufferList.of(list.get(0)), "a");
        try (Arena arena = Arena.ofShared()) {
            MemoryMap wrapped = MemoryMap.wrap(machine.host, arena.allocate(64), Access.PCI_READ_WRITE);
            list.clear().add(buffer("b")).add(inventory.acquire(wrapped, 0, 8));
        }
        assertRefused(() -> producer.enqueue(list, consumer.id()), STATE, "its arena is closed");
        assertFree(producer, BufferList.of(list.get(0)), "b");
    }

    @Test
    void memoryOfTheOtherSidesDevice() {
        ComchProducer producer = pair.hostSide.producer(machine.engine).start();
        BufferList list = list("a").add(inventory.acquire(pair.receiveMemory, 0, 8));
        String reason =
                pair.receiveMemory + " is mapped for [device " + Machine.DPU + "], not for device " + Machine.HOST;
        assertRefused(() -> producer.trySend(list, consumer.id()), DocaException.class, "INVALID_VALUE", reason);
        assertThat(list.isInFlight() || list.get(0).isInFlight() || list.get(1).isInFlight())
                .isFalse();
        assertRefused(() -> producer.enqueue(list, consumer.id()), DocaException.class, "INVALID_VALUE", reason);
        assertFree(producer, BufferList.of(list.get(0)), "a");
    }

    @Test
    void whatIsNotAcceptedIsAsBefore() {
        ComchConsumer idle =
                pair.dpuSide.consumer(machine.engine, pair.receiveMemory).start(Machine.PATIENCE);
        ComchProducer producer = producer().tasks(1).start();
        BufferList list = list("ab", "c", "d");
        assertThat(producer.trySend(list, idle.id())).isEqualTo(SubmitResult.NO_RECEIVE);
        assertThat(producer.trySendImmediate(consumer.id(), MemorySegment.ofArray(new byte[] {'!'}))
                        .accepted())
                .isTrue();
        arrive(producer, "!");
        assertThat(ended).as("the slot has no list any more").containsExactly("SUCCESS");
        assertFree(producer, list, "ab", "c", "d");
        assertRefused(
                () -> producer.trySend(list, 77),
                DocaException.class,
                "4 bytes in 3 buffers to consumer 77",
                "no such consumer");
        assertFree(producer, list, "ab", "c", "d");
        MemorySegment immediate = MemorySegment.ofArray(new byte[33]);
        assertRefused(
                () -> producer.trySend(list, consumer.id(), immediate),
                DocaException.class,
                "4 bytes in 3 buffers and 33 bytes of immediate data",
                "at most 32");
        assertFree(producer, list, "ab", "c", "d");
        MemorySegment closed;
        try (Arena arena = Arena.ofConfined()) {
            closed = arena.allocate(1);
        }
        assertRefused(() -> producer.enqueue(list, consumer.id(), closed), STATE, "closed");
        assertFree(producer, list, "ab", "c", "d");
        Buffer only = buffer("only");
        assertThat(producer.trySend(only, consumer.id()).accepted()).isTrue();
        assertThat(producer.trySend(list, consumer.id())).isEqualTo(SubmitResult.NO_TASK);
        assertThat(producer.enqueue(list, consumer.id())).isEqualTo(SubmitResult.NO_TASK);
        arrive(producer, "only");
        assertThat(producer.trySend(list, consumer.id()).accepted()).isTrue();
        arrive(producer, "abcd");
        assertThat(producer.refused()).isGreaterThanOrEqualTo(3);
    }

    @Test
    void aCallThatDocaRefusesAtTheFirstUseOfATask() {
        ComchProducer producer = producer().start();
        BufferList list = list("ab", "c");
        MemorySegment immediate = MemorySegment.ofArray(new byte[33]);
        assertRefused(
                () -> producer.enqueue(list, consumer.id(), immediate),
                DocaException.class,
                "task_send_alloc_init",
                "3 bytes in 2 buffers",
                "at most 32");
        assertFree(producer, list, "ab", "c");
    }

    @Test
    void chainsThatDocaRefuses() {
        ComchProducer producer = producer().start();
        BufferList list = list("a", "b", "c");
        long[] addresses = IntStream.range(0, 3)
                .mapToLong(i -> CoreObjects.of(list.get(i)).address())
                .toArray();
        doca_h.doca_buf_inc_refcount(MemorySegment.ofAddress(addresses[1]), MemorySegment.NULL);
        assertRefused(
                () -> producer.trySend(list, consumer.id()),
                DocaException.class,
                "doca_buf_chain_list",
                "NOT_PERMITTED",
                "the list of 3 buffers");
        doca_h.doca_buf_dec_refcount(MemorySegment.ofAddress(addresses[1]), MemorySegment.NULL);
        assertFree(producer, list, "a", "b", "c");
        assertThat(producer.trySend(list, consumer.id()).accepted()).isTrue();
        BufferCalls.unchain(addresses[0], addresses[1]); // behind the library's back
        assertRefused(
                () -> machine.until("the end", () -> producer.inFlight() == 0),
                DocaException.class,
                "doca_buf_unchain_list",
                "INVALID_VALUE");
        arrive(producer, "abc");
        assertFree(producer, list, "a", "b", "c");
    }

    @Test
    void theHandlerHasTheBuffersAndMaySendAgain() {
        ComchProducer producer = pair.hostSide
                .producer(machine.engine)
                .onListCompletion((self, list, status) -> {
                    ended.add(text(list.get(0).data()) + text(list.get(1).data()));
                    if (ended.size() < 3) {
                        list.clear().add(buffer("c")).add(buffer("d"));
                        assertThat(self.trySend(list, consumer.id()).accepted()).isTrue();
                    } else {
                        list.get(1).close();
                    }
                })
                .start();
        BufferList list = list("a", "b");
        assertThat(producer.trySend(list, consumer.id()).accepted()).isTrue();
        machine.until("the sends", () -> producer.sent() == 3);
        arrive(producer, "ab", "cd", "cd");
        assertThat(ended).containsExactly("ab", "cd", "cd");
        assertRefused(() -> producer.trySend(list, consumer.id()), STATE, "closed");
        assertFree(producer, BufferList.of(list.get(0)), "c");
    }

    @Test
    @NeedsEasyMachine("a task fails alone")
    void whatWasSentIsGivenBack() {
        BufferPool pool = BufferPool.create(pair.sendMemory, 2, 8);
        taken = 1;
        BufferList list = BufferList.of();
        ComchProducer producer = producer((self, sent, status) -> {
                    ended.add(text(sent.get(0).data()) + sent.get(2).isClosed() + pool.available());
                    for (ThrowingCallable call : List.<ThrowingCallable>of(
                            sent::clear, () -> sent.add(sent.get(0)), () -> self.trySend(sent, consumer.id()))) {
                        assertThat(catchThrowable(call)).isInstanceOf(STATE).hasMessageContaining("in flight");
                    }
                })
                .releaseSent()
                .start();
        for (int i = 0; i < 3; i++) {
            list.add(pool.tryAcquire().commit(0).buffer())
                    .add(pool.tryAcquire().commit(0).buffer())
                    .add(buffer("own"));
            Buffer own = list.get(2);
            if (i == 1) {
                new EmulatedFaults().failSend(1, DocaError.IO_FAILED).apply();
            }
            assertThat(producer.enqueue(list, consumer.id()).accepted()).isTrue();
            int ends = i + 1;
            machine.until("the end", () -> producer.sent() + producer.failed() == ends && producer.inFlight() == 0);
            EmulatedFaults.clear();
            assertThat(own.isClosed()).isTrue();
            assertThat(pool.available()).isEqualTo(2);
            assertThat(list.isInFlight()).isFalse();
            assertThat(list.size()).isZero();
        }
        arrive(producer, "own", "own");
        assertThat(ended).containsExactly("false0", "false0", "false0");
        pool.close();
    }

    @Test
    void allIsGivenBackWhateverTheHandlerDoes() {
        BufferList second = BufferList.of();
        ComchProducer producer = pair.hostSide
                .producer(machine.engine)
                .releaseSent()
                .onListCompletion((self, list, status) -> {
                    if (list == second) {
                        throw new ArithmeticException("on purpose");
                    }
                    second.add(list.get(1));
                    assertThat(self.trySend(second, consumer.id()).accepted()).isTrue();
                    list.get(0).close();
                })
                .start();
        BufferList list = list("a", "b", "c");
        List<Buffer> buffers = List.of(list.get(0), list.get(1), list.get(2));
        assertThat(producer.trySend(list, consumer.id()).accepted()).isTrue();
        machine.until("the first", () -> producer.sent() == 1);
        assertThat(list.isInFlight()).isFalse();
        assertThat(buffers).extracting(Buffer::isClosed).containsExactly(true, producer.sent() == 2, true);
        assertRefused(
                () -> machine.until("the second", () -> producer.inFlight() == 0),
                ArithmeticException.class,
                "on purpose");
        assertThat(buffers).allMatch(Buffer::isClosed);
        assertThat(second.size()).isZero();
        arrive(producer, "abc", "b");
    }

    @Test
    @NeedsEasyMachine("a task fails alone")
    void aSendThatFails() {
        ComchProducer producer = producer().start();
        BufferList list = list("a", "b");
        new EmulatedFaults().failSend(1, DocaError.IO_FAILED).apply();
        assertThat(producer.trySend(list, consumer.id()).accepted()).isTrue();
        machine.until("the failure", () -> producer.failed() == 1);
        EmulatedFaults.clear();
        assertThat(ended).containsExactly("2 IO_FAILED");
        assertThat(List.of(producer.sent(), producer.sentBytes())).containsExactly(0L, 0L);
        assertFree(producer, list, "a", "b");
        ComchProducer unheard = pair.hostSide.producer(machine.engine).start();
        new EmulatedFaults().failSend(1, DocaError.IO_FAILED).apply();
        assertThat(unheard.enqueue(list, consumer.id()).accepted()).isTrue();
        assertRefused(() -> machine.until("the failure", () -> false), DocaException.class, "IO_FAILED");
        EmulatedFaults.clear();
        assertFree(unheard, list, "a", "b");
    }

    @Test
    void closingTheProducerEndsWhatIsInFlight() {
        ComchConsumer idle =
                pair.dpuSide.consumer(machine.engine, pair.receiveMemory).start(Machine.PATIENCE);
        ComchProducer producer = producer().start();
        BufferList waiting = list("a", "b");
        BufferList own = list("c").add(producer.acquire(pair.sendMemory, 10L * Pair.SLOT, 8));
        assertThat(producer.trySend(own, consumer.id()).accepted()).isTrue();
        assertThat(producer.enqueue(waiting, idle.id()).accepted()).isTrue(); // nothing is posted: waits in the queue
        producer.close();
        assertThat(ended).containsExactlyInAnyOrder("2 SUCCESS", "2 IO_FAILED");
        assertThat(own.get(1).isClosed()).isTrue();
        assertThat(IntStream.of(0, 1).mapToObj(waiting::get)).noneMatch(Buffer::isInFlight);
        ComchProducer unheard = pair.hostSide.producer(machine.engine).start();
        assertThat(unheard.enqueue(waiting, idle.id()).accepted()).isTrue();
        unheard.close();
        assertThat(waiting.isInFlight()).isFalse();
        ComchProducer next = producer().start();
        machine.until("the first list", () -> received.size() == 1);
        received.clear();
        assertFree(next, waiting, "a", "b");
        assertFree(next, BufferList.of(own.get(0)), "c");
    }

    @Test
    void closingTheMemoryWaitsForTheList() {
        ComchProducer producer = producer().start();
        MemoryMap memory = MemoryMap.allocate(machine.host, 64, Access.PCI_READ_WRITE);
        BufferList list = list("a", "b").add(inventory.acquire(memory, 0, 8));
        assertThat(producer.enqueue(list, consumer.id()).accepted()).isTrue();
        memory.close();
        assertThat(ended).containsExactly("3 SUCCESS");
        assertThat(list.get(2).isClosed()).isTrue();
        list.get(0).close();
        assertThat(inventory.available()).isEqualTo(inventory.capacity() - 1);
    }

    @Test
    void withoutAHandlerTheFirstFailureOfEachRowIsThrown() {
        ComchProducer producer = pair.hostSide.producer(machine.engine).start();
        BufferList list = list("a", "b");
        for (int row = 1; row <= 2; row++) {
            producer.enqueue(list, 60_000);
            assertThatThrownBy(() -> machine.until("a failure", () -> false)).isInstanceOf(DocaException.class);
            producer.enqueue(list, consumer.id());
            int sends = row;
            machine.until("a success", () -> producer.sent() == sends);
        }
    }
}
