package io.github.comch4j.comch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.comch4j.Feature;
import io.github.comch4j.Machine;
import io.github.comch4j.Needs;
import io.github.comch4j.SubmitResult;
import io.github.comch4j.core.Access;
import io.github.comch4j.core.ContextState;
import io.github.comch4j.core.MemoryMap;
import io.github.comch4j.core.ProgressEngine;
import io.github.comch4j.emulator.EmulatedFaults;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** No single client can end a server, or keep it from serving the others. */
@Timeout(120)
class OneClientTest extends BothForms {
    private final Machine machine = new Machine();
    /** Of clients that do not read: nobody asks it for progress, but to connect. */
    private final ProgressEngine frozen = ProgressEngine.create();

    private final List<ComchConnection> ended = new ArrayList<>();

    @AfterEach
    void close() {
        for (int idle = 0; idle < 100; idle++) { // what is left would keep the server for 5 s when it closes
            boolean worked = frozen.progress();
            worked |= machine.engine.progress();
            if (worked) {
                idle = 0;
            }
        }
        machine.engine.close();
        frozen.close();
        machine.close();
    }

    private static byte[] number(int number) {
        return new byte[] {(byte) number, (byte) (number >> 8)};
    }

    /** A client, and what it has received. */
    private final class Client {
        final List<Integer> received = new ArrayList<>();
        final ComchClient client;

        Client(ProgressEngine engine) {
            client = ComchClient.builder(engine, machine.host, machine.name)
                    .receiveQueueSize(4)
                    .onMessage((connection, message) ->
                            received.add((int) message.get(ValueLayout.JAVA_SHORT_UNALIGNED, 0)))
                    .start();
            Machine.until("the connection", client::isConnected, machine.engine, engine);
        }

        void send(int first) {
            assertThat(client.connection().trySend(new byte[] {(byte) first, 0}).accepted())
                    .isTrue();
        }

        boolean hasEnded() {
            return client.state() == ContextState.IDLE;
        }
    }

    private static void throwingHandler(int first) {
        if (first == 1) {
            throw new ArithmeticException("on purpose");
        }
    }

    private ComchServer.Builder throwing() {
        return machine.server()
                .onMessage((connection, message) -> {
                    throwingHandler(message.get(ValueLayout.JAVA_BYTE, 0));
                    connection.enqueue(message);
                })
                .onDisconnected(ended::add);
    }

    @Test
    @Needs(Feature.DISCONNECT)
    void whatAHandlerThrowsEndsItsConnectionAndNoOther() {
        ComchServer server = throwing().start();
        Client bad = new Client(machine.engine);
        Client good = new Client(machine.engine);
        ComchConnection first = server.connections().iterator().next();
        bad.send(1);
        bad.send(2);
        machine.until("the end of one", bad::hasEnded);
        assertThat(ended).containsExactly(first);
        assertThat(first.state()).isEqualTo(ConnectionState.CLOSED);
        assertThat(bad.received).as("what came behind it is discarded").isEmpty();
        assertThatThrownBy(() -> first.send(new byte[1]))
                .isInstanceOf(ConnectionClosedException.class)
                .hasCauseInstanceOf(ArithmeticException.class);
        good.send(2);
        machine.until("an answer for the other", () -> good.received.size() == 1);
        assertThat(server.connections()).hasSize(1);
        assertThat(machine.engine.callbackFailures()).isEqualTo(1);
    }

    @Test
    void theProgramIsToldIfItWantsToBe() {
        List<Exception> told = new ArrayList<>();
        throwing()
                .onHandlerFailed((connection, exception) -> told.add(exception))
                .start();
        Client bad = new Client(machine.engine);
        bad.send(1);
        machine.until("the failure", () -> !ended.isEmpty());
        assertThat(told).singleElement().isInstanceOf(ArithmeticException.class);
    }

    @Test
    void aFailureHandlerMayLetItOutAndTheConnectionGoesOn() {
        throwing().onHandlerFailed(Machine::rethrow).start();
        Client client = new Client(machine.engine);
        client.send(1);
        assertThatThrownBy(() -> machine.until("the exception", () -> false)).isInstanceOf(ArithmeticException.class);
        client.send(2);
        machine.until("an answer", () -> client.received.size() == 1);
        assertThat(ended).isEmpty();
    }

    @Test
    void anErrorLeavesProgress() {
        machine.server()
                .onMessage((connection, message) -> {
                    throw new StackOverflowError("on purpose");
                })
                .start();
        new Client(machine.engine).send(0);
        assertThatThrownBy(() -> machine.until("the error", () -> false)).isInstanceOf(StackOverflowError.class);
    }

