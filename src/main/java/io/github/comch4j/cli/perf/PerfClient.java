package io.github.comch4j.cli.perf;

import io.github.comch4j.cli.program.Cores;
import io.github.comch4j.cli.program.Dialog;
import io.github.comch4j.cli.program.ProgramException;
import io.github.comch4j.core.Device;
import io.github.comch4j.core.Doca;
import io.github.comch4j.core.EventLoop;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.function.BooleanSupplier;

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
    private final EventLoop loop = EventLoop.start("perf-orders");
    private final Device device;
    private final Dialog orders;
    private final Map<String, String> server;
    private final Map<String, String> self;

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
        this.device = Device.openHost(place.device());
        String about = PerfOrders.self(Doca.library().version());
        this.self = Plan.words(about);
        try {
            this.orders = Dialog.connect(
                    loop,
                    device,
                    place.name(),
                    patience,
                    "is \"comch perf --server\" running on the DPU, for this function?");
            this.server = greet(about);
        } catch (RuntimeException e) {
            closeDevice();
            throw e;
        }
    }

    private Map<String, String> greet(String about) {
        orders.send(PerfOrders.HELLO, about);
        Dialog.Line line = PerfOrders.awaitLine(orders, "the server's greeting");
        if (!line.word().equals(PerfOrders.WELCOME)) {
            throw new ProgramException("\"" + place.name() + "\" is no server of comch perf");
        }
        return Plan.words(line.rest());
    }

    private void closeDevice() {
        loop.close();
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
        return orders.maxMessageSize();
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
        Dialog.Line line = PerfOrders.awaitLine(orders, "the server to begin");
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
            atServer.addAll(crew.results());
            return new PerfOutcome(plan, atServer);
        }
    }

    /** Until both ends have finished. */
    private void follow(Plan plan, Crew crew, List<LaneResult> atServer, Live live) {
        boolean stopped = false;
        boolean done = false;
        long began = System.nanoTime();
        long before = began;
        long movedBefore = 0;
        while (!done || !crew.haveFinished()) {
            boolean alreadyStopped = stopped;
            long next = before + LIVE;
            orders.await(() -> orders.hasMore()
                    || orders.isGone()
                    || crew.haveNews()
                    || (!alreadyStopped && interrupted.getAsBoolean())
                    || System.nanoTime() - next >= 0);
            Dialog.Line line = crew.haveLostPeer() ? orders.next(REASON) : orders.next();
            done |= line != null && isLast(line, crew, atServer);
            crew.look(orders);
            if (orders.isGone()) {
                throw new ProgramException("the server has gone");
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

    /** Whether the server has said everything. */
    private static boolean isLast(Dialog.Line line, Crew crew, List<LaneResult> atServer) {
        switch (PerfOrders.checked(line).word()) {
            case PerfOrders.SENT -> crew.expect(line.rest());
            case PerfOrders.RESULT -> atServer.add(LaneResult.of(line.rest()));
            case PerfOrders.DONE -> {
                return true;
            }
            default -> throw new ProgramException("the server says \"" + line.word() + "\" in a measurement");
        }
        return false;
    }

    @Override
    public void close() {
        orders.close();
        closeDevice();
    }
}
