package io.github.comch4j.comch;

import io.github.comch4j.Machine;
import io.github.comch4j.core.Access;
import io.github.comch4j.core.Buffer;
import io.github.comch4j.core.Device;
import io.github.comch4j.core.MemoryMap;
import io.github.comch4j.core.ProgressEngine;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.zip.CRC32C;

/** The other process of {@link TwoProcessIT}: {@code serve NAME}, {@code flood NAME}. */
public final class Peer {
    static final int SLOT = 64 * 1024;

    private Peer() {}

    public static void main(String[] arguments) {
        Machine.useEmulation();
        switch (arguments[0]) {
            case "serve" -> serve(arguments[1]);
            case "flood" -> flood(arguments[1]);
            default -> throw new IllegalArgumentException(arguments[0]);
        }
    }

    /**
     * On the DPU: echoes messages; what comes on the fast path it answers with number, size and checksum; ends with its
     * client.
     */
    private static void serve(String name) {
        boolean[] over = new boolean[1];
        try (var engine = ProgressEngine.create();
                var dpu = Device.openDpu(Machine.DPU);
                var representor = dpu.openRepresentor(Machine.HOST);
                var memory = MemoryMap.allocate(dpu, 16L * SLOT, Access.LOCAL_READ_WRITE, Access.PCI_READ_WRITE);
                var server = ComchServer.builder(engine, dpu, representor, name)
                        .onConnected(connection -> connection
                                .consumer(engine, memory)
                                .buffers(16, SLOT)
                                .onReceive((consumer, buffer, producerId, immediate) -> {
                                    MemorySegment data = buffer.data();
                                    connection.enqueue((immediate.get(ValueLayout.JAVA_INT, 0) + " " + data.byteSize()
                                                    + " " + checksum(data))
                                            .getBytes(StandardCharsets.UTF_8));
                                })
                                .start())
                        .onMessage((connection, message) -> connection.enqueue(message))
                        .onDisconnected(connection -> over[0] = true)
                        .start()) {
            System.out.println("READY " + server.state());
            Machine.until("the client's end", () -> over[0], engine);
        }
        System.out.println("DONE");
    }

    /** On the host: connects and sends on both paths until it is killed. */
    private static void flood(String name) {
        int[] consumer = new int[1];
        try (var engine = ProgressEngine.create();
                var host = Device.openHost(Machine.HOST);
                var memory = MemoryMap.allocate(host, SLOT, Access.PCI_READ_WRITE);
                var client = ComchClient.builder(engine, host, name)
                        .onConsumer((connection, id) -> consumer[0] = id)
                        .connect(Machine.PATIENCE);
                var producer = client.connection().producer(engine).start()) {
            Buffer buffer = producer.acquire(memory, 0, SLOT);
            System.out.println("READY");
            while (client.isConnected()) {
                client.connection().trySend(new byte[100]);
                if (consumer[0] != 0) {
                    producer.trySend(buffer, consumer[0]);
                }
                engine.progress();
            }
        }
    }

    static long checksum(MemorySegment data) {
        CRC32C crc = new CRC32C();
        crc.update(data.asByteBuffer());
        return crc.getValue();
    }
}
