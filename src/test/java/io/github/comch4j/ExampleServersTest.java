package io.github.comch4j;

import static org.assertj.core.api.Assertions.assertThat;

import examples.EchoServer;
import examples.HelloServer;
import examples.ManyClients;
import io.github.comch4j.comch.ComchClient;
import io.github.comch4j.core.Device;
import io.github.comch4j.core.Devices;
import io.github.comch4j.core.ProgressEngine;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The servers of the examples, which send each message back, outlive clients of every kind. */
@Timeout(120)
public class ExampleServersTest {
    private static final int MANY = 2000;

    private static Device host;

    @BeforeAll
    static void open() {
        Machine.useEmulation();
        host = Devices.openHost(Machine.HOST);
    }

    @AfterAll
    static void close() {
        host.close();
    }

    static Stream<Arguments> servers() {
        return Stream.of(
                Arguments.of("HelloServer", (Consumer<String[]>) HelloServer::main),
                Arguments.of("EchoServer", (Consumer<String[]>) EchoServer::main),
                Arguments.of("ManyClients", (Consumer<String[]>) ManyClients::main));
    }

    /** A client that sends so many messages without waiting for answers, and reads them in between. */
    private static final class Client implements AutoCloseable {
        final ProgressEngine engine = ProgressEngine.create();
        final ComchClient client;
        int sent;
        int answers;

        Client(String server) {
            client = ComchClient.builder(engine, host, server)
                    .onMessage((connection, message) -> answers++)
                    .connect(Machine.PATIENCE);
        }

        void send() {
            if (sent < MANY && client.connection().trySend(new byte[100]).accepted()) {
                sent++;
            }
            engine.progress();
        }

        @Override
        public void close() {
            engine.close();
        }
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("servers")
    void outlivesItsClients(String title, Consumer<String[]> main) throws Exception {
        String name = Machine.uniqueName();
        CompletableFuture<Void> server = new CompletableFuture<>();
        Thread thread = new Thread(() -> {
            try {
                main.accept(new String[] {name});
                server.complete(null);
            } catch (Throwable t) {
                server.completeExceptionally(t);
            }
        });
        thread.start();
        try (Client frozen = new Client(name)) {
            while (frozen.client.connection().trySend(new byte[100]).accepted()) {
                frozen.sent++; // and never asks for progress again
            }
            alone(name);
            together(name);
            leaves(name);
            alone(name);
            assertThat(frozen.client.isConnected()).isTrue();
        } finally {
            assertThat(server).isNotDone();
            thread.interrupt();
        }
        server.exceptionally(interrupted -> null).join();
    }

    private static void alone(String name) {
        try (Client client = new Client(name)) {
            await(List.of(client));
        }
    }

    private static void together(String name) {
        List<Client> clients = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            clients.add(new Client(name));
        }
        await(clients);
        clients.forEach(Client::close);
    }

    private static void await(List<Client> clients) {
        long deadline = System.nanoTime() + 3 * Machine.PATIENCE.toNanos();
        while (clients.stream().anyMatch(client -> client.answers < MANY)) {
            clients.forEach(Client::send);
            assertThat(clients).allMatch(client -> client.client.isConnected());
            assertThat(System.nanoTime() - deadline).as("gave up").isNegative();
        }
    }

    private static void leaves(String name) {
        try (Client client = new Client(name)) {
            while (client.sent < MANY) {
                client.send();
            }
        }
    }
}
