package io.github.comch4j.bench;

import io.github.comch4j.comch.ConnectionClosedException;
import io.github.comch4j.core.Device;
import io.github.comch4j.core.EventLoop;
import io.github.comch4j.core.PciAddress;
import io.github.comch4j.io.MessageServerSocket;
import io.github.comch4j.io.MessageSocket;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.Arrays;

/**
 * Messages one after the other from one thread to another, each in a blocking call: over a {@code MessageSocket}
 * ({@code socket}) and over a Unix-domain {@code SocketChannel} ({@code socket-unix}). The Unix program writes each
 * message, with its length, by one call of the system; its receiver reads as much as there is. Both receivers make an
 * array of each message. The last message is empty of all but one byte, which the receiver answers.
 */
final class SocketWorks {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final int BUFFER = 256 << 10;

    /** One end. */
    private interface End extends AutoCloseable {
        void send(byte[] message);

        /** The next message. */
        byte[] receive();

        @Override
        void close();
    }

    private SocketWorks() {}

    static void run(Options options) throws InterruptedException, IOException {
        boolean unix = options.work().equals("socket-unix");
        if (options.form() == Options.Form.CLIENT) {
            measure(options, unix);
            return;
        }
        if (options.form() == Options.Form.SERVER) {
            answer(options, unix);
            return;
        }
        Thread server = new Thread(() -> answer(options, unix), "server");
        server.start();
        if (options.form() == Options.Form.PROCESSES) {
            Bench.join(Bench.child(options));
        } else {
            measure(options, unix);
        }
        server.join();
    }

    private static void answer(Options options, boolean unix) {
        try (End end = unix ? UnixEnd.accepted(options) : ComchEnd.accepted(options)) {
            byte[] message = end.receive();
            while (message.length > 1) {
                message = end.receive();
            }
            end.send(message);
            end.receive(); // until the client has closed
        } catch (ConnectionClosedException e) {
            // it has
        }
    }

    private static void measure(Options options, boolean unix) {
        byte[] message = new byte[options.size()];
        Arrays.fill(message, (byte) 1);
        try (End end = unix ? UnixEnd.connected(options) : ComchEnd.connected(options)) {
            long warm = System.nanoTime() + (long) (options.warmup() * 1e9);
            long last = warm + (long) (options.seconds() * 1e9);
            long begun = 0;
            long sent = 0;
            long now = System.nanoTime();
            while (now - last < 0) {
                end.send(message);
                now = System.nanoTime();
                if (now - warm >= 0) {
                    begun = begun == 0 ? now : begun;
                    sent++;
                }
            }
            end.send(new byte[1]);
            end.receive(); // all have arrived
            double seconds = (System.nanoTime() - begun) / 1e9;
            new Report(options, options.work()).value(sent / seconds, "msg/s").print();
        }
    }

    private record ComchEnd(EventLoop loop, Device device, MessageSocket socket) implements End {
        static End accepted(Options options) {
            EventLoop loop = EventLoop.start("server loop");
            Device device = Device.openDpu(PciAddress.of(options.dpu()));
            MessageServerSocket server = MessageServerSocket.open(
                    loop, device, device.openRepresentor(PciAddress.of(options.function())), options.name());
            return new ComchEnd(loop, device, server.accept(PATIENCE));
        }

        static End connected(Options options) {
            EventLoop loop = EventLoop.start("client loop");
            Device device = Device.openHost(PciAddress.of(options.function()));
            return new ComchEnd(loop, device, MessageSocket.connect(loop, device, options.name(), PATIENCE));
        }

        @Override
        public void send(byte[] message) {
            socket.send(message, PATIENCE);
        }

        @Override
        public byte[] receive() {
            return socket.receive(PATIENCE);
        }

        @Override
        public void close() {
            loop.close();
            device.close();
        }
    }

    private static final class UnixEnd implements End {
        private final SocketChannel channel;
        private final ByteBuffer output = ByteBuffer.allocateDirect(BUFFER);
        private final ByteBuffer input = ByteBuffer.allocateDirect(BUFFER).flip();

        private UnixEnd(SocketChannel channel) {
            this.channel = channel;
        }

        static End accepted(Options options) {
            return new UnixEnd(UnixSockets.accept(options));
        }

        static End connected(Options options) {
            return new UnixEnd(UnixSockets.connect(options));
        }

        @Override
        public void send(byte[] message) {
            output.clear().putInt(message.length).put(message).flip();
            try {
                while (output.hasRemaining()) {
                    channel.write(output);
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        @Override
        public byte[] receive() {
            try {
                while (input.remaining() < 4 || input.remaining() < 4 + input.getInt(input.position())) {
                    input.compact();
                    int read = channel.read(input);
                    input.flip();
                    if (read < 0) {
                        return new byte[0];
                    }
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            byte[] message = new byte[input.getInt()];
            input.get(message);
            return message;
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
