package io.github.comch4j.cli.perf;

import io.github.comch4j.cli.program.Spin;
import io.github.comch4j.core.ProgressEngine;

/** One message at a time: the client's, then the answer. */
final class RoundLane extends Lane {
    private static final int SIGNALS = 8;
    private static final int MASK = 255;
    /** In vain, after which a client looks whether the server is still there. */
    private static final int PATIENT_TURNS = 1 << 16;

    private long given; // answers
    private long owed;

    RoundLane(Plan plan, PerfEndpoint place, int number) {
        super(plan, place, number);
    }

    @Override
    void work() {
        ArrivalCheck arrivals = new ArrivalCheck(plan.size());
        boolean control = plan.kind() == PerfPath.CONTROL;
        try (PerfConnection link = new PerfConnection(
                this,
                control ? plan.depth() : SIGNALS,
                (from, message) -> arrivals.arrived(message, 0, message.byteSize()))) {
            ProgressEngine engine = link.newEngineFor(plan);
            Inlet inlet = StreamLane.inlet(link, engine, plan, arrivals);
            Outlet outlet = StreamLane.outlet(link, engine, plan);
            bind();
            if (place.isServer()) {
                answer(link, inlet, outlet, arrivals);
            } else {
                ask(link, inlet, outlet, arrivals);
            }
            link.waitFor("completions", outlet::isIdle);
            outlet.close();
            inlet.close();
            finished = true;
            link.awaitEnd();
        }
    }

    private void answer(PerfConnection link, Inlet inlet, Outlet outlet, ArrivalCheck arrivals) {
        arrivals.answerBy(() -> {
            if (owed == 0 && outlet.trySend(given)) {
                given++;
            } else {
                owed++;
            }
        });
        Spin spin = new Spin();
        for (int turn = 1; ; turn++) {
            long before = arrivals.received();
            inlet.turn();
            while (owed > 0 && outlet.trySend(given)) {
                owed--;
                given++;
            }
            spin.turned(arrivals.received() != before);
            if ((turn & MASK) == 0) {
                link.look();
                if (arrivals.received() == expected) {
                    break;
                }
            }
        }
        result = LaneResult.none(outlet.refused());
    }

    private void ask(PerfConnection link, Inlet inlet, Outlet outlet, ArrivalCheck arrivals) {
        Rounds rounds = new Rounds(plan);
        Spin spin = new Spin();
        long number = 0;
        long began = System.nanoTime();
        do {
            while (!outlet.trySend(number)) {
                inlet.turn();
                link.look();
            }
            number++;
            int vain = 0;
            inlet.turn();
            while (arrivals.received() < number) {
                spin.turned(false);
                if (++vain == PATIENT_TURNS) {
                    vain = 0;
                    link.look();
                }
                inlet.turn();
            }
            spin.turned(true);
            if ((number & MASK) == 0) {
                report(number);
                link.look();
            }
        } while (rounds.record() && !stopped);
        this.sent = number;
        result = LaneResult.of(rounds, began);
    }
}
