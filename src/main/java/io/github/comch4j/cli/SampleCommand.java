package io.github.comch4j.cli;

import io.github.comch4j.LibraryInfo.Generation;
import io.github.comch4j.cli.sample.ChannelSample;
import io.github.comch4j.cli.sample.CtrlPathSample;
import io.github.comch4j.cli.sample.DataPathSample;
import io.github.comch4j.cli.sample.SampleEnd;
import io.github.comch4j.cli.sample.SampleOptions;
import io.github.comch4j.cli.sample.SampleOptions.SampleDevice;
import io.github.comch4j.cli.sample.SecureChannelSample;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** {@code comch sample}: the sample programs in DOCA's guides, each of which talks to its counterpart in C. */
@Command(
        name = "sample",
        description = {
            "Do what one of DOCA's sample programs does; the peer can be such a program. Start the server, on the"
                    + " DPU, first.",
            "In the samples of 2.5 and 2.6, and of the endpoint API, an address without a domain matches any"
                    + " domain."
        },
        synopsisSubcommandLabel = "NAME",
        commandListHeading = "%nSamples:%n",
        footer = {
            "  comch sample ctrl-path-server -p 03:00.0 -r b1:00.0     on the DPU, first",
            "  comch sample ctrl-path-client -p b1:00.0                on the host"
        },
        subcommands = {
            SampleCommand.CtrlPathServer.class,
            SampleCommand.CtrlPathClient.class,
            SampleCommand.DataPathServer.class,
            SampleCommand.DataPathClient.class,
            SampleCommand.ChannelServer.class,
            SampleCommand.ChannelClient.class,
            SampleCommand.SecureServer.class,
            SampleCommand.SecureClient.class,
        })
