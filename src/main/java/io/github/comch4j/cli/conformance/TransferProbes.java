package io.github.comch4j.cli.conformance;

import io.github.comch4j.DocaError;
import io.github.comch4j.LibraryInfo.Generation;
import io.github.comch4j.comch.Capabilities;
import io.github.comch4j.comch.ComchConsumer;
import io.github.comch4j.comch.ComchProducer;
import io.github.comch4j.core.Buffer;
import io.github.comch4j.core.MemoryMap;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;

/** Payloads of the fast path, from the DPU to the host unless they say otherwise. */
final class TransferProbes {
    private static final int SIZE = 1024;
    private static final int LARGE = 4 << 20;
    private static final int PIECE = 1 << 20;
    private static final int WINDOW = 16;

    private TransferProbes() {}

    static List<Probe> of(Generation generation) {
        List<Probe> probes = new ArrayList<>(List.of(room(), stillPeer(), leavingConsumer(), imported(), fromDpu()));
        if (generation == Generation.COMCH) {
            probes.add(immediate());
            probes.add(immediateAlone());
        }
        probes.add(gigabyte());
        probes.add(largest());
        return probes;
    }

    /** The receiving half of most: a consumer that posts what it is told to, and says what has arrived. */
    private static Probe room() {
        return Probe.of("send.room", "Sends that find no receive, too little room, and just enough")
                .expect("no receive", "NO_RECEIVE")
                .expect("one byte too long", "INVALID_VALUE")
                .expect("just as long", "SUCCESS")
                .expect("nothing at all", "SUCCESS")
                .expect("arrived", "1024 0")
                .host((stage, connection) -> {
                    List<Long> lengths = new ArrayList<>();
                    ComchConsumer consumer = stage.running(stage.consumer(connection, stage.memory(2 * SIZE))
                            .repost(false)
                            .onReceive((self, buffer, from, immediate) -> lengths.add(buffer.length()))
                            .start());
                    stage.hear("empty");
                    consumer.tryPost(consumer.acquire(0, SIZE));
                    consumer.tryPost(consumer.acquire(SIZE, SIZE));
                    stage.tell("posted");
                    stage.hear("sent");
                    stage.await(() -> lengths.size() == 2, Duration.ofSeconds(5));
                    stage.answer("arrived", ConnectionProbes.text(lengths));
                })
                .dpu((stage, connection) -> {
                    MemoryMap memory = stage.memory(2 * SIZE);
                    int id = stage.consumers(connection, 1)[0];
                    ComchProducer producer = stage.producer(connection);
                    Buffer longer = producer.acquire(memory, 0, SIZE + 1);
                    stage.attempt("no receive", () -> producer.trySend(longer, id));
                    stage.tell("empty");
                    stage.hear("posted");
                    stage.answer("one byte too long", sent(stage, producer, longer, id));
                    Buffer fits = producer.acquire(memory, 0, SIZE);
                    stage.answer("just as long", sent(stage, producer, fits, id));
                    Buffer nothing = producer.acquire(memory, 0, SIZE).setLength(0);
                    stage.answer("nothing at all", sent(stage, producer, nothing, id));
                    stage.await(() -> producer.inFlight() == 0);
                    stage.tell("sent");
                });
    }

    /** A device may take a moment to know of a receive. */
    static String sent(Stage stage, ComchProducer producer, Buffer buffer, int id) {
        return stage.outcomeAfter("NO_RECEIVE", Duration.ofSeconds(2), () -> producer.trySend(buffer, id));
    }

    /** Where an emulated producer cannot write into its peer, as between containers, a large payload waits for it. */
    private static Probe stillPeer() {
        return Probe.of("send.still-peer", "Sends to a peer that has posted receives and makes no progress")
                .expect("1 KiB", "completed meanwhile")
                .expect("4 MiB", "completed meanwhile", "waits")
                .host((stage, connection) -> {
                    int[] arrived = {0};
                    stage.receiver(connection, 2, LARGE, (self, buffer, from, immediate) -> arrived[0]++);
                    stage.tell("still");
                    stage.hearStill();
                    stage.await(() -> arrived[0] == 2);
                })
                .dpu((stage, connection) -> {
                    int id = stage.consumers(connection, 1)[0];
                    MemoryMap memory = stage.memory(LARGE);
                    ComchProducer producer = stage.producer(connection);
                    stage.hear("still");
                    for (int length : new int[] {SIZE, LARGE}) {
                        sent(stage, producer, producer.acquire(memory, 0, length), id);
                        boolean ended = stage.await(() -> producer.inFlight() == 0, Duration.ofSeconds(3));
                        stage.answer(length == SIZE ? "1 KiB" : "4 MiB", ended ? "completed meanwhile" : "waits");
                    }
                    stage.tell("go on");
                });
    }