    @Test
    @Needs(Feature.DISCONNECT)
    void whatAReceiveHandlerThrowsOnAnEngineOfItsOwnEndsTheConnectionToo() {
        ComchServer server = throwing().start();
        Client client = new Client(machine.engine);
        ComchConnection connection = server.connections().iterator().next();
        try (ProgressEngine other = ProgressEngine.create();
                MemoryMap sink = MemoryMap.allocate(machine.dpu, 64, Access.PCI_READ_WRITE);
                MemoryMap source = MemoryMap.allocate(machine.host, 64, Access.PCI_READ_WRITE)) {
            ComchConsumer consumer = connection
                    .consumer(other, sink)
                    .buffers(1, 64)
                    .onReceive((self, buffer, producerId, immediate) -> {
                        throw new ArithmeticException("on purpose");
                    })
                    .start();
            Machine.until("the consumer", consumer::isRunning, machine.engine, other);
            ComchProducer producer = client.client
                    .connection()
                    .producer(machine.engine)
                    .onCompletion((self, buffer, status) -> {})
                    .start();
            int id = consumer.id();
            Machine.until(
                    "room",
                    () -> producer.isRunning()
                            && producer.trySend(producer.acquire(source, 0, 8), id)
                                    .accepted(),
                    machine.engine,
                    other);
            Machine.until("the end", () -> !ended.isEmpty() && consumer.isClosed(), machine.engine, other);
            producer.close();
            Machine.until("the end for the client", client::hasEnded, machine.engine, other);
        }
        assertThat(ended).containsExactly(connection);
    }

    @Test
    void aSendInAHandlerQueuesAndKeepsTheOrder() {
        int many = 2000;
        boolean[] sending = new boolean[1];
        ComchServer server = machine.server()
                .sendTasks(4)
                .onMessage((connection, message) -> {
                    sending[0] = true;
                    for (int i = 0; i < many; i++) {
                        connection.enqueue(number(i));
                    }
                    assertThat(connection.trySend(number(0)))
                            .as("it would overtake the others")
                            .isEqualTo(SubmitResult.NO_TASK);
                })
                .start();
        Client client = new Client(machine.engine);
        client.send(0);
        machine.until("the handler", () -> sending[0]);
        server.connections().iterator().next().send(number(many)); // waits until the others have gone
        machine.until("all", () -> client.received.size() > many);
        assertThat(client.received)
                .isEqualTo(IntStream.rangeClosed(0, many).boxed().toList());
    }

    @Test
    @Needs(Feature.DISCONNECT)
    void whatAHandlerQueuesBeforeItClosesGoesOut() {
        int many = 100;
        ComchServer server = machine.server()
                .sendTasks(4)
                .onDisconnected(ended::add)
                .onMessage((connection, message) -> {
                    for (int i = 0; i < many; i++) {
                        connection.enqueue(number(i));
                    }
                    connection.disconnect();
                    assertThat(connection.isOpen()).isFalse();
                })
                .start();
        Client client = new Client(machine.engine);
        client.send(0);
        machine.until("the end for the client", client::hasEnded);
        assertThat(client.received).isEqualTo(IntStream.range(0, many).boxed().toList());
        assertThat(server.connections()).isEmpty();
        assertThat(ended).as("it is this process that has ended it").isEmpty();
    }

    @Test
    void whatIsQueuedIsTriedOnceInEachProgress() {
        int refusals = 50;
        boolean[] sent = new boolean[1];
        ComchServer server = machine.server()
                .onMessage((connection, message) -> {
                    new EmulatedFaults().again(refusals).apply();
                    connection.enqueue(message);
                    sent[0] = true;
                })
                .start();
        Client client = new Client(frozen);
        client.send(1);
        machine.until("the handler", () -> sent[0]);
        ComchConnection connection = server.connections().iterator().next();
        for (int tried = 2;
                tried < refusals;
                tried++) { // by send itself, and in the progress that has called the handler
            assertThat(connection.sent()).isZero();
            machine.engine.progress();
        }
        Machine.until("its answer", () -> client.received.size() == 1, machine.engine, frozen);
        assertThat(connection.refused()).as("refusals of the program").isEqualTo(1);
    }

    @Test
    void whoHasNothingToReadIsNotBlamedForOthers() {
        ComchServer server =
                machine.server().sendTasks(1).warnIfStalled(Duration.ZERO).start();
        new Client(frozen);
        ComchConnection frozenOne = server.connections().iterator().next();
        new Client(machine.engine);
        ComchConnection good = server.connections().stream()
                .filter(one -> one != frozenOne)
                .findFirst()
                .orElseThrow();
        while (frozenOne.trySend(number(1)).accepted()) {
            machine.settle();
        }
        assertThat(good.trySend(number(1))).isEqualTo(SubmitResult.NO_TASK);
        machine.until("a look at the clock", () -> frozenOne.stalls() == 1);
        for (int i = 0; i < 1000; i++) { // further looks
            machine.engine.progress();
        }
        assertThat(good.stalls()).isZero();
        Machine.until("its turn", () -> good.trySend(number(1)).accepted(), machine.engine, frozen);
    }

