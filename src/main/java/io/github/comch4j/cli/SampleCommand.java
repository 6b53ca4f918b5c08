package io.github.comch4j.cli;

import io.github.comch4j.internal.program.CommandLine;

/** {@code comch sample}: the sample programs in DOCA's guides, each of which talks to its counterpart in C. */
final class SampleCommand {
    static final String USAGE = """
            Usage: comch sample NAME [OPTION...]
            One end of a conversation that the sample programs in DOCA's guides hold; the other end may be such a
            program. The server is to be started first.

              ctrl-path-server             on the DPU: gets a message, answers it, ends
              ctrl-path-client             on the host: sends a message, gets the answer, ends
              data-path-high-speed-server  on the DPU: gets a text through a consumer, sends one through a producer
              data-path-high-speed-client  on the host: sends a text through a producer, gets one through a consumer
              channel-server               on the DPU: as ctrl-path-server, of the endpoint API of DOCA 1.5 to 2.8
              channel-client               on the host: as ctrl-path-client, of that API
              secure-channel-server        on the DPU: DOCA 2.5's application secure_channel, of that API: sends
                                           messages and receives the client's, in two threads, until interrupted
              secure-channel-client        on the host: the same

              -p, --pci-addr PCI   the device: of a server the DPU's own (03:00.0), of a client the host's function
                                   (b1:00.0; of the endpoint API: 3b:00.0); in the programs of 2.5 and 2.6, and of the
                                   endpoint API, an address without domain is of any
              -r, --rep-pci PCI    of a server: the host's function to serve (b1:00.0; of the endpoint API: 3b:00.0)
              -t, --text TEXT      what to send, up to 4096 bytes, in one message up to the device's limit
                                   (Message from the client; channel-server: Message from the server)
              -s, --msg-size BYTES of secure-channel: how long each message is, 1 to 4080 (1024)
              -n, --num-msgs COUNT of secure-channel: how many messages to send (10000)
              --end-after COUNT    of secure-channel: to end without an interrupt, when so many have been received and
                                   all that was sent has arrived
              --generation WHICH   whose programs' server name: 3.0 (Comch), or 2.6 or 2.5 (doca_cc); the library's
              --library WHICH      auto, system, emulated, or a folder with DOCA's libraries (auto)
              -h, --help           this text
            """;

    private SampleCommand() {}

    static void run(CommandLine line) {
        String name = line.command(
                "sample",
                "ctrl-path-server",
                "ctrl-path-client",
                "data-path-high-speed-server",
                "data-path-high-speed-client",
                "channel-server",
                "channel-client",
                "secure-channel-server",
                "secure-channel-client");
        if (name.startsWith("secure-channel")) {
            SecureChannelSample.of(line, name.endsWith("-server")).run();
            return;
        }
        if (name.startsWith("channel")) {
            new ChannelSample(SampleOptions.ofChannel(line, name.endsWith("-server"))).run();
            return;
        }
        SampleOptions options = SampleOptions.of(line, name.endsWith("-server"));
        (name.startsWith("ctrl") ? new CtrlPathSample(options) : new DataPathSample(options)).run();
    }
}
