package io.github.comch4j.cli;

import io.github.comch4j.DocaError;
import io.github.comch4j.DocaException;
import io.github.comch4j.comch.ComchClient;
import io.github.comch4j.core.Device;
import io.github.comch4j.core.Devices;
import io.github.comch4j.core.Doca;
import io.github.comch4j.core.PciAddress;
import io.github.comch4j.core.ProgressEngine;
import io.github.comch4j.internal.program.CommandLine;
import io.github.comch4j.internal.program.Patience;
import io.github.comch4j.internal.program.ProgramException;
import io.github.comch4j.internal.program.Sizes;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.Arrays;
import java.util.Optional;

/** {@code comch ping}: one message at a time, each of which must come back unchanged. */
final class PingClient {
    private final Optional<PciAddress> address;
    private final String name;
    private final int count;
    private final int size;
    private final Duration timeout;
    private byte[] answer;

    PingClient(CommandLine line) {
        address = line.address("--device");
        name = line.name(PingServer.NAME);
        count = line.number("--count", "10", 1, 1_000_000);
        size = (int) line.size("--size", "64", 1, 1 << 20);
        timeout = Duration.ofSeconds(line.number("--timeout", "10", 1, 86_400));
        line.end();
    }

    void run() {
        PciAddress chosen = address.orElseGet(() -> Comch.choose(false));
        try (ProgressEngine engine = ProgressEngine.create();
                Device device = Devices.openHost(chosen)) {
            Patience patience = new Patience(engine, timeout);
            try (ComchClient client = connect(engine, device, patience)) {
                System.out.println(chosen + " is connected to \"" + name + "\" (DOCA "
                        + Doca.library().version() + ", " + Doca.library().kind() + ")");
                if (size > client.maxMessageSize()) {
                    throw new ProgramException("messages have at most " + client.maxMessageSize() + " bytes here");
                }
                long[] nanos = new long[count];
                for (int i = 0; i < count; i++) {
                    nanos[i] = roundTrip(client, patience, i);
                }
                Arrays.sort(nanos);
                System.out.println(("%d messages of %s came back:"
                                + " fastest %.1f us, median %.1f us, slowest %.1f us there and back")
                        .formatted(
                                count,
                                Sizes.format(size),
                                nanos[0] / 1e3,
                                nanos[count / 2] / 1e3,
                                nanos[count - 1] / 1e3));
            }
        }
    }

    private ComchClient connect(ProgressEngine engine, Device device, Patience patience) {
        try {
            return ComchClient.builder(engine, device, name)
                    .onMessage((connection, message) -> answer = message.toArray(ValueLayout.JAVA_BYTE))
                    .onDisconnected(connection -> patience.fail("the server has gone"))
                    .connect(timeout);
        } catch (DocaException e) {
            if (e.error() == DocaError.CONNECTION_ABORTED || e.error() == DocaError.TIME_OUT) {
                throw ProgramException.refused(
                        name, device.address(), e, "is \"comch serve\" running on the DPU, for this function?");
            }
            throw e;
        }
    }

    private long roundTrip(ComchClient client, Patience patience, int number) {
        byte[] bytes = new byte[size];
        for (int i = 0; i < size; i++) {
            bytes[i] = (byte) (number + i * 31);
        }
        answer = null;
        long began = System.nanoTime();
        patience.await(
                "room for a message", () -> client.connection().trySend(bytes).accepted());
        patience.await("an answer", () -> answer != null);
        long took = System.nanoTime() - began;
        if (!Arrays.equals(answer, bytes)) {
            throw new ProgramException("message " + number + " came back changed");
        }
        return took;
    }
}
