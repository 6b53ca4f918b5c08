package io.github.comch4j.cli;

import io.github.comch4j.LibraryInfo.Generation;
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
            "One end of a conversation that the sample programs in DOCA's guides hold; the other end may be such a"
                    + " program. The server, on the DPU, is to be started first.",
            "In the programs of 2.5 and 2.6, and of the endpoint API, an address without domain is of any."
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

    @Spec
    private CommandSpec spec;

    @Mixin
    Common common;

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "the sample is missing");
    }

    /** Of a server on DOCA's control path or fast path. */
    static final class ServerPlaces {
        @Option(
                names = {"-p", "--pci-addr"},
                paramLabel = "PCI",
                defaultValue = "03:00.0",
                converter = Words.Place.class,
                description = "the DPU's own device (${DEFAULT-VALUE})")
        private SampleOptions.Place device;

        @Option(
                names = {"-r", "--rep-pci"},
                paramLabel = "PCI",
                defaultValue = "b1:00.0",
                converter = Words.Place.class,
                description = "the host's function to serve (${DEFAULT-VALUE})")
        private SampleOptions.Place function;
    }

    /** Of a client, which has no use for the second, and takes it as the programs in C do. */
    static final class ClientPlaces {
        @Option(
                names = {"-p", "--pci-addr"},
                paramLabel = "PCI",
                defaultValue = "b1:00.0",
                converter = Words.Place.class,
                description = "the host's function (${DEFAULT-VALUE})")
        private SampleOptions.Place device;

        @Option(
                names = {"-r", "--rep-pci"},
                paramLabel = "PCI",
                defaultValue = "b1:00.0",
                converter = Words.Place.class,
                description = "taken and not used")
        private SampleOptions.Place function;
    }

    /** {@link ServerPlaces} of the endpoint API, whose programs have other defaults. */
    static final class ChannelServerPlaces {
        @Option(
                names = {"-p", "--pci-addr"},
                paramLabel = "PCI",
                defaultValue = "03:00.0",
                converter = Words.Place.class,
                description = "the DPU's own device (${DEFAULT-VALUE})")
        private SampleOptions.Place device;

        @Option(
                names = {"-r", "--rep-pci"},
                paramLabel = "PCI",
                defaultValue = "3b:00.0",
                converter = Words.Place.class,
                description = "the host's function to serve (${DEFAULT-VALUE})")
        private SampleOptions.Place function;
    }

    /** {@link ClientPlaces} of the endpoint API. */
    static final class ChannelClientPlaces {
        @Option(
                names = {"-p", "--pci-addr"},
                paramLabel = "PCI",
                defaultValue = "3b:00.0",
                converter = Words.Place.class,
                description = "the host's function (${DEFAULT-VALUE})")
        private SampleOptions.Place device;

        @Option(
                names = {"-r", "--rep-pci"},
                paramLabel = "PCI",
                defaultValue = "3b:00.0",
                converter = Words.Place.class,
                description = "taken and not used")
        private SampleOptions.Place function;
    }

    /** What to send, and to whom. */
    static final class PathText {
        @Option(
                names = {"-t", "--text"},
                paramLabel = "TEXT",
                defaultValue = CLIENTS_TEXT,
                description = "what to send, up to 4096 bytes, in one message up to the device's limit"
                        + " (${DEFAULT-VALUE})")
        private String text;

        @Option(
                names = "--generation",
                paramLabel = "WHICH",
                description = "whose programs' server name: 3.0 (Comch), or 2.6 or 2.5 (doca_cc); the library's")
        private @Nullable String generation;

        private SampleOptions options(
                CommandSpec spec, boolean server, SampleOptions.Place device, SampleOptions.Place function) {
            Generation chosen = generation == null
                    ? null
                    : switch (generation) {
                        case "3.0" -> Generation.COMCH;
                        case "2.6" -> Generation.CC_2_6;
                        case "2.5" -> Generation.CC_2_5;
                        default ->
                            throw Words.wrong(spec, "--generation " + generation + ": must be 3.0 or 2.6 or 2.5");
                    };
            byte[] bytes = text(spec, text, SampleOptions.MOST_TEXT);
            return new SampleOptions(server, device, function, bytes, Optional.ofNullable(chosen));
        }
    }

    /** How much DOCA 2.5's application {@code secure_channel} sends. */
    static final class Effort {
        @Option(
                names = {"-s", "--msg-size"},
                paramLabel = "BYTES",
                defaultValue = "1024",
                converter = Words.Size.class,
                description = "how long each message is, 1 to 4080 (${DEFAULT-VALUE})")
        private long size;

        @Option(
                names = {"-n", "--num-msgs"},
                paramLabel = "COUNT",
                defaultValue = "10000",
                description = "how many messages to send (${DEFAULT-VALUE})")
        private int messages;

        @Option(
                names = "--end-after",
                paramLabel = "COUNT",
                defaultValue = "0",
                description =
                        "to end without Ctrl-C, when so many have been received and all that was sent has" + " arrived")
        private int endAfter;

        private void run(CommandSpec spec, boolean server, SampleOptions.Place device, SampleOptions.Place function) {
            int each = (int) Words.within(spec, "--msg-size", size, 1, SecureChannelSample.MESSAGE_SIZE);
            Words.within(spec, "--num-msgs", messages, 1, Integer.MAX_VALUE);
            Words.within(spec, "--end-after", endAfter, 0, Integer.MAX_VALUE);
            byte[] pattern = SecureChannelSample.pattern(each);
            SampleOptions options = SampleOptions.ofEndpoints(server, device, function, pattern);
            new SecureChannelSample(options, messages, endAfter).run();
        }
    }

    private static byte[] text(CommandSpec spec, String text, int most) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        if (bytes.length < 1 || bytes.length > most) {
            throw Words.wrong(spec, "--text of " + bytes.length + " bytes: must be 1 to " + most);
        }
        return bytes;
    }

    @Command(
            name = "ctrl-path-server",
            description = "On the DPU: gets a message, answers it, ends.",
            footerHeading = "%nExample:%n",
            footer = "  comch sample ctrl-path-server -p 03:00.0 -r b1:00.0 -t \"from the DPU\"")
    static final class CtrlPathServer implements UsesDevice {
        @Mixin
        private ServerPlaces places;

        @Mixin
        private PathText text;

        @Mixin
        Common common;

        @Spec
        private CommandSpec spec;

        @Override
        public void run() {
            new CtrlPathSample(text.options(spec, true, places.device, places.function)).run();
        }
    }

    @Command(
            name = "ctrl-path-client",
            description = "On the host: sends a message, gets the answer, ends.",
            footerHeading = "%nExample:%n",
            footer = "  comch sample ctrl-path-client -p b1:00.0 -t \"from the host\"")
    static final class CtrlPathClient implements UsesDevice {
        @Mixin
        private ClientPlaces places;

        @Mixin
        private PathText text;

        @Mixin
        Common common;

        @Spec
        private CommandSpec spec;

        @Override
        public void run() {
            new CtrlPathSample(text.options(spec, false, places.device, places.function)).run();
        }
    }

    @Command(
            name = "data-path-high-speed-server",
            description = "On the DPU: gets a text through a consumer, sends one through a producer.",
            footerHeading = "%nExample:%n",
            footer = "  comch sample data-path-high-speed-server -p 03:00.0 -r b1:00.0")
    static final class DataPathServer implements UsesDevice {
        @Mixin
        private ServerPlaces places;

        @Mixin
        private PathText text;

        @Mixin
        Common common;

        @Spec
        private CommandSpec spec;

        @Override
        public void run() {
            new DataPathSample(text.options(spec, true, places.device, places.function)).run();
        }
    }

    @Command(
            name = "data-path-high-speed-client",
            description = "On the host: sends a text through a producer, gets one through a consumer.",
            footerHeading = "%nExample:%n",
            footer = "  comch sample data-path-high-speed-client -p b1:00.0")
    static final class DataPathClient implements UsesDevice {
        @Mixin
        private ClientPlaces places;

        @Mixin
        private PathText text;

        @Mixin
        Common common;

        @Spec
        private CommandSpec spec;

        @Override
        public void run() {
            new DataPathSample(text.options(spec, false, places.device, places.function)).run();
        }
    }

    @Command(
            name = "channel-server",
            description = "On the DPU: as ctrl-path-server, of the endpoint API of DOCA 1.5 to 2.8.",
            footerHeading = "%nExample:%n",
            footer = "  comch sample channel-server -p 03:00.0 -r b1:00.0")
    static final class ChannelServer implements UsesDevice {
        @Option(
                names = {"-t", "--text"},
                paramLabel = "TEXT",
                defaultValue = "Message from the server",
                description = "the answer, up to 4079 bytes (${DEFAULT-VALUE})")
        private String text;

        @Mixin
        private ChannelServerPlaces places;

        @Mixin
        Common common;

        @Spec
        private CommandSpec spec;

        @Override
        public void run() {
            byte[] bytes = text(spec, text, ChannelSample.MOST_TEXT);
            new ChannelSample(SampleOptions.ofEndpoints(true, places.device, places.function, bytes)).run();
        }
    }

    @Command(
            name = "channel-client",
            description = "On the host: as ctrl-path-client, of the endpoint API.",
            footerHeading = "%nExample:%n",
            footer = "  comch sample channel-client -p b1:00.0")
    static final class ChannelClient implements UsesDevice {
        @Option(
                names = {"-t", "--text"},
                paramLabel = "TEXT",
                defaultValue = CLIENTS_TEXT,
                description = "what to send, up to 4079 bytes (${DEFAULT-VALUE})")
        private String text;

        @Mixin
        private ChannelClientPlaces places;

        @Mixin
        Common common;

        @Spec
        private CommandSpec spec;

        @Override
        public void run() {
            byte[] bytes = text(spec, text, ChannelSample.MOST_TEXT);
            new ChannelSample(SampleOptions.ofEndpoints(false, places.device, places.function, bytes)).run();
        }
    }

    @Command(
            name = "secure-channel-server",
            description = "On the DPU: DOCA 2.5's application secure_channel, of the endpoint API: sends messages and"
                    + " receives the client's, in two threads, until Ctrl-C.",
            footerHeading = "%nExample:%n",
            footer = "  comch sample secure-channel-server -p 03:00.0 -r b1:00.0 -s 4080 -n 10000 --end-after 10000")
    static final class SecureServer implements UsesDevice {
        @Mixin
        private Effort effort;

        @Mixin
        private ChannelServerPlaces places;

        @Mixin
        Common common;

        @Spec
        private CommandSpec spec;

        @Override
        public void run() {
            effort.run(spec, true, places.device, places.function);
        }
    }

    @Command(
            name = "secure-channel-client",
            description = "On the host: the same.",
            footerHeading = "%nExample:%n",
            footer = "  comch sample secure-channel-client -p b1:00.0 -s 4080 -n 10000 --end-after 10000")
    static final class SecureClient implements UsesDevice {
        @Mixin
        private Effort effort;

        @Mixin
        private ChannelClientPlaces places;

        @Mixin
        Common common;

        @Spec
        private CommandSpec spec;

        @Override
        public void run() {
            effort.run(spec, false, places.device, places.function);
        }
    }
}