    @Test
    @Needs(Feature.DISCONNECT)
    void aBacklogThatIsFullEndsTheConnection() {
        List<Exception> told = new ArrayList<>();
        machine.server()
                .sendBacklog(100)
                .onHandlerFailed((connection, exception) -> told.add(exception))
                .onDisconnected(ended::add)
                .onMessage((connection, message) -> {
                    for (int i = 0; i < 5000; i++) {
                        connection.enqueue(number(i));
                    }
                })
                .start();
        Client client = new Client(frozen);
        client.send(0);
        machine.until("the end", () -> !ended.isEmpty());
        assertThat(told)
                .singleElement()
                .isInstanceOf(IllegalStateException.class)
                .extracting(Throwable::getMessage)
                .asString()
                .contains("does not read", "sendBacklog");
        Machine.until("the end for the client", client::hasEnded, machine.engine, frozen);
    }

    /** What the client that sends many messages and closes does to a server that answers each. */
    @Test
    void aClientThatClosesWhileItIsAnsweredIsNoFailure() {
        machine.server()
                .onMessage(ComchConnection::enqueue)
                .onHandlerFailed((connection, exception) -> {
                    throw new AssertionError("told of an end as of a failure", exception);
                })
                .onDisconnected(ended::add)
                .start();
        Client client = new Client(frozen);
        for (int sent = 0; sent < 2000; sent++) {
            while (!client.client.connection().trySend(number(sent)).accepted()) {
                frozen.progress();
                machine.engine.progress();
            }
        }
        Thread closing = new Thread(() -> {
            frozen.takeOver();
            client.client.close();
            frozen.release();
        });
        frozen.release();
        closing.start();
        machine.until("its end", () -> !ended.isEmpty());
        machine.until("the other side", () -> !closing.isAlive());
        frozen.takeOver();
    }

    @Test
    void clientsThatDoNotReadLeaveTheOthersTheirRate() {
        int good = 90;
        int bad = 10;
        int rounds = 50;
        int each = 4;
        ComchServer server = machine.server().start();
        List<Client> clients = new ArrayList<>();
        for (int i = 0; i < bad + good; i++) {
            clients.add(new Client(i < bad ? frozen : machine.engine));
        }
        machine.until("all", () -> server.connections().size() == bad + good);
        for (int round = 0; round < rounds; round++) {
            for (ComchConnection connection : server.connections()) {
                for (int i = 0; i < each; i++) {
                    connection.trySend(number(round));
                }
                machine.engine.progress(2 * each); // what is sent and what is received
            }
            machine.settle();
        }
        assertThat(clients.subList(bad, bad + good))
                .allSatisfy(
                        client -> assertThat(client.received.size()).isGreaterThanOrEqualTo(rounds * each * 9 / 10));
        assertThat(server.sendTasks() - server.inFlight())
                .as("what is left: about as much as each of the ten holds")
                .isGreaterThan(server.sendTasks() / (bad + 1) - bad);
    }

    @Test
    void fiveThatDoNotReadLeaveAGoodOneItsAnswers() {
        machine.server().sendTasks(64).onMessage(ComchConnection::enqueue).start();
        List<Client> bad = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            bad.add(new Client(frozen));
        }
        for (Client client : bad) {
            while (client.client.connection().trySend(number(1)).accepted()) {
                machine.engine.progress();
            }
        }
        machine.settle();
        Client good = new Client(machine.engine);
        for (int i = 0; i < 256; i++) {
            int next = i;
            machine.until(
                    "room", () -> good.client.connection().trySend(number(next)).accepted());
        }
        machine.until("its answers", () -> good.received.size() == 256);
        assertThat(good.received).isEqualTo(IntStream.range(0, 256).boxed().toList());
    }

    @Test
    @Needs(Feature.DISCONNECT)
    void whoDoesNotReadIsCountedAndEndedIfThatIsAsked() {
        ComchServer server = machine.server()
                .warnIfStalled(Duration.ZERO)
                .disconnectIfStalled(Duration.ofMillis(20))
                .onDisconnected(ended::add)
                .start();
        Client bad = new Client(frozen);
        Client good = new Client(machine.engine);
        ComchConnection frozenOne = server.connections().iterator().next();
        machine.until("the end", () -> {
            for (ComchConnection connection : server.connections()) {
                connection.trySend(number(7));
            }
            return !ended.isEmpty();
        });
        assertThat(ended).containsExactly(frozenOne);
        assertThat(frozenOne.stalls()).isEqualTo(1);
        assertThat(server.connections())
                .singleElement()
                .satisfies(rest -> assertThat(rest.stalls()).isZero());
        Machine.until("the end for the client", bad::hasEnded, machine.engine, frozen);
        assertThat(good.client.isConnected()).isTrue();
    }
}
