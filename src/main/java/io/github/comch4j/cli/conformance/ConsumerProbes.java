package io.github.comch4j.cli.conformance;

import io.github.comch4j.DocaError;
import io.github.comch4j.comch.Capabilities;
import io.github.comch4j.comch.ComchConnection;
import io.github.comch4j.comch.ComchConsumer;
import io.github.comch4j.comch.ComchProducer;
import io.github.comch4j.core.Access;
import io.github.comch4j.core.Buffer;
import io.github.comch4j.core.Device;
import io.github.comch4j.core.DeviceInfo;
import io.github.comch4j.core.MemoryMap;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Consumers: their ids, memory, number, beginning and end. */
final class ConsumerProbes {
    private static final int SIZE = 1024;

    private ConsumerProbes() {}

    static List<Probe> of() {
        return List.of(
                ids(),
                several(),
                most(),
                memoryWithoutPermission(),
                memoryOfAnotherDevice(),
                beforeItRuns(),
                flushed());
    }

    static ComchConsumer consumer(Stage stage, ComchConnection connection, int buffers, List<DocaError> failed) {
        return stage.running(connection
                .consumer(stage.engine, stage.memory((long) buffers * SIZE))
                .buffers(buffers, SIZE)
                .onReceiveFailed((self, buffer, error) -> failed.add(error))
                .start());
    }

    private static Probe ids() {
        return Probe.of("consumer.ids", "Ids of three consumers and producers, and of one that follows a closed one")
                .expect("consumers", "1 2 3 4")
                .expect("producers", "1 2 3 4", "0 0 0 0")
                .hostAlone((stage, connection) -> {
                    List<Integer> consumers = new ArrayList<>();
                    List<Integer> producers = new ArrayList<>();
                    for (int i = 0; i < 4; i++) {
                        ComchConsumer consumer = consumer(stage, connection, 1, new ArrayList<>());
                        ComchProducer producer =
                                connection.producer(stage.engine).start();
                        consumers.add(consumer.id());
                        producers.add(producer.id());
                        if (i == 2) {
                            consumer.close();
                            producer.close();
                        }
                    }
                    stage.answer("consumers", ConnectionProbes.text(consumers));
                    stage.answer("producers", ConnectionProbes.text(producers));
                });
    }

    private static Probe several() {
        return Probe.of("consumer.several", "Three consumers of one connection, each of which gets what is sent to it")
                .expect("sends", "SUCCESS x30")
                .expect("received", "1: 10, 2: 10, 3: 10")
                .host((stage, connection) -> {
                    int[] received = new int[3];
                    int[] wrong = {0};
                    for (int i = 0; i < 3; i++) {
                        int own = i;
                        stage.receiver(connection, 10, SIZE, (self, buffer, from, immediate) -> {
                            received[own]++;
                            wrong[0] += buffer.data().get(ValueLayout.JAVA_BYTE, 0) == self.id() ? 0 : 1;
                        });
                    }
                    stage.hear("sent");
                    stage.await(() -> received[0] + received[1] + received[2] >= 30, Duration.ofSeconds(5));
                    stage.answer(
                            "received",
                            "1: " + received[0] + ", 2: " + received[1] + ", 3: " + received[2]
                                    + (wrong[0] == 0 ? "" : ", of which another's: " + wrong[0]));
                })
                .dpu((stage, connection) -> {
                    int[] ids = stage.consumers(connection, 3);
                    MemoryMap memory = stage.memory(30 * SIZE);
                    List<DocaError> ended = new ArrayList<>();
                    ComchProducer producer = stage.producer(connection, ended);
                    for (int i = 0; i < 30; i++) {
                        Buffer buffer = producer.acquire(memory, (long) i * SIZE, SIZE);
                        buffer.data().set(ValueLayout.JAVA_BYTE, 0, (byte) ids[i % 3]);
                        stage.await(() ->
                                producer.trySend(buffer, ids[indexOf(buffer)]).accepted());
                    }
                    stage.await(() -> ended.size() == 30, Duration.ofSeconds(5));
                    stage.answer("sends", ConnectionProbes.counted(ended));
                    stage.tell("sent");
                });
    }

    private static int indexOf(Buffer buffer) {
        return (int) (buffer.offset() / SIZE) % 3;
    }

