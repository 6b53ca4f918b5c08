package io.github.comch4j.comch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.comch4j.Machine;
import io.github.comch4j.SubmitResult;
import io.github.comch4j.core.Access;
import io.github.comch4j.core.Buffer;
import io.github.comch4j.core.MemoryMap;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Whoever was refused is told when there is room again, and does not ask in between. */
@Timeout(60)
class RoomTest extends BothForms {
    private static final int TASKS = 4;
    private static final int MANY = 1000;

    private final Machine machine = new Machine();
    private final AtomicInteger received = new AtomicInteger();
    private final AtomicInteger sent = new AtomicInteger();
    private final AtomicInteger told = new AtomicInteger();

    @AfterEach
    void close() {
        machine.close();
    }

    private void sendUntilRefused(ComchConnection connection) {
        while (sent.get() < MANY && connection.trySend(new byte[8]).accepted()) {
            sent.incrementAndGet();
        }
    }

    @Test
    void aConnectionThatWasRefusedIsTold() {
        machine.server()
                .onMessage((connection, message) -> received.incrementAndGet())
                .start();
        ComchClient client = machine.client()
                .sendTasks(TASKS)
                .onWritable(connection -> {
                    told.incrementAndGet();
                    sendUntilRefused(connection);
                })
                .connect(Machine.PATIENCE);
        machine.settle();
        assertThat(told).as("before any refusal").hasValue(0);
        sendUntilRefused(client.connection());
        assertThat(sent).as("without progress").hasValue(TASKS);
        assertThat(told).hasValue(0);
        machine.until("all messages", () -> received.get() == MANY);
        assertThat(told.get()).isBetween(1, MANY);
        assertThat(client.connection().refused()).isBetween(1L, 1L + told.get());
        int before = told.get();
        machine.settle();
        assertThat(told).as("once nothing is refused any more").hasValue(before);
    }

    @Test
    void theConnectionsOfAServerTakeTurns() {
        List<AtomicInteger> counts = List.of(new AtomicInteger(), new AtomicInteger(), new AtomicInteger());
        ComchServer server = machine.server()
                .sendTasks(1)
                .onWritable(connection -> {
                    while (connection.trySend(new byte[8]).accepted()) {
                        sent.incrementAndGet(); // as long as there is room
                    }
                })
                .start();
        for (AtomicInteger count : counts) {
            machine.client()
                    .onMessage((connection, message) -> count.incrementAndGet())
                    .connect(Machine.PATIENCE);
        }
        machine.until("the connections", () -> server.connections().size() == counts.size());
        for (ComchConnection connection : server.connections()) {
            while (connection.trySend(new byte[8]).accepted()) {
                sent.incrementAndGet();
            }
        }
        machine.until("a hundred for one", () -> counts.stream().anyMatch(count -> count.get() >= 100));
        assertThat(counts).allSatisfy(count -> assertThat(count.get()).isGreaterThan(90));
    }

    @Test
    void whatTheHandlerThrowsComesOutAndItIsToldAgain() {
        machine.server()
                .onMessage((connection, message) -> received.incrementAndGet())
                .start();
        ComchClient client = machine.client()
                .sendTasks(1)
                .onWritable(connection -> {
                    if (told.incrementAndGet() == 1) {
                        throw new IllegalStateException("by the handler");
                    }
                })
                .connect(Machine.PATIENCE);
        for (int round = 1; round <= 2; round++) {
            while (client.connection().trySend(new byte[8]).accepted()) {
                sent.incrementAndGet();
            }
            if (round == 1) {
                assertThatThrownBy(() -> machine.until("the handler", () -> told.get() > 0))
                        .hasMessage("by the handler");
            } else {
                machine.until("the handler", () -> told.get() == 2);
            }
        }
        assertThat(machine.engine.callbackFailures()).isEqualTo(1);
    }

    @Test
    void nobodyIsToldOfAConnectionThatHasEnded() {
        ComchServer server = machine.server().start();
        ComchClient client = machine.client()
                .sendTasks(1)
                .onWritable(connection -> told.incrementAndGet())
                .connect(Machine.PATIENCE);
        while (client.connection().trySend(new byte[8]).accepted()) {
            sent.incrementAndGet();
        }
        client.close();
        server.close();
        machine.settle();
        assertThat(told).hasValue(0);
    }

