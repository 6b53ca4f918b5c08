package io.github.comch4j.bench;

import io.github.comch4j.channel.ChannelClient;
import io.github.comch4j.channel.ChannelEndpoint;
import io.github.comch4j.channel.ChannelPeer;
import io.github.comch4j.channel.PeerBrokenException;
import io.github.comch4j.core.Device;
import io.github.comch4j.core.PciAddress;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import org.HdrHistogram.Histogram;

/**
 * An echo between two threads that wait in blocking calls: over an endpoint's {@code receive} ({@code echo}), and over
 * a Unix-domain {@code SocketChannel} ({@code echo-unix}). Each message is sent when the answer to the one before is
 * there.
 */
final class EchoWorks {
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    /** One end. */
    private interface End extends AutoCloseable {
        /** Waits for a message; false: the other end has gone. */
        boolean receive();

        /** Sends the first time, or what was received. */
        void send();

        @Override
        void close();
    }

    private EchoWorks() {}

    static void run(Options options) throws IOException, InterruptedException {
        if (options.form() == Options.Form.CLIENT) {
            try (End client = client(options)) {
                measure(options, client);
            }
            return;
        }
        Thread server = new Thread(() -> answer(options), "server");
        server.start();
        if (options.form() == Options.Form.THREADS) {
            try (End client = client(options)) {
                measure(options, client);
            }
        } else if (options.form() == Options.Form.PROCESSES) {
            Bench.join(Bench.child(options));
        }
        server.join();
    }

    private static boolean isUnix(Options options) {
        return options.work().equals("echo-unix");
    }

    private static void answer(Options options) {
        try (End end = isUnix(options) ? UnixEnd.accepted(options) : ChannelEnd.serving(options)) {
            while (end.receive()) {
                end.send();
            }
        }
    }

    private static End client(Options options) {
        return isUnix(options) ? UnixEnd.connected(options) : ChannelEnd.connected(options);
    }

    private static void measure(Options options, End end) {
        long warm = System.nanoTime() + (long) (options.warmup() * 1e9);
        long last = warm + (long) (options.seconds() * 1e9);
        Histogram histogram = new Histogram(3);
        long before = System.nanoTime();
        while (before - last < 0) {
            end.send();
            if (!end.receive()) {
                throw new IllegalStateException("the other end has gone");
            }
            long after = System.nanoTime();
            if (before - warm >= 0) {
                histogram.recordValue(after - before);
            }
            before = after;
        }
        new Report(options, options.work())
                .value(histogram.getValueAtPercentile(50), "ns/echo")
                .percentiles("echo_", histogram)
                .print();
    }

    private static final class ChannelEnd implements End {
        private final Device device;
        private final ChannelEndpoint endpoint;
        private ChannelPeer peer;
        private final MemorySegment message;
        private final MemorySegment buffer;

        private ChannelEnd(Options options, Device device, ChannelEndpoint endpoint, ChannelPeer peer) {
            this.device = device;
            this.endpoint = endpoint;
            this.peer = peer;
            this.buffer = Arena.global().allocate(endpoint.maxMessageSize());
            this.message = buffer.asSlice(0, options.size());
        }

        static End serving(Options options) {
            Device device = Device.openDpu(PciAddress.of(options.dpu()));
            return new ChannelEnd(
                    options,
                    device,
                    ChannelEndpoint.builder(device)
                            .listen(device.openRepresentor(PciAddress.of(options.function())), options.name()),
                    null);
        }

        static End connected(Options options) {
            Device device = Device.openHost(PciAddress.of(options.function()));
            ChannelClient client = ChannelEndpoint.builder(device).client();
            return new ChannelEnd(options, device, client, client.connect(options.name(), PATIENCE));
        }

        @Override
        public boolean receive() {
            try {
                ChannelPeer from = endpoint.receive(buffer, PATIENCE);
                peer = from == null ? peer : from;
                return from != null && endpoint.receivedLength() > 1;
            } catch (PeerBrokenException e) {
                return false;
            }
        }

        @Override
        public void send() {
            endpoint.send(peer, message, PATIENCE);
        }

        /** Says so by a message of one byte, as not every carrier tells of an end. */
        @Override
        public void close() {
            if (endpoint instanceof ChannelClient) {
                endpoint.send(peer, message.asSlice(0, 1), PATIENCE);
            }
            endpoint.close();
            device.close();
        }
    }

    private static final class UnixEnd implements End {
        private final SocketChannel channel;
        private final ByteBuffer message;

        private UnixEnd(Options options, SocketChannel channel) {
            this.channel = channel;
            this.message = ByteBuffer.allocateDirect(options.size());
        }

        static End accepted(Options options) {
            return new UnixEnd(options, UnixSockets.accept(options));
        }

        static End connected(Options options) {
            return new UnixEnd(options, UnixSockets.connect(options));
        }

        @Override
        public boolean receive() {
            try {
                return UnixSockets.read(channel, message);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        @Override
        public void send() {
            try {
                UnixSockets.write(channel, message.clear());
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        @Override
        public void close() {
            try {
                channel.close();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
