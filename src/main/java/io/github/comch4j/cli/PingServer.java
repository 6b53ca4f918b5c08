package io.github.comch4j.cli;

import io.github.comch4j.DocaError;
import io.github.comch4j.DocaException;
import io.github.comch4j.comch.ComchConnection;
import io.github.comch4j.comch.ComchServer;
import io.github.comch4j.core.Device;
import io.github.comch4j.core.Devices;
import io.github.comch4j.core.Doca;
import io.github.comch4j.core.PciAddress;
import io.github.comch4j.core.ProgressEngine;
import io.github.comch4j.core.Representor;
import io.github.comch4j.core.RepresentorInfo;
import io.github.comch4j.internal.program.CommandLine;
import io.github.comch4j.internal.program.Patience;
import io.github.comch4j.internal.program.ProgramException;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Optional;
import java.util.Queue;

/** {@code comch serve}: sends each message back. */
final class PingServer {
    static final String NAME = "comch4j-ping";

    /** An answer that could not be sent yet. */
    private record Answer(ComchConnection connection, byte[] bytes) {}

    private final Optional<PciAddress> address;
    private final Optional<PciAddress> function;
    private final String name;
    private final int clients;
    private final Queue<Answer> waiting = new ArrayDeque<>();
    private int served;

    PingServer(CommandLine line) {
        address = line.address("--device");
        function = line.address("--representor");
        name = line.name(NAME);
        clients = line.number("--clients", Integer.toString(Integer.MAX_VALUE), 1, Integer.MAX_VALUE);
        line.end();
    }

    void run() {
        PciAddress chosen = address.orElseGet(() -> Comch.choose(true));
        try (ProgressEngine engine = ProgressEngine.create();
                Device device = Devices.openDpu(chosen);
                Representor representor = device.openRepresentor(function.orElseGet(() -> first(device)));
                ComchServer server = start(engine, device, representor)) {
            System.out.println(chosen + " serves " + representor.address() + " as \"" + server.name() + "\" (DOCA "
                    + Doca.library().version() + ", " + Doca.library().kind() + ")");
            Patience patience = new Patience(engine, Duration.ofDays(1));
            while (served < clients) {
                int before = served;
                patience.awaitForever(() -> served > before || !waiting.isEmpty());
                answer();
            }
        }
    }

    private static PciAddress first(Device device) {
        List<RepresentorInfo> functions = device.representors();
        if (functions.isEmpty()) {
            throw new ProgramException(device.address() + " represents no function of the host");
        }
        return functions.getFirst().address();
    }

    private ComchServer start(ProgressEngine engine, Device device, Representor representor) {
        try {
            return ComchServer.builder(engine, device, representor, name)
                    .onConnected(connection -> System.out.println("a client has connected"))
                    .onMessage((connection, message) -> {
                        waiting.add(new Answer(connection, message.toArray(ValueLayout.JAVA_BYTE)));
                        answer();
                    })
                    .onDisconnected(connection -> {
                        served++;
                        System.out.println("a client has left after " + answered(connection) + " messages");
                    })
                    .start();
        } catch (DocaException e) {
            if (e.error() == DocaError.INITIALIZATION) {
                throw new ProgramException(
                        "\"" + name + "\" cannot be served at " + representor.address() + ": " + e.getMessage(), e);
            }
            throw e;
        }
    }

    /** In order, as far as there is room. */
    private void answer() {
        for (Answer next = waiting.peek(); next != null; next = waiting.peek()) {
            try {
                if (!next.connection.trySend(next.bytes).accepted()) {
                    return;
                }
                next.connection.attach(answered(next.connection) + 1);
            } catch (DocaException e) {
                // the client has gone meanwhile
            }
            waiting.remove();
        }
    }

    /** How many of its messages were sent back. */
    private static int answered(ComchConnection connection) {
        return connection.attachment() instanceof Integer count ? count : 0;
    }
}
