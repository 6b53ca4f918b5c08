package io.github.comch4j;

import io.github.comch4j.comch.ComchClient;
import io.github.comch4j.comch.ComchConnection;
import io.github.comch4j.comch.ComchConsumer;
import io.github.comch4j.comch.ComchProducer;
import io.github.comch4j.comch.ComchServer;
import io.github.comch4j.core.Access;
import io.github.comch4j.core.Buffer;
import io.github.comch4j.core.Device;
import io.github.comch4j.core.Doca;
import io.github.comch4j.core.MemoryMap;
import io.github.comch4j.core.PciAddress;
import io.github.comch4j.core.ProgressEngine;
import io.github.comch4j.core.Representor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.Arrays;

/**
 * Server and client in one process, both paths: a first look at a platform on which the test suite cannot run. Fails
 * with an exception.
 */
public final class SmokeProgram {
    private static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final int[] MESSAGES = {1, 15, 16, 17, 1000, 4080};
    private static final int[] PAYLOADS = {0, 1, 63, 64, 65, 4096, 100_000, 1 << 20};

    private final byte[][] answers = new byte[MESSAGES.length][];
    private int answered;
    private ComchConnection atServer;
    private int consumer;
    private int taken;
    private long immediate;
    private int completed;

    private SmokeProgram() {}

    public static void main(String[] arguments) {
        new SmokeProgram().run();
        System.out.println("smoke test passed: " + System.getProperty("os.arch") + ", Java " + Runtime.version() + ", "
                + Doca.library().kind() + ", DOCA " + Doca.library().version());
    }

    private static byte[] pattern(int size) {
        byte[] bytes = new byte[size];
        for (int i = 0; i < size; i++) {
            bytes[i] = (byte) (size + i * 7);
        }
        return bytes;
    }

    private void run() {
        PciAddress function = PciAddress.of("b1:00.0");
        String name = "smoke-" + ProcessHandle.current().pid();
        try (ProgressEngine engine = ProgressEngine.create();
                Device host = Device.openHost(function);
                Device dpu = Device.openDpu(PciAddress.of("03:00.0"));
                Representor representor = dpu.openRepresentor(function);
                ComchServer server = ComchServer.builder(engine, dpu, representor, name)
                        .onConnected(connection -> atServer = connection)
                        .onMessage((connection, message) -> connection.enqueue(message))
                        .start();
                ComchClient client = ComchClient.builder(engine, host, server.name())
                        .onMessage(
                                (connection, message) -> answers[answered++] = message.toArray(ValueLayout.JAVA_BYTE))
                        .onConsumer((connection, id) -> consumer = id)
                        .onConsumerExpired((connection, id) -> consumer = 0)
                        .connect(PATIENCE)) {
            messages(engine, client.connection());
            try (MemoryMap from = MemoryMap.allocate(host, 2 << 20, Access.PCI_READ_WRITE);
                    MemoryMap to = MemoryMap.allocate(dpu, 2 << 20, Access.PCI_READ_WRITE);
                    ComchConsumer receiver = atServer.consumer(engine, to)
                            .buffers(1, 1 << 20)
                            .onReceive(this::received)
                            .start();
                    ComchProducer producer = client.connection()
                            .producer(engine)
                            .tasks(2)
                            .onCompletion((self, buffer, status) -> {
                                check(status == DocaError.SUCCESS, "a payload failed: " + status);
                                completed++;
                            })
                            .start()) {
                check(receiver.id() > 0, "the consumer has no id");
                engine.await(() -> consumer != 0, PATIENCE);
                payloads(engine, producer, from);
            }
        }
    }

    private void messages(ProgressEngine engine, ComchConnection connection) {
        for (int size : MESSAGES) {
            connection.send(pattern(size));
        }
        engine.await(() -> answered == MESSAGES.length, PATIENCE);
        for (int i = 0; i < MESSAGES.length; i++) {
            check(Arrays.equals(answers[i], pattern(MESSAGES[i])), "message of " + MESSAGES[i] + " bytes");
        }
        check(connection.counters().receivedMessages() == MESSAGES.length, "DOCA's counter");
    }

    private void payloads(ProgressEngine engine, ComchProducer producer, MemoryMap memory) {
        byte[] number = new byte[Long.BYTES];
        for (int i = 0; i < PAYLOADS.length; i++) {
            int expected = i + 1;
            MemorySegment.ofArray(number).set(ValueLayout.JAVA_LONG_UNALIGNED, 0, i);
            try (Buffer buffer = producer.acquire(memory, 3, Math.max(1, PAYLOADS[i]))) { // at an odd address
                buffer.setData(0, PAYLOADS[i]);
                buffer.data().copyFrom(MemorySegment.ofArray(pattern(PAYLOADS[i])));
                engine.await(
                        () -> producer.trySend(buffer, consumer, MemorySegment.ofArray(number))
                                .accepted(),
                        PATIENCE);
                engine.await(() -> taken == expected && completed == expected, PATIENCE);
            }
            check(immediate == i, "immediate data");
        }
    }

    private void received(ComchConsumer self, Buffer buffer, int producerId, MemorySegment number) {
        check(
                Arrays.equals(buffer.data().toArray(ValueLayout.JAVA_BYTE), pattern(PAYLOADS[taken])),
                "payload of " + PAYLOADS[taken] + " bytes");
        immediate = number.get(ValueLayout.JAVA_LONG_UNALIGNED, 0);
        taken++;
    }

    private static void check(boolean good, String what) {
        if (!good) {
            throw new IllegalStateException("not as it was sent: " + what);
        }
    }
}