final class SampleCommand extends ToolCommand implements Runnable {
    private static final String CLIENTS_TEXT = "Message from the client";
    /** The DPU's device in all guides. */
    private static final String DPU = "03:00.0";

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "the sample is missing");
    }

    /** One end of a conversation: a server, if its name says so. */
    abstract static class End extends ToolCommand implements Runnable, UsesDevice {
        final boolean server = getClass().getAnnotation(Command.class).name().endsWith("-server");

        @Option(
                names = {"-p", "--pci-addr"},
                paramLabel = "PCI",
                description = "this side's device (${DEFAULT-VALUE})")
        SampleDevice device;

        @Option(
                names = {"-r", "--rep-pci"},
                paramLabel = "PCI",
                description = "the host's function to serve (${DEFAULT-VALUE}); clients ignore it")
        SampleDevice function;

        private End(String function) {
            this.device = SampleDevice.of(server ? DPU : function);
            this.function = SampleDevice.of(function);
        }

        final byte[] bytes(String text, int most) {
            byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
            if (bytes.length < 1 || bytes.length > most) {
                throw wrong("--text of " + bytes.length + " bytes: must be 1 to " + most);
            }
            return bytes;
        }
    }

    /** On DOCA's control path or fast path. */
    abstract static class PathEnd extends End {
        @Option(
                names = {"-t", "--text"},
                paramLabel = "TEXT",
                description = "the text to send, up to 4096 bytes; one message if the device's limit permits"
                        + " (${DEFAULT-VALUE})")
        private String text = CLIENTS_TEXT;

        @Option(
                names = "--generation",
                paramLabel = "WHICH",
                description = "use the server name of the samples of 3.0 (Comch), or of 2.6 or 2.5 (doca_cc);"
                        + " default: the library's release")
        private @Nullable String generation;

        private final Function<SampleOptions, SampleEnd> sample;

        private PathEnd(Function<SampleOptions, SampleEnd> sample) {
            super("b1:00.0");
            this.sample = sample;
        }

        @Override
        public void run() {
            Generation chosen = generation == null
                    ? null
                    : switch (generation) {
                        case "3.0" -> Generation.COMCH;
                        case "2.6" -> Generation.CC_2_6;
                        case "2.5" -> Generation.CC_2_5;
                        default -> throw wrong("--generation " + generation + ": must be 3.0 or 2.6 or 2.5");
                    };
            byte[] bytes = bytes(text, SampleOptions.MOST_TEXT);
            sample.apply(new SampleOptions(server, device, function, bytes, Optional.ofNullable(chosen)))
                    .run();
        }
    }

    abstract static class CtrlPathEnd extends PathEnd {
        private CtrlPathEnd() {
            super(CtrlPathSample::new);
        }
    }

    abstract static class DataPathEnd extends PathEnd {
        private DataPathEnd() {
            super(DataPathSample::new);
        }
    }

    /** Of the endpoint API, whose programs have another function. */
    abstract static class EndpointEnd extends End {
        private EndpointEnd() {
            super("3b:00.0");
        }

        final SampleOptions options(byte[] text) {
            return SampleOptions.ofEndpoints(server, device, function, text);
        }
    }

    abstract static class ChannelSampleEnd extends EndpointEnd {
        @Option(
                names = {"-t", "--text"},
                paramLabel = "TEXT",
                description = "the text to send, up to 4079 bytes (${DEFAULT-VALUE})")
        private String text = server ? "Message from the server" : CLIENTS_TEXT;

        @Override
        public void run() {
            new ChannelSample(options(bytes(text, ChannelSample.MOST_TEXT))).run();
        }
    }

    /** Of DOCA 2.5's application {@code secure_channel}. */
    abstract static class SecureEnd extends EndpointEnd {
        @Option(
                names = {"-s", "--msg-size"},
                paramLabel = "BYTES",
                converter = OptionConverters.Size.class,
                description = "the size of each message, 1 to 4080 (${DEFAULT-VALUE})")
        private long size = 1024;

        @Option(
                names = {"-n", "--num-msgs"},
                paramLabel = "COUNT",
                description = "the number of messages to send (${DEFAULT-VALUE})")
        private int messages = 10_000;

        @Option(
                names = "--end-after",
                paramLabel = "COUNT",
                description = "end without Ctrl-C, after COUNT messages have been received and everything sent has"
                        + " arrived")
        private int endAfter;

        @Override
        public void run() {
            int each = (int) within("--msg-size", size, 1, SecureChannelSample.MESSAGE_SIZE);
            within("--num-msgs", messages, 1, Integer.MAX_VALUE);
            within("--end-after", endAfter, 0, Integer.MAX_VALUE);
            new SecureChannelSample(options(SecureChannelSample.pattern(each)), messages, endAfter).run();
        }
    }

    @Command(
            name = "ctrl-path-server",
            description = "On the DPU: receive a message, answer it, and end.",
            footer = "  comch sample ctrl-path-server -p 03:00.0 -r b1:00.0 -t \"from the DPU\"")
    static final class CtrlPathServer extends CtrlPathEnd {}

    @Command(
            name = "ctrl-path-client",
            description = "On the host: send a message, receive the answer, and end.",
            footer = "  comch sample ctrl-path-client -p b1:00.0 -t \"from the host\"")
    static final class CtrlPathClient extends CtrlPathEnd {}

    @Command(
            name = "data-path-high-speed-server",
            description = "On the DPU: receive a text through a consumer, and send one through a producer.",
            footer = "  comch sample data-path-high-speed-server -p 03:00.0 -r b1:00.0")
    static final class DataPathServer extends DataPathEnd {}

    @Command(
            name = "data-path-high-speed-client",
            description = "On the host: send a text through a producer, and receive one through a consumer.",
            footer = "  comch sample data-path-high-speed-client -p b1:00.0")
    static final class DataPathClient extends DataPathEnd {}

    @Command(
            name = "channel-server",
            description = "On the DPU: like ctrl-path-server, with the endpoint API of DOCA 1.5 to 2.8.",
            footer = "  comch sample channel-server -p 03:00.0 -r b1:00.0")
    static final class ChannelServer extends ChannelSampleEnd {}

    @Command(
            name = "channel-client",
            description = "On the host: like ctrl-path-client, with the endpoint API.",
            footer = "  comch sample channel-client -p b1:00.0")
    static final class ChannelClient extends ChannelSampleEnd {}

    @Command(
            name = "secure-channel-server",
            description = "On the DPU: DOCA 2.5's application secure_channel, with the endpoint API. It sends"
                    + " messages and receives the client's, in two threads, until Ctrl-C.",
            footer = "  comch sample secure-channel-server -r b1:00.0 -n 1000 --end-after 1000")
    static final class SecureServer extends SecureEnd {}

    @Command(
            name = "secure-channel-client",
            description = "On the host: the same.",
            footer = "  comch sample secure-channel-client -p b1:00.0 -n 1000 --end-after 1000")
    static final class SecureClient extends SecureEnd {}
}
