package io.github.comch4j.cli.perf;

import io.github.comch4j.DocaException;
import io.github.comch4j.cli.program.Dialog;
import io.github.comch4j.cli.program.ProgramException;
import io.github.comch4j.core.Device;
import io.github.comch4j.core.Doca;
import io.github.comch4j.core.EventLoop;
import io.github.comch4j.core.Representor;
import io.github.comch4j.io.MessageServerSocket;
import io.github.comch4j.io.MessageSocket;
import java.time.Duration;
import java.util.Objects;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/** The end on the DPU: has no settings of its own, measures what its client asks for. */
public final class PerfServer {
    private static final Duration MOMENT = Duration.ofMillis(50);

    private final PerfEndpoint place;
    private final BooleanSupplier stopped;
    private final Consumer<String> say;

    /**
     * Does nothing yet.
     *
     * @param place its device and the function that it serves
     * @param stopped whether it is to end
     * @param say is told, in a line, what happens
     */
    public PerfServer(PerfEndpoint place, BooleanSupplier stopped, Consumer<String> say) {
        this.place = place;
        this.stopped = stopped;
        this.say = say;
    }

    /**
     * Serves one client after the other.
     *
     * @param clients how many
     * @param begun runs when clients can connect
     * @return how many there were
     */
    public int run(int clients, Runnable begun) {
        try (EventLoop loop = EventLoop.start("perf-orders");
                Device device = Device.openDpu(place.device());
                Representor representor = device.openRepresentor(Objects.requireNonNull(place.function()));
                MessageServerSocket server = ProgramException.serving(
                        place.name(),
                        representor.address(),
                        () -> MessageServerSocket.open(loop, device, representor, place.name()))) {
            say.accept(place.device() + " serves " + representor.address() + " as \"" + place.name() + "\" (DOCA "
                    + Doca.library().version() + ", " + Doca.library().kind() + ")");
            begun.run();
            int served = 0;
            while (served < clients && !stopped.getAsBoolean()) {
                MessageSocket next = server.accept(MOMENT);
                if (next != null) {
                    try (Dialog client = new Dialog(next)) {
                        new PerfSession(server, client).run();
                    }
                    served++;
                }
            }
            return served;
        }
    }

    /** With one client at a time: figures of two would be figures of neither. */
    private final class PerfSession {
        private final MessageServerSocket server;
        private final Dialog client;

        PerfSession(MessageServerSocket server, Dialog client) {
            this.server = server;
            this.client = client;
        }

        void run() {
            try {
                while (!isOver()) {
                    await(client::hasMore);
                    Dialog.Line line = client.next();
                    if (line != null) {
                        obey(line);
                    }
                }
            } catch (ProgramException | DocaException e) {
                say.accept("failed: " + e.getMessage());
                client.send(PerfOrders.ERROR, String.valueOf(e.getMessage()));
            }
        }

        private boolean isOver() {
            return client.isGone() || stopped.getAsBoolean();
        }

        /** Until it is so, or the session is over. */
        private void await(BooleanSupplier condition) {
            client.await(() -> {
                MessageSocket next = server.accept(Duration.ZERO);
                if (next != null) {
                    try (Dialog other = new Dialog(next)) {
                        other.send(PerfOrders.ERROR, "another client measures at the moment");
                    }
                }
                return condition.getAsBoolean() || isOver();
            });
        }

        private void obey(Dialog.Line line) {
            switch (line.word()) {
                case PerfOrders.HELLO -> {
                    String version = Plan.words(line.rest()).getOrDefault("version", "");
                    if (!version.equals(Integer.toString(PerfOrders.VERSION))) {
                        throw new ProgramException("the client speaks version " + version
                                + " of this program, the server " + PerfOrders.VERSION);
                    }
                    say.accept("a client has connected");
                    client.send(
                            PerfOrders.WELCOME, PerfOrders.self(Doca.library().version()));
                }
                case PerfOrders.RUN -> measure(Plan.of(line.rest()));
                default -> {
                    // what came too late for a measurement
                }
            }
        }

        private void measure(Plan plan) {
            if (plan.kind() == PerfPath.MSGQ) {
                throw new ProgramException("msgq has one end");
            }
            say.accept(plan.described());
            try (Crew crew = new Crew(plan, place)) {
                await(crew::areReady);
                crew.check();
                client.send(PerfOrders.READY, "");
                while (!crew.haveFinished()) {
                    await(() -> crew.haveFinished() || crew.haveNews() || client.hasMore());
                    crew.look(client);
                    if (isOver()) {
                        return;
                    }
                    Dialog.Line line = client.next();
                    if (line != null) {
                        instruct(crew, line);
                    }
                }
                crew.check();
                for (LaneResult each : crew.results()) {
                    client.send(PerfOrders.RESULT, each.text());
                }
                client.send(PerfOrders.DONE, "");
                await(crew::haveEnded);
            }
        }

        private static void instruct(Crew crew, Dialog.Line line) {
            switch (line.word()) {
                case PerfOrders.SENT -> crew.expect(line.rest());
                case PerfOrders.STOP -> crew.stop();
                default -> throw new ProgramException("the client says \"" + line.word() + "\" in a measurement");
            }
        }
    }
}
