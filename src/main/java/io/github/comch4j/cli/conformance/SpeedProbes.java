package io.github.comch4j.cli.conformance;

import io.github.comch4j.comch.Capabilities;
import io.github.comch4j.comch.ComchClient;
import io.github.comch4j.comch.ComchConnection;
import io.github.comch4j.comch.ControlPathEndpoint;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.function.BooleanSupplier;

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
                })
                .dpu(stage -> stage.serve(stage.server()
                        .maxMessageSize(Math.max(size(stage, bytes), 1024))
                        .onMessage((connection, message) -> connection.enqueue(message))));
    }

    /** Both ends of a round trip on the fast path, each with a window of one. */
    private static final class Ping {
        private final Stage stage;
        private final BufferWindow sends;
        private int came;

        Ping(Stage stage, int size) {
            this.stage = stage;
            ComchConnection connection = stage.link();
            stage.receiver(connection, 2, size, (self, data, from, immediate) -> came++);
            sends = new BufferWindow(stage, connection, 1, size);
        }

        void send() {
            stage.await(sends::trySend);
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
                })
                .dpu(stage -> {
                    Ping ping = new Ping(stage, size);
                    int rounds = rounds(stage);
                    for (int i = 0; i < rounds; i++) {
                        ping.awaitReceived(i + 1);
                        ping.send();
                    }
                });
    }

    private static Probe speed(String name, KitSide sender, Probe.Part send, Probe.Part receive) {
        return Probe.of("throughput." + name + "-from-" + sender, "Messages one way, as many as get through")
                .measure("messages/s")
                .measure("MB/s")
                .expect("all arrived", "yes")
                .host(sender == KitSide.HOST ? send : receive)
                .dpu(sender == KitSide.DPU ? send : receive);
    }

    /** Sends for the time of a measurement; returns how often, when {@code last} has ended it. */
    private static long send(Stage stage, int size, BooleanSupplier message, Runnable last) {
        long count = 0;
        long began = System.nanoTime();
        long end = began + time(stage).toNanos();
        while (System.nanoTime() - end < 0) {
            if (message.getAsBoolean()) {
                count++;
            } else {
                stage.engine.progress();
            }
        }
        last.run();
        long nanos = System.nanoTime() - began;
        stage.answer("messages/s", Math.round(count * 1e9 / nanos));
        stage.answer("MB/s", "%.1f".formatted(count * size * 1e3 / nanos));
        return count;
    }

    private static String arrived(long received, long sent) {
        return received == sent ? "yes" : received + " of " + sent;
    }

    private static Probe control(String suffix, int bytes, KitSide sender) {
        Probe.Part send = stage -> {
            int size = size(stage, bytes);
            ComchConnection connection = stage.link(settings -> sized(settings, size));
            byte[] message = new byte[size];
            long[] received = {0};
            long count = send(stage, size, () -> connection.trySend(message).accepted(), () -> {
                message[0] = LAST;
                connection.send(message);
                received[0] = Long.parseLong(stage.hear());
            });
            stage.answer("all arrived", arrived(received[0], count + 1));
        };
        Probe.Part receive = stage -> {
            long[] count = {0};
            boolean[] last = {false};
            stage.link(settings -> sized(settings, size(stage, bytes)).onMessage((from, message) -> {
                count[0]++;
                last[0] |= message.get(ValueLayout.JAVA_BYTE, 0) == LAST;
            }));
            stage.await(() -> last[0]);
            stage.tell(Long.toString(count[0]));
        };
        return speed("control-" + suffix, sender, send, receive);
    }

    private static ControlPathEndpoint.Builder<?> sized(ControlPathEndpoint.Builder<?> settings, int size) {
        return settings.maxMessageSize(Math.max(size, 1024)).receiveQueueSize(256);
    }

    private static Probe fast(String suffix, int size, KitSide sender) {
        Probe.Part send = stage -> {
            BufferWindow sends = new BufferWindow(stage, stage.link(), WINDOW, size);
            long count = send(stage, size, sends::trySend, sends::awaitCompletions);
            stage.tell(Long.toString(count - sends.failed.size()));
            stage.answer("all arrived", stage.hear());
        };
        Probe.Part receive = stage -> {
            long[] count = {0};
            stage.receiver(stage.link(), WINDOW, size, (self, buffer, from, immediate) -> count[0]++);
            long sent = Long.parseLong(stage.hear());
            stage.await(() -> count[0] == sent, Duration.ofSeconds(5));
            stage.tell(arrived(count[0], sent));
        };
        return speed("fast-path-" + suffix, sender, send, receive);
    }
}
