package io.github.comch4j.cli.perf;

import io.github.comch4j.cli.program.ProgramException;
import io.github.comch4j.core.Device;
import io.github.comch4j.core.EventLoop;
import io.github.comch4j.core.Representor;
import io.github.comch4j.io.MessageServerSocket;
import io.github.comch4j.io.MessageSocket;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;

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
        try (Device device = Device.openDpu(place.device());
                Representor representor = device.openRepresentor(Objects.requireNonNull(place.function()));
                MessageServerSocket server = MessageServerSocket.open(loop, device, representor, place.name())) {
            ready = true;
            MessageSocket socket = accept(server);
            receive(socket);
            finished = true;
            server.shutdown();
            server.awaitTermination(PerfConnection.PATIENCE);
        }
    }

    private MessageSocket accept(MessageServerSocket server) {
        AtomicReference<MessageSocket> accepted = new AtomicReference<>();
        await("the other end", () -> {
            accepted.set(server.accept(MOMENT));
            return accepted.get() != null;
        });
        return accepted.get();
    }

    /** Until all has come; for the latency it is sent back. */
    private void receive(MessageSocket socket) {
        Samples samples = new Samples(plan);
        long received = 0;
        while (received != expected) {
            byte[] message = socket.receive(MOMENT);
            check();
            if (message != null) {
                looked(message, received++);
                if (plan.latency()) {
                    socket.send(message, PerfConnection.PATIENCE);
                    continue;
                }
            }
            if (message == null || (received & MASK) == 0 || received == 1) {
                samples.look(received);
                report(received);
            }
        }
        samples.look(received);
        result = plan.latency() ? LaneResult.none(0) : samples.result(0);
    }

    private void looked(byte[] message, long received) {
        if (message.length != plan.size()) {
            throw new ProgramException("after " + received + " messages, one of " + message.length + " bytes arrived");
        }
    }

    private void connect(EventLoop loop) {
        try (Device device = Device.openHost(place.device());
                MessageSocket socket = MessageSocket.connect(loop, device, place.name(), PerfConnection.PATIENCE)) {
            byte[] message = new byte[plan.size()];
            if (plan.latency()) {
                ask(socket, message);
            } else {
                send(socket, message);
                result = LaneResult.none(0);
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
                throw ProgramException.inVain(PerfConnection.PATIENCE, "an answer");
            }
            looked(answer, moved());
        });
    }

    private void send(MessageSocket socket, byte[] message) {
        SendLimit limit = new SendLimit(plan);
        long sent = 0;
        while (limit.hasMore(sent) && !stopped) {
            socket.send(message, PerfConnection.PATIENCE);
            check();
            report(++sent);
        }
        socket.flush(PerfConnection.PATIENCE);
        this.sent = sent;
    }
}