    private static Probe most() {
        return Probe.of("consumer.most", "Consumers of one connection, until one is refused, or 256")
                .expect("created", "64", "256")
                .expect("the next one", "NO_MEMORY", "not tried")
                .hostAlone((stage, connection) -> {
                    MemoryMap memory = stage.memory(SIZE);
                    int created = 0;
                    String next = "not tried";
                    while (created < 256 && next.equals("not tried")) {
                        String outcome = CallOutcome.of(() ->
                                stage.consumer(connection, memory).tasks(1).start());
                        if (outcome.equals(CallOutcome.SUCCESS)) {
                            created++;
                        } else {
                            next = outcome;
                        }
                    }
                    stage.answer("created", created);
                    stage.answer("the next one", next);
                });
    }

    private static Probe memoryWithoutPermission() {
        return Probe.of("consumer.memory-without-permission", "A consumer in memory that the DPU may not write")
                .expect("create", "NOT_PERMITTED")
                .hostAlone((stage, connection) -> {
                    MemoryMap memory = stage.own(MemoryMap.allocate(stage.device, SIZE, Access.LOCAL_READ_WRITE));
                    stage.attempt(
                            "create", () -> stage.consumer(connection, memory).start());
                });
    }

    private static Probe memoryOfAnotherDevice() {
        return Probe.of("consumer.memory-of-another-device", "A consumer in memory of another function of the host")
                .expect("create", "INVALID_VALUE", "no other function")
                .hostAlone((stage, connection) -> {
                    Optional<DeviceInfo> another = Device.list().stream()
                            .filter(info -> info.client() && !info.address().equals(stage.device.address()))
                            .findFirst();
                    if (another.isEmpty()) {
                        stage.answer("create", "no other function");
                    } else {
                        Device device = stage.own(Device.open(another.get().address()));
                        MemoryMap memory = stage.own(
                                MemoryMap.allocate(device, SIZE, Access.LOCAL_READ_WRITE, Access.PCI_READ_WRITE));
                        stage.attempt(
                                "create",
                                () -> stage.consumer(connection, memory).start());
                    }
                });
    }

    /** Who makes a consumer knows its id at once; it runs when the engine has made progress. */
    private static Probe beforeItRuns() {
        return Probe.of("consumer.not-there", "A send to a consumer that does not run yet, never was, or has ended")
                .expect("before it runs", "NO_RECEIVE")
                .expect("while it runs", "SUCCESS")
                .expect("never was", "INVALID_VALUE")
                .expect("has ended", "INVALID_VALUE")
                .host((stage, connection) -> {
                    stage.hear("ready");
                    ComchConsumer consumer = stage.consumer(connection, stage.memory(SIZE))
                            .buffers(1, SIZE)
                            .start();
                    stage.tell(Integer.toString(consumer.id()));
                    String word = stage.hearStill();
                    if (word.equals("tried")) {
                        stage.running(consumer);
                        stage.hear("sent");
                        consumer.close();
                        stage.tell("closed");
                    }
                })
                .dpu((stage, connection) -> {
                    MemoryMap memory = stage.memory(4 * SIZE);
                    ComchProducer producer = stage.producer(connection);
                    stage.tell("ready");
                    int id = Integer.parseInt(stage.hear());
                    Buffer buffer = producer.acquire(memory, 0, SIZE);
                    stage.attempt("before it runs", () -> producer.trySend(buffer, id));
                    stage.attempt("never was", () -> producer.trySend(buffer, 60_000));
                    stage.tell("tried");
                    stage.consumers(connection, 1);
                    stage.answer("while it runs", TransferProbes.sent(stage, producer, buffer, id));
                    stage.await(() -> producer.inFlight() == 0);
                    stage.tell("sent");
                    stage.hear("closed");
                    stage.await(() -> connection.remoteConsumers().length == 0, Duration.ofSeconds(5));
                    stage.attempt("has ended", () -> producer.trySend(buffer, id));
                });
    }

    private static Probe flushed() {
        return Probe.of("consumer.flushed", "Four posted receives of a consumer that is stopped")
                .expect("their status", "IO_FAILED x4")
                .expect("the most tasks", "SUCCESS")
                .hostAlone((stage, connection) -> {
                    List<DocaError> failed = new ArrayList<>();
                    ComchConsumer consumer = consumer(stage, connection, 4, failed);
                    consumer.close();
                    stage.answer("their status", ConnectionProbes.counted(failed));
                    long tasks = Capabilities.of(stage.device)
                            .consumer()
                            .map(Capabilities.FastPath::maxTasks)
                            .orElse(0L);
                    stage.attempt(
                            "the most tasks",
                            () -> stage.consumer(connection, stage.memory(SIZE))
                                    .tasks(Math.toIntExact(tasks))
                                    .start());
                });
    }
}
