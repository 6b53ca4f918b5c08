package io.github.comch4j;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import examples.Flyweight;
import examples.ManyClients;
import examples.Publisher;
import examples.RpcExample;
import examples.SeveralEngines;
import examples.StaysConnected;
import examples.Telemetry;
import io.github.comch4j.comch.ComchClient;
import io.github.comch4j.comch.ComchConsumer;
import io.github.comch4j.comch.ComchServer;
import io.github.comch4j.comch.ConnectionClosedException;
import io.github.comch4j.comch.LinkState;
import io.github.comch4j.comch.Pair;
import io.github.comch4j.comch.SlotConsumer;
import io.github.comch4j.comch.SlotProducer;
import io.github.comch4j.core.Access;
import io.github.comch4j.core.MemoryMap;
import io.github.comch4j.core.ProgressEngine;
import io.github.comch4j.emulator.EmulatedMachine;
import io.github.comch4j.emulator.EmulatedMachine.Side;
import io.github.comch4j.emulator.PeerProcess;
import io.github.comch4j.io.MessageServerSocket;
import io.github.comch4j.io.MessageSocket;
import io.github.comch4j.io.RecordWriter;
import io.github.comch4j.rpc.RpcClient;
import io.github.comch4j.rpc.RpcServer;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The programs of docs/cookbook.md that have a server or client of their own do what is said of them. */
@Timeout(60)
class CookbookTest extends TwoLoops {
    @Test
    void calls() {
        RpcServer server = RpcExample.server(dpuLoop, dpu, representor, name);
        assertThat(server.toString()).contains(name);
        assertThat(RpcExample.client(hostLoop, host, name)).isEqualTo("HELLO, a key");
        try (RpcClient client = RpcClient.builder(hostLoop, host, name).connect(Machine.PATIENCE)) {
            assertThat(RpcExample.prepared(client, new byte[7])).isEqualTo("7 bytes, trace 4bf92f35");
            assertThat(RpcExample.prepared(client, new byte[0])).isEqualTo("404: a key is needed, 3 bytes of detail");
            RpcExample.stop(server);
            assertThat(server.server().isClosed()).isTrue();
        }
    }

    @Test
    void telemetry() {
        List<Long> received = new ArrayList<>(); // on the server's thread, then here
        CompletableFuture<Void> last = new CompletableFuture<>();
        int times = 10_000;
        try (ProgressEngine engine = ProgressEngine.create();
                ComchServer server = ComchServer.builder(engine, dpu, representor, name)
                        .onMessage((connection, message) -> {
                            long value = message.get(ValueLayout.JAVA_LONG.withOrder(ByteOrder.BIG_ENDIAN), 0);
                            received.add(value);
                            if (value == times) {
                                last.complete(null);
                            }
                        })
                        .start()) {
            CompletableFuture<Long> replaced = new CompletableFuture<>();
            Thread client = new Thread(() -> {
                try (Telemetry telemetry = new Telemetry(host, name)) {
                    long[] value = new long[1];
                    replaced.complete(telemetry.run(times, () -> ++value[0]));
                    last.join();
                } catch (RuntimeException e) {
                    replaced.completeExceptionally(e);
                }
            });
            client.start();
            int[] rounds = new int[1];
            Machine.until(
                    "the last value",
                    () -> {
                        if (++rounds[0] % 64 == 0) {
                            Thread.yield(); // slower than the meter
                        }
                        return last.isDone() || replaced.isCompletedExceptionally();
                    },
                    engine);
            Machine.until("the client's end", () -> !client.isAlive(), engine); // else its engine is still open
            assertThat(received.size() + replaced.join()).isEqualTo(times);
            assertThat(received).isSorted().last().isEqualTo((long) times);
            assertThat(server.isClosed()).isFalse();
        }
    }

    @Test
    void stayingConnected() throws Exception {
        RpcServer first = server("first");
        try (RpcClient client = StaysConnected.connect(hostLoop, host, name)) {
            assertThat(StaysConnected.ask(client, "who")).isEqualTo("first");
            first.close();
            // a call that is made before the client knows may have reached the first one, for all it can tell
            Machine.until("the end", () -> client.state() == LinkState.DISCONNECTED, new ProgressEngine[0]);
            try (RpcServer second = server("second")) {
                assertThat(StaysConnected.ask(client, "who")).isEqualTo("second");
                assertThat(second.toString()).contains(name);
            }
        }
    }

    @Test
    void aSocketThatStaysConnected() {
        MessageServerSocket first = MessageServerSocket.open(dpuLoop, dpu, representor, name);
        try (MessageSocket socket = StaysConnected.socket(hostLoop, host, name)) {
            assertThat(StaysConnected.deliver(socket, new byte[1])).isTrue();
            assertThat(first.accept(Machine.PATIENCE).receive(Machine.PATIENCE)).hasSize(1);
            first.close();
            assertThatThrownBy(() -> socket.receive(Machine.PATIENCE)).isInstanceOf(ConnectionClosedException.class);
            try (MessageServerSocket second = MessageServerSocket.open(dpuLoop, dpu, representor, name)) {
                assertThat(StaysConnected.deliver(socket, new byte[2])).isTrue();
                assertThat(second.accept(Machine.PATIENCE).receive(Machine.PATIENCE))
                        .hasSize(2);
            }
        }
    }