    private static Probe leavingConsumer() {
        return Probe.of("send.leaving-consumer", "Sends of 4 MiB that are under way when their consumer is stopped")
                .expect("all have ended", "yes")
                .expect("with another status than SUCCESS or CONNECTION_RESET", "none")
                .measure("status")
                .host((stage, connection) -> {
                    ComchConsumer consumer = stage.running(stage.consumer(connection, stage.memory(4L * LARGE))
                            .buffers(4, LARGE)
                            .repost(false)
                            .start());
                    stage.hearStill();
                    consumer.close();
                })
                .dpu((stage, connection) -> {
                    int id = stage.consumers(connection, 1)[0];
                    MemoryMap memory = stage.memory(LARGE);
                    List<DocaError> ended = new ArrayList<>();
                    ComchProducer producer = stage.producer(connection, ended);
                    Buffer buffer = producer.acquire(memory, 0, LARGE);
                    int accepted = 0;
                    for (int i = 0; i < 4; i++) {
                        accepted += sent(stage, producer, buffer, id).equals(CallOutcome.SUCCESS) ? 1 : 0;
                    }
                    int all = accepted;
                    stage.tell("sent");
                    stage.await(() -> ended.size() == all, Duration.ofSeconds(10));
                    stage.answer("all have ended", ended.size() == all ? "yes" : ended.size() + " of " + all);
                    stage.answer("status", ConnectionProbes.counted(ended));
                    stage.answer(
                            "with another status than SUCCESS or CONNECTION_RESET",
                            ConnectionProbes.counted(ended.stream()
                                    .filter(status ->
                                            status != DocaError.SUCCESS && status != DocaError.CONNECTION_RESET)
                                    .toList()));
                });
    }

    private static Probe imported() {
        return Probe.of("send.imported-memory", "The host's memory, exported, imported on the DPU, and sent from there")
                .expect("import", "SUCCESS")
                .expect("send", "NOT_SUPPORTED")
                .host((stage, connection) -> {
                    ConsumerProbes.consumer(stage, connection, 1, new ArrayList<>());
                    MemoryMap memory = stage.memory(SIZE);
                    stage.tell(Base64.getEncoder().encodeToString(memory.exportPci(stage.device)));
                })
                .dpu((stage, connection) -> {
                    int id = stage.consumers(connection, 1)[0];
                    byte[] descriptor = Base64.getDecoder().decode(stage.hear());
                    MemoryMap[] memory = {null};
                    stage.attempt(
                            "import", () -> memory[0] = stage.own(MemoryMap.importFrom(stage.device, descriptor)));
                    if (memory[0] != null) {
                        ComchProducer producer = stage.producer(connection);
                        stage.attempt("send", () -> producer.trySend(producer.acquire(memory[0], 0, SIZE), id));
                        stage.settle(100);
                    }
                });
    }

    private static Probe fromDpu() {
        return Probe.of("memory.from-dpu", "The DPU's memory, exported, and imported on the host")
                .expect("export", "SUCCESS")
                .expect("import", "SUCCESS")
                .host(stage -> {
                    byte[] descriptor = Base64.getDecoder().decode(stage.hear());
                    if (descriptor.length > 0) {
                        stage.attempt("import", () -> stage.own(MemoryMap.importFrom(stage.device, descriptor)));
                    }
                })
                .dpu(stage -> {
                    MemoryMap memory = stage.memory(SIZE);
                    byte[][] descriptor = {{}};
                    stage.attempt("export", () -> descriptor[0] = memory.exportPci(stage.device));
                    stage.tell(Base64.getEncoder().encodeToString(descriptor[0]));
                });
    }

    private static Probe immediate() {
        return Probe.of("immediate.limit", "Immediate data as long as the consumer takes, and one byte longer")
                .expect("8 bytes to one that takes 8", "SUCCESS")
                .expect("9 bytes to one that takes 8", "INVALID_VALUE")
                .expect("the device's limit", "SUCCESS")
                .expect("one byte more than the device's limit", "INVALID_VALUE")
                .expect("arrived", "8 32")
                .host((stage, connection) -> {
                    long limit = immediateLimit(stage);
                    List<Long> lengths = new ArrayList<>();
                    for (long takes : new long[] {8, limit}) {
                        stage.running(stage.consumer(connection, stage.memory(SIZE))
                                .immediateLength(Math.toIntExact(takes))
                                .buffers(1, SIZE)
                                .repost(false)
                                .onReceive((self, buffer, from, bytes) -> lengths.add(bytes.byteSize()))
                                .start());
                    }
                    stage.tell("posted");
                    stage.hear("sent");
                    stage.await(() -> lengths.size() == 2, Duration.ofSeconds(5));
                    stage.answer("arrived", ConnectionProbes.text(lengths));
                })
                .dpu((stage, connection) -> {
                    int limit = (int) immediateLimit(stage);
                    int[] ids = stage.consumers(connection, 2);
                    MemoryMap memory = stage.memory(SIZE);
                    ComchProducer producer = stage.producer(connection);
                    Buffer buffer = producer.acquire(memory, 0, SIZE);
                    stage.hear("posted");
                    stage.answer("9 bytes to one that takes 8", immediate(producer, buffer, ids[0], 9));
                    stage.answer("8 bytes to one that takes 8", immediate(producer, buffer, ids[0], 8));
                    stage.await(() -> producer.inFlight() == 0);
                    stage.answer(
                            "one byte more than the device's limit", immediate(producer, buffer, ids[1], limit + 1));
                    stage.answer("the device's limit", immediate(producer, buffer, ids[1], limit));
                    stage.await(() -> producer.inFlight() == 0);
                    stage.tell("sent");
                });
    }

