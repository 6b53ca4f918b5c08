package io.github.comch4j.comch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.github.comch4j.DocaError;
import io.github.comch4j.Machine;
import io.github.comch4j.core.Access;
import io.github.comch4j.core.Buffer;
import io.github.comch4j.core.ContextState;
import io.github.comch4j.core.MemoryMap;
import io.github.comch4j.core.ProgressEngine;
import io.github.comch4j.emulator.EmulatedFaults;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What the description of {@link ComchConnection} promises for the end of the peer. */
@Timeout(60)
class PeerDeathTest extends BothForms {
    private final Machine machine = new Machine();
    private final List<String> events = new ArrayList<>();

    @AfterEach
    void close() {
        EmulatedFaults.clear();
        machine.close();
    }

    private ComchServer server() {
        return machine.server()
                .onMessage((connection, message) -> events.add("message"))
                .onDisconnected(connection -> events.add("server " + connection.state()))
                .start();
    }

    private ComchClient client() {
        return machine.client()
                .onDisconnected(connection -> events.add("client " + connection.state()))
                .connect(Machine.PATIENCE);
    }

    @Test
    void whatArrivedBeforeIsDeliveredBefore() {
        ComchServer server = server();
        ComchClient client = client();
        machine.until("the connection", () -> !server.connections().isEmpty());
        ComchConnection serverSide = server.connections().iterator().next();
        client.connection().send(new byte[1]);
        client.connection().send(new byte[1]);
        ComchConnection clientSide = client.connection();
        client.close();
        machine.until("the end", () -> !serverSide.isOpen());
        assertThat(events).containsExactly("message", "message", "server CLOSED");
        for (ComchConnection side : List.of(serverSide, clientSide)) {
            ConnectionClosedException thrown =
                    catchThrowableOfType(ConnectionClosedException.class, () -> side.trySend(new byte[1]));
            assertThat(thrown.state()).isEqualTo(ConnectionState.CLOSED);
            assertThat(thrown.error()).isEqualTo(DocaError.NOT_CONNECTED);
            assertThat(thrown).hasMessageContaining(side.toString()).hasMessageContaining("CLOSED");
        }
    }

    @Test
    void whatIsInFlightFailsAndBothSidesAreTold() {
        try (MemoryMap sendMemory = MemoryMap.allocate(machine.host, 4096, Access.PCI_READ_WRITE);
                MemoryMap receiveMemory = MemoryMap.allocate(machine.dpu, 4096, Access.PCI_READ_WRITE)) {
            ComchServer server = server();
            ComchClient client = client();
            machine.until("the connection", () -> !server.connections().isEmpty());
            ComchConnection serverSide = server.connections().iterator().next();
            ComchConnection clientSide = client.connection();
            int[] returned = new int[1];
            ComchConsumer consumer = serverSide
                    .consumer(machine.engine, receiveMemory)
                    .buffers(1, 1024)
                    .repost(false)
                    .start(Machine.PATIENCE);
            ComchConsumer other = serverSide
                    .consumer(machine.engine, receiveMemory)
                    .buffers(1, 1024)
                    .onReceiveFailed((self, buffer, error) -> returned[0]++)
                    .start(Machine.PATIENCE);
            List<DocaError> ended = new ArrayList<>();
            ComchProducer producer = clientSide
                    .producer(machine.engine)
                    .onCompletion((self, buffer, status) -> ended.add(status))
                    .start();
            machine.until("the consumers are known", () -> clientSide.remoteConsumers().length == 2);
            Buffer buffer = producer.acquire(sendMemory, 0, 10);
            assertThat(producer.enqueue(buffer, consumer.id()).accepted()).isTrue();
            machine.until("one is there", () -> consumer.received() == 1 && producer.inFlight() == 0);
            assertThat(producer.enqueue(buffer, consumer.id()).accepted()).isTrue(); // nothing is posted: waits
            new EmulatedFaults().drop(1).apply(); // the next message finds a broken connection
            ConnectionClosedException first = catchThrowableOfType(
                    ConnectionClosedException.class,
                    () -> clientSide.trySend(new byte[1]).accepted());
            assertThat(first.state()).as("nobody has reported it yet").isEqualTo(ConnectionState.OPEN);
            assertThat(clientSide.isOpen()).isTrue();
            machine.until(
                    "all has come",
                    () -> !serverSide.isOpen() && !clientSide.isOpen() && ended.size() == 2 && returned[0] == 1);
            assertThat(ended.getFirst()).isEqualTo(DocaError.SUCCESS);
            assertThat(ended.getLast()).isNotEqualTo(DocaError.SUCCESS);
            assertThat(events)
                    .containsExactlyInAnyOrder("server " + serverSide.state(), "client " + clientSide.state());
            assertThat(serverSide.state()).isEqualTo(ConnectionState.LOST);
            assertThat(client.isConnected()).isFalse();
            machine.until(
                    "producers and consumers stop by themselves",
                    () -> !producer.isRunning() && !consumer.isRunning() && !other.isRunning());
            ConnectionClosedException thrown = catchThrowableOfType(
                    ConnectionClosedException.class, () -> producer.trySend(buffer, consumer.id()));
            assertThat(thrown.state()).isEqualTo(clientSide.state());
            thrown = catchThrowableOfType(
                    ConnectionClosedException.class, () -> consumer.tryPost(consumer.acquire(0, 10)));
            assertThat(thrown.state()).isEqualTo(ConnectionState.LOST);
        }
    }

