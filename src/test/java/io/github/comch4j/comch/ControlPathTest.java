package io.github.comch4j.comch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.github.comch4j.DocaError;
import io.github.comch4j.DocaException;
import io.github.comch4j.Feature;
import io.github.comch4j.Machine;
import io.github.comch4j.Needs;
import io.github.comch4j.SubmitResult;
import io.github.comch4j.core.ContextState;
import io.github.comch4j.core.ProgressEngine;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.StringJoiner;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ControlPathTest extends BothForms {
    private final Machine machine = new Machine();
    private final List<byte[]> atServer = new ArrayList<>();
    private final List<byte[]> atClient = new ArrayList<>();
    private final List<String> events = new ArrayList<>();

    @AfterEach
    void close() {
        machine.close();
    }

    private ComchServer.Builder recordingServer() {
        return machine.server()
                .onMessage((connection, message) -> atServer.add(message.toArray(ValueLayout.JAVA_BYTE)))
                .onConnected(connection -> events.add("server: connected"))
                .onDisconnected(connection -> events.add("server: " + connection.state()));
    }

    private ComchClient.Builder recordingClient() {
        return machine.client()
                .onMessage((connection, message) -> atClient.add(message.toArray(ValueLayout.JAVA_BYTE)))
                .onConnected(connection -> events.add("client: connected"))
                .onDisconnected(connection -> events.add("client: " + connection.state()));
    }

    @Test
    void otherThreadsSeeAConnectedClientOnlyTogetherWithItsConnection() throws Exception {
        recordingServer().start();
        machine.settle();
        CompletableFuture<ComchClient> started = new CompletableFuture<>();
        CountDownLatch goOn = new CountDownLatch(1);
        CountDownLatch seen = new CountDownLatch(1);
        Thread other = Thread.ofPlatform().start(() -> {
            try (ProgressEngine engine = ProgressEngine.create()) {
                ComchClient client =
                        ComchClient.builder(engine, machine.host, machine.name).start();
                started.complete(client);
                goOn.await();
                engine.await(() -> seen.getCount() == 0, Machine.PATIENCE);
            } catch (Throwable e) {
                started.completeExceptionally(e);
            }
        });
        ComchClient client = started.get(20, TimeUnit.SECONDS);
        assertThat(client.state()).isEqualTo(ContextState.STARTING);
        synchronized (
                client.context) { // a new connection makes itself known there: the client's thread gets no further
            goOn.countDown();
            machine.until("the state", () -> client.state() == ContextState.RUNNING);
            assertThat(client.isConnected())
                    .as("with the connection still to come")
                    .isFalse();
            assertThatThrownBy(client::connection)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("no connection");
        }
        machine.until("the connection", client::isConnected);
        assertThat(client.connection().endpoint()).isSameAs(client);
        seen.countDown();
        machine.until("the end", () -> !other.isAlive());
    }

    /** DOCA does not say that it tells of a connection before it brings a message of it. */
    @Test
    void aConnectionIsToldOnceBeforeWhatComesOnIt() {
        ComchServer server = recordingServer().start();
        ComchClient client = recordingClient().connect(Machine.PATIENCE);
        machine.until("the connection", () -> !server.connections().isEmpty());
        ComchConnection back = server.connections().iterator().next();
        events.clear();
        back.life().endedByPeer(ConnectionState.LOST); // so that it is unknown
        server.register(back.address()); // what a message does
        assertThat(events).containsExactly("server: LOST", "server: connected");
        server.connected(back.address());
        client.connection().send(new byte[3]);
        machine.until("the message", () -> atServer.size() == 1);
        assertThat(events).hasSize(2);
    }

    @Test
    void messagesOfEverySizeTravelBothWaysUnchangedAndInOrder() {
        ComchServer server = recordingServer().start();
        ComchClient client = recordingClient().connect(Machine.PATIENCE);
        machine.until("the connection", () -> !server.connections().isEmpty());
        ComchConnection back = server.connections().iterator().next();
        Random random = new Random(7);
        List<byte[]> sent = new ArrayList<>();
        for (int size : new int[] {1, 2, 7, 8, 63, 64, 65, 1000, 4079, client.maxMessageSize()}) {
            byte[] message = new byte[size];
            random.nextBytes(message);
            sent.add(message);
            client.connection().send(message);
            back.send(MemorySegment.ofArray(message));
        }
        machine.until("all messages", () -> atServer.size() == sent.size() && atClient.size() == sent.size());
        assertThat(atServer).containsExactlyElementsOf(sent);
        assertThat(atClient).containsExactlyElementsOf(sent);
    }

    @Test
    void sendWaitsForRoomInEveryForm() {
        try (Pair pair = new Pair()) {
            int rounds = 3 * Pair.SEND_TASKS; // more than there is room for
            for (int i = 0; i < rounds; i++) {
                pair.hostSide.send(new byte[] {1});
                pair.hostSide.send(ByteBuffer.wrap(new byte[] {1, 2}));
                pair.hostSide.send(MemorySegment.ofArray(new byte[] {1, 2, 3}));
            }
            pair.machine.until("all have come", () -> pair.dpuSide.received() == 3L * rounds);
            assertThat(pair.dpuSide.receivedBytes()).isEqualTo(6L * rounds);
        }
    }

    @Test
    void aMessageMayComeFromNativeMemoryTheHeapOrAByteBuffer() {
        recordingServer().start();
        ComchClient client = recordingClient().connect(Machine.PATIENCE);
        byte[] bytes = "0123456789".getBytes(StandardCharsets.US_ASCII);
        try (Arena arena = Arena.ofConfined()) {
            client.connection().send(arena.allocateFrom(ValueLayout.JAVA_BYTE, bytes));
        } // closed at once: the bytes were copied
        client.connection().send(MemorySegment.ofArray(bytes).asSlice(2, 3));
        ByteBuffer heap = ByteBuffer.wrap(bytes, 1, 4);
        client.connection().send(heap);
        ByteBuffer direct = ByteBuffer.allocateDirect(10).put(bytes).flip().position(8);
        client.connection().send(direct);
        machine.until("all messages", () -> atServer.size() == 4);
        assertThat(atServer)
                .extracting(message -> new String(message, StandardCharsets.US_ASCII))
                .containsExactly("0123456789", "234", "1234", "89");
        assertThat(heap.hasRemaining()).isFalse();
        assertThat(direct.hasRemaining()).isFalse();
    }

    @Test
    void emptyAndOverlongMessagesAreTheProgramsMistake() {
        recordingServer().start();
        ComchClient client = recordingClient().connect(Machine.PATIENCE);
        ComchConnection connection = client.connection();
        assertThatThrownBy(() -> connection.send(new byte[0])).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> connection.trySend(new byte[client.maxMessageSize() + 1]))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("1 to " + client.maxMessageSize());
        assertThatThrownBy(() -> connection.trySend(ByteBuffer.allocate(0)))
                .isInstanceOf(IllegalArgumentException.class);
        connection.send(new byte[] {1});
        machine.until("the good message", () -> atServer.size() == 1);
    }

    @Test
    void settingsAreWhatTheGettersSay() {
        ComchServer server = recordingServer()
                .maxMessageSize(1024)
                .receiveQueueSize(10)
                .sendTasks(4)
                .start();
        assertThat(server.maxMessageSize()).isEqualTo(1024);
        assertThat(server.receiveQueueSize()).isEqualTo(10);
        assertThat(server.sendTasks()).isEqualTo(4);
        assertThat(server.name()).isEqualTo(machine.name);
        assertThat(server.state()).isEqualTo(ContextState.RUNNING);
        assertThat(server.engine()).isSameAs(machine.engine);
    }

    @Test
    void aSettingBeyondTheCapabilityIsRefusedByDoca() {
        int most = (int) Capabilities.of(machine.dpu).maxMessageSize();
        assertThatThrownBy(() -> recordingServer().maxMessageSize(most + 1).start())
                .isInstanceOfSatisfying(DocaException.class, e -> {
                    assertThat(e.error()).isEqualTo(DocaError.INVALID_VALUE);
                    assertThat(e.function()).isEqualTo(Machine.function("doca_comch_server_set_max_msg_size"));
                });
        recordingServer().maxMessageSize(most).start();
    }

    @Test
    void whenAllTasksAreInUseTrySendSaysNoAndSendWaits() {
        recordingServer().receiveQueueSize(4).start();
        ComchClient client = recordingClient().sendTasks(4).connect(Machine.PATIENCE);
        int accepted = 0;
        SubmitResult last = client.connection().trySend(new byte[] {(byte) accepted});
        while (last.accepted()) {
            accepted++;
            assertThat(client.inFlight()).isLessThanOrEqualTo(4);
            last = client.connection().trySend(new byte[] {(byte) accepted});
        }
        assertThat(last).isEqualTo(SubmitResult.NO_TASK);
        assertThat(accepted).isPositive();
        for (int i = accepted; i < 50; i++) {
            client.connection().send(new byte[] {(byte) i});
        }
        machine.until("all messages", () -> atServer.size() == 50);
        assertThat(atServer)
                .extracting(message -> (int) message[0])
                .containsExactlyElementsOf(
                        java.util.stream.IntStream.range(0, 50).boxed().toList());
        machine.until("all completions", () -> client.inFlight() == 0);
    }

    @Test
    void sendGivesUpOnAPeerThatDoesNotRead() {
        ProgressEngine asleep = ProgressEngine.create();
        ComchServer.builder(asleep, machine.dpu, machine.representor, machine.name)
                .receiveQueueSize(2)
                .start();
        ComchClient client = recordingClient().sendTasks(2).start();
        Machine.until("the connection", client::isConnected, machine.engine, asleep);
        machine.engine.setTimeout(Duration.ofMillis(20));
        assertThatThrownBy(() -> {
                    for (int i = 0; i < 100_000; i++) {
                        client.connection().send(new byte[1]);
                    }
                })
                .isInstanceOfSatisfying(
                        DocaException.class, e -> assertThat(e.error()).isEqualTo(DocaError.TIME_OUT));
        assertThat(client.isConnected()).isTrue();
        machine.engine.setTimeout(Machine.PATIENCE);
        asleep.close();
        machine.until("the end", () -> client.state() == ContextState.IDLE);
    }

    @Test
    void aHandlerMayAnswerAtOnce() {
        machine.server()
                .onMessage((connection, message) -> connection.enqueue(message))
                .start();
        ComchClient client = recordingClient().connect(Machine.PATIENCE);
        for (int i = 0; i < 100; i++) {
            client.connection().send(("ping " + i).getBytes(StandardCharsets.US_ASCII));
            int expected = i + 1;
            machine.until("the answer", () -> atClient.size() == expected);
        }
        assertThat(new String(atClient.getLast(), StandardCharsets.US_ASCII)).isEqualTo("ping 99");
    }

    @Test
    void aHandlerQueuesAndDoesNotWait() {
        List<Throwable> thrown = new ArrayList<>();
        machine.server()
                .onMessage((connection, message) -> {
                    thrown.add(catchThrowable(() -> connection.send(message)));
                    connection.enqueue(message.asByteBuffer());
                })
                .start();
        ComchClient client = recordingClient().connect(Machine.PATIENCE);
        client.connection().send(new byte[] {42});
        machine.until("the answer", () -> !atClient.isEmpty());
        assertThat(thrown)
                .singleElement()
                .isInstanceOf(IllegalStateException.class)
                .extracting(Throwable::getMessage)
                .asString()
                .contains("enqueue()");
        assertThat(atClient).containsExactly(new byte[] {42});
    }

    @Test
    void whatHasNoRoomIsQueuedAndGoesInOrder() {
        recordingServer().start();
        ComchClient client = recordingClient().connect(Machine.PATIENCE);
        ComchConnection connection = client.connection();
        int before = 0;
        while (connection.trySend(new byte[] {0}).accepted()) {
            before++; // without progress the tasks run out
        }
        ByteBuffer buffer = ByteBuffer.wrap(new byte[] {0, 1, 2}).position(1).limit(2);
        connection.enqueue(buffer);
        assertThat(buffer.position()).isEqualTo(2);
        connection.enqueue(new byte[] {2});
        connection.enqueue(MemorySegment.ofArray(new byte[] {3}));
        assertThat(connection.trySend(new byte[] {9}))
                .as("behind those that wait")
                .isEqualTo(SubmitResult.NO_TASK);
        int sent = before;
        machine.until("all of them", () -> atServer.size() == sent + 3);
        assertThat(atServer.subList(sent, sent + 3)).containsExactly(new byte[] {1}, new byte[] {2}, new byte[] {3});
    }

    @Test
    void manyClientsHaveAConnectionEachWithAnAttachmentEach() {
        ComchServer server = machine.server()
                .onConnected(connection -> connection.attach(new StringJoiner(",")))
                .onMessage((connection, message) -> {
                    connection
                            .attachment(StringJoiner.class)
                            .add(new String(message.toArray(ValueLayout.JAVA_BYTE), StandardCharsets.US_ASCII));
                })
                .start();
        List<ComchClient> clients = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            clients.add(machine.client().connect(Machine.PATIENCE));
        }
        machine.until("the connections", () -> server.connections().size() == 10);
        for (int i = 0; i < 10; i++) {
            clients.get(i).connection().send(("client " + i).getBytes(StandardCharsets.US_ASCII));
        }
        List<ComchConnection> connections = List.copyOf(server.connections());
        machine.until(
                "the messages",
                () -> connections.stream()
                        .allMatch(connection ->
                                connection.attachment(StringJoiner.class).length() > 0));
        assertThat(connections)
                .extracting(
                        connection -> connection.attachment(StringJoiner.class).toString())
                .containsExactlyInAnyOrderElementsOf(java.util.stream.IntStream.range(0, 10)
                        .mapToObj(i -> "client " + i)
                        .toList());
    }

    @Test
    void anAttachmentIsToldByItsType() {
        ComchServer server = machine.server().start();
        machine.client().connect(Machine.PATIENCE);
        machine.until("the connection", () -> !server.connections().isEmpty());
        ComchConnection connection = server.connections().iterator().next();
        assertThat(connection.attachment(String.class)).isNull();
        assertThat(connection.attach("a name").attachment(CharSequence.class))
                .isEqualTo("a name")
                .isSameAs(connection.attachment());
        assertThatThrownBy(() -> connection.attachment(Integer.class))
                .isInstanceOf(ClassCastException.class)
                .hasMessageContaining(connection.toString())
                .hasMessageContaining("java.lang.String")
                .hasMessageContaining("java.lang.Integer");
        assertThat(connection.attach(null).attachment(Integer.class)).isNull();
    }

    @Test
    void countersCountMessagesAndBytes() {
        ComchServer server = recordingServer().start();
        ComchClient client = recordingClient().connect(Machine.PATIENCE);
        client.connection().send(new byte[10]);
        client.connection().send(new byte[20]);
        machine.until("both messages", () -> atServer.size() == 2 && client.inFlight() == 0);
        assertThat(client.connection().counters()).isEqualTo(new ConnectionCounters(2, 30, 0, 0));
        ComchConnection back = server.connections().iterator().next();
        assertThat(back.counters()).isEqualTo(new ConnectionCounters(0, 0, 2, 30));
        client.close();
        machine.until("the end", () -> !back.isOpen());
        assertThat(back.counters())
                .as("the last snapshot outlives the connection")
                .isEqualTo(new ConnectionCounters(0, 0, 2, 30));
    }

    @Test
    void whenTheClientCloses() {
        ComchServer server = recordingServer().start();
        ComchClient client = recordingClient().connect(Machine.PATIENCE);
        machine.until("the connection", () -> !server.connections().isEmpty());
        ComchConnection back = server.connections().iterator().next();
        client.connection().send(new byte[] {1, 2, 3});
        client.close();
        machine.until("the end at the server", () -> !back.isOpen());
        assertThat(atServer).as("what was accepted before the close arrives").hasSize(1);
        assertThat(events).containsExactlyInAnyOrder("server: connected", "client: connected", "server: CLOSED");
        assertThat(events).endsWith("server: CLOSED");
        assertThat(server.connections()).isEmpty();
        assertThat(back.state()).isEqualTo(ConnectionState.CLOSED);
        assertThatThrownBy(() -> back.send(new byte[1])).isInstanceOf(ConnectionClosedException.class);
        assertThatThrownBy(() -> client.connection().send(new byte[1])).isInstanceOf(ConnectionClosedException.class);
        back.disconnect();
    }

    @Test
    void whenTheServerCloses() {
        ComchServer server = recordingServer().start();
        ComchClient client = recordingClient().connect(Machine.PATIENCE);
        machine.until("the connection", () -> !server.connections().isEmpty());
        server.connections().iterator().next().send(new byte[] {9});
        server.close();
        machine.until("the end at the client", () -> client.state() == ContextState.IDLE);
        assertThat(atClient).as("what was accepted before the close arrives").hasSize(1);
        assertThat(events).endsWith("client: CLOSED").doesNotContain("server: CLOSED", "server: LOST");
        assertThat(client.isConnected()).isFalse();
        assertThat(client.connection().state()).isEqualTo(ConnectionState.CLOSED);
        assertThatThrownBy(() -> client.connection().send(new byte[1])).isInstanceOf(ConnectionClosedException.class);
        client.close();
    }

    @Test
    @Needs(Feature.DISCONNECT)
    void theServerMayEndOneConnection() {
        ComchServer server = recordingServer().start();
        ComchClient one = recordingClient().connect(Machine.PATIENCE);
        ComchClient two = recordingClient().connect(Machine.PATIENCE);
        machine.until("the connections", () -> server.connections().size() == 2);
        ComchConnection first = server.connections().iterator().next();
        first.send(new byte[] {5});
        first.disconnect();
        assertThat(first.isOpen()).isFalse();
        machine.until("the end at the client", () -> one.state() == ContextState.IDLE);
        assertThat(atClient).hasSize(1);
        assertThat(events).doesNotContain("server: CLOSED");
        assertThat(two.isConnected()).isTrue();
        two.connection().send(new byte[1]);
        machine.until("a message of the other one", () -> atServer.size() == 1);
        first.disconnect();
    }

    @Test
    @Needs(Feature.DISCONNECT)
    void theServerMayRejectAClientInTheConnectHandler() {
        ComchServer server =
                machine.server().onConnected(ComchConnection::disconnect).start();
        ComchClient client = recordingClient().start();
        machine.until("the rejection", () -> client.state() == ContextState.IDLE);
        assertThat(server.connections()).isEmpty();
        assertThat(client.isConnected()).isFalse();
    }

    @Test
    void withoutAServerAStartIsRefused() {
        List<String> refusals = new ArrayList<>();
        ComchClient client =
                recordingClient().onRefused(() -> refusals.add("refused")).start();
        assertThat(client.isConnected()).isFalse();
        assertThatThrownBy(client::connection).isInstanceOf(IllegalStateException.class);
        machine.until("the refusal", () -> client.state() == ContextState.IDLE);
        assertThat(refusals).containsExactly("refused");
        assertThatThrownBy(() -> recordingClient().connect(Duration.ofMillis(20)))
                .isInstanceOfSatisfying(
                        DocaException.class, e -> assertThat(e.error()).isEqualTo(DocaError.CONNECTION_ABORTED))
                .hasMessageContaining(machine.name);
    }

    @Test
    void connectWaitsForTheServerToAppear() {
        ComchServer[] server = new ComchServer[1];
        int[] refusals = new int[1];
        ComchClient client = recordingClient()
                .onRefused(() -> {
                    if (++refusals[0] == 3) {
                        server[0] = recordingServer().start();
                    }
                })
                .connect(Machine.PATIENCE);
        assertThat(client.isConnected()).isTrue();
        assertThat(refusals[0]).isGreaterThanOrEqualTo(3);
        assertThat(server[0].connections()).hasSize(1);
    }

    @Test
    void aNameIsTakenOncePerRepresentor() {
        recordingServer().start();
        assertThatThrownBy(() -> recordingServer().start())
                .isInstanceOf(DocaException.class)
                .hasMessageContaining(machine.name);
        assertThatThrownBy(() -> ComchServer.builder(machine.engine, machine.dpu, machine.representor, ""))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void aServerCannotBeOnAHostNorAClientOnADpu() {
        assertThatThrownBy(() -> ComchClient.builder(machine.engine, machine.dpu, machine.name)
                        .start())
                .isInstanceOf(DocaException.class);
        assertThatThrownBy(() -> ComchServer.builder(machine.engine, machine.host, machine.representor, machine.name)
                        .start())
                .isInstanceOf(DocaException.class);
    }

    @Test
    void aSegmentKeptAfterTheCallbackDoesNotReachForeignMemory() {
        List<MemorySegment> kept = new ArrayList<>();
        machine.server().onMessage((connection, message) -> kept.add(message)).start();
        ComchClient client = recordingClient().connect(Machine.PATIENCE);
        client.connection().send(new byte[] {1, 1});
        client.connection().send(new byte[] {2, 2});
        machine.until("both messages", () -> kept.size() == 2);
        assertThat(kept.getFirst().get(ValueLayout.JAVA_BYTE, 0))
                .as("it shows the latest message")
                .isEqualTo((byte) 2);
        assertThatThrownBy(() -> kept.getFirst().get(ValueLayout.JAVA_BYTE, 2))
                .isInstanceOf(IndexOutOfBoundsException.class);
        machine.close();
        assertThatThrownBy(() -> kept.getFirst().get(ValueLayout.JAVA_BYTE, 0))
                .isInstanceOf(IllegalStateException.class);
    }

    @Test
    void capabilitiesAreAskedOfTheDevice() {
        Capabilities host = Capabilities.of(machine.host);
        Capabilities dpu = Capabilities.of(machine.dpu);
        assertThat(host.client()).isTrue();
        assertThat(host.server()).isFalse();
        assertThat(dpu.client()).isFalse();
        assertThat(dpu.server()).isTrue();
        assertThat(host.maxMessageSize()).isGreaterThanOrEqualTo(256);
        assertThat(host.maxNameLength()).isPositive();
        assertThat(host.producer().orElseThrow().maxTasks()).isPositive();
        assertThat(host.maxImmediateLength() > 0).isEqualTo(Feature.IMMEDIATE_DATA.isThere());
    }

    @Test
    void aHandlerLearnsOfEachState() {
        List<String> states = new ArrayList<>();
        try (Machine machine = new Machine()) {
            machine.server()
                    .onStateChanged((endpoint, next) -> states.add("server " + next))
                    .start();
            ComchClient client = machine.client()
                    .onStateChanged((endpoint, next) -> {
                        assertThat(endpoint.state()).isEqualTo(next);
                        states.add("client " + next);
                    })
                    .connect(Machine.PATIENCE);
            assertThat(states).contains("server RUNNING", "client STARTING", "client RUNNING");
            client.close();
            assertThat(states).endsWith("client STOPPING", "client IDLE");
        }
        assertThat(states.getLast()).startsWith("server").endsWith("IDLE");
    }
}
