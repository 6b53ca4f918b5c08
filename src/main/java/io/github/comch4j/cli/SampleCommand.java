package io.github.comch4j.cli;

import io.github.comch4j.LibraryInfo.Generation;
import io.github.comch4j.cli.sample.ChannelSample;
import io.github.comch4j.cli.sample.CtrlPathSample;
import io.github.comch4j.cli.sample.DataPathSample;
import io.github.comch4j.cli.sample.SampleOptions;
import io.github.comch4j.cli.sample.SecureChannelSample;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

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
        footerHeading = "%nExample:%n",
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
final class SampleCommand implements Runnable {
    private static final String CLIENTS_TEXT = "Message from the client";
    /** The DPU's device in all guides. */
    private static final String DPU = "03:00.0";

    @Spec
    private CommandSpec spec;

    @Mixin
    CommonOptions common;

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "the sample is missing");
    }

    /** Where a program runs, with the defaults of its kind. */
    static final class Places {
        @Option(
                names = {"-p", "--pci-addr"},
                paramLabel = "PCI",
                converter = OptionConverters.SampleDeviceConverter.class,
                description = "this side's device (${DEFAULT-VALUE})")
        private SampleOptions.SampleDevice device;

        @Option(
                names = {"-r", "--rep-pci"},
                paramLabel = "PCI",
                converter = OptionConverters.SampleDeviceConverter.class,
                description = "the host's function to serve (${DEFAULT-VALUE}); clients ignore it")
        private SampleOptions.SampleDevice function;

        private Places(String device, String function) {
            this.device = SampleOptions.SampleDevice.of(device);
            this.function = SampleOptions.SampleDevice.of(function);
        }
    }

    /** One end of a conversation. */
    abstract static class End implements UsesDevice {
        final boolean server;

        @Mixin
        final Places places;

        @Mixin
        CommonOptions common;

        @Spec
        CommandSpec spec;

        private End(boolean server, String function) {
            this.server = server;
            this.places = new Places(server ? DPU : function, function);
        }
    }

    /** On DOCA's control path or fast path. */
    abstract static class PathEnd extends End {
        @Option(
                names = {"-t", "--text"},
                paramLabel = "TEXT",
                defaultValue = CLIENTS_TEXT,
                description = "the text to send, up to 4096 bytes; one message if the device's limit permits"
                        + " (${DEFAULT-VALUE})")
        private String text;

        @Option(
                names = "--generation",
                paramLabel = "WHICH",
                description = "use the server name of the samples of 3.0 (Comch), or of 2.6 or 2.5 (doca_cc);"
                        + " default: the library's release")
        private @Nullable String generation;

        private PathEnd(boolean server) {
            super(server, "b1:00.0");
        }

        final SampleOptions options() {
            Generation chosen = generation == null
                    ? null
                    : switch (generation) {
                        case "3.0" -> Generation.COMCH;
                        case "2.6" -> Generation.CC_2_6;
                        case "2.5" -> Generation.CC_2_5;
                        default ->
                            throw OptionConverters.wrong(
                                    spec, "--generation " + generation + ": must be 3.0 or 2.6 or 2.5");
                    };
            byte[] bytes = bytes(spec, text, SampleOptions.MOST_TEXT);
            return new SampleOptions(server, places.device, places.function, bytes, Optional.ofNullable(chosen));
        }
    }

    /** Of the endpoint API, whose programs have another function. */
    abstract static class EndpointEnd extends End {
        private EndpointEnd(boolean server) {
            super(server, "3b:00.0");
        }

        final SampleOptions options(byte[] text) {
            return SampleOptions.ofEndpoints(server, places.device, places.function, text);
        }
    }

    /** Of DOCA 2.5's application {@code secure_channel}. */
    abstract static class SecureEnd extends EndpointEnd {
        @Option(
                names = {"-s", "--msg-size"},
                paramLabel = "BYTES",
                defaultValue = "1024",
                converter = OptionConverters.Size.class,
                description = "the size of each message, 1 to 4080 (${DEFAULT-VALUE})")
        private long size;

        @Option(
                names = {"-n", "--num-msgs"},
                paramLabel = "COUNT",
                defaultValue = "10000",
                description = "the number of messages to send (${DEFAULT-VALUE})")
        private int messages;

        @Option(
                names = "--end-after",
                paramLabel = "COUNT",
                defaultValue = "0",
                description = "end without Ctrl-C, after COUNT messages have been received and everything sent has"
                        + " arrived")
        private int endAfter;

        private SecureEnd(boolean server) {
            super(server);
        }

        @Override
        public void run() {
            int each = (int) OptionConverters.within(spec, "--msg-size", size, 1, SecureChannelSample.MESSAGE_SIZE);
            OptionConverters.within(spec, "--num-msgs", messages, 1, Integer.MAX_VALUE);
            OptionConverters.within(spec, "--end-after", endAfter, 0, Integer.MAX_VALUE);
            new SecureChannelSample(options(SecureChannelSample.pattern(each)), messages, endAfter).run();
        }
    }

    private static byte[] bytes(CommandSpec spec, String text, int most) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        if (bytes.length < 1 || bytes.length > most) {
            throw OptionConverters.wrong(spec, "--text of " + bytes.length + " bytes: must be 1 to " + most);
        }
        return bytes;
    }

    @Command(
            name = "ctrl-path-server",
            description = "On the DPU: receive a message, answer it, and end.",
            footerHeading = "%nExample:%n",
            footer = "  comch sample ctrl-path-server -p 03:00.0 -r b1:00.0 -t \"from the DPU\"")
    static final class CtrlPathServer extends PathEnd {
        CtrlPathServer() {
            super(true);
        }

        @Override
        public void run() {
            new CtrlPathSample(options()).run();
        }
    }

    @Command(
            name = "ctrl-path-client",
            description = "On the host: send a message, receive the answer, and end.",
            footerHeading = "%nExample:%n",
            footer = "  comch sample ctrl-path-client -p b1:00.0 -t \"from the host\"")
    static final class CtrlPathClient extends PathEnd {
        CtrlPathClient() {
            super(false);
        }

        @Override
        public void run() {
            new CtrlPathSample(options()).run();
        }
    }

    @Command(
            name = "data-path-high-speed-server",
            description = "On the DPU: receive a text through a consumer, and send one through a producer.",
            footerHeading = "%nExample:%n",
            footer = "  comch sample data-path-high-speed-server -p 03:00.0 -r b1:00.0")
    static final class DataPathServer extends PathEnd {
        DataPathServer() {
            super(true);
        }

        @Override
        public void run() {
            new DataPathSample(options()).run();
        }
    }

    @Command(
            name = "data-path-high-speed-client",
            description = "On the host: send a text through a producer, and receive one through a consumer.",
            footerHeading = "%nExample:%n",
            footer = "  comch sample data-path-high-speed-client -p b1:00.0")
    static final class DataPathClient extends PathEnd {
        DataPathClient() {
            super(false);
        }

        @Override
        public void run() {
            new DataPathSample(options()).run();
        }
    }

    @Command(
            name = "channel-server",
            description = "On the DPU: like ctrl-path-server, with the endpoint API of DOCA 1.5 to 2.8.",
            footerHeading = "%nExample:%n",
            footer = "  comch sample channel-server -p 03:00.0 -r b1:00.0")
    static final class ChannelServer extends EndpointEnd {
        @Option(
                names = {"-t", "--text"},
                paramLabel = "TEXT",
                defaultValue = "Message from the server",
                description = "the answer, up to 4079 bytes (${DEFAULT-VALUE})")
        private String text;

        ChannelServer() {
            super(true);
        }

        @Override
        public void run() {
            new ChannelSample(options(bytes(spec, text, ChannelSample.MOST_TEXT))).run();
        }
    }

    @Command(
            name = "channel-client",
            description = "On the host: like ctrl-path-client, with the endpoint API.",
            footerHeading = "%nExample:%n",
            footer = "  comch sample channel-client -p b1:00.0")
    static final class ChannelClient extends EndpointEnd {
        @Option(
                names = {"-t", "--text"},
                paramLabel = "TEXT",
                defaultValue = CLIENTS_TEXT,
                description = "the text to send, up to 4079 bytes (${DEFAULT-VALUE})")
        private String text;

        ChannelClient() {
            super(false);
        }

        @Override
        public void run() {
            new ChannelSample(options(bytes(spec, text, ChannelSample.MOST_TEXT))).run();
        }
    }

    @Command(
            name = "secure-channel-server",
            description = "On the DPU: DOCA 2.5's application secure_channel, with the endpoint API. It sends"
                    + " messages and receives the client's, in two threads, until Ctrl-C.",
            footerHeading = "%nExample:%n",
            footer = "  comch sample secure-channel-server -r b1:00.0 -n 1000 --end-after 1000")
    static final class SecureServer extends SecureEnd {
        SecureServer() {
            super(true);
        }
    }

    @Command(
            name = "secure-channel-client",
            description = "On the host: the same.",
            footerHeading = "%nExample:%n",
            footer = "  comch sample secure-channel-client -p b1:00.0 -n 1000 --end-after 1000")
    static final class SecureClient extends SecureEnd {
        SecureClient() {
            super(false);
        }
    }
}
