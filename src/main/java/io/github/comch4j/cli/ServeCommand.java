package io.github.comch4j.cli;

import io.github.comch4j.DocaException;
import io.github.comch4j.cli.program.ProgramException;
import io.github.comch4j.cli.program.ProgressWait;
import io.github.comch4j.comch.ComchConnection;
import io.github.comch4j.comch.ComchServer;
import io.github.comch4j.core.Device;
import io.github.comch4j.core.Devices;
import io.github.comch4j.core.Doca;
import io.github.comch4j.core.PciAddress;
import io.github.comch4j.core.ProgressEngine;
import io.github.comch4j.core.Representor;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Queue;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code comch serve}: sends each message back. */
@Command(
        name = "serve",
        description = "On the DPU: answer \"comch ping\", until Ctrl-C.",
        footerHeading = "%nExample:%n",
        footer = "  comch serve --representor 0000:b1:00.2     the host's first virtual function")
final class ServeCommand implements UsesDevice {
    static final String NAME = "comch4j-ping";

    /** An answer that could not be sent yet. */
    private record WaitingAnswer(ComchConnection connection, byte[] bytes) {}

    @Option(
            names = "--device",
            paramLabel = "PCI",
            converter = OptionConverters.Address.class,
            description = "the DPU's own device (the first that can serve)")
    private @Nullable PciAddress address;

    @Option(
            names = "--representor",
            paramLabel = "PCI",
            converter = OptionConverters.Address.class,
            description = "the host's function to serve, as the host sees it (the first)")
    private @Nullable PciAddress function;

    @Option(
            names = "--name",
            paramLabel = "NAME",
            defaultValue = NAME,
            description = "the server's name, which clients ask for (${DEFAULT-VALUE})")
    private String name;

    @Option(names = "--clients", paramLabel = "N", description = "end after N clients")
    private int clients = Integer.MAX_VALUE;

    @Mixin
    CommonOptions common;

    @Spec
    private CommandSpec spec;

    private final Queue<WaitingAnswer> waiting = new ArrayDeque<>();
    private int served;
    private long messages;

    @Override
    public void run() {
        OptionConverters.name(spec, name);
        OptionConverters.within(spec, "--clients", clients, 1, Integer.MAX_VALUE);
        PciAddress chosen = address != null ? address : DeviceChoice.device(true);
        try (ProgressEngine engine = ProgressEngine.create();
                Device device = Devices.openDpu(chosen);
                Representor representor =
                        device.openRepresentor(function != null ? function : DeviceChoice.function(device));
                ComchServer server = start(engine, device, representor);
                Interrupt interrupt = new Interrupt()) {
            System.out.println(chosen + " serves " + representor.address() + " as \"" + server.name() + "\" (DOCA "
                    + Doca.library().version() + ", " + Doca.library().kind() + ")");
            ProgressWait patience = new ProgressWait(engine, Duration.ofDays(1));
            while (served < clients && !interrupt.stopped()) {
                int before = served;
                patience.awaitForever(() -> served > before || !waiting.isEmpty() || interrupt.stopped());
                answer();
            }
            System.out.println(messages + " messages answered, of " + served + " clients that have left");
        }
    }

    private ComchServer start(ProgressEngine engine, Device device, Representor representor) {
        return ProgramException.serving(
                name,
                representor.address(),
                () -> ComchServer.builder(engine, device, representor, name)
                        .onConnected(connection -> System.out.println("a client has connected"))
                        .onMessage((connection, message) -> {
                            waiting.add(new WaitingAnswer(connection, message.toArray(ValueLayout.JAVA_BYTE)));
                            answer();
                        })
                        .onDisconnected(connection -> {
                            served++;
                            System.out.println("a client has left after " + answered(connection) + " messages");
                        })
                        .start());
    }

    /** In order, as far as there is room. */
    private void answer() {
        for (WaitingAnswer next = waiting.peek(); next != null; next = waiting.peek()) {
            try {
                if (!next.connection.trySend(next.bytes).accepted()) {
                    return;
                }
                messages++;
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
