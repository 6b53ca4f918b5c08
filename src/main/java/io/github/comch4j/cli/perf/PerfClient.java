package io.github.comch4j.cli.perf;

import io.github.comch4j.DocaError;
import io.github.comch4j.DocaException;
import io.github.comch4j.cli.program.Cores;
import io.github.comch4j.cli.program.ProgramException;
import io.github.comch4j.comch.ComchClient;
import io.github.comch4j.core.Device;
import io.github.comch4j.core.Devices;
import io.github.comch4j.core.Doca;
import io.github.comch4j.core.ProgressEngine;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** The end on the host: brings the settings, and has the figures. */
public final class PerfClient implements AutoCloseable {
    private static final long LIVE = 200_000_000;
    private static final Duration REASON = Duration.ofSeconds(2); // comes soon after a server has ended its part
    private static final long LOOK_AT_CORES = 100_000_000;

    /** Is told how it goes, five times a second. */
    public interface Live {
        /**
         * What was done so far.
         *
         * @param plan what is being measured
         * @param nanos since it began, the warm-up with it
         * @param moved messages so far
         * @param rate of the last moment, messages per second
         */
        void update(Plan plan, long nanos, long moved, double rate);
    }

    private final PerfEndpoint place;
    private final BooleanSupplier interrupted;
    private final ProgressEngine engine = ProgressEngine.create();
    private final Device device;
    private final ComchClient client;
    private final PerfOrders orders;
    private final Map<String, String> server;
    private final Map<String, String> self;
    private @Nullable PerfOrders arriving;

    /**
     * Connects.
     *
     * @param place its device, and the server's name
     * @param patience how long to wait for the server
     * @param interrupted whether to end
     */
    public PerfClient(PerfEndpoint place, Duration patience, BooleanSupplier interrupted) {
        this.place = place;
        this.interrupted = interrupted;
        this.device = Devices.openHost(place.device());
        this.client = connect(patience);
        this.orders = new PerfOrders(engine, client.connection());
        this.arriving = orders;
        String about = PerfOrders.self(Doca.library().version());
        this.self = Plan.words(about);
        try {
            this.server = greet(about);
        } catch (RuntimeException e) {
            close();
            throw e;
        }
    }

    private Map<String, String> greet(String about) {
        orders.send(PerfOrders.HELLO, about);
        PerfOrders.Line line = orders.awaitLine("the server's greeting");
        if (!line.word().equals(PerfOrders.WELCOME)) {
            throw new ProgramException("\"" + place.name() + "\" is no server of comch perf");
        }
        return Plan.words(line.rest());
    }

    private ComchClient connect(Duration patience) {
        try {
            return ComchClient.builder(engine, device, place.name())
                    .onMessage((connection, message) -> {
                        if (arriving != null) {
                            arriving.arrived(message);
                        }
                    })
                    .onDisconnected(connection -> {
                        if (arriving != null) {
                            arriving.ended();
                        }
                    })
                    .connect(patience);
        } catch (DocaException e) {
            closeDevice();
            throw e.error() == DocaError.CONNECTION_ABORTED || e.error() == DocaError.TIME_OUT
                    ? ProgramException.refused(
                            place.name(),
                            device.address(),
                            e,
                            "is \"comch perf --server\" running on the DPU, for this function?")
                    : e;
        }
    }

    private void closeDevice() {
        engine.close();
        device.close();
    }

    /** Whether both ends run on one machine: of the emulated BlueField. */
    public boolean isOneMachine() {
        String boot = self.getOrDefault("boot", "unknown");
        return !boot.equals("unknown") && boot.equals(server.get("boot"));
    }

    /** What the server has told of itself, by name: {@code host}, {@code cpus}, {@code doca}. */
    public String server(String fact) {
        return server.getOrDefault(fact, "unknown");
    }

    /** Of the control path, bytes. */
    public int longestMessage() {
        return client.maxMessageSize();
    }

    /** How far the two processors are from each other, ns; empty if the ends have no two on one machine. */
    public OptionalDouble distance() throws InterruptedException {
        return isOneMachine() ? Cores.distance(LOOK_AT_CORES) : OptionalDouble.empty();
    }

    /**
     * Measures.
     *
     * @throws ProgramException if one of the ends fails
     */
    public PerfOutcome run(Plan plan, Live live) {
        orders.send(PerfOrders.RUN, plan.text());
        PerfOrders.Line line = orders.awaitLine("the server to begin");
        if (!line.word().equals(PerfOrders.READY)) {
            throw new ProgramException("the server says \"" + line.word() + "\" instead of beginning");
        }
        List<LaneResult> atServer = new ArrayList<>();
        try (Crew crew = new Crew(plan, place)) {
            follow(plan, crew, atServer, live);
            crew.check();
            crew.letClose();
            orders.await(() -> crew.haveEnded() || crew.haveFailed());
            crew.check();
            List<LaneResult> all = new ArrayList<>(atServer);
            all.addAll(crew.received());
            long refused = all.stream().mapToLong(LaneResult::refused).sum();
            return new PerfOutcome(plan, all, crew.timed(), refused);
        }
    }

    /** Until both ends have finished. */
    private void follow(Plan plan, Crew crew, List<LaneResult> atServer, Live live) {
        boolean told = false;
        boolean stopped = false;
        boolean done = false;
        long began = System.nanoTime();
        long before = began;
        long movedBefore = 0;
        while (!done || !crew.haveFinished()) {
            boolean alreadyTold = told;
            boolean alreadyStopped = stopped;
            long next = before + LIVE;
            orders.await(() -> orders.hasMore()
                    || orders.isGone()
                    || crew.haveFailed()
                    || (!alreadyTold && crew.haveSent())
                    || (!alreadyStopped && interrupted.getAsBoolean())
                    || System.nanoTime() - next >= 0);
            if (crew.haveLostPeer()) {
                orders.awaitMore(REASON);
            }
            done |= told(crew, atServer);
            crew.check();
            if (orders.isGone()) {
                throw new ProgramException("the server has gone");
            }
            if (!told && crew.haveSent()) {
                orders.send(PerfOrders.SENT, crew.sent());
                told = true;
            }
            if (!stopped && interrupted.getAsBoolean()) {
                crew.stop();
                orders.send(PerfOrders.STOP, "");
                stopped = true;
            }
            long now = System.nanoTime();
            if (now - next >= 0) {
                long moved = crew.moved();
                live.update(plan, now - began, moved, Math.max(0, moved - movedBefore) * 1e9 / (now - before));
                before = now;
                movedBefore = moved;
            }
        }
    }

    /** True: the server has said everything. */
    private boolean told(Crew crew, List<LaneResult> atServer) {
        boolean done = false;
        for (PerfOrders.Line line = orders.next(); line != null; line = orders.next()) {
            switch (PerfOrders.checked(line).word()) {
                case PerfOrders.SENT -> crew.expect(line.rest());
                case PerfOrders.RESULT -> atServer.add(LaneResult.of(line.rest()));
                case PerfOrders.DONE -> done = true;
                default -> throw new ProgramException("the server says \"" + line.word() + "\" in a measurement");
            }
        }
        return done;
    }

    @Override
    public void close() {
        client.close();
        closeDevice();
    }
}
