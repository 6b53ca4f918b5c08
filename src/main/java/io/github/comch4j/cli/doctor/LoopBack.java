package io.github.comch4j.cli.doctor;

import io.github.comch4j.cli.program.ProgressWait;
import io.github.comch4j.comch.ComchClient;
import io.github.comch4j.comch.ComchConnection;
import io.github.comch4j.comch.ComchServer;
import io.github.comch4j.core.Device;
import io.github.comch4j.core.PciAddress;
import io.github.comch4j.core.ProgressEngine;
import io.github.comch4j.core.Representor;
import java.time.Duration;

/** A message from a client to a server in this process, and back. */
final class LoopBack {
    private static final Duration PATIENCE = Duration.ofSeconds(5);

    private final PciAddress dpu;
    private final PciAddress host;
    private long answered; // by the server
    private long back;

    LoopBack(PciAddress dpu, PciAddress host) {
        this.dpu = dpu;
        this.host = host;
    }

    /** How long the message took, there and back, ns; throws what is wrong. */
    long run() {
        String name = "comch-doctor-" + ProcessHandle.current().pid();
        try (ProgressEngine engine = ProgressEngine.create();
                Device serving = Device.openDpu(dpu);
                Representor representor = serving.openRepresentor(host);
                ComchServer server = ComchServer.builder(engine, serving, representor, name)
                        .onMessage((connection, message) ->
                                answered += connection.trySend(message).accepted() ? 1 : 0)
                        .start();
                Device calling = Device.openHost(host);
                ComchClient client = ComchClient.builder(engine, calling, server.name())
                        .onMessage((connection, message) -> back = message.byteSize())
                        .start()) {
            ProgressWait patience = new ProgressWait(engine, PATIENCE);
            patience.await("the connection", client::isConnected);
            ComchConnection connection = client.connection();
            byte[] message = new byte[64];
            long began = System.nanoTime();
            patience.await(
                    "room for a message", () -> connection.trySend(message).accepted());
            patience.await("the message to come back", () -> back == message.length && answered == 1);
            return System.nanoTime() - began;
        }
    }
}
