package io.github.comch4j.comch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.comch4j.DocaError;
import io.github.comch4j.Feature;
import io.github.comch4j.Machine;
import io.github.comch4j.Needs;
import io.github.comch4j.SubmitResult;
import io.github.comch4j.core.Access;
import io.github.comch4j.core.Buffer;
import io.github.comch4j.core.MemoryMap;
import io.github.comch4j.core.ProgressEngine;
import io.github.comch4j.io.RecordReader;
import io.github.comch4j.io.RecordWriter;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class BroadcastTest extends BothForms {
    private final Pair pair = new Pair();
    private final List<Broadcast> ended = new ArrayList<>();
    private final Broadcast.Pool pool = Broadcast.Pool.create(pair.sendMemory, 2, 100, ended::add);
    private final List<Long> received = new ArrayList<>();
    private final List<DocaError> statuses = new ArrayList<>();

    @AfterEach
    void close() {
        pair.close();
    }

    private ComchConsumer consumer(int buffers) {
        ComchConsumer.Builder builder = pair.dpuSide
                .consumer(pair.machine.engine, pair.receiveMemory)
                .onReceive((self, buffer, producer, immediate) ->
                        received.add(buffer.data().get(ValueLayout.JAVA_LONG_UNALIGNED, 0)));
        if (buffers > 0) {
            builder.buffers(buffers, 256);
        }
        return builder.start(Machine.PATIENCE);
    }

    private ComchProducer producer() {
        return pair.hostSide
                .producer(pair.machine.engine)
                .releaseSent()
                .onCompletion((self, buffer, status) -> {
                    assertThat(pool.broadcastOf(buffer)).isNotNull();
                    statuses.add(status);
                })
                .start();
    }

    private Broadcast claim(long value) {
        Broadcast broadcast = pool.tryAcquire();
        broadcast.segment().set(ValueLayout.JAVA_LONG_UNALIGNED, 0, value);
        return broadcast.commit(8);
    }

    @Test
    void onePlaceGoesToSeveralPeersAndEndsWithTheLast() {
        List<ComchProducer> producers = List.of(producer(), producer(), producer());
        List<ComchConsumer> consumers = List.of(consumer(1), consumer(1), consumer(0));
        for (long round = 1; round <= 3; round++) {
            Broadcast broadcast = claim(round);
            for (int i = 0; i < 3; i++) {
                assertThat(broadcast
                                .enqueue(producers.get(i), consumers.get(i).id())
                                .accepted())
                        .isTrue();
            }
            assertThat(broadcast.inFlight()).isEqualTo(3);
            pair.machine.until("the first two", () -> broadcast.inFlight() == 1 && received.size() == 2);
            assertThat(received).containsExactly(round, round);
            broadcast.release();
            assertThat(ended).as("the third is in flight").isEmpty();
            assertThat(pool.available()).isEqualTo(1);
            ComchConsumer last = consumers.get(2);
            last.tryPost(last.acquire(512, 64));
            pair.machine.until("the end", () -> !ended.isEmpty());
            pair.machine.until("the data", () -> received.size() == 3);
            assertThat(ended).containsExactly(broadcast);
            assertThat(pool.available()).isEqualTo(2);
            last.close();
            consumers = List.of(consumers.get(0), consumers.get(1), consumer(0));
            ended.clear();
            received.clear();
        }
        assertThat(statuses).hasSize(9).containsOnly(DocaError.SUCCESS);
        assertThat(pair.sendMemory.buffers())
                .as("one for each producer and place")
                .isLessThanOrEqualTo(6);
    }

    @Test
    void itEndsWhenItsHolderLetsGo() {
        ComchConsumer consumer = consumer(2);
        Broadcast broadcast = claim(5);
        ComchProducer producer = producer();
        assertThat(broadcast.trySend(producer, consumer.id()).accepted()).isTrue();
        assertThat(broadcast.trySend(producer, consumer.id()).accepted())
                .as("again, to another consumer perhaps")
                .isTrue();
        assertThat(broadcast.inFlight()).as("producers").isEqualTo(1);
        pair.machine.until("both", () -> received.size() == 2 && broadcast.inFlight() == 0);
        assertThat(ended).isEmpty();
        assertThat(broadcast.segment().byteSize()).isEqualTo(100);
        broadcast.release();
        assertThat(ended).containsExactly(broadcast);
    }

    @Test
    void whatIsNotAcceptedIsNotInFlight() {
        ComchConsumer consumer = consumer(0);
        Broadcast broadcast = claim(5);
        ComchProducer producer = producer();
        assertThat(broadcast.trySend(producer, consumer.id())).isEqualTo(SubmitResult.NO_RECEIVE);
        assertThat(broadcast.inFlight()).isZero();
        assertThatThrownBy(() -> broadcast.trySend(producer, 777)).isInstanceOf(RuntimeException.class);
        assertThat(broadcast.inFlight()).isZero();
        broadcast.release();
        assertThat(ended).containsExactly(broadcast);
        assertThat(pool.available()).isEqualTo(2);
    }

    @Test
    void aPeerThatStandsStillHoldsNoMoreThanItsShare() {
        Broadcast.Pool shared = Broadcast.Pool.create(pair.sendMemory, 8, 100);
        assertThat(shared.share()).isEqualTo(2);
        ComchConsumer still = consumer(0); // what is queued for it stays in flight
        ComchConsumer other = consumer(8);
        ComchProducer toStill =
                pair.hostSide.producer(pair.machine.engine).releaseSent().start();
        ComchProducer toOther =
                pair.hostSide.producer(pair.machine.engine).releaseSent().start();
        List<Long> sent = new ArrayList<>();
        List<Long> left = new ArrayList<>();
        for (long round = 0; round < 30; round++) {
            Broadcast broadcast = shared.tryAcquire();
            assertThat(broadcast).as("a place in round %d", round).isNotNull();
            broadcast.segment().set(ValueLayout.JAVA_LONG_UNALIGNED, 0, round);
            broadcast.commit(8);
            assertThat(broadcast.enqueue(toOther, other.id())).isEqualTo(SubmitResult.ACCEPTED);
            SubmitResult result = broadcast.enqueue(toStill, still.id());
            assertThat(result).isEqualTo(round < 2 ? SubmitResult.ACCEPTED : SubmitResult.NO_TASK);
            if (result.accepted()) {
                left.add(round);
            }
            broadcast.release();
            sent.add(round);
            pair.machine.until("the other peer has it", () -> received.equals(sent) && toOther.inFlight() == 0);
        }
        assertThat(shared.available()).isEqualTo(6);
        assertThat(shared.missed(toStill)).isEqualTo(28);
        assertThat(shared.missed(toOther)).isZero();
        received.clear();
        still.tryPost(still.acquire(8 * 256, 64));
        still.tryPost(still.acquire(9 * 256, 64));
        pair.machine.until("what was its share", () -> received.equals(left) && shared.available() == 8);
        Broadcast next = shared.tryAcquire().commit(8);
        assertThat(next.trySend(toStill, still.id()).accepted())
                .as("it has its share again")
                .isTrue();
        next.release();
        pair.machine.until("its end", () -> shared.available() == 8);
        shared.setShare(8);
        for (int place = 0; place < 8; place++) {
            Broadcast all = shared.tryAcquire().commit(8);
            assertThat(all.enqueue(toStill, still.id()).accepted()).isTrue();
            all.release();
        }
        assertThat(shared.tryAcquire()).as("without a bound").isNull();
        pair.machine.until("the ends", () -> shared.available() == 8);
        assertThatThrownBy(() -> shared.setShare(0)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> shared.setShare(9)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void withWaitNobodyMissesAnything() {
        Broadcast.Pool waiting = Broadcast.Pool.create(pair.sendMemory, 8, 100);
        assertThat(waiting.policy()).isEqualTo(Broadcast.Policy.SKIP);
        waiting.setPolicy(Broadcast.Policy.WAIT);
        assertThat(waiting.policy()).isEqualTo(Broadcast.Policy.WAIT);
        ComchConsumer slow = consumer(0);
        ComchProducer toSlow =
                pair.hostSide.producer(pair.machine.engine).releaseSent().start();
        List<Long> expected = new ArrayList<>();
        for (long round = 0; round < 9; round++) {
            Broadcast broadcast = waiting.tryAcquire();
            if (broadcast == null) {
                assertThat(waiting.available())
                        .as("places that wait for the peer")
                        .isEqualTo(6);
                for (int place = 0; place < 2; place++) {
                    slow.tryPost(slow.acquire((round + place) * 256, 64));
                }
                pair.machine.until("its share", () -> waiting.available() == 8);
                broadcast = waiting.tryAcquire();
            }
            broadcast.segment().set(ValueLayout.JAVA_LONG_UNALIGNED, 0, round);
            assertThat(broadcast.commit(8).enqueue(toSlow, slow.id())).isEqualTo(SubmitResult.ACCEPTED);
            broadcast.release();
            expected.add(round);
        }
        slow.tryPost(slow.acquire(10 * 256, 64));
        pair.machine.until("all", () -> received.equals(expected) && waiting.available() == 8);
        assertThat(waiting.missed(toSlow)).isZero();
    }

    @Test
    @Needs(Feature.DISCONNECT)
    void aPeerThatIsBehindIsDisconnected() {
        try (MemoryMap memory = MemoryMap.allocate(pair.machine.dpu, 800, Access.PCI_READ_WRITE)) {
            Broadcast.Pool strict = Broadcast.Pool.create(memory, 8, 100);
            strict.setPolicy(Broadcast.Policy.DISCONNECT);
            ComchConsumer still = pair.hostSide
                    .consumer(
                            pair.machine.engine,
                            MemoryMap.allocate(pair.machine.host, 4096, Access.LOCAL_READ_WRITE, Access.PCI_READ_WRITE))
                    .onReceive((self, buffer, producer, immediate) -> {})
                    .start(Machine.PATIENCE);
            pair.machine.until("the consumer", () -> pair.dpuSide.remoteConsumers().length == 1);
            ComchProducer producer = pair.dpuSide
                    .producer(pair.machine.engine)
                    .releaseSent()
                    .onCompletion((self, buffer, status) -> {})
                    .start();
            for (int round = 0; round < 3; round++) {
                Broadcast broadcast = strict.tryAcquire().commit(8);
                if (round == 0) {
                    assertThat(broadcast.trySend(producer, still.id())).isEqualTo(SubmitResult.NO_RECEIVE);
                }
                assertThat(producer.isClosed()).isFalse();
                assertThat(broadcast.enqueue(producer, still.id()))
                        .isEqualTo(round < 2 ? SubmitResult.ACCEPTED : SubmitResult.NO_TASK);
                broadcast.release();
            }
            assertThat(producer.isClosed()).isTrue();
            assertThat(pair.server.connections()).isEmpty();
            assertThat(strict.available()).isEqualTo(8);
        }
    }

    @Test
    void withoutABufferThereIsNoRoom() {
        ComchConsumer consumer = consumer(0);
        ComchProducer producer = pair.hostSide
                .producer(pair.machine.engine)
                .buffers(1)
                .releaseSent()
                .start();
        pool.setShare(2);
        Broadcast first = claim(1);
        Broadcast second = claim(2);
        assertThat(first.enqueue(producer, consumer.id())).isEqualTo(SubmitResult.ACCEPTED);
        assertThat(second.enqueue(producer, consumer.id())).isEqualTo(SubmitResult.NO_TASK);
        assertThat(second.inFlight()).isZero();
        assertThat(pool.missed(producer)).isEqualTo(1);
        consumer.tryPost(consumer.acquire(0, 64));
        pair.machine.until("the first", () -> first.inFlight() == 0);
        assertThat(second.enqueue(producer, consumer.id()))
                .as("with the buffer of the first")
                .isEqualTo(SubmitResult.ACCEPTED);
        consumer.tryPost(consumer.acquire(256, 64));
        pair.machine.until("the second", () -> received.equals(List.of(1L, 2L)) && second.inFlight() == 0);
        first.release();
        second.release();
    }

    @Test
    void aBacklogInACallbackFindsNoRoom() {
        ComchProducer producer = pair.hostSide
                .producer(pair.machine.engine)
                .tasks(3)
                .buffers(2)
                .releaseSent()
                .start();
        ComchConsumer consumer = consumer(64);
        Broadcast.Pool small = Broadcast.Pool.create(pair.sendMemory, 8, 100);
        small.setShare(8);
        List<SubmitResult> results = new ArrayList<>();
        int[] noPlace = {0};
        try (ComchConsumer late = pair.dpuSide
                .consumer(pair.machine.engine, pair.receiveMemory)
                .onReceive((self, buffer, sender, immediate) -> {
                    for (long number = 0; number < 20; number++) {
                        Broadcast broadcast = small.tryAcquire();
                        if (broadcast == null) {
                            noPlace[0]++;
                            continue;
                        }
                        broadcast.segment().set(ValueLayout.JAVA_LONG_UNALIGNED, 0, number);
                        results.add(broadcast.commit(8).enqueue(producer, consumer.id()));
                        if (number % 2 == 0) {
                            broadcast.release(); // the others are kept for later
                        }
                    }
                })
                .buffers(1, 256)
                .start(Machine.PATIENCE)) {
            Broadcast trigger = claim(1);
            ComchProducer other = producer();
            assertThat(trigger.trySend(other, late.id()).accepted()).isTrue();
            trigger.release();
            pair.machine.until("the backlog", () -> !results.isEmpty() && small.missed(producer) > 0);
            assertThat(results).startsWith(SubmitResult.ACCEPTED, SubmitResult.ACCEPTED, SubmitResult.NO_TASK);
            assertThat(noPlace[0]).isPositive();
            pair.machine.until("what was accepted", () -> received.equals(List.of(0L, 1L)));
        }
    }

    @Test
    void recordsAreWrittenIntoThePlacesAndSayWhatAPeerHasMissed() {
        Broadcast.Pool records = Broadcast.Pool.create(pair.sendMemory, 8, 96);
        List<Integer> all = new ArrayList<>();
        List<Integer> some = new ArrayList<>();
        ComchConsumer quick = reader(all);
        ComchConsumer behind = reader(some);
        quick.tryPost(quick.acquire(0, 96));
        ComchProducer toQuick =
                pair.hostSide.producer(pair.machine.engine).releaseSent().start();
        ComchProducer toBehind =
                pair.hostSide.producer(pair.machine.engine).releaseSent().start();
        List<SubmitResult> results = new ArrayList<>();
        RecordWriter writer = new RecordWriter(pair.machine.engine, records, broadcast -> {
            assertThat(broadcast.trySend(toQuick, quick.id())).isEqualTo(SubmitResult.ACCEPTED);
            results.add(broadcast.trySend(toBehind, behind.id()));
        });
        for (int number = 0; number < 6; number++) {
            if (number == 0 || number == 4 || number == 5) {
                behind.tryPost(behind.acquire(4096 + number * 256L, 96));
            }
            assertThat(writer.offer(MemorySegment.ofArray(new int[] {number}), number))
                    .isEqualTo(SubmitResult.ACCEPTED);
            writer.flush();
            int expected = number + 1;
            pair.machine.until("a message", () -> all.size() == expected && records.available() == 8);
            quick.tryPost(quick.acquire(expected * 256L, 96));
        }
        pair.machine.until("what the other one got", () -> some.size() == 4);
        assertThat(all).containsExactly(0, 1, 2, 3, 4, 5);
        assertThat(some).as("three are missing, in their place").containsExactly(0, -3, 4, 5);
        SubmitResult no = SubmitResult.NO_RECEIVE;
        assertThat(results)
                .containsExactly(SubmitResult.ACCEPTED, no, no, no, SubmitResult.ACCEPTED, SubmitResult.ACCEPTED);
        assertThat(records.missed(toBehind)).isEqualTo(3);
        assertThat(writer.messages()).isEqualTo(6);

        List<Broadcast> taken = new ArrayList<>();
        while (records.available() > 0) {
            taken.add(records.tryAcquire());
        }
        assertThat(writer.offer(MemorySegment.ofArray(new int[1]), 0)).isEqualTo(SubmitResult.NO_TASK);
        taken.forEach(Broadcast::release);
        assertThat(writer.claim(4, 0)).isNotNegative();
        writer.abort();
        assertThat(writer.flush()).as("nothing to send").isTrue();
        assertThat(records.available()).isEqualTo(8);
        assertThatThrownBy(() -> new RecordWriter(pair.machine.engine, pool, broadcast -> {}))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("multiple of 8");
    }

    @Test
    void aRecordWriterIsNotUsedWhileItSends() {
        Broadcast.Pool records = Broadcast.Pool.create(pair.sendMemory, 8, 96);
        RecordWriter[] writer = new RecordWriter[1];
        writer[0] = new RecordWriter(pair.machine.engine, records, broadcast -> writer[0].claim(4, 1));
        writer[0].claim(4, 0);
        writer[0].commit();
        assertThatThrownBy(() -> writer[0].flush()).isInstanceOf(IllegalStateException.class);
        assertThat(records.available()).isEqualTo(8);
    }

    /** A consumer that notes the type of each record, and how many are missing, negative. */
    private ComchConsumer reader(List<Integer> types) {
        RecordReader reader = new RecordReader(
                (memory, offset, length, type, producer) -> types.add(type), missing -> types.add(-missing));
        return pair.dpuSide
                .consumer(pair.machine.engine, pair.receiveMemory)
                .repost(false)
                .onReceive((self, buffer, producer, immediate) ->
                        reader.onMessage(buffer.data(), 0, (int) buffer.data().byteSize(), producer))
                .start(Machine.PATIENCE);
    }

    @Test
    void whatIsRefusedAgainAndAgainDoesNotKeepItsPlace() {
        ComchConsumer consumer = consumer(0);
        ComchProducer producer = pair.hostSide
                .producer(pair.machine.engine)
                .tasks(1)
                .releaseSent()
                .start();
        Broadcast first = claim(1);
        Broadcast second = claim(2);
        assertThat(first.enqueue(producer, consumer.id()).accepted()).isTrue();
        for (int i = 0; i < 3; i++) {
            assertThat(second.enqueue(producer, consumer.id())).isEqualTo(SubmitResult.NO_TASK);
            assertThat(second.trySend(producer, consumer.id())).isEqualTo(SubmitResult.NO_TASK);
            assertThat(second.inFlight()).isZero();
        }
        consumer.tryPost(consumer.acquire(0, 64));
        pair.machine.until("the first", () -> first.inFlight() == 0);
        assertThat(second.enqueue(producer, consumer.id()).accepted()).isTrue();
        first.release();
        second.release();
        consumer.tryPost(consumer.acquire(512, 64));
        pair.machine.until("the second", () -> ended.size() == 2);
        pair.machine.until("the data", () -> received.size() == 2);
        assertThat(received).containsExactly(1L, 2L);
        assertThat(pool.available()).isEqualTo(2);
    }

    @Test
    void whatFailsHasEnded() {
        ComchConsumer consumer = consumer(0);
        ComchProducer producer = producer();
        Broadcast broadcast = claim(5);
        assertThat(broadcast.enqueue(producer, consumer.id()).accepted()).isTrue();
        broadcast.release();
        assertThat(ended).isEmpty();
        producer.close();
        assertThat(ended).containsExactly(broadcast);
        assertThat(statuses).hasSize(1).doesNotContain(DocaError.SUCCESS);
        Broadcast first = pool.tryAcquire();
        Broadcast second = pool.tryAcquire();
        ComchConsumer other = consumer(1);
        assertThat((first == broadcast ? first : second)
                        .commit(8)
                        .trySend(producer(), other.id())
                        .accepted())
                .as("the place is good for other producers")
                .isTrue();
    }

    @Test
    void severalThreadsSendFromOnePlace() throws Exception {
        ComchConsumer here = consumer(1);
        ComchConsumer there = consumer(1);
        Broadcast broadcast = claim(7);
        assertThat(broadcast.trySend(producer(), here.id()).accepted()).isTrue();
        broadcast.retain();
        CompletableFuture<Void> sent = new CompletableFuture<>();
        CompletableFuture<Void> mayEnd = new CompletableFuture<>();
        CompletableFuture<Integer> other = Machine.onThread(() -> {
            try (ProgressEngine engine = ProgressEngine.create();
                    ComchProducer producer =
                            pair.hostSide.producer(engine).releaseSent().start()) {
                assertThat(broadcast.trySend(producer, there.id()).accepted()).isTrue();
                Machine.until("the send", () -> broadcast.inFlight() == 0 || producer.inFlight() == 0, engine);
                broadcast.release();
                sent.complete(null);
                mayEnd.join();
                return producer.inFlight();
            }
        });
        pair.machine.until("the other thread", () -> sent.isDone() || other.isDone());
        pair.machine.until("both", () -> received.size() == 2 && broadcast.inFlight() == 0);
        assertThat(ended).isEmpty();
        broadcast.release();
        assertThat(ended).containsExactly(broadcast);
        mayEnd.complete(null);
        assertThat(other.get()).isZero();
    }

    @Test
    void misuseIsRefused() throws Exception {
        assertThatThrownBy(() -> Broadcast.Pool.create(pair.sendMemory, 65, Pair.SLOT))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> Broadcast.Pool.create(pair.sendMemory, 0, 1))
                .isInstanceOf(IllegalArgumentException.class);
        Broadcast broadcast = claim(1);
        assertThat(pool.tryAcquire()).isNotNull();
        assertThat(pool.tryAcquire()).isNull();
        assertThatThrownBy(() -> broadcast.commit(101)).isInstanceOf(IndexOutOfBoundsException.class);
        ComchProducer keeps = pair.hostSide.producer(pair.machine.engine).start();
        assertThatThrownBy(() -> broadcast.trySend(keeps, 1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("releaseSent()");
        ComchProducer producer = producer();
        CompletableFuture<SubmitResult> elsewhere = Machine.onThread(() -> broadcast.trySend(producer, 1));
        assertThatThrownBy(elsewhere::get).hasCauseInstanceOf(WrongThreadException.class);
        producer.close();
        assertThatThrownBy(() -> broadcast.trySend(producer, 1)).isInstanceOf(IllegalStateException.class);
        assertThat(broadcast.inFlight()).isZero();
        broadcast.release();
        assertThatThrownBy(broadcast::release).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(broadcast::retain).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(broadcast::segment).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> broadcast.trySend(producer, 1))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("was released");
        assertThat(ended).as("once").containsExactly(broadcast);
        Buffer foreign = keeps.acquire(pair.sendMemory, 50, 100);
        assertThat(pool.broadcastOf(foreign)).isNull();
        try (MemoryMap other = MemoryMap.allocate(pair.machine.host, 100)) {
            assertThat(pool.broadcastOf(keeps.acquire(other, 0, 100))).isNull();
        }
    }
}
