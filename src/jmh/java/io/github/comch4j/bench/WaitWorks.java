package io.github.comch4j.bench;

import io.github.comch4j.comch.ConnectionClosedException;
import io.github.comch4j.core.Device;
import io.github.comch4j.core.EventLoop;
import io.github.comch4j.core.PciAddress;
import io.github.comch4j.io.MessageServerSocket;
import io.github.comch4j.io.MessageSocket;
import io.github.comch4j.net.ComchServerSocketFactory;
import io.github.comch4j.net.ComchSocketFactory;
import io.github.comch4j.rpc.RpcClient;
import io.github.comch4j.rpc.RpcRequest;
import io.github.comch4j.rpc.RpcServer;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.Histogram;

/**
 * One platform thread that asks, waits for the answer, pauses, and asks again: by a call ({@code wait-call}), by
 * messages of a {@code MessageSocket} ({@code wait-socket}), by a socket of java.net ({@code wait-stream}), and by a
 * blocking Unix-domain {@code SocketChannel} ({@code wait-unix}).
 */
final class WaitWorks {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final int ECHO = 1;

    /** The end that asks. */
    private interface Asker extends AutoCloseable {
        /** Sends the message and waits for one of its length. */
        void ask(byte[] message) throws IOException;

        @Override
        void close() throws IOException;
    }

    /** The end that answers until the other one has gone. */
    private interface Answerer {
        void answer() throws IOException;
    }

    private WaitWorks() {}

    static void run(Options options) throws IOException, InterruptedException {
        if (options.form() == Options.Form.CLIENT) {
            try (Asker asker = asker(options)) {
                measure(options, asker);
            }
            return;
        }
        Answerer answerer = answerer(options);
        Thread server = new Thread(() -> {
            try {
                answerer.answer();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
        server.setDaemon(true);
        server.start();
        if (options.form() == Options.Form.PROCESSES) {
            Bench.join(Bench.child(options));
        } else {
            server.join();
        }
        Runtime.getRuntime().halt(0); // loops and sockets of either kind end with the process
    }

    private static Answerer answerer(Options options) {
        PciAddress dpu = PciAddress.of(options.dpu());
        PciAddress function = PciAddress.of(options.function());
        return switch (options.work()) {
            case "wait-call" ->
                () -> {
                    Device device = Device.openDpu(dpu);
                    RpcServer.builder(
                                    EventLoop.start("server"), device, device.openRepresentor(function), options.name())
                            .method(ECHO, RpcRequest::body)
                            .start();
                    LockSupport.park();
                };
            case "wait-socket" ->
                () -> {
                    Device device = Device.openDpu(dpu);
                    MessageSocket socket = MessageServerSocket.open(
                                    EventLoop.start("server"), device, device.openRepresentor(function), options.name())
                            .accept(PATIENCE);
                    try {
                        for (byte[] message = socket.receive(PATIENCE);
                                message != null;
                                message = socket.receive(PATIENCE)) {
                            socket.send(message, PATIENCE);
                        }
                    } catch (ConnectionClosedException e) {
                        // it has gone
                    }
                };
            case "wait-stream" ->
                () -> {
                    ServerSocket server = new ComchServerSocketFactory(
                                    options.name() + ",device=" + dpu + ",function=" + function)
                            .createServerSocket(0);
                    try (Socket socket = server.accept()) {
                        InputStream in = socket.getInputStream();
                        OutputStream out = socket.getOutputStream();
                        for (byte[] message = in.readNBytes(options.size());
                                message.length > 0;
                                message = in.readNBytes(options.size())) {
                            out.write(message);
                        }
                    }
                };
            default ->
                () -> {
                    SocketChannel channel = UnixSockets.accept(options);
                    ByteBuffer message = ByteBuffer.allocateDirect(options.size());
                    while (UnixSockets.read(channel, message)) {
                        UnixSockets.write(channel, message.flip());
                    }
                };
        };
    }

    private static Asker asker(Options options) throws IOException {
        PciAddress function = PciAddress.of(options.function());
        return switch (options.work()) {
            case "wait-call" -> {
                EventLoop loop = EventLoop.start("client");
                RpcClient client = RpcClient.builder(loop, Device.openHost(function), options.name())
                        .connect(PATIENCE);
                yield asker(message -> client.call(ECHO, message), loop::close);
            }
            case "wait-socket" -> {
                EventLoop loop = EventLoop.start("client");
                MessageSocket socket = MessageSocket.connect(loop, Device.openHost(function), options.name(), PATIENCE);
                yield asker(
                        message -> {
                            socket.send(message, PATIENCE);
                            socket.receive(PATIENCE);
                        },
                        loop::close);
            }
            case "wait-stream" -> {
                Socket socket = new ComchSocketFactory(options.name() + ",device=" + function + ",wait=30000")
                        .createSocket("any", 1);
                InputStream in = socket.getInputStream();
                OutputStream out = socket.getOutputStream();
                yield asker(
                        message -> {
                            out.write(message);
                            in.readNBytes(message.length);
                        },
                        socket::close);
            }
            default -> {
                SocketChannel channel = UnixSockets.connect(options);
                ByteBuffer copy = ByteBuffer.allocateDirect(options.size());
                yield asker(
                        message -> {
                            UnixSockets.write(channel, copy.clear().put(message).flip());
                            UnixSockets.read(channel, copy);
                        },
                        channel::close);
            }
        };
    }

    private interface Step {
        void run() throws IOException;
    }

    private interface Question {
        void ask(byte[] message) throws IOException;
    }

    private static Asker asker(Question question, Step close) {
        return new Asker() {
            @Override
            public void ask(byte[] message) throws IOException {
                question.ask(message);
            }

            @Override
            public void close() throws IOException {
                close.run();
            }
        };
    }

    private static void measure(Options options, Asker asker) throws IOException {
        byte[] message = new byte[options.size()];
        long pause = options.pause() * 1000L;
        long warm = System.nanoTime() + (long) (options.warmup() * 1e9);
        long last = warm + (long) (options.seconds() * 1e9);
        Histogram histogram = new Histogram(3);
        long processor = 0;
        long before = System.nanoTime();
        while (before - last < 0) {
            if (processor == 0 && before - warm >= 0) {
                processor = processorTime();
            }
            asker.ask(message);
            if (processor != 0) {
                histogram.recordValue(System.nanoTime() - before);
            }
            if (pause > 0 && processor != 0) { // not before: a pause would keep the code from being compiled
                LockSupport.parkNanos(pause);
            }
            before = System.nanoTime();
        }
        double each = (double) (processorTime() - processor) / histogram.getTotalCount();
        new Report(options, options.work())
                .value(histogram.getValueAtPercentile(50), "ns/question")
                .count("pause", options.pause())
                .number("processor", each)
                .percentiles("wait_", histogram)
                .print();
    }

    /** Of this process and of the one that has started it, in nanoseconds; in steps of some milliseconds. */
    private static long processorTime() {
        ProcessHandle mine = ProcessHandle.current();
        return used(mine) + mine.parent().map(WaitWorks::used).orElse(0L);
    }

    private static long used(ProcessHandle process) {
        return process.info().totalCpuDuration().orElse(Duration.ZERO).toNanos();
    }
}
