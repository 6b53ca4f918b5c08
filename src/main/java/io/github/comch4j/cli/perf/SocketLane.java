package io.github.comch4j.cli.perf;

import io.github.comch4j.cli.program.ProgramException;
import io.github.comch4j.core.Device;
import io.github.comch4j.core.Devices;
import io.github.comch4j.core.EventLoop;
import io.github.comch4j.core.Representor;
import io.github.comch4j.io.MessageServerSocket;
import io.github.comch4j.io.MessageSocket;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Messages in blocking calls. */
final class SocketLane extends Lane {
    private static final Duration MOMENT = Duration.ofMillis(20);
    private static final int MASK = 63;

    SocketLane(Plan plan, PerfEndpoint place, int number) {
        super(plan, place, number);
    }

    @Override
    void work() {
        try (EventLoop loop = EventLoop.start("perf-" + place.name())) {
            if (place.isServer()) {
                serve(loop);
            } else {
                connect(loop);
            }
        }
    }

    private void serve(EventLoop loop) {
        try (Device device = Devices.openDpu(place.device());
                Representor representor = device.openRepresentor(Objects.requireNonNull(place.function()));
                MessageServerSocket server = MessageServerSocket.open(loop, device, representor, place.name())) {
            ready = true;
            MessageSocket socket = accept(server);
            if (plan.latency()) {
                answer(socket);
            } else {
                receive(socket);
            }
            finished = true;
            server.shutdown();
            server.awaitTermination(PerfConnection.PATIENCE);
        }
    }

    private MessageSocket accept(MessageServerSocket server) {
        long deadline = System.nanoTime() + PerfConnection.PATIENCE.toNanos();
        @Nullable MessageSocket socket = server.accept(MOMENT);
        while (socket == null) {
            check();
            if (System.nanoTime() - deadline > 0) {
                throw new ProgramException(
                        "waited " + PerfConnection.PATIENCE.toSeconds() + " s in vain for the other end");
            }
            socket = server.accept(MOMENT);
        }
        return socket;
    }

    private void receive(MessageSocket socket) {
        Samples samples = new Samples(plan);
        long received = 0;
        while (received != expected) {
            byte[] message = socket.receive(MOMENT);
            check();
            if (message != null) {
                looked(message, received++);
            }
            if (message == null || (received & MASK) == 0 || received == 1) {
                samples.look(received);
                report(received);
            }
        }
        samples.look(received);
        this.received = samples.result(0);
    }

    private void looked(byte[] message, long received) {
        if (message.length != plan.size()) {
            throw new ProgramException("after " + received + " messages, one of " + message.length + " bytes arrived");
        }
    }

    private void answer(MessageSocket socket) {
        long received = 0;
        while (received != expected) {
            byte[] message = socket.receive(MOMENT);
            check();
            if (message != null) {
                looked(message, received++);
                socket.send(message, PerfConnection.PATIENCE);
            }
        }
        this.received = new LaneResult(0, 0, new double[0], 0);
    }

    private void connect(EventLoop loop) {
        try (Device device = Devices.openHost(place.device());
                MessageSocket socket = MessageSocket.connect(loop, device, place.name(), PerfConnection.PATIENCE)) {
            byte[] message = new byte[plan.size()];
            if (plan.latency()) {
                ask(socket, message);
            } else {
                send(socket, message);
                this.received = new LaneResult(0, 0, new double[0], 0);
            }
            finished = true;
            sleepUntil(() -> mayClose);
        }
    }

    private void ask(MessageSocket socket, byte[] message) {
        askInTurn(() -> {
            socket.send(message, PerfConnection.PATIENCE);
            byte[] answer = socket.receive(PerfConnection.PATIENCE);
            if (answer == null) {
                throw new ProgramException(
                        "waited " + PerfConnection.PATIENCE.toSeconds() + " s in vain for an answer");
            }
            looked(answer, moved());
        });
    }

    private void send(MessageSocket socket, byte[] message) {
        long warm = System.nanoTime() + plan.warmup();
        long end = warm + plan.length() + 100_000_000;
        long limit = plan.count() == 0 ? Long.MAX_VALUE : plan.warmup() == 0 ? plan.count() : -1;
        long sent = 0;
        while (sent != limit && !stopped) {
            socket.send(message, PerfConnection.PATIENCE);
            sent++;
            long now = System.nanoTime();
            if (limit == -1 && now - warm >= 0) {
                limit = sent + plan.count();
            }
            if (plan.count() == 0 && now - end >= 0) {
                break;
            }
            check();
            report(sent);
        }
        socket.flush(PerfConnection.PATIENCE);
        this.sent = sent;
    }
}
