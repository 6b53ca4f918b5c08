package io.github.comch4j.cli.conformance;

import io.github.comch4j.DocaError;
import io.github.comch4j.comch.Capabilities;
import io.github.comch4j.comch.ComchClient;
import io.github.comch4j.comch.ComchConnection;
import io.github.comch4j.comch.ComchConsumer;
import io.github.comch4j.comch.ComchProducer;
import io.github.comch4j.core.Buffer;
import io.github.comch4j.core.MemoryMap;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** How long a message takes there and back, and how many get through, on either path. */
final class SpeedProbes {
    private static final int LARGEST = 0;
    private static final int WINDOW = 64;
    private static final byte LAST = 1;

    private SpeedProbes() {}

    static List<Probe> of() {
        return List.of(
                controlRoundTrip("64", 64),
                controlRoundTrip("max", LARGEST),
                fastRoundTrip("64", 64),
                fastRoundTrip("64k", 64 << 10),
                control("64", 64, KitSide.HOST),
                control("64", 64, KitSide.DPU),
                control("max", LARGEST, KitSide.HOST),
                control("max", LARGEST, KitSide.DPU),
                fast("64", 64, KitSide.HOST),
                fast("64", 64, KitSide.DPU),
                fast("64k", 64 << 10, KitSide.HOST),
                fast("64k", 64 << 10, KitSide.DPU));
    }

    private static int rounds(Stage stage) {
        return stage.quick ? 200 : 10_000;
    }

    private static Duration time(Stage stage) {
        return Duration.ofMillis(stage.quick ? 100 : 3_000);
    }

    /** The first fifth is for the JVM, which compiles. */
    private static void tell(Stage stage, long[] nanos) {
        long[] sorted = Arrays.copyOfRange(nanos, nanos.length / 5, nanos.length);
        Arrays.sort(sorted);
        stage.answer("median us", "%.1f".formatted(sorted[sorted.length / 2] / 1e3));
        stage.answer("99 % us", "%.1f".formatted(sorted[(int) (sorted.length * 0.99)] / 1e3));
    }

    private static int size(Stage stage, int size) {
        return size == LARGEST ? Math.toIntExact(Capabilities.of(stage.device).maxMessageSize()) : size;
    }

    private static Probe controlRoundTrip(String suffix, int bytes) {
        return Probe.of("latency.control-" + suffix, "Messages there and back")
                .measure("median us")
                .measure("99 % us")
                .host(stage -> {
                    int size = size(stage, bytes);
                    int[] came = {0};
                    ComchClient client = stage.connect(stage.client()
                            .maxMessageSize(Math.max(size, 1024))
                            .onMessage((connection, message) -> came[0]++));
                    long[] nanos = new long[rounds(stage)];
                    byte[] message = new byte[size];
                    for (int i = 0; i < nanos.length; i++) {
                        int next = i + 1;
                        long began = System.nanoTime();
                        client.connection().send(message);
                        stage.await(() -> came[0] == next);
                        nanos[i] = System.nanoTime() - began;
                    }
                    tell(stage, nanos);
                    client.close();
                })
                .dpu(stage -> {
                    boolean[] gone = {false};
                    stage.serve(stage.server()
                            .maxMessageSize(Math.max(size(stage, bytes), 1024))
                            .onMessage((connection, message) -> connection.enqueue(message))
                            .onDisconnected(connection -> gone[0] = true));
                    stage.await(() -> gone[0]);
                });
    }

    /** Both ends of a round trip on the fast path, each with a window of one. */
    private static final class Ping {
        final Buffer buffer;
        private final Stage stage;
        private final ComchProducer producer;
        private final int peer;
        private int came;

        Ping(Stage stage, int size) {
            this.stage = stage;
            ComchConnection connection = stage.link();
            ComchConsumer _ = stage.running(stage.consumer(connection, stage.memory(2L * size))
                    .buffers(2, size)
                    .onReceive((self, data, from, immediate) -> came++)
                    .start());
            producer = stage.producer(connection);
            buffer = producer.acquire(stage.memory(size), 0, size);
            peer = stage.consumers(connection, 1)[0];
        }

        void send() {
            stage.await(() -> producer.inFlight() == 0);
            stage.await(() -> producer.trySend(buffer, peer).accepted());
        }

        void awaitReceived(int count) {
            stage.await(() -> came >= count);
        }
    }

    private static Probe fastRoundTrip(String suffix, int size) {
        return Probe.of("latency.fast-path-" + suffix, "Payloads there and back")
                .measure("median us")
                .measure("99 % us")
                .host(stage -> {
                    Ping ping = new Ping(stage, size);
                    long[] nanos = new long[rounds(stage)];
                    for (int i = 0; i < nanos.length; i++) {
                        long began = System.nanoTime();
                        ping.send();
                        ping.awaitReceived(i + 1);
                        nanos[i] = System.nanoTime() - began;
                    }
                    tell(stage, nanos);
                    stage.tell("done");
                })
                .dpu(stage -> {
                    Ping ping = new Ping(stage, size);
                    int rounds = rounds(stage);
                    for (int i = 0; i < rounds; i++) {
                        ping.awaitReceived(i + 1);
                        ping.send();
                    }
                    stage.hear("done");
                });
    }

