package io.github.comch4j.cli.sample;

import io.github.comch4j.channel.ChannelClient;
import io.github.comch4j.channel.ChannelEndpoint;
import io.github.comch4j.channel.ChannelPeer;
import io.github.comch4j.channel.ChannelService;
import io.github.comch4j.channel.PeerBrokenException;
import io.github.comch4j.cli.program.Interrupt;
import io.github.comch4j.cli.program.ProgramException;
import io.github.comch4j.cli.program.ToolThreads;
import io.github.comch4j.core.Device;
import io.github.comch4j.core.Representor;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Either end of DOCA 2.5's application {@code secure_channel}: both send so many messages and receive what comes, each
 * in two threads, until they are interrupted.
 *
 * <p>The threads share the endpoint by a lock. They arm and sleep outside of it.
 */
public final class SecureChannelSample {
    private static final String NAME = "secure_channel_server";
    public static final int MESSAGE_SIZE = 4080;
    private static final int QUEUE_SIZE = 8190;
    private static final Duration MOMENT = Duration.ofMillis(10);

    private final SampleOptions options;
    private final int messages;
    private final long endAfter; // messages received; 0: only when interrupted
    private final AtomicReference<RuntimeException> failure = new AtomicReference<>();
    private Interrupt interrupt;
    private volatile ChannelEndpoint endpoint;
    private volatile ChannelPeer peer;

    public SecureChannelSample(SampleOptions options, int messages, long endAfter) {
        this.options = options;
        this.messages = messages;
        this.endAfter = endAfter;
    }

    /** What both ends send, as long as it is. */
    public static byte[] pattern(int size) {
        byte[] bytes = new byte[size];
        for (int i = 0; i < size; i++) {
            bytes[i] = (byte) i;
        }
        return bytes;
    }

    public void run() {
        try (Interrupt made = new Interrupt()) {
            interrupt = made;
            if (options.server()) {
                serve();
            } else {
                connect();
            }
        }
    }

    private boolean isStopped() {
        return interrupt.stopped() || failure.get() != null;
    }

    private void serve() {
        try (Device dpu = Device.openDpu(options.deviceHere());
                Representor function = dpu.openRepresentor(options.functionOf(dpu));
                ChannelService service = builder(dpu).listen(function, NAME)) {
            System.out.println("Started Listening, waiting for new connection");
            converse(service);
        }
    }

    private void connect() {
        try (Device host = Device.openHost(options.deviceHere());
                ChannelClient client = builder(host).client()) {
            peer = ChannelSample.connected(client, NAME);
            System.out.println("Connection to DPU was established successfully");
            converse(client);
        }
    }

    private static ChannelEndpoint.Builder builder(Device device) {
        return ChannelEndpoint.builder(device)
                .maxMessageSize(MESSAGE_SIZE)
                .sendQueueSize(QUEUE_SIZE)
                .receiveQueueSize(QUEUE_SIZE);
    }

    private void converse(ChannelEndpoint with) {
        endpoint = with;
        List<Thread> threads = List.of(
                ToolThreads.start("sends", () -> guarded(this::send)),
                ToolThreads.start("receives", () -> guarded(this::receive)));
        while (threads.stream().anyMatch(Thread::isAlive)) {
            ToolThreads.pause();
        }
        RuntimeException failed = failure.get();
        if (failed != null) {
            throw failed;
        }
        if (peer != null) {
            ChannelSample.letArrive(peer);
        }
    }

    private void send() {
        MemorySegment message = Arena.ofAuto().allocate(options.text().length);
        message.copyFrom(MemorySegment.ofArray(options.text()));
        int sent = 0;
        try {
            while (sent < messages && !isStopped()) {
                if (peer == null) {
                    ToolThreads.pause();
                } else if (trySend(message)) {
                    sent++;
                } else {
                    endpoint.awaitSend(MOMENT);
                }
            }
        } catch (PeerBrokenException e) { // it stays so
            System.out.println("Message number " + (messages - sent) + " was not sent: " + e.getMessage());
        }
        System.out.println("Send thread exiting, total amount of messages sent successfully: " + sent);
    }

    private synchronized boolean trySend(MemorySegment message) {
        return endpoint.trySend(peer, message).accepted();
    }

    private void receive() {
        MemorySegment buffer = Arena.ofAuto().allocate(MESSAGE_SIZE);
        MemorySegment expected = MemorySegment.ofArray(pattern(MESSAGE_SIZE));
        long received = 0;
        boolean more = true;
        while (more) {
            ChannelPeer from = null;
            try {
                from = tryReceive(buffer);
            } catch (PeerBrokenException e) {
                System.out.println("Failed to receive channel message: " + e.getMessage());
                more = options.server(); // to a client nobody else comes
                continue;
            }
            if (from == null) {
                more = !isStopped();
                if (more) {
                    endpoint.awaitReceive(MOMENT);
                }
                continue;
            }
            checkContents(buffer, expected);
            if (peer == null) {
                peer = from;
            }
            received++;
            more = received != endAfter;
        }
        System.out.println("Receive thread exiting, total amount of messages received successfully: " + received);
    }

    private synchronized ChannelPeer tryReceive(MemorySegment buffer) {
        return endpoint.tryReceive(buffer);
    }

    /** Only this thread receives: so the length is that of its message. */
    private void checkContents(MemorySegment buffer, MemorySegment expected) {
        int length = endpoint.receivedLength();
        if (MemorySegment.mismatch(buffer, 0, length, expected, 0, length) >= 0) {
            throw new ProgramException("a message of " + length + " bytes with other contents than the peer sends");
        }
    }

    /** A failure of one thread ends the other one, and the program. */
    private void guarded(Runnable work) {
        try {
            work.run();
        } catch (RuntimeException e) {
            failure.compareAndSet(null, e);
        }
    }
}