    private RpcServer server(String answer) {
        return RpcServer.builder(dpuLoop, dpu, representor, name)
                .method(1, request -> answer.getBytes(UTF_8))
                .start();
    }

    @Test
    void manyClientsAndAnOrderlyEnd(EmulatedMachine machine) {
        PeerProcess server = machine.peer(Side.BOTH, ManyClients.class, name).start();
        List<MessageSocket> sockets = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            sockets.add(MessageSocket.connect(hostLoop, host, name, Machine.PATIENCE));
        }
        for (int i = 0; i < 20; i++) {
            sockets.get(i).send(new byte[i + 1], Machine.PATIENCE);
        }
        for (int i = 0; i < 20; i++) {
            assertThat(sockets.get(i).receive(Machine.PATIENCE)).hasSize(i + 1);
        }
        server.terminate();
        assertThat(server.exitStatus()).isEqualTo(143);
        assertThat(server.output()).contains("no more clients");
        sockets.forEach(MessageSocket::close);
    }

    @Test
    void publishing() {
        List<String> received = new ArrayList<>();
        try (Publisher publisher = new Publisher(dpu, representor, name);
                ProgressEngine engine = ProgressEngine.create();
                MemoryMap memory = MemoryMap.allocate(host, 3 * 4096, Access.PCI_READ_WRITE)) {
            List<ComchClient> clients = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                int number = i;
                ComchClient client = ComchClient.builder(engine, host, name).start();
                Machine.until("a connection", () -> progressed(publisher) && client.isConnected(), engine);
                ComchConsumer consumer = client.connection()
                        .consumer(engine, memory)
                        .repost(i > 0) // the first one takes one message only
                        .onReceive((self, buffer, producer, immediate) ->
                                received.add(number + " " + buffer.data().getString(0)))
                        .start();
                Machine.until("a consumer", () -> progressed(publisher) && consumer.isRunning(), engine);
                consumer.tryPost(consumer.acquire(memory.segment().asSlice(i * 4096L, 4096)));
                clients.add(client);
            }
            Machine.until("all", () -> progressed(publisher) && publisher.subscribers() == 3, engine);
            for (String text : List.of("one", "two")) {
                MemorySegment data = MemorySegment.ofArray((text + "\0").getBytes(UTF_8));
                assertThat(publisher.publish(data)).isTrue();
                int before = received.size();
                int due = text.equals("one") ? 3 : 2;
                Machine.until("the data", () -> progressed(publisher) && received.size() == before + due, engine);
            }
            assertThat(received).containsExactlyInAnyOrder("0 one", "1 one", "2 one", "1 two", "2 two");
            assertThat(publisher.missed()).isEqualTo(1);
            clients.forEach(ComchClient::close);
            Machine.until("their end", () -> progressed(publisher) && publisher.subscribers() == 0, engine);
        }
    }

    @Test
    void severalEngines() {
        long[] values = LongStream.rangeClosed(1, 1000).toArray();
        try (SeveralEngines server = new SeveralEngines(dpu, representor, name, 3)) {
            SeveralEngines.send(host, name, 3, values);
            Machine.until("all values", () -> server.sum() == 500_500, new ProgressEngine[0]);
        }
    }

    @Test
    void flyweights() {
        Flyweight flyweight = new Flyweight();
        try (Pair pair = new Pair();
                SlotConsumer consumer = pair.dpuSide
                        .slotConsumer(pair.machine.engine, 4096)
                        .tasks(4)
                        .start(Machine.PATIENCE);
                SlotProducer producer =
                        pair.hostSide.slotProducer(pair.machine.engine, 4096).start()) {
            RecordWriter writer = new RecordWriter(producer, consumer.id());
            long[] at = new long[1];
            for (int i = 1; i <= 100; i++) {
                Machine.until(
                        "room", () -> (at[0] = writer.claim(Flyweight.Trade.LENGTH, 1)) >= 0, pair.machine.engine);
                writer.memory().set(ValueLayout.JAVA_LONG, at[0], 7);
                writer.memory().set(ValueLayout.JAVA_DOUBLE, at[0] + 8, 0.5);
                writer.memory().set(ValueLayout.JAVA_LONG, at[0] + 16, i);
                writer.commit();
            }
            writer.flush();
            int[] buffers = new int[1];
            Machine.until(
                    "all trades",
                    () -> {
                        buffers[0] += flyweight.poll(consumer);
                        return flyweight.turnover() == 2525;
                    },
                    pair.machine.engine);
            assertThat(buffers[0]).as("many in one").isBetween(1, 4);
        }
    }

    private static boolean progressed(Publisher publisher) {
        publisher.progress();
        return true;
    }
}
