package io.github.comch4j.cli;

import io.github.comch4j.cli.perf.Units;
import io.github.comch4j.cli.program.Interrupt;
import io.github.comch4j.cli.program.ProgramException;
import io.github.comch4j.cli.program.ProgressWait;
import io.github.comch4j.comch.ComchClient;
import io.github.comch4j.core.Device;
import io.github.comch4j.core.Doca;
import io.github.comch4j.core.PciAddress;
import io.github.comch4j.core.ProgressEngine;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.Arrays;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code comch ping}: one message at a time, each of which must come back unchanged. */
@Command(
        name = "ping",
        description = "On the host: send messages to \"comch serve\" and time the answers. Ctrl-C stops and prints the"
                + " summary.",
        footer = {
            "  comch ping -c 3                    three messages, one per second",
            "  comch ping -f -c 100000 -s 4080    as fast as they come back"
        })
final class PingCommand extends ToolCommand implements Runnable, UsesDevice {
    private static final double[] PERCENTILES = {50, 90, 99, 99.9};

    @Option(
            names = "--device",
            paramLabel = "PCI",
            description = "the host's function of the BlueField (the first that can be a client)")
    private @Nullable PciAddress address;

    @Mixin
    private final ServerName named = new ServerName(ServeCommand.NAME);

    @Option(
            names = {"-c", "--count"},
            paramLabel = "N",
            description = "number of messages; 0: until Ctrl-C (${DEFAULT-VALUE})")
    private long count = 10;

    @Option(
            names = {"-s", "--size"},
            paramLabel = "BYTES",
            converter = OptionConverters.Size.class,
            description = "the size of each message: 64, 1K, … (${DEFAULT-VALUE})")
    private long bytes = 64;

    @Option(
            names = {"-i", "--interval"},
            paramLabel = "SECONDS",
            defaultValue = "1",
            description = "time from one message to the next (${DEFAULT-VALUE})")
    private Duration interval;

    @Option(
            names = {"-f", "--flood"},
            description = "send without an interval, and print no line for each message")
    private boolean flood;

    @Option(
            names = {"-q", "--quiet"},
            description = "print no line for each message")
    private boolean quiet;

    @Option(
            names = {"-W", "--timeout"},
            paramLabel = "SECONDS",
            defaultValue = "10",
            description = "how long to wait for the server, and for each answer (${DEFAULT-VALUE})")
    private Duration timeout;

    private final Histogram nanos = new Histogram(3);
    private int size;
    private long sent;
    private String name;
    private byte[] answer;

    @Override
    public void run() {
        name = named.get();
        within("--count", count, 0, Long.MAX_VALUE);
        size = (int) within("--size", bytes, 1, 1 << 20);
        PciAddress chosen = address != null ? address : DeviceChoice.first(false);
        try (ProgressEngine engine = ProgressEngine.create();
                Device device = Device.openHost(chosen);
                Interrupt interrupt = new Interrupt()) {
            ProgressWait patience = new ProgressWait(engine, timeout);
            try (ComchClient client = connect(engine, device, patience)) {
                System.out.println(chosen + " is connected to \"" + name + "\" (DOCA "
                        + Doca.library().version() + ", " + Doca.library().kind() + ")");
                if (size > client.maxMessageSize()) {
                    throw new ProgramException("messages have at most " + client.maxMessageSize() + " bytes here");
                }
                ping(client, patience, interrupt);
            }
        }
    }

    private ComchClient connect(ProgressEngine engine, Device device, ProgressWait patience) {
        try (WaitNotice _ = WaitNotice.on("\"" + name + "\" to be served by \"comch serve\" on the DPU")) {
            String advice = "is \"comch serve\" running on the DPU, for this function?";
            return ProgramException.connecting(
                    name,
                    device.address(),
                    advice,
                    () -> ComchClient.builder(engine, device, name)
                            .onMessage((connection, message) -> answer = message.toArray(ValueLayout.JAVA_BYTE))
                            .onDisconnected(connection -> patience.fail("the server has gone"))
                            .connect(timeout));
        }
    }

    private void ping(ComchClient client, ProgressWait patience, Interrupt interrupt) {
        long began = System.nanoTime();
        long last = began - interval.toNanos();
        try {
            while (!interrupt.stopped() && (count == 0 || sent < count) && !System.out.checkError()) {
                long due = last + interval.toNanos(); // also after a stop, in which some would have been due
                if (!flood && due - System.nanoTime() > 0) {
                    patience.awaitForever(() -> interrupt.stopped() || due - System.nanoTime() <= 0);
                    continue;
                }
                last = System.nanoTime();
                roundTrip(client, patience, interrupt);
            }
        } finally {
            summary(System.nanoTime() - began);
        }
    }

    private void roundTrip(ComchClient client, ProgressWait patience, Interrupt interrupt) {
        byte[] message = new byte[size];
        for (int i = 0; i < size; i++) {
            message[i] = (byte) (sent + i * 31L);
        }
        answer = null;
        long began = System.nanoTime();
        patience.await(
                "room for a message", () -> client.connection().trySend(message).accepted());
        sent++;
        patience.await("an answer", () -> answer != null || interrupt.stopped());
        long took = System.nanoTime() - began;
        if (answer == null) {
            return; // interrupted
        }
        if (!Arrays.equals(answer, message)) {
            throw new ProgramException("message " + sent + " came back changed");
        }
        nanos.recordValue(took);
        if (!flood && !quiet) {
            System.out.println("%d bytes from %s: seq=%d time=%s".formatted(size, name, sent, micros(took)));
        }
    }

    private void summary(long took) {
        long back = nanos.getTotalCount();
        System.out.println();
        System.out.println("--- " + name + ", messages of " + size + (size == 1 ? " byte" : " bytes") + " ---");
        System.out.println("%d sent, %d came back, %.3f s".formatted(sent, back, took / 1e9));
        if (back == 0) {
            return;
        }
        StringBuilder line = new StringBuilder("there and back: fastest ").append(micros(nanos.getMinValue()));
        for (double percentile : PERCENTILES) {
            line.append(", ")
                    .append(Units.percentile(percentile))
                    .append(' ')
                    .append(micros(nanos.getValueAtPercentile(percentile)));
        }
        System.out.println(line.append(", slowest ").append(micros(nanos.getMaxValue())));
    }

    private static String micros(long nanoseconds) {
        return "%.1f us".formatted(nanoseconds / 1e3);
    }
}
