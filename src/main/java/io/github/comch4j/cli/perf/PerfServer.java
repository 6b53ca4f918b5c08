package io.github.comch4j.cli.perf;

import io.github.comch4j.DocaException;
import io.github.comch4j.cli.program.ProgramException;
import io.github.comch4j.comch.ComchServer;
import io.github.comch4j.core.Device;
import io.github.comch4j.core.Devices;
import io.github.comch4j.core.Doca;
import io.github.comch4j.core.ProgressEngine;
import io.github.comch4j.core.Representor;
import java.util.Objects;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The end on the DPU: has no settings of its own, measures what its client asks for. */
public final class PerfServer {
    private final PerfEndpoint place;
    private final BooleanSupplier stopped;
    private final Consumer<String> say;
    private @Nullable PerfOrders client;
    private int served;

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
        try (ProgressEngine engine = ProgressEngine.create();
                Device device = Devices.openDpu(place.device());
                Representor representor = device.openRepresentor(Objects.requireNonNull(place.function()));
                ComchServer server = start(engine, device, representor)) {
            say.accept(place.device() + " serves " + representor.address() + " as \"" + server.name() + "\" (DOCA "
                    + Doca.library().version() + ", " + Doca.library().kind() + ")");
            begun.run();
            while (served < clients && !stopped.getAsBoolean()) {
                PerfOrders.await(engine, () -> stopped.getAsBoolean() || client != null);
                if (client != null) {
                    session(client);
                }
            }
        }
        return served;
    }

    private ComchServer start(ProgressEngine engine, Device device, Representor representor) {
        return ProgramException.serving(
                place.name(),
                representor.address(),
                () -> ComchServer.builder(engine, device, representor, place.name())
                        .onConnected(connection -> connection.attach(new PerfOrders(engine, connection)))
                        .onMessage((connection, message) -> {
                            if (connection.attachment() instanceof PerfOrders orders) {
                                orders.arrived(message);
                                admit(orders);
                            }
                        })
                        .onDisconnected(connection -> {
                            if (connection.attachment() instanceof PerfOrders orders) {
                                orders.ended();
                            }
                        })
                        .start());
    }

    /** One at a time: figures of two would be figures of neither. */
    private void admit(PerfOrders orders) {
        if (client == null) {
            client = orders;
        } else if (client != orders && orders.next() != null) {
            orders.refuse("another client measures at the moment");
        }
    }

    private void session(PerfOrders orders) {
        try {
            while (!orders.isGone() && !stopped.getAsBoolean()) {
                orders.await(() -> orders.hasMore() || orders.isGone() || stopped.getAsBoolean());
                PerfOrders.Line line = orders.next();
                if (line != null) {
                    obey(orders, line);
                }
            }
        } catch (ProgramException | DocaException e) {
            say.accept("failed: " + e.getMessage());
            if (!orders.isGone()) {
                orders.send(PerfOrders.ERROR, String.valueOf(e.getMessage()));
            }
        }
        client = null;
        served++;
    }

    private void obey(PerfOrders orders, PerfOrders.Line line) {
        switch (line.word()) {
            case PerfOrders.HELLO -> {
                String version = Plan.words(line.rest()).getOrDefault("version", "");
                if (!version.equals(Integer.toString(PerfOrders.VERSION))) {
                    throw new ProgramException("the client speaks version " + version + " of this program, the server "
                            + PerfOrders.VERSION);
                }
                say.accept("a client has connected");
                orders.send(PerfOrders.WELCOME, PerfOrders.self(Doca.library().version()));
            }
            case PerfOrders.RUN -> measure(orders, Plan.of(line.rest()));
            default -> {
                // what came too late for a measurement
            }
        }
    }

    private void measure(PerfOrders orders, Plan plan) {
        if (plan.kind() == PerfPath.MSGQ) {
            throw new ProgramException("msgq has one end");
        }
        say.accept(plan.described());
        try (Crew crew = new Crew(plan, place)) {
            orders.await(() -> crew.areReady() || isOver(orders));
            crew.check();
            orders.send(PerfOrders.READY, "");
            boolean told = !plan.sends(true);
            while (!crew.haveFinished()) {
                boolean before = told;
                orders.await(() -> crew.haveFinished()
                        || crew.haveFailed()
                        || (!before && crew.haveSent())
                        || orders.hasMore()
                        || isOver(orders));
                crew.check();
                if (isOver(orders)) {
                    return;
                }
                if (!told && crew.haveSent()) {
                    orders.send(PerfOrders.SENT, crew.sent());
                    told = true;
                }
                instructed(orders, crew);
            }
            crew.check();
            for (LaneResult each : crew.received()) {
                orders.send(PerfOrders.RESULT, each.text());
            }
            orders.send(PerfOrders.DONE, "");
            orders.await(() -> crew.haveEnded() || isOver(orders));
        }
    }

    private static void instructed(PerfOrders orders, Crew crew) {
        for (PerfOrders.Line line = orders.next(); line != null; line = orders.next()) {
            switch (line.word()) {
                case PerfOrders.SENT -> crew.expect(line.rest());
                case PerfOrders.STOP -> crew.stop();
                default -> throw new ProgramException("the client says \"" + line.word() + "\" in a measurement");
            }
        }
    }

    private boolean isOver(PerfOrders orders) {
        return orders.isGone() || stopped.getAsBoolean();
    }
}
