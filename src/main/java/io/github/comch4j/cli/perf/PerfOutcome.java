package io.github.comch4j.cli.perf;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.HdrHistogram.Histogram;

/** What has come of a plan: of all its threads. */
public final class PerfOutcome {
    private final Plan plan;
    private final List<LaneResult> received;
    private final List<Lane.Timed> timed;
    private final long refused;

    /** Of what both ends have received, and the client has timed. */
    PerfOutcome(Plan plan, List<LaneResult> received, List<Lane.Timed> timed, long refused) {
        this.plan = plan;
        this.received =
                received.stream().filter(each -> each.rates().length > 0).toList();
        this.timed = List.copyOf(timed);
        this.refused = refused;
    }

    /** What was measured. */
    public Plan plan() {
        return plan;
    }

    /** Messages, round trips or calls that were counted. */
    public long messages() {
        return received.stream().mapToLong(LaneResult::messages).sum()
                + timed.stream().mapToLong(Lane.Timed::count).sum();
    }

    /** How long that took. */
    double seconds() {
        long longest = Math.max(
                received.stream().mapToLong(LaneResult::nanos).max().orElse(0),
                timed.stream().mapToLong(Lane.Timed::nanos).max().orElse(0));
        return longest / 1e9;
    }

    /** Messages or calls per second. */
    public double rate() {
        return received.stream().mapToDouble(LaneResult::median).sum()
                + timed.stream()
                        .mapToDouble(each -> each.nanos() == 0 ? 0 : each.count() * 1e9 / each.nanos())
                        .sum();
    }

    double bytesPerSecond() {
        return rate() * plan.size();
    }

    double slowest() {
        return received.isEmpty()
                ? Arrays.stream(rates()).min().orElse(rate())
                : received.stream().mapToDouble(LaneResult::slowest).sum();
    }

    double fastest() {
        return received.isEmpty()
                ? Arrays.stream(rates()).max().orElse(rate())
                : received.stream().mapToDouble(LaneResult::fastest).sum();
    }

    /** Of all threads together in each window, as far as all have it. */
    double[] rates() {
        List<double[]> all = new ArrayList<>();
        received.forEach(each -> all.add(each.rates()));
        timed.forEach(each -> all.add(each.rates()));
        int windows = all.stream().mapToInt(each -> each.length).min().orElse(0);
        double[] sum = new double[windows];
        for (double[] each : all) {
            for (int i = 0; i < windows; i++) {
                sum[i] += each[i];
            }
        }
        return sum;
    }

    /** Attempts to send that found no room, other than for want of a completion. */
    long refused() {
        return refused;
    }

    boolean hasTimes() {
        return !timed.isEmpty();
    }

    /** How long a message and its answer usually take, ns; the median of the threads. */
    public double usual() {
        double[] all = timed.stream().mapToDouble(Lane.Timed::usual).sorted().toArray();
        return all.length == 0 ? 0 : all[all.length / 2];
    }

    /** The processor time of the client's process for a round trip, ns; 0 where it was not measured. */
    double processor() {
        return timed.stream().mapToDouble(Lane.Timed::processor).average().orElse(0);
    }

    /** There and back, ns. */
    Histogram times() {
        Histogram all = new Histogram(3);
        timed.forEach(each -> all.add(each.histogram()));
        return all;
    }
}