    /** A consumer and a producer, and something to send. */
    private final class Fast implements AutoCloseable {
        final MemoryMap from = MemoryMap.allocate(machine.host, 4096, Access.PCI_READ_WRITE);
        final MemoryMap to = MemoryMap.allocate(machine.dpu, 1 << 16, Access.PCI_READ_WRITE);
        final ComchServer server = machine.server().start();
        final ComchConnection hostSide =
                machine.client().connect(Machine.PATIENCE).connection();
        final ComchConsumer consumer;
        final List<Buffer> idle = new ArrayList<>();

        Fast(int posted) {
            machine.until("the connection", () -> !server.connections().isEmpty());
            ComchConsumer.Builder builder = server.connections()
                    .iterator()
                    .next()
                    .consumer(machine.engine, to)
                    .tasks(64)
                    .onReceive((receiver, buffer, producerId, immediate) -> received.incrementAndGet());
            consumer = (posted > 0 ? builder.buffers(posted, 64) : builder).start(Machine.PATIENCE);
            machine.until("the consumer is known", () -> hostSide.remoteConsumers().length == 1);
        }

        @Override
        public void close() {
            machine.engine.close();
            from.close();
            to.close();
        }
    }

    @Test
    void aProducerThatWasRefusedIsTold() {
        try (Fast fast = new Fast(32)) {
            Runnable[] send = new Runnable[1];
            ComchProducer producer = fast.hostSide
                    .producer(machine.engine)
                    .tasks(TASKS)
                    .onCompletion((sender, buffer, status) -> fast.idle.add(buffer))
                    .onWritable(sender -> {
                        told.incrementAndGet();
                        send[0].run();
                    })
                    .start();
            for (int i = 0; i <= TASKS; i++) {
                fast.idle.add(producer.acquire(fast.from, 64L * i, 64));
            }
            send[0] = () -> {
                while (sent.get() < MANY
                        && producer.enqueue(fast.idle.getLast(), fast.consumer.id())
                                .accepted()) {
                    fast.idle.removeLast();
                    sent.incrementAndGet();
                }
            };
            send[0].run();
            assertThat(sent).hasValue(TASKS);
            machine.until("all messages", () -> received.get() == MANY);
            assertThat(told.get()).isBetween(1, MANY);
            assertThat(producer.refused()).isBetween(1L, 1L + told.get());
        }
    }

    @Test
    void aProducerWhoseConsumerHadNothingPostedIsToldToTryAgain() {
        try (Fast fast = new Fast(0)) {
            ComchProducer[] self = new ComchProducer[1];
            boolean[] accepted = new boolean[1];
            Buffer[] buffer = new Buffer[1];
            self[0] = fast.hostSide
                    .producer(machine.engine)
                    .onCompletion((sender, done, status) -> {})
                    .onWritable(sender -> {
                        told.incrementAndGet();
                        accepted[0] |=
                                sender.trySend(buffer[0], fast.consumer.id()).accepted();
                    })
                    .start();
            buffer[0] = self[0].acquire(fast.from, 0, 64);
            assertThat(self[0].trySend(buffer[0], fast.consumer.id())).isEqualTo(SubmitResult.NO_RECEIVE);
            machine.settle();
            assertThat(accepted[0]).isFalse();
            fast.consumer.tryPost(fast.consumer.acquire(0, 64));
            machine.until("the message", () -> received.get() == 1);
            assertThat(accepted[0]).isTrue();
            int before = told.get();
            machine.settle();
            assertThat(told).hasValue(before);
        }
    }

    @Test
    void aSlotProducerThatWasRefusedIsTold() {
        try (Fast fast = new Fast(32)) {
            Runnable[] send = new Runnable[1];
            SlotProducer producer = fast.hostSide
                    .slotProducer(machine.engine, 64)
                    .tasks(TASKS)
                    .onWritable(sender -> {
                        told.incrementAndGet();
                        send[0].run();
                    })
                    .start();
            send[0] = () -> {
                while (sent.get() < MANY && producer.claim(8, fast.consumer.id()) >= 0) {
                    producer.commit();
                    sent.incrementAndGet();
                }
            };
            send[0].run();
            assertThat(sent).hasValue(TASKS);
            machine.until("all messages", () -> received.get() == MANY);
            assertThat(told.get()).isBetween(1, MANY);
        }
    }
}