    private static long immediateLimit(Stage stage) {
        return Capabilities.of(stage.device).maxImmediateLength();
    }

    private static String immediate(ComchProducer producer, Buffer buffer, int id, int length) {
        return CallOutcome.of(() -> producer.trySend(buffer, id, MemorySegment.ofArray(new byte[length])));
    }

    private static Probe immediateAlone() {
        return Probe.of("immediate.alone", "Immediate data without a buffer, to a receive without one")
                .expect("post without a buffer", "SUCCESS")
                .expect("send", "SUCCESS")
                .expect("arrived", "4")
                .host((stage, connection) -> {
                    long[] arrived = {-1};
                    ComchConsumer consumer = stage.running(stage.consumer(connection, stage.memory(SIZE))
                            .immediateLength(8)
                            .repost(false)
                            .onReceive((self, buffer, from, bytes) -> arrived[0] = bytes.byteSize())
                            .start());
                    String outcome = CallOutcome.of(consumer::tryPostImmediate);
                    stage.answer("post without a buffer", outcome);
                    stage.tell(outcome);
                    stage.hear("sent");
                    stage.await(() -> arrived[0] >= 0, Duration.ofSeconds(2));
                    stage.answer("arrived", arrived[0] < 0 ? "nothing" : arrived[0]);
                })
                .dpu((stage, connection) -> {
                    int id = stage.consumers(connection, 1)[0];
                    ComchProducer producer = stage.producer(connection);
                    if (stage.hear().equals(CallOutcome.SUCCESS)) {
                        stage.attempt("send", () -> producer.trySendImmediate(id, MemorySegment.ofArray(new byte[4])));
                    }
                    stage.settle(100);
                    stage.tell("sent");
                });
    }

    private static Probe gigabyte() {
        return Probe.of("transfer.gibibyte", "1 GiB to the DPU in pieces of 1 MiB, each with its number at both ends")
                .expect("arrived", "1024 pieces, all right")
                .measure("MB/s")
                .host(stage -> send(stage, 1024, PIECE, WINDOW))
                .dpu(stage -> receive(stage, 1024, PIECE, WINDOW))
                .slow(60);
    }

    private static Probe largest() {
        return Probe.of("transfer.largest", "One buffer of the device's limit, or of 1 GiB, to the DPU")
                .expect("arrived", "1 pieces, all right")
                .measure("MB/s")
                .host(stage -> send(stage, 1, largestSize(stage), 1))
                .dpu(stage -> receive(stage, 1, largestSize(stage), 1))
                .slow(60);
    }

    private static long largestSize(Stage stage) {
        return Math.min(
                1L << 30,
                Capabilities.of(stage.device)
                        .producer()
                        .map(Capabilities.FastPath::maxBufferSize)
                        .orElse(1L << 30));
    }

    private static void send(Stage stage, int pieces, long size, int window) {
        BufferWindow sends = new BufferWindow(stage, stage.link(), window, size);
        long began = System.nanoTime();
        for (int i = 0; i < pieces; i++) {
            int number = i;
            stage.await(() -> sends.trySend(data -> {
                data.set(ValueLayout.JAVA_INT_UNALIGNED, 0, number);
                data.set(ValueLayout.JAVA_INT_UNALIGNED, size - 4, number);
            }));
        }
        sends.awaitCompletions();
        stage.answer("MB/s", Math.round(pieces * size * 1e3 / (System.nanoTime() - began)));
        if (!sends.failed.isEmpty()) {
            stage.answer("sends that failed", ConnectionProbes.counted(sends.failed));
        }
    }

    private static void receive(Stage stage, int pieces, long size, int window) {
        int[] arrived = {0};
        int[] wrong = {0};
        stage.receiver(stage.link(), window, size, (self, buffer, from, immediate) -> {
            MemorySegment data = buffer.data();
            boolean right = data.byteSize() == size
                    && data.get(ValueLayout.JAVA_INT_UNALIGNED, 0) == arrived[0]
                    && data.get(ValueLayout.JAVA_INT_UNALIGNED, size - 4) == arrived[0];
            wrong[0] += right ? 0 : 1;
            arrived[0]++;
        });
        stage.await(() -> arrived[0] == pieces, Duration.ofSeconds(50));
        stage.answer("arrived", arrived[0] + " pieces, " + (wrong[0] == 0 ? "all right" : wrong[0] + " wrong"));
    }
}
