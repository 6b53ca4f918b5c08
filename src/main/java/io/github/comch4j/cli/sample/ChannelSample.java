package io.github.comch4j.cli.sample;

import io.github.comch4j.channel.ChannelClient;
import io.github.comch4j.channel.ChannelEndpoint;
import io.github.comch4j.channel.ChannelPeer;
import io.github.comch4j.channel.ChannelPeerState;
import io.github.comch4j.channel.ChannelService;
import io.github.comch4j.channel.PeerBrokenException;
import io.github.comch4j.cli.program.ProgramException;
import io.github.comch4j.core.Device;
import io.github.comch4j.core.Representor;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Either end of the sample pair of DOCA's guides to Comm Channel: the client sends a text, the service answers, both
 * end. Texts are sent with a closing NUL, as the programs in C do.
 */
public final class ChannelSample {
    private static final String NAME = "cc_sample_server";
    private static final int MESSAGE_SIZE = 4080;
    private static final int QUEUE_SIZE = 10;
    /** So that the NUL has room. */
    public static final int MOST_TEXT = MESSAGE_SIZE - 1;

    private static final Duration SILENCE = Duration.ofSeconds(30);
    private static final Duration FOR_EVER = Duration.ofSeconds(Long.MAX_VALUE);

    private final SampleOptions options;
    private final MemorySegment buffer = Arena.ofAuto().allocate(MESSAGE_SIZE);

    public ChannelSample(SampleOptions options) {
        this.options = options;
    }

    public void run() {
        try {
            if (options.server()) {
                serve();
            } else {
                connect();
            }
        } catch (PeerBrokenException e) {
            throw new ProgramException("the " + (options.server() ? "client" : "server") + " has gone", e);
        }
        System.out.println("Finished");
    }

    private void serve() {
        try (Device dpu = Device.openDpu(options.deviceHere());
                Representor function = dpu.openRepresentor(options.functionOf(dpu));
                ChannelService service = ChannelEndpoint.builder(dpu)
                        .maxMessageSize(MESSAGE_SIZE)
                        .sendQueueSize(QUEUE_SIZE)
                        .receiveQueueSize(QUEUE_SIZE)
                        .listen(function, NAME)) {
            System.out.println(dpu.address() + " serves " + function.address() + " as \"" + NAME + "\"");
            ChannelPeer client = service.receive(buffer, FOR_EVER);
            System.out.println("Received message: " + text(service));
            answer(service, client);
        }
    }

    private void connect() {
        try (Device host = Device.openHost(options.deviceHere());
                ChannelClient client = ChannelEndpoint.builder(host)
                        .maxMessageSize(MESSAGE_SIZE)
                        .sendQueueSize(QUEUE_SIZE)
                        .receiveQueueSize(QUEUE_SIZE)
                        .client()) {
            ChannelPeer service = connected(client, NAME);
            System.out.println(host.address() + " is connected to \"" + NAME + "\"");
            client.send(service, message(), SILENCE);
            if (client.receive(buffer, SILENCE) == null) {
                throw new ProgramException("the server has not answered for " + SILENCE.toSeconds() + " s");
            }
            System.out.println("Server response: " + text(client));
            service.disconnect();
        }
    }

    private void answer(ChannelService service, @Nullable ChannelPeer client) {
        if (client == null) {
            throw new ProgramException("no client has come");
        }
        service.send(client, message(), SILENCE);
        letArrive(client);
    }

    /** What was sent is to arrive before the endpoint is closed. */
    static void letArrive(ChannelPeer peer) {
        long deadline = System.nanoTime() + SILENCE.toNanos();
        while (peer.state() == ChannelPeerState.CONNECTED && peer.inFlight() > 0 && System.nanoTime() - deadline < 0) {
            Thread.yield();
        }
    }

    /** Once, as the program in C does it. */
    static ChannelPeer connected(ChannelClient client, String name) {
        ChannelPeer service = client.connect(name);
        long deadline = System.nanoTime() + SILENCE.toNanos();
        while (true) {
            switch (service.update()) {
                case CONNECTED -> {
                    return service;
                }
                case IN_PROGRESS -> {
                    if (System.nanoTime() - deadline > 0) {
                        throw new ProgramException("the server has not accepted for " + SILENCE.toSeconds() + " s");
                    }
                    Thread.yield();
                }
                default -> throw SampleEnd.refused(name, client.device().address(), service.refusal());
            }
        }
    }

    private MemorySegment message() {
        MemorySegment text = Arena.ofAuto().allocate(options.text().length + 1L);
        MemorySegment.copy(options.text(), 0, text, ValueLayout.JAVA_BYTE, 0, options.text().length);
        return text;
    }

    /** What was received, up to a NUL; what a terminal must not be trusted with is left out. */
    private String text(ChannelEndpoint endpoint) {
        int length = 0;
        while (length < endpoint.receivedLength() && buffer.get(ValueLayout.JAVA_BYTE, length) != 0) {
            length++;
        }
        return new String(buffer.asSlice(0, length).toArray(ValueLayout.JAVA_BYTE), StandardCharsets.UTF_8)
                .replaceAll("\\p{Cntrl}", "?");
    }
}
