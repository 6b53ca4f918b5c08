package io.github.comch4j.comch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.comch4j.DocaError;
import io.github.comch4j.DocaException;
import io.github.comch4j.Feature;
import io.github.comch4j.Machine;
import io.github.comch4j.Needs;
import io.github.comch4j.SubmitResult;
import io.github.comch4j.core.Access;
import io.github.comch4j.core.Buffer;
import io.github.comch4j.core.BufferInventory;
import io.github.comch4j.core.ContextState;
import io.github.comch4j.core.MemoryMap;
import io.github.comch4j.core.ProgressEngine;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class FastPathTest extends BothForms {
    private static final int SLOT = 4096;

    private final Machine machine = new Machine();
    private final MemoryMap sendMemory = MemoryMap.allocate(machine.host, 64 * SLOT, Access.PCI_READ_WRITE);
    private final MemoryMap receiveMemory =
            MemoryMap.allocate(machine.dpu, 64 * SLOT, Access.LOCAL_READ_WRITE, Access.PCI_READ_WRITE);
    private final List<String> consumerEvents = new ArrayList<>();
    private final List<byte[]> received = new ArrayList<>();
    private ComchConnection hostSide;
    private ComchConnection dpuSide;

    @BeforeEach
    void connect() {
        ComchServer server = machine.server().start();
        ComchClient client = machine.client()
                .onConsumer((connection, id) -> consumerEvents.add("NEW " + id))
                .onConsumerExpired((connection, id) -> consumerEvents.add("EXPIRED " + id))
                .connect(Machine.PATIENCE);
        machine.until("the connection", () -> !server.connections().isEmpty());
        hostSide = client.connection();
        dpuSide = server.connections().iterator().next();
    }

    @AfterEach
    void close() {
        machine.close();
    }

    private ComchConsumer.Builder recordingConsumer() {
        return dpuSide.consumer(machine.engine, receiveMemory)
                .onReceive((consumer, buffer, producerId, immediate) ->
                        received.add(buffer.data().toArray(ValueLayout.JAVA_BYTE)));
    }

    private void send(ComchProducer producer, Buffer buffer, int consumerId) {
        machine.until("room to send", () -> producer.trySend(buffer, consumerId).accepted());
    }

    @Test
    void dataArriveInOrderAndUnchanged() {
        ComchConsumer consumer = recordingConsumer().buffers(4, SLOT).start(Machine.PATIENCE);
        ComchProducer producer = hostSide.producer(machine.engine).tasks(8).start();
        Random random = new Random(3);
        List<byte[]> sent = new ArrayList<>();
        for (int i = 0; i < 64; i++) {
            byte[] bytes = new byte[i == 0 ? SLOT : 1 + random.nextInt(SLOT)];
            random.nextBytes(bytes);
            sent.add(bytes);
            Buffer buffer = producer.acquire(sendMemory, (long) i * SLOT, SLOT);
            MemorySegment.copy(bytes, 0, buffer.segment(), ValueLayout.JAVA_BYTE, 0, bytes.length);
            send(producer, buffer.setLength(bytes.length), consumer.id());
        }
        machine.until("all data", () -> received.size() == 64 && producer.inFlight() == 0);
        assertThat(received).containsExactlyElementsOf(sent);
        assertThat(producer.sent()).isEqualTo(64);
        assertThat(consumer.received()).isEqualTo(64);
        assertThat(consumer.posted()).isEqualTo(4);
    }

    @Test
    void theOtherSideIsToldOfConsumers() {
        ComchConsumer consumer = recordingConsumer().start(Machine.PATIENCE);
        machine.until("the event", () -> !consumerEvents.isEmpty());
        assertThat(hostSide.remoteConsumers()).containsExactly(consumer.id());
        consumer.close();
        machine.until("the other event", () -> consumerEvents.size() == 2);
        assertThat(consumerEvents).containsExactly("NEW " + consumer.id(), "EXPIRED " + consumer.id());
        assertThat(hostSide.remoteConsumers()).isEmpty();
    }

    @Test
    @Needs(Feature.IMMEDIATE_DATA)
    void immediateDataTravelBesideTheBufferOrAlone() {
        List<String> seen = new ArrayList<>();
        ComchConsumer consumer = dpuSide.consumer(machine.engine, receiveMemory)
                .buffers(4, SLOT)
                .immediateLength(16)
                .onReceive((self, buffer, producerId, immediate) ->
                        seen.add(buffer.length() + " bytes from " + producerId + " with " + List.of(boxed(immediate))))
                .start(Machine.PATIENCE);
        assertThat(consumer.immediateLength()).isEqualTo(16);
        ComchProducer producer = hostSide.producer(machine.engine).tasks(1).start();
        Buffer buffer = producer.acquire(sendMemory, 0, 10);
        MemorySegment two = MemorySegment.ofArray(new byte[] {7, 8});
        machine.until("with", () -> producer.trySend(buffer, consumer.id(), two).accepted());
        machine.until("without", () -> producer.trySend(buffer, consumer.id()).accepted());
        machine.until(
                "alone",
                () -> producer.trySendImmediate(consumer.id(), two.asSlice(1)).accepted());
        machine.until(
                "without again", () -> producer.trySend(buffer, consumer.id()).accepted());
        machine.until(
                "alone, queued",
                () -> producer.enqueueImmediate(consumer.id(), two).accepted());
        assertThat(producer.enqueueImmediate(consumer.id(), two)).isEqualTo(SubmitResult.NO_TASK);
        producer.flush();
        machine.until("all", () -> seen.size() == 5);
        String from = " bytes from " + producer.id() + " with ";
        assertThat(seen)
                .containsExactly(
                        "10" + from + "[7, 8]",
                        "10" + from + "[]",
                        "0" + from + "[8]",
                        "10" + from + "[]",
                        "0" + from + "[7, 8]");
        MemorySegment tooLong = MemorySegment.ofArray(new byte[17]);
        machine.until("a free task", () -> producer.inFlight() == 0);
        assertThatThrownBy(() -> producer.trySend(buffer, consumer.id(), tooLong))
                .isInstanceOfSatisfying(
                        DocaException.class, e -> assertThat(e.error()).isEqualTo(DocaError.INVALID_VALUE));
        assertThat(buffer.isInFlight()).isFalse();
        assertThatThrownBy(() -> producer.trySend(buffer, consumer.id(), MemorySegment.ofArray(new byte[0])))
                .isInstanceOf(IllegalArgumentException.class);
    }

    private static Byte[] boxed(MemorySegment segment) {
        Byte[] bytes = new Byte[(int) segment.byteSize()];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = segment.get(ValueLayout.JAVA_BYTE, i);
        }
        return bytes;
    }

    @Test
    void withoutAPostedBufferOrAFreeTaskTrySendSaysNo() {
        ComchConsumer consumer = recordingConsumer().repost(false).start(Machine.PATIENCE);
        ComchProducer producer = hostSide.producer(machine.engine).tasks(2).start();
        Buffer buffer = producer.acquire(sendMemory, 0, 100);
        assertThat(producer.trySend(buffer, consumer.id())).as("nothing posted").isEqualTo(SubmitResult.NO_RECEIVE);
        assertThat(buffer.isInFlight()).isFalse();
        for (int i = 0; i < 3; i++) {
            assertThat(consumer.tryPost(consumer.acquire((long) i * SLOT, SLOT)).accepted())
                    .isTrue();
        }
        assertThat(producer.trySend(buffer, consumer.id()).accepted())
                .as("without any progress of this side")
                .isTrue();
        assertThat(producer.trySend(buffer, consumer.id()).accepted()).isTrue();
        assertThat(producer.inFlight()).isEqualTo(2);
        assertThat(producer.trySend(buffer, consumer.id()))
                .as("both tasks in flight")
                .isEqualTo(SubmitResult.NO_TASK);
        machine.until("the sends", () -> producer.inFlight() == 0);
        assertThat(producer.trySend(buffer, consumer.id()).accepted()).isTrue();
        assertThat(consumer.posted()).as("one of them may be written into now").isLessThanOrEqualTo(3);
        machine.until("three", () -> received.size() == 3);
        assertThat(consumer.posted()).isZero();
    }

    @Test
    void aReceivedBufferMayBeKeptAndPostedLater() {
        List<Buffer> kept = new ArrayList<>();
        ComchConsumer consumer = dpuSide.consumer(machine.engine, receiveMemory)
                .buffers(1, SLOT)
                .onReceive((self, buffer, producerId, immediate) -> {
                    self.keep();
                    kept.add(buffer);
                })
                .start(Machine.PATIENCE);
        ComchProducer producer = hostSide.producer(machine.engine).start();
        Buffer buffer = producer.acquire(sendMemory, 0, 5);
        buffer.segment().fill((byte) 6);
        send(producer, buffer, consumer.id());
        machine.until("the data", () -> kept.size() == 1 && producer.inFlight() == 0);
        assertThat(producer.trySend(buffer, consumer.id())).isEqualTo(SubmitResult.NO_RECEIVE);
        Buffer mine = kept.getFirst();
        assertThat(mine.isInFlight()).isFalse();
        assertThat(mine.data().toArray(ValueLayout.JAVA_BYTE)).containsExactly(6, 6, 6, 6, 6);
        assertThat(consumer.tryPost(mine).accepted()).as("behind what it has").isTrue();
        send(producer, buffer, consumer.id());
        machine.until("more data", () -> kept.size() == 2);
        assertThat(mine.length()).isEqualTo(10);
        assertThatThrownBy(consumer::keep).isInstanceOf(IllegalStateException.class);
        mine.close();
        mine.close();
        assertThatThrownBy(mine::segment)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("closed");
        assertThatThrownBy(() -> consumer.tryPost(mine)).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void aBufferInFlightBelongsToDoca() {
        ComchConsumer consumer = recordingConsumer().start(Machine.PATIENCE);
        Buffer posted = consumer.acquire(0, SLOT);
        consumer.tryPost(posted);
        assertThat(posted.isInFlight()).isTrue();
        assertThatThrownBy(posted::segment)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("in flight with consumer");
        assertThatThrownBy(posted::clear).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(posted::data).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(posted::length).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(posted::close).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> consumer.tryPost(posted)).isInstanceOf(IllegalStateException.class);
        ComchProducer otherWay = dpuSide.producer(machine.engine).start();
        assertThatThrownBy(() -> otherWay.trySend(posted, 1))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("in flight");
        assertThat(posted.isClosed()).isFalse();
        ComchProducer producer = hostSide.producer(machine.engine).start();
        send(producer, producer.acquire(sendMemory, 0, 1), consumer.id());
        machine.until("the data", () -> received.size() == 1);
    }

    @Test
    void onlyTheDataOfABufferAreSent() {
        ComchConsumer consumer = recordingConsumer().buffers(4, SLOT).start(Machine.PATIENCE);
        ComchProducer producer = hostSide.producer(machine.engine).start();
        Buffer buffer = producer.acquire(sendMemory, 100, 10);
        for (int i = 0; i < 10; i++) {
            buffer.segment().set(ValueLayout.JAVA_BYTE, i, (byte) i);
        }
        send(producer, buffer.setData(3, 4), consumer.id());
        machine.until("the first", () -> received.size() == 1 && producer.inFlight() == 0);
        send(producer, buffer.setData(9, 1), consumer.id());
        machine.until("the second", () -> received.size() == 2 && producer.inFlight() == 0);
        assertThat(received).containsExactly(new byte[] {3, 4, 5, 6}, new byte[] {9});
        assertThatThrownBy(() -> buffer.setData(9, 2)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> buffer.setLength(-1)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThat(buffer.position()).isEqualTo(9);
        assertThat(buffer.offset()).isEqualTo(100);
        assertThat(buffer.capacity()).isEqualTo(10);
        assertThat(buffer.referenceCount()).isEqualTo(1);
    }

    @Test
    void oneBufferMayBeInFlightManyTimes() {
        ComchConsumer consumer = recordingConsumer().buffers(32, SLOT).start(Machine.PATIENCE);
        ComchProducer producer = hostSide.producer(machine.engine).tasks(32).start();
        Buffer buffer = producer.acquire(sendMemory, 0, 64);
        for (int i = 0; i < 32; i++) {
            assertThat(producer.trySend(buffer, consumer.id()).accepted()).isTrue();
        }
        assertThat(buffer.isInFlight()).isTrue();
        machine.until("all", () -> received.size() == 32 && producer.inFlight() == 0);
        assertThat(buffer.isInFlight()).isFalse();
    }

    @Test
    void whatDoesNotFitOrGoesNowhereIsRefusedAndLeavesTheBufferAlone() {
        ComchConsumer consumer = recordingConsumer().buffers(1, 100).start(Machine.PATIENCE);
        ComchProducer producer = hostSide.producer(machine.engine).start();
        Buffer buffer = producer.acquire(sendMemory, 0, 101);
        assertThatThrownBy(() -> producer.trySend(buffer, consumer.id()))
                .isInstanceOfSatisfying(
                        DocaException.class, e -> assertThat(e.error()).isEqualTo(DocaError.INVALID_VALUE));
        assertThatThrownBy(() -> producer.trySend(buffer, 60000))
                .isInstanceOfSatisfying(
                        DocaException.class, e -> assertThat(e.error()).isEqualTo(DocaError.INVALID_VALUE))
                .hasMessageContaining("consumer 60000");
        assertThat(buffer.isInFlight()).isFalse();
        assertThat(buffer.length()).isEqualTo(101);
        send(producer, buffer.setLength(100), consumer.id());
        machine.until("what fits", () -> received.size() == 1);
    }

    @Test
    void completionsAreTold() {
        List<String> completions = new ArrayList<>();
        ComchConsumer consumer = recordingConsumer().buffers(2, SLOT).start(Machine.PATIENCE);
        ComchProducer producer = hostSide.producer(machine.engine)
                .tasks(1)
                .onCompletion((self, buffer, status) -> {
                    completions.add(status + " " + (buffer == null ? "none" : buffer.offset()));
                    if (completions.size() == 1) {
                        assertThat(self.trySend(buffer, consumer.id()).accepted())
                                .as("the task is free again")
                                .isTrue();
                    }
                })
                .start();
        send(producer, producer.acquire(sendMemory, 512, 1), consumer.id());
        machine.until("both", () -> completions.size() == 2);
        assertThat(completions).containsExactly("SUCCESS 512", "SUCCESS 512");
    }

    @Test
    void bothSidesMayHaveSeveralOfBoth() {
        List<Integer> atHost = new ArrayList<>();
        MemoryMap hostMemory = MemoryMap.allocate(machine.host, 1 << 16, Access.PCI_READ_WRITE);
        ComchConsumer one = recordingConsumer().buffers(4, SLOT).start(Machine.PATIENCE);
        ComchConsumer two = dpuSide.consumer(machine.engine, receiveMemory)
                .onReceive((self, buffer, producerId, immediate) -> received.add(new byte[] {(byte) producerId}))
                .start(Machine.PATIENCE);
        two.tryPost(two.acquire(32 * SLOT, SLOT));
        two.tryPost(two.acquire(33 * SLOT, SLOT));
        ComchConsumer three = hostSide.consumer(machine.engine, hostMemory)
                .buffers(4, SLOT)
                .onReceive((self, buffer, producerId, immediate) -> atHost.add((int) buffer.length()))
                .start(Machine.PATIENCE);
        assertThat(one.id()).isNotEqualTo(two.id());
        ComchProducer p = hostSide.producer(machine.engine).start();
        ComchProducer q = hostSide.producer(machine.engine).start();
        ComchProducer r = dpuSide.producer(machine.engine).start();
        assertThat(p.id() != q.id()).isEqualTo(Feature.PRODUCER_IDS.isThere());
        send(p, p.acquire(sendMemory, 0, 1), one.id());
        send(p, p.acquire(sendMemory, 0, 1), two.id());
        send(q, q.acquire(sendMemory, 0, 1), two.id());
        send(r, r.acquire(receiveMemory, 60 * SLOT, 77), three.id());
        machine.until("all", () -> received.size() == 3 && atHost.size() == 1);
        assertThat(atHost).containsExactly(77);
        assertThat(received).contains(new byte[] {(byte) p.id()}, new byte[] {(byte) q.id()});
    }

    @Test
    void producersAndConsumersMayRunOnThreadsOfTheirOwn() throws Exception {
        int messages = 20_000;
        AtomicBoolean stop = new AtomicBoolean();
        long[] sum = new long[1];
        ComchConsumer[] consumer = new ComchConsumer[1];
        CompletableFuture<Integer> consumerId = new CompletableFuture<>();
        CompletableFuture<Long> consumed = Machine.onThread(() -> {
            try (ProgressEngine engine = ProgressEngine.create()) {
                int[] count = new int[1];
                consumer[0] = dpuSide.consumer(engine, receiveMemory)
                        .buffers(32, 64)
                        .onReceive((self, buffer, producerId, immediate) -> {
                            count[0]++;
                            sum[0] += buffer.segment().get(ValueLayout.JAVA_LONG, 0);
                        })
                        .start(Machine.PATIENCE);
                consumerId.complete(consumer[0].id());
                Machine.until("all messages", () -> count[0] == messages || stop.get(), engine);
                return sum[0];
            }
        });
        CompletableFuture<Long> produced = Machine.onThread(() -> {
            try (ProgressEngine engine = ProgressEngine.create();
                    ComchProducer producer = hostSide.producer(engine).tasks(32).start()) {
                int id = consumerId.get(20, TimeUnit.SECONDS);
                List<Buffer> free = new ArrayList<>();
                for (int i = 0; i < 32; i++) {
                    free.add(producer.acquire(sendMemory, i * 64L, 64));
                }
                for (int i = 0; i < messages; i++) {
                    Buffer buffer = free.get(i % 32);
                    Machine.until("the buffer", () -> !buffer.isInFlight(), engine);
                    buffer.segment().set(ValueLayout.JAVA_LONG, 0, i);
                    Machine.until("room", () -> producer.trySend(buffer, id).accepted(), engine);
                }
                Machine.until("completion", () -> producer.inFlight() == 0, engine);
                return producer.sent();
            }
        });
        try {
            machine.until(
                    "both threads",
                    () -> (consumed.isDone() && produced.isDone())
                            || consumed.isCompletedExceptionally()
                            || produced.isCompletedExceptionally());
        } finally {
            stop.set(true);
        }
        assertThat(produced.get(20, TimeUnit.SECONDS)).isEqualTo(messages);
        assertThat(consumed.get(20, TimeUnit.SECONDS)).isEqualTo((long) messages * (messages - 1) / 2);
    }

    @Test
    void aMapMayWrapTheProgramsMemory() {
        try (Arena arena = Arena.ofShared()) {
            MemorySegment mine = arena.allocate(1024);
            mine.setAtIndex(ValueLayout.JAVA_BYTE, 1000, (byte) 55);
            ComchConsumer consumer = recordingConsumer().buffers(2, SLOT).start(Machine.PATIENCE);
            try (MemoryMap wrapped = MemoryMap.wrap(machine.host, mine, Access.PCI_READ_ONLY);
                    ComchProducer producer = hostSide.producer(machine.engine).start()) {
                send(producer, producer.acquire(wrapped, 1000, 1), consumer.id());
                machine.until("the data", () -> received.size() == 1);
            }
            assertThat(received).containsExactly(new byte[] {55});
            assertThat(mine.getAtIndex(ValueLayout.JAVA_BYTE, 1000))
                    .as("still there")
                    .isEqualTo((byte) 55);
        }
    }

    @Test
    void aClosedArenaUnderABufferIsNoticed() {
        ComchConsumer consumer = recordingConsumer().buffers(2, SLOT).start(Machine.PATIENCE);
        ComchProducer producer = hostSide.producer(machine.engine).start();
        MemoryMap wrapped;
        try (Arena arena = Arena.ofShared()) {
            wrapped = MemoryMap.wrap(machine.host, arena.allocate(1024), Access.PCI_READ_ONLY);
        }
        assertThatThrownBy(() -> producer.acquire(wrapped, 0, 1)).isInstanceOf(IllegalStateException.class);
        MemoryMap other;
        Buffer buffer;
        try (Arena arena = Arena.ofShared()) {
            other = MemoryMap.wrap(machine.host, arena.allocate(1024), Access.PCI_READ_ONLY);
            buffer = producer.acquire(other, 0, 1);
        }
        assertThatThrownBy(() -> producer.trySend(buffer, consumer.id()))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("arena is closed");
        assertThat(buffer.isInFlight()).isFalse();
        other.close();
        wrapped.close();
    }

    @Test
    void memoryForAConsumerNeedsPciWriteAccess() {
        MemoryMap local = MemoryMap.allocate(machine.dpu, SLOT, Access.LOCAL_READ_WRITE);
        assertThatThrownBy(() -> dpuSide.consumer(machine.engine, local).start())
                .isInstanceOfSatisfying(DocaException.class, e -> {
                    assertThat(e.error()).isEqualTo(DocaError.NOT_PERMITTED);
                    assertThat(e.function()).isEqualTo(Machine.function("doca_comch_consumer_create"));
                });
        MemoryMap readable = MemoryMap.allocate(machine.dpu, SLOT); // as it is without any access
        assertThatThrownBy(() -> dpuSide.consumer(machine.engine, readable).start())
                .isInstanceOf(DocaException.class)
                .hasMessageContaining("not for PCI_READ_WRITE");
        ComchConsumer consumer = recordingConsumer().start(Machine.PATIENCE);
        try (BufferInventory inventory = BufferInventory.create(1)) {
            assertThatThrownBy(() -> consumer.tryPost(inventory.acquireEmpty(local, 0, 10)))
                    .isInstanceOf(IllegalArgumentException.class);
        }
        assertThatThrownBy(() -> dpuSide.consumer(machine.engine, receiveMemory).buffers(65, SLOT))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void whenThePeerEndsTheConnectionProducersAndConsumersEndToo() {
        List<DocaError> flushed = new ArrayList<>();
        MemoryMap hostMemory = MemoryMap.allocate(machine.host, SLOT, Access.PCI_READ_WRITE);
        ComchConsumer consumer = hostSide.consumer(machine.engine, hostMemory)
                .buffers(1, SLOT)
                .onReceiveFailed((self, buffer, error) -> flushed.add(error))
                .start(Machine.PATIENCE);
        ComchProducer producer = hostSide.producer(machine.engine).start();
        Buffer buffer = producer.acquire(sendMemory, 0, 1);
        dpuSide.endpoint().close();
        machine.until("the end", () -> producer.state() == ContextState.IDLE && consumer.state() == ContextState.IDLE);
        machine.until("the client's end", () -> hostSide.endpoint().state() == ContextState.IDLE);
        assertThat(flushed).hasSize(1).doesNotContain(DocaError.SUCCESS);
        assertThatThrownBy(() -> producer.trySend(buffer, 1)).isInstanceOf(ConnectionClosedException.class);
        assertThatThrownBy(() -> consumer.tryPost(consumer.acquire(0, 10)))
                .isInstanceOf(ConnectionClosedException.class);
        assertThatThrownBy(() -> hostSide.producer(machine.engine).start())
                .isInstanceOf(ConnectionClosedException.class);
        assertThat(producer.inFlight()).isZero();
        producer.close();
        consumer.close();
    }

    @Test
    void aConsumerStartsWithoutWaitingAndPostsItsBuffersByItself() {
        ComchConsumer consumer = recordingConsumer().buffers(2, SLOT).start();
        assertThat(consumer.isRunning()).isFalse();
        Buffer early = consumer.acquire(10 * SLOT, SLOT);
        assertThatThrownBy(() -> consumer.tryPost(early))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("not running yet");
        machine.until("the start", consumer::isRunning);
        assertThat(consumer.posted()).isEqualTo(2);
        assertThat(consumer.tryPost(early).accepted()).isTrue();
    }
}
