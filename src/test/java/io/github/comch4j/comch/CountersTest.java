package io.github.comch4j.comch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.comch4j.Machine;
import io.github.comch4j.SubmitResult;
import io.github.comch4j.core.Buffer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The library's own counts. */
@Timeout(60)
class CountersTest extends BothForms {
    private static final int MESSAGES = 20_000;

    private final Pair pair = new Pair();

    @AfterEach
    void close() {
        pair.close();
    }

    @Test
    void anotherThreadReadsThemWhileTheyGrow() throws Exception {
        ComchConsumer consumer = pair.dpuSide
                .consumer(pair.machine.engine, pair.receiveMemory)
                .buffers(8, Pair.SLOT)
                .start(Machine.PATIENCE);
        ComchProducer producer =
                pair.hostSide.producer(pair.machine.engine).tasks(8).start();
        Buffer buffer = producer.acquire(pair.sendMemory, 0, 64);
        AtomicBoolean over = new AtomicBoolean();
        CompletableFuture<Integer> observer = CompletableFuture.supplyAsync(() -> {
            int changes = 0;
            long last = 0;
            while (!over.get() || last < MESSAGES) { // the end is seen, too
                long now = consumer.received();
                assertThat(now).isGreaterThanOrEqualTo(last);
                assertThat(producer.inFlight()).isBetween(0, 8);
                assertThat(consumer.posted()).isBetween(0, 8);
                changes += now == last ? 0 : 1;
                last = now;
            }
            assertThat(consumer.receivedBytes()).isEqualTo(64L * MESSAGES);
            return changes;
        });
        for (int i = 0; i < MESSAGES; i++) {
            pair.machine.until(
                    "room", () -> producer.trySend(buffer, consumer.id()).accepted());
        }
        pair.machine.until("all", () -> consumer.received() == MESSAGES && producer.inFlight() == 0);
        over.set(true);
        assertThat(observer.get()).isPositive();
        assertThat(producer.sent()).isEqualTo(MESSAGES);
        assertThat(producer.sentBytes()).isEqualTo(64L * MESSAGES);
        assertThat(producer.refused()).isGreaterThanOrEqualTo(producer.backPressures());
    }

    @Test
    void onlyWhatArrivesIsCountedIntoAPartlyFilledBuffer() {
        ComchConsumer consumer = pair.dpuSide
                .consumer(pair.machine.engine, pair.receiveMemory)
                .repost(false)
                .start(Machine.PATIENCE);
        ComchProducer producer = pair.hostSide.producer(pair.machine.engine).start();
        consumer.tryPost(consumer.acquire(0, 100).setLength(30)); // what arrives is appended to these
        Buffer buffer = producer.acquire(pair.sendMemory, 0, 20);
        pair.machine.until("room", () -> producer.trySend(buffer, consumer.id()).accepted());
        pair.machine.until("arrival", () -> consumer.received() == 1);
        assertThat(consumer.receivedBytes()).isEqualTo(20);
    }

    @Test
    void messagesAndRefusalsOfAConnection() {
        while (pair.hostSide.trySend(new byte[10]).accepted()) {
            assertThat(pair.hostSide.sent()).isLessThan(5);
        }
        assertThat(pair.hostSide.trySend(new byte[10])).isEqualTo(SubmitResult.NO_TASK);
        assertThat(pair.hostSide.sent()).isEqualTo(4);
        assertThat(pair.client.inFlight()).isEqualTo(4);
        assertThat(pair.hostSide.refused()).isEqualTo(2);
        assertThat(pair.hostSide.backPressures()).isEqualTo(1);
        pair.machine.until("arrival", () -> pair.dpuSide.received() == 4 && pair.client.inFlight() == 0);
        assertThat(pair.dpuSide.receivedBytes())
                .isEqualTo(pair.hostSide.sentBytes())
                .isEqualTo(40);
        pair.hostSide.send(new byte[1]);
        assertThat(pair.hostSide.backPressures()).isEqualTo(1);
    }

    @Test
    void connectionsHaveNumbersAndTheEngineOfTheirEndpoint() {
        assertThat(pair.hostSide.number()).isPositive().isNotEqualTo(pair.dpuSide.number());
        assertThat(pair.hostSide.toString())
                .isEqualTo("connection " + pair.hostSide.number() + " of client \"" + pair.machine.name + "\"");
        assertThat(pair.hostSide.engine()).isSameAs(pair.client.engine());
    }

    @Test
    void enginesCountWhatTheyDo() {
        long polls = pair.machine.engine.polls();
        long events = pair.machine.engine.events();
        pair.machine.settle();
        assertThat(pair.machine.engine.polls()).isGreaterThan(polls);
        assertThat(pair.machine.engine.progress()).isFalse();
        long quiet = pair.machine.engine.events();
        assertThat(quiet).isGreaterThanOrEqualTo(events);
        pair.hostSide.send(new byte[1]);
        pair.machine.until("arrival", () -> pair.dpuSide.received() == 1);
        assertThat(pair.machine.engine.events()).isGreaterThan(quiet);
    }

    @Test
    void enginesCountCallbacksThatThrow() {
        ComchConsumer consumer = pair.dpuSide
                .consumer(pair.machine.engine, pair.receiveMemory)
                .buffers(1, Pair.SLOT)
                .onReceive((self, buffer, producerId, immediate) -> {
                    throw new ArithmeticException("on purpose");
                })
                .start(Machine.PATIENCE);
        ComchProducer producer = pair.hostSide.producer(pair.machine.engine).start();
        Buffer buffer = producer.acquire(pair.sendMemory, 0, 1);
        pair.machine.until("room", () -> producer.trySend(buffer, consumer.id()).accepted());
        assertThatThrownBy(() -> pair.machine.until("arrival", () -> consumer.received() == 1))
                .isInstanceOf(ArithmeticException.class);
        assertThat(pair.machine.engine.callbackFailures()).isEqualTo(1);
    }
}
