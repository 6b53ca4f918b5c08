package io.github.comch4j;

import static org.assertj.core.api.Assertions.assertThat;

import examples.EchoServer;
import examples.HelloServer;
import examples.ManyClients;
import examples.NettyEcho;
import examples.Publisher;
import examples.RpcExample;
import io.github.comch4j.comch.ComchClient;
import io.github.comch4j.comch.ComchConnection;
import io.github.comch4j.comch.ComchConsumer;
import io.github.comch4j.core.Access;
import io.github.comch4j.core.Device;
import io.github.comch4j.core.EventLoop;
import io.github.comch4j.core.MemoryMap;
import io.github.comch4j.core.ProgressEngine;
import io.github.comch4j.core.Representor;
import io.github.comch4j.link.Framing;
import io.github.comch4j.rpc.RpcClient;
import io.github.comch4j.rpc.RpcServer;
import io.netty.channel.EventLoopGroup;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The servers of the examples, which send each message back, outlive clients of every kind. */
@Timeout(120)
public class ExampleServersTest {
    private static final int MANY = 2000;
    private static final int LENGTH = 100;
    private static final int IN_FLIGHT = 1000; // calls of one client

    private static Device host;

    @BeforeAll
    static void open() {
        Machine.useEmulation();
        host = Device.openHost(Machine.HOST);
    }

    @AfterAll
    static void close() {
        host.close();
    }

    protected static Stream<Arguments> servers() {
        return Stream.of(
                Arguments.of("HelloServer", (Consumer<String[]>) HelloServer::main, false),
                Arguments.of("EchoServer", (Consumer<String[]>) EchoServer::main, false),
                Arguments.of("ManyClients", (Consumer<String[]>) ManyClients::main, true),
                Arguments.of("NettyEcho", (Consumer<String[]>) ExampleServersTest::netty, true));
    }

    private static void netty(String[] arguments) {
        EventLoopGroup loop = NettyEcho.loop();
        try {
            NettyEcho.serve(loop, arguments[0]).closeFuture().sync();
        } catch (InterruptedException e) {
            // the end of the test
        } finally {
            loop.shutdownGracefully(0, 5, TimeUnit.SECONDS).syncUninterruptibly();
        }
    }

    /** A client that sends so many messages without waiting for answers, and reads them in between. */
    private static final class Client implements AutoCloseable {
        final ProgressEngine engine = ProgressEngine.create();
        final ComchClient client;
        int sent;
        int answered; // bytes: Netty's echo may send them in other pieces

        private final FramedPeer framed; // null: the server takes messages as they are

        Client(String server, boolean framed) {
            this.framed = framed ? new FramedPeer() : null;
            client = ComchClient.builder(engine, host, server)
                    .onMessage(this::arrived)
                    .connect(Machine.PATIENCE);
        }

        private void arrived(ComchConnection connection, MemorySegment message) {
            if (framed == null) {
                answered += (int) message.byteSize();
                return;
            }
            framed.arrived(connection, message);
            FramedPeer.Message last = framed.received.removeLast();
            answered += last.kind() == Framing.DATA ? last.bytes().length : 0;
        }

        boolean trySend() {
            byte[] message = new byte[LENGTH];
            return framed == null
                    ? client.connection().trySend(message).accepted()
                    : framed.trySend(client.connection(), message);
        }

        boolean isAnswered() {
            return answered >= MANY * LENGTH;
        }

        void send() {
            if (sent < MANY && trySend()) {
                sent++;
            }
            engine.progress();
        }

        @Override
        public void close() {
            engine.close();
        }
    }

    /** A server that runs, and a client of it that reads nothing. */
    protected static final class Running implements AutoCloseable {
        private final String name = Machine.uniqueName();
        private final CompletableFuture<Void> server = new CompletableFuture<>();
        private final Thread thread;
        private final Client frozen;

        private final boolean framed;

        public Running(Consumer<String[]> main, boolean framed) {
            this.framed = framed;
            thread = new Thread(() -> {
                try {
                    main.accept(new String[] {name});
                    server.complete(null);
                } catch (Throwable t) {
                    server.completeExceptionally(t);
                }
            });
            thread.start();
            frozen = new Client(name, framed);
            while (frozen.trySend()) {
                frozen.sent++; // and never asks for progress again
            }
        }

        /** The clients come and go. */
        public void round() {
            alone(name, framed);
            together(name, framed);
            leaves(name, framed);
            alone(name, framed);
            assertThat(frozen.client.isConnected()).isTrue();
            assertThat(server).isNotDone();
        }

        @Override
        public void close() {
            thread.interrupt();
            server.exceptionally(interrupted -> null).join();
            frozen.close();
        }
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("servers")
    void outlivesItsClients(String title, Consumer<String[]> main, boolean framed) {
        try (Running server = new Running(main, framed)) {
            server.round();
        }
    }

