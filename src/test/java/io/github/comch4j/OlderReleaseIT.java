package io.github.comch4j;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.comch4j.comch.ComchClient;
import io.github.comch4j.comch.ComchConsumer;
import io.github.comch4j.comch.ComchProducer;
import io.github.comch4j.comch.ComchServer;
import io.github.comch4j.core.Access;
import io.github.comch4j.core.BufferInventory;
import io.github.comch4j.core.Device;
import io.github.comch4j.core.Doca;
import io.github.comch4j.core.MemoryMap;
import io.github.comch4j.core.ProgressEngine;
import io.github.comch4j.core.Representor;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Libraries that export the names of DOCA 2.7 only: all that 2.7 can do works, and what it cannot do says so. */
@Timeout(120)
class OlderReleaseIT {
    private static final Path LIBRARIES =
            Path.of("target", "native", "lib", "2.7").toAbsolutePath();

    @Test
    void bothPathsWorkAndWhatIsMissingIsNamed() {
        assumeTrue(Files.exists(LIBRARIES), "built without the C part");
        try (Child child = Child.start(Program.class, List.of("-Dcomch4j.library=" + LIBRARIES), Map.of())) {
            assertThat(child.rest().lines())
                    .containsExactly(
                            "FOLDER",
                            "connected",
                            "echo 5",
                            "received 100",
                            "disconnected",
                            "vhca OptionalInt.empty",
                            "missing doca_buf_inventory_expand: 3.0",
                            "missing doca_pe_set_event_mode: 3.0",
                            "faults false");
            assertThat(child.exitCode()).isZero();
        }
    }

    /** Runs in a process of its own, with the old libraries. */
    static final class Program {
        private Program() {}

        public static void main(String[] arguments) {
            System.out.println(Doca.library().kind());
            String name = Machine.uniqueName();
            try (ProgressEngine engine = ProgressEngine.create();
                    Device host = Device.openHost(Machine.HOST);
                    Device dpu = Device.openDpu(Machine.DPU);
                    Representor representor = dpu.openRepresentor(Machine.HOST);
                    MemoryMap target = MemoryMap.allocate(dpu, 1000, Access.PCI_READ_WRITE);
                    MemoryMap source = MemoryMap.allocate(host, 1000)) {
                long[] echo = new long[1];
                int[] consumerId = new int[1];
                boolean[] ended = new boolean[1];
                ComchServer server = ComchServer.builder(engine, dpu, representor, name)
                        .onConnected(connection -> System.out.println("connected"))
                        .onDisconnected(connection -> ended[0] = true)
                        .onMessage((connection, message) -> connection.enqueue(message))
                        .start();
                ComchClient client = ComchClient.builder(engine, host, name)
                        .onMessage((connection, message) -> echo[0] = message.byteSize())
                        .onConsumer((connection, id) -> consumerId[0] = id)
                        .connect(Machine.PATIENCE);
                client.connection().send(new byte[5]);
                Machine.until("the echo", () -> echo[0] > 0, engine);
                System.out.println("echo " + echo[0]);
                long[] received = new long[1];
                ComchConsumer consumer = server.connections()
                        .iterator()
                        .next()
                        .consumer(engine, target)
                        .buffers(1, 1000)
                        .onReceive((receiver, buffer, producerId, immediate) -> received[0] = buffer.length())
                        .start(Machine.PATIENCE);
                ComchProducer producer = client.connection().producer(engine).start();
                Machine.until("the consumer", () -> consumerId[0] == consumer.id(), engine);
                Machine.until(
                        "room",
                        () -> producer.trySend(producer.acquire(source, 0, 100), consumer.id())
                                .accepted(),
                        engine);
                Machine.until("the data", () -> received[0] > 0, engine);
                System.out.println("received " + received[0]);
                client.close();
                Machine.until("the end", () -> ended[0], engine);
                System.out.println("disconnected");
                System.out.println("vhca " + host.properties().vhcaId());
                try (BufferInventory inventory = BufferInventory.create(1)) {
                    missing(() -> inventory.expand(1));
                }
                missing(() -> engine.setSelectiveEvents(false));
                System.out.println("faults " + !io.github.comch4j.emulator.EmulatedFaults.available());
            }
        }

        private static void missing(Runnable call) {
            try {
                call.run();
            } catch (MissingFunctionException e) {
                System.out.println("missing " + e.function()
                        + (e.getMessage().contains("DOCA 3.0 has") ? ": 3.0" : e.getMessage()));
            }
        }
    }
}