    @Test
    void aConsumerThatBeginsToRunWhenTheOtherSideHasGoneEndsWithoutAnException() {
        try (ProgressEngine own = ProgressEngine.create();
                MemoryMap memory = MemoryMap.allocate(machine.dpu, 4096, Access.PCI_READ_WRITE)) {
            ComchServer server = server();
            ComchClient client = client();
            machine.until("the connection", () -> !server.connections().isEmpty());
            ComchConnection serverSide = server.connections().iterator().next();
            List<ContextState> states = new ArrayList<>();
            ComchConsumer consumer = serverSide
                    .consumer(own, memory)
                    .buffers(4, 1024)
                    .onStateChanged((self, after) -> states.add(after))
                    .start();
            machine.settle(); // the control path has done its part of the start
            client.close();
            machine.until("the end", () -> !serverSide.isOpen());
            Machine.until("its end", () -> consumer.state() == ContextState.IDLE, own);
            assertThat(states)
                    .containsExactly(
                            ContextState.STARTING, ContextState.RUNNING, ContextState.STOPPING, ContextState.IDLE);
            assertThat(consumer.posted()).isZero();
        }
    }

    @Test
    void aServersNameThatIsTakenIsNamedAsTheCause() {
        server();
        assertThat(catchThrowableOfType(
                        io.github.comch4j.DocaException.class,
                        () -> machine.server().start()))
                .hasMessageContaining("there is a server \"" + machine.name + "\"")
                .hasMessageNotContaining("probably")
                .isInstanceOfSatisfying(NameTakenException.class, thrown -> {
                    assertThat(thrown.holder()).hasValue(ProcessHandle.current().pid());
                    assertThat(thrown.error()).isEqualTo(DocaError.INITIALIZATION);
                    assertThat(thrown.function()).isEqualTo("doca_ctx_start");
                });
        assertThatThrownBy(() -> machine.server().start(Duration.ofMillis(30))).isInstanceOf(NameTakenException.class);
    }

    @Test
    void aStartWaitsForANameThatIsTaken() throws Exception {
        CompletableFuture<Void> tried = new CompletableFuture<>();
        CompletableFuture<Void> told = Machine.onThread(() -> {
            try (ProgressEngine other = ProgressEngine.create();
                    ComchServer predecessor = ComchServer.builder(other, machine.dpu, machine.representor, machine.name)
                            .onMessage((connection, message) -> {})
                            .start()) {
                assertThat(predecessor.state()).isEqualTo(ContextState.RUNNING);
                tried.complete(null);
                Thread.sleep(50); // so that the first attempt has failed, most times; it passes in any case
                return null;
            }
        });
        tried.join();
        try (ComchServer successor = machine.server().start(Machine.PATIENCE)) {
            assertThat(successor.state()).isEqualTo(ContextState.RUNNING);
        }
        told.join();
    }
}