    @Test
    void theServerOfCallsOutlivesItsClients() {
        String name = Machine.uniqueName();
        try (Device dpu = Device.openDpu(Machine.DPU);
                Representor representor = dpu.openRepresentor(Machine.HOST);
                EventLoop serving = EventLoop.start("server");
                EventLoop calling = EventLoop.start("clients");
                EventLoop standing = EventLoop.start("frozen");
                RpcServer server = RpcExample.server(serving, dpu, representor, name);
                RpcClient frozen = caller(standing, name)) {
            CompletableFuture<byte[]> last = frozen.callAsync(1, new byte[LENGTH]);
            last.join();
            CountDownLatch held = Machine.hold(standing);
            for (int i = 0; i < IN_FLIGHT; i++) {
                var _ = frozen.callAsync(1, new byte[LENGTH]); // goes when the loop does
            }
            try (RpcClient one = caller(calling, name);
                    RpcClient two = caller(calling, name);
                    RpcClient three = caller(calling, name)) {
                calls(List.of(one));
                calls(List.of(one, two, three));
            }
            try (RpcClient leaves = caller(calling, name)) {
                for (int i = 0; i < IN_FLIGHT; i++) {
                    var _ = leaves.callAsync(1, new byte[LENGTH]);
                }
            }
            try (RpcClient one = caller(calling, name)) {
                calls(List.of(one));
            }
            held.countDown();
            assertThat(server.server().isClosed()).isFalse();
        }
    }

    /** One of its clients stands still with every receive posted, another sends and leaves; the rest hear all. */
    @Test
    void thePublisherOutlivesItsClients() {
        String name = Machine.uniqueName();
        byte[] news = new byte[65536];
        try (Device dpu = Device.openDpu(Machine.DPU);
                Representor representor = dpu.openRepresentor(Machine.HOST);
                Publisher publisher = new Publisher(dpu, representor, name);
                Reader frozen = new Reader(publisher, name, news.length);
                Reader reader = new Reader(publisher, name, news.length)) {
            for (int i = 0; i < 100; i++) {
                if (i == 50) {
                    sendsAndLeaves(publisher, name);
                }
                int before = reader.received;
                Machine.until(
                        "a place",
                        () -> progressed(publisher) && publisher.publish(MemorySegment.ofArray(news)),
                        reader.engine);
                Machine.until("the news", () -> progressed(publisher) && reader.received == before + 1, reader.engine);
            }
            assertThat(frozen.received).isZero();
            assertThat(publisher.subscribers()).isEqualTo(2);
        }
    }

    private static void sendsAndLeaves(Publisher publisher, String name) {
        try (ProgressEngine engine = ProgressEngine.create();
                ComchClient client = ComchClient.builder(engine, host, name).start()) {
            Machine.until("a connection", () -> progressed(publisher) && client.isConnected(), engine);
            int[] sent = new int[1];
            Machine.until(
                    "its messages",
                    () -> progressed(publisher)
                            && (sent[0] += client.connection()
                                                    .trySend(new byte[LENGTH])
                                                    .accepted()
                                            ? 1
                                            : 0)
                                    >= MANY,
                    engine);
        }
    }

    private static boolean progressed(Publisher publisher) {
        publisher.progress();
        return true;
    }

    /** A subscriber, in the thread of its publisher. */
    private static final class Reader implements AutoCloseable {
        private static final int RECEIVES = 16;
        private final ProgressEngine engine = ProgressEngine.create();
        private final MemoryMap memory;
        private int received;

        Reader(Publisher publisher, String name, int longest) {
            memory = MemoryMap.allocate(host, (long) RECEIVES * longest, Access.PCI_READ_WRITE);
            int before = publisher.subscribers();
            ComchClient client = ComchClient.builder(engine, host, name).start();
            Machine.until("a connection", () -> progressed(publisher) && client.isConnected(), engine);
            ComchConsumer consumer = client.connection()
                    .consumer(engine, memory)
                    .tasks(RECEIVES)
                    .buffers(RECEIVES, longest)
                    .repost(true)
                    .onReceive((self, buffer, producer, immediate) -> received++)
                    .start();
            Machine.until(
                    "a subscriber",
                    () -> progressed(publisher) && consumer.isRunning() && publisher.subscribers() > before,
                    engine);
        }

        @Override
        public void close() {
            engine.close();
            memory.close();
        }
    }

    private static RpcClient caller(EventLoop loop, String name) {
        return RpcClient.builder(loop, host, name).connect(Machine.PATIENCE);
    }

    /** Each makes so many calls, as many at a time as it may, and all are answered. */
    private static void calls(List<RpcClient> clients) {
        ArrayDeque<CompletableFuture<byte[]>> answers = new ArrayDeque<>();
        for (int i = 0; i < MANY; i++) {
            if (i >= IN_FLIGHT) {
                clients.forEach(client -> assertThat(answers.remove().join()).hasSize(LENGTH));
            }
            clients.forEach(client -> answers.add(client.callAsync(1, new byte[LENGTH])));
        }
        answers.forEach(answer -> assertThat(answer.join()).hasSize(LENGTH));
    }

    private static void alone(String name, boolean framed) {
        try (Client client = new Client(name, framed)) {
            await(List.of(client));
        }
    }

    private static void together(String name, boolean framed) {
        List<Client> clients = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            clients.add(new Client(name, framed));
        }
        await(clients);
        clients.forEach(Client::close);
    }

    private static void await(List<Client> clients) {
        long deadline = System.nanoTime() + 3 * Machine.PATIENCE.toNanos();
        while (clients.stream().anyMatch(client -> !client.isAnswered())) {
            clients.forEach(Client::send);
            assertThat(clients).allMatch(client -> client.client.isConnected());
            assertThat(System.nanoTime() - deadline).as("gave up").isNegative();
        }
    }

    private static void leaves(String name, boolean framed) {
        try (Client client = new Client(name, framed)) {
            while (client.sent < MANY) {
                client.send();
            }
        }
    }
}
