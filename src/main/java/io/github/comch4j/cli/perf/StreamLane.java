package io.github.comch4j.cli.perf;

import io.github.comch4j.cli.program.Spin;
import io.github.comch4j.core.ProgressEngine;
import org.jspecify.annotations.Nullable;

/** Messages as fast as they go, one way or both. */
final class StreamLane extends Lane {
    private static final int SIGNALS = 8;
    private final int mask; // looks at the clock once in so many turns

    StreamLane(Plan plan, PerfEndpoint place, int number) {
        super(plan, place, number);
        mask = plan.size() > 1 << 15 ? 0 : plan.size() > 4096 ? 15 : 255;
    }

    @Override
    void work() {
        boolean server = place.isServer();
        ArrivalCheck arrivals = new ArrivalCheck(plan.size());
        int depth = plan.kind() == PerfPath.CONTROL ? plan.depth() : SIGNALS;
        try (PerfConnection link =
                new PerfConnection(this, depth, (from, message) -> arrivals.arrived(message, 0, message.byteSize()))) {
            Inlet inlet = plan.receives(server) ? inlet(link, link.newEngineFor(plan), plan, arrivals) : null;
            Outlet outlet = plan.sends(server) ? outlet(link, link.newEngineFor(plan), plan) : null;
            bind(); // only now: threads that were started meanwhile run where they like
            stream(link, inlet, outlet, arrivals);
            if (inlet != null) {
                inlet.close();
            }
            finished = true;
            link.awaitEnd();
        }
    }

    static Inlet inlet(PerfConnection link, ProgressEngine engine, Plan plan, ArrivalCheck arrivals) {
        return switch (plan.kind()) {
            case BUFFERS -> new BufferInlet(link, engine, plan, arrivals);
            case SLOTS -> SlotInlet.ofMessages(link, engine, plan, arrivals);
            case RECORDS -> SlotInlet.ofRecords(link, engine, plan, arrivals);
            default -> new Inlet(link.engine());
        };
    }

    /** Waits for the peer's consumer. */
    static Outlet outlet(PerfConnection link, ProgressEngine engine, Plan plan) {
        return switch (plan.kind()) {
            case BUFFERS -> new BufferOutlet(link, engine, plan);
            case SLOTS -> new SlotOutlet(link, engine, plan);
            case RECORDS -> new RecordOutlet(link, engine, plan);
            default -> new MessageOutlet(link, plan.size());
        };
    }

    private void stream(PerfConnection link, @Nullable Inlet inlet, @Nullable Outlet outlet, ArrivalCheck arrivals) {
        Samples samples = new Samples(plan);
        Spin spin = new Spin();
        int burst = plan.burst();
        long number = 0;
        long refused = 0;
        SendLimit limit = new SendLimit(plan);
        boolean sending = outlet != null;
        boolean open = sending;
        for (int turn = 1; ; turn++) {
            boolean moved = false;
            if (outlet != null && open) {
                if (sending) {
                    int offered = outlet.offer(number, (int) Math.min(burst, limit.left(number)));
                    number += offered;
                    moved = offered > 0;
                }
                outlet.progress();
            }
            if (inlet != null) {
                moved |= inlet.poll() > 0;
            }
            spin.turned(moved);
            if ((turn & mask) != 0 && limit.left(number) > 0) {
                continue;
            }
            link.look();
            report(number + arrivals.received());
            if (sending) {
                sending = limit.hasMore(number) && !stopped;
            } else if (open && outlet != null && outlet.isIdle()) {
                refused = outlet.refused();
                outlet.close();
                open = false;
                this.sent = number;
            }
            samples.look(arrivals.received());
            if (!open && (inlet == null || arrivals.received() == expected)) {
                break;
            }
        }
        result = inlet == null ? LaneResult.none(refused) : samples.result(refused);
    }
}
