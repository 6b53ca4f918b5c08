package io.github.comch4j.containers;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.comch4j.emulator.EmulatedMachine.Side;
import io.github.comch4j.testing.EmulatedContainers;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Host and DPU in two containers, which share nothing but the fabric folder; Java and C on either side. */
@Tag("containers")
@Docker.Needed
@Timeout(300)
class TwoContainersIT {
    private static final int ROUNDS = 5;
    private static final String DONE_CLIENT =
            "DONE messages=" + ROUNDS * Echo.MESSAGES.length + " payloads=" + ROUNDS * Echo.PAYLOADS.length + " bytes=";

    @RegisterExtension
    private final Boxes boxes = new Boxes();

    private EmulatedContainers machine;

    @BeforeEach
    void open() {
        machine = boxes.share(EmulatedContainers.create());
    }

    private Box javaServer(int clients) {
        return boxes.start(Box.Plan.java(machine, Side.DPU, EchoServer.class, "echo", Integer.toString(clients)))
                .await("READY");
    }

    private Box.Plan javaClient(int rounds) {
        return Box.Plan.java(machine, Side.HOST, EchoClient.class, "echo", Integer.toString(rounds));
    }

    private Box.Plan c(Side side, String role, int count) {
        Interop interop = Interop.build();
        return Box.Plan.program(machine, side, interop.sdk(), interop.echo(), role, "echo", Integer.toString(count));
    }

    private static String doneServer(int clients, int lost) {
        return "DONE clients=" + clients + " lost=" + lost + " messages="
                + (clients - lost) * ROUNDS * Echo.MESSAGES.length + " payloads="
                + (clients - lost) * ROUNDS * Echo.PAYLOADS.length;
    }

    /**
     * Process ids mean nothing across namespaces: payloads must not be written into whatever process has the number.
     */
    private static void assertThroughSharedMemoryOnly(Box box) {
        assertThat(box.output()).contains("payloads through shared memory only").doesNotContain("direct write");
    }

    @Test
    void javaOnBothSides() {
        Box server = javaServer(1);
        Box client = boxes.start(javaClient(ROUNDS));
        assertThat(client.result()).startsWith(DONE_CLIENT);
        assertThat(server.result()).isEqualTo(doneServer(1, 0));
        assertThroughSharedMemoryOnly(server);
        assertThroughSharedMemoryOnly(client);
    }

    @Test
    void cOnTheHostAndJavaOnTheDpu() {
        Box server = javaServer(1);
        Box client = boxes.start(c(Side.HOST, "client", ROUNDS));
        assertThat(client.result()).startsWith(DONE_CLIENT);
        assertThat(server.result()).isEqualTo(doneServer(1, 0));
        assertThroughSharedMemoryOnly(server);
        assertThroughSharedMemoryOnly(client);
    }

    @Test
    void javaOnTheHostAndCOnTheDpu() {
        Box server = boxes.start(c(Side.DPU, "server", 1)).await("READY");
        Box client = boxes.start(javaClient(ROUNDS));
        assertThat(client.result()).startsWith(DONE_CLIENT);
        assertThat(server.result()).isEqualTo(doneServer(1, 0));
        assertThroughSharedMemoryOnly(server);
        assertThroughSharedMemoryOnly(client);
    }

    @Test
    void theHostMayBeThereFirst() {
        Box client = boxes.start(javaClient(ROUNDS));
        Box server = javaServer(1);
        assertThat(client.result()).startsWith(DONE_CLIENT);
        assertThat(server.result()).isEqualTo(doneServer(1, 0));
    }

    @Test
    void severalHostsOnOneDpu() {
        Box server = javaServer(4);
        List<Box> clients = List.of(
                boxes.start(javaClient(ROUNDS)),
                boxes.start(c(Side.HOST, "client", ROUNDS)),
                boxes.start(javaClient(ROUNDS)),
                boxes.start(c(Side.HOST, "client", ROUNDS)));
        for (Box client : clients) {
            assertThat(client.result()).startsWith(DONE_CLIENT);
        }
        assertThat(server.result()).isEqualTo(doneServer(4, 0));
    }

    /**
     * In one process-id namespace, as in two containers of one pod that ask for it, large payloads are written
     * directly.
     */
    @Test
    void aSharedProcessNamespaceAllowsDirectWrites() {
        // the namespace is the server's, and whoever is in it dies with it: so it must have a second client to wait for
        Box server = boxes.start(Box.Plan.java(machine, Side.DPU, EchoServer.class, "echo", "2")
                        .with(Box::allowTracing))
                .await("READY");
        Box client = boxes.start(javaClient(ROUNDS)
                .with(Box::allowTracing)
                .with(create -> create.getHostConfig().withPidMode("container:" + server.id())));
        assertThat(client.result()).startsWith(DONE_CLIENT);
        assertThat(client.output()).contains("payloads by direct writes");
        assertThat(boxes.start(javaClient(ROUNDS)).result()).startsWith(DONE_CLIENT);
        assertThat(server.result()).isEqualTo(doneServer(2, 0));
    }

    @Test
    void aHostThatIsKilledIsReportedAndTheNextOneIsServed() {
        Box server = javaServer(2);
        Box killed = boxes.start(javaClient(0)).await("READY");
        killed.kill();
        Box client = boxes.start(javaClient(ROUNDS));
        assertThat(client.result()).startsWith(DONE_CLIENT);
        assertThat(server.result()).startsWith("DONE clients=2 lost=1 ");
    }

    @Test
    void aDpuThatIsKilledIsReportedAndTheNextOneServes() {
        Box server = javaServer(1);
        Box client = boxes.start(javaClient(0)).await("READY");
        server.kill();
        assertThat(client.result()).startsWith("LOST ");
        Box next = javaServer(1);
        assertThat(boxes.start(javaClient(ROUNDS)).result()).startsWith(DONE_CLIENT);
        assertThat(next.result()).isEqualTo(doneServer(1, 0));
    }
}