    private static void tell(Stage stage, long count, long size, long nanos) {
        stage.answer("messages/s", Math.round(count * 1e9 / nanos));
        stage.answer("MB/s", "%.1f".formatted(count * size * 1e3 / nanos));
    }

    private static Probe control(String suffix, int bytes, KitSide sender) {
        Probe.Part send = stage -> {
            int size = size(stage, bytes);
            ComchConnection connection = controlLink(stage, size, new long[1], new boolean[1]);
            byte[] message = new byte[size];
            long count = 0;
            long began = System.nanoTime();
            long end = began + time(stage).toNanos();
            while (System.nanoTime() - end < 0) {
                if (connection.trySend(message).accepted()) {
                    count++;
                } else {
                    stage.engine.progress();
                }
            }
            message[0] = LAST;
            connection.send(message);
            long received = Long.parseLong(stage.hear());
            tell(stage, count, size, System.nanoTime() - began);
            stage.answer("all arrived", received == count + 1 ? "yes" : received + " of " + (count + 1));
            stage.tell("done");
        };
        Probe.Part receive = stage -> {
            long[] count = {0};
            boolean[] last = {false};
            controlLink(stage, size(stage, bytes), count, last);
            stage.await(() -> last[0]);
            stage.tell(Long.toString(count[0]));
            stage.hear("done");
        };
        return speed("throughput.control-" + suffix, sender, send, receive);
    }

    private static ComchConnection controlLink(Stage stage, int size, long[] count, boolean[] last) {
        int most = Math.max(size, 1024);
        if (stage.isHost()) {
            return stage.connect(stage.client()
                            .maxMessageSize(most)
                            .receiveQueueSize(256)
                            .onMessage((from, message) -> count(message, count, last)))
                    .connection();
        }
        return stage.accept(stage.serve(stage.server()
                .maxMessageSize(most)
                .receiveQueueSize(256)
                .onMessage((from, message) -> count(message, count, last))));
    }

    private static void count(MemorySegment message, long[] count, boolean[] last) {
        count[0]++;
        last[0] |= message.get(ValueLayout.JAVA_BYTE, 0) == LAST;
    }

    private static Probe speed(String name, KitSide sender, Probe.Part send, Probe.Part receive) {
        return Probe.of(name + "-from-" + sender, "Messages one way, as many as get through")
                .measure("messages/s")
                .measure("MB/s")
                .expect("all arrived", "yes")
                .host(sender == KitSide.HOST ? send : receive)
                .dpu(sender == KitSide.DPU ? send : receive);
    }

    private static Probe fast(String suffix, int size, KitSide sender) {
        Probe.Part send = stage -> {
            ComchConnection connection = stage.link();
            int id = stage.consumers(connection, 1)[0];
            MemoryMap memory = stage.memory((long) WINDOW * size);
            List<Buffer> free = new ArrayList<>();
            long[] failed = {0};
            ComchProducer producer = connection
                    .producer(stage.engine)
                    .tasks(WINDOW)
                    .onCompletion((self, buffer, status) -> {
                        failed[0] += status == DocaError.SUCCESS ? 0 : 1;
                        free.add(buffer);
                    })
                    .start();
            for (int i = 0; i < WINDOW; i++) {
                free.add(producer.acquire(memory, (long) i * size, size));
            }
            long count = 0;
            long began = System.nanoTime();
            long end = began + time(stage).toNanos();
            while (System.nanoTime() - end < 0) {
                if (free.isEmpty() || !producer.trySend(free.getLast(), id).accepted()) {
                    stage.engine.progress();
                } else {
                    free.removeLast();
                    count++;
                }
            }
            stage.await(() -> producer.inFlight() == 0);
            tell(stage, count, size, System.nanoTime() - began);
            stage.tell(Long.toString(count - failed[0]));
            stage.answer("all arrived", stage.hear());
        };
        Probe.Part receive = stage -> {
            ComchConnection connection = stage.link();
            long[] count = {0};
            ComchConsumer _ = stage.running(stage.consumer(connection, stage.memory((long) WINDOW * size))
                    .buffers(WINDOW, size)
                    .onReceive((self, buffer, from, immediate) -> count[0]++)
                    .start());
            long sent = Long.parseLong(stage.hear());
            stage.await(() -> count[0] == sent, Duration.ofSeconds(5));
            stage.tell(count[0] == sent ? "yes" : count[0] + " of " + sent);
            stage.hear("done");
        };
        return speed(
                "throughput.fast-path-" + suffix,
                sender,
                stage -> {
                    send.run(stage);
                    stage.tell("done");
                },
                receive);
    }
}
