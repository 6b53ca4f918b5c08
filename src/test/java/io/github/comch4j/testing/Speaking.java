package io.github.comch4j.testing;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.comch4j.Machine;
import io.github.comch4j.comch.ComchClient;
import io.github.comch4j.comch.ComchServer;
import io.github.comch4j.core.Device;
import io.github.comch4j.core.ProgressEngine;
import io.github.comch4j.core.Representor;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** A server that greets its clients, and a client: whom it reaches, the greeting tells. */
final class Speaking {
    private Speaking() {}

    static ComchServer serve(ProgressEngine engine, Device dpu, Representor function, String name, String greeting) {
        return ComchServer.builder(engine, dpu, function, name)
                .onConnected(connection -> connection.enqueue(greeting.getBytes(StandardCharsets.UTF_8)))
                .start();
    }

    static String greetingOf(ProgressEngine engine, Device host, String name) {
        List<String> heard = new ArrayList<>();
        try (var client = ComchClient.builder(engine, host, name)
                .onMessage((connection, message) -> heard.add(
                        StandardCharsets.UTF_8.decode(message.asByteBuffer()).toString()))
                .connect(Machine.PATIENCE)) {
            assertThat(client.isConnected()).isTrue();
            engine.await(() -> !heard.isEmpty(), Machine.PATIENCE);
        }
        return heard.getFirst();
    }

    /** As a program does that knows nothing of tests. */
    static Device openHost() {
        return Device.openHost(Machine.HOST);
    }
}
