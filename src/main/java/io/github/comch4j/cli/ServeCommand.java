package io.github.comch4j.cli;

import io.github.comch4j.DocaException;
import io.github.comch4j.cli.program.Interrupt;
import io.github.comch4j.cli.program.ProgramException;
import io.github.comch4j.cli.program.ProgressWait;
import io.github.comch4j.comch.ComchConnection;
import io.github.comch4j.comch.ComchServer;
import io.github.comch4j.core.Device;
import io.github.comch4j.core.Doca;
import io.github.comch4j.core.PciAddress;
import io.github.comch4j.core.ProgressEngine;
import io.github.comch4j.core.Representor;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code comch serve}: sends each message back. */
@Command(
        name = "serve",
        description = "On the DPU: answer \"comch ping\", until Ctrl-C.",
        footer = "  comch serve --representor 0000:b1:00.2     the host's first virtual function")
final class ServeCommand extends ToolCommand implements Runnable, UsesDevice {
    static final String NAME = "comch4j-ping";

    @Mixin
    private DeviceChoice choice;

    @Mixin
    private final ServerName named = new ServerName(NAME);

    @Option(names = "--clients", paramLabel = "N", description = "end after N clients")
    private int clients = Integer.MAX_VALUE;

    private int left;
    private long messages;

    @Override
    public void run() {
        within("--clients", clients, 1, Integer.MAX_VALUE);
        String name = named.get();
        PciAddress chosen = choice.device(true);
        try (ProgressEngine engine = ProgressEngine.create();
                Device device = Device.openDpu(chosen);
                Representor representor = device.openRepresentor(choice.function(device));
                ComchServer _ = start(engine, device, representor, name);
                Interrupt interrupt = new Interrupt()) {
            System.out.println(chosen + " serves " + representor.address() + " as \"" + name + "\" (DOCA "
                    + Doca.library().version() + ", " + Doca.library().kind() + ")");
            new ProgressWait(engine, Duration.ofDays(1)).awaitForever(() -> left >= clients || interrupt.stopped());
            System.out.println(messages + " messages answered, of " + left + " clients that have left");
        }
    }

    private ComchServer start(ProgressEngine engine, Device device, Representor representor, String name) {
        return ProgramException.serving(
                name,
                representor.address(),
                () -> ComchServer.builder(engine, device, representor, name)
                        .onConnected(connection -> System.out.println("a client has connected"))
                        .onMessage(this::answer)
                        .onDisconnected(connection -> {
                            left++;
                            System.out.println("a client has left after " + answered(connection) + " messages");
                        })
                        .start());
    }

    private void answer(ComchConnection connection, MemorySegment message) {
        try {
            connection.enqueue(message);
            messages++;
            connection.attach(answered(connection) + 1);
        } catch (DocaException e) {
            // the client has gone meanwhile
        }
    }

    /** How many of its messages were sent back. */
    private static int answered(ComchConnection connection) {
        return connection.attachment() instanceof Integer count ? count : 0;
    }
}
