package io.github.comch4j.cli.perf;

import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.function.ToDoubleFunction;
import org.HdrHistogram.Histogram;

/** What has come of a plan: of all its threads. */
public final class PerfOutcome {
    private final Plan plan;
    private final List<LaneResult> results;
    private final List<LaneResult.RoundTimes> times;
    private final long refused;

    /** Of what the threads of both ends have counted. */
    PerfOutcome(Plan plan, List<LaneResult> all) {
        this.plan = plan;
        results = all.stream().filter(LaneResult::hasCounted).toList();
        times = all.stream().map(LaneResult::times).filter(Objects::nonNull).toList();
        refused = all.stream().mapToLong(LaneResult::refused).sum();
    }

    /** What was measured. */
    public Plan plan() {
        return plan;
    }

    /** Messages, round trips or calls that were counted. */
    public long messages() {
        return results.stream().mapToLong(LaneResult::messages).sum();
    }

    /** How long that took. */
    double seconds() {
        return results.stream().mapToLong(LaneResult::nanos).max().orElse(0) / 1e9;
    }

    private double sum(ToDoubleFunction<LaneResult> figure) {
        return results.stream().mapToDouble(figure).sum();
    }

    /** Messages or calls per second. */
    public double rate() {
        return sum(LaneResult::rate);
    }

    double bytesPerSecond() {
        return rate() * plan.size();
    }

    double slowest() {
        return sum(LaneResult::slowest);
    }

    double fastest() {
        return sum(LaneResult::fastest);
    }

    /** Of all threads together in each window, as far as all have it. */
    double[] rates() {
        int windows =
                results.stream().mapToInt(each -> each.rates().length).min().orElse(0);
        double[] sums = new double[windows];
        Arrays.setAll(sums, window -> sum(each -> each.rates()[window]));
        return sums;
    }

    /** Attempts to send that found no room, other than for want of a completion. */
    long refused() {
        return refused;
    }

    boolean hasTimes() {
        return !times.isEmpty();
    }

    /** How long a message and its answer usually take, ns; the median of the threads. */
    public double usual() {
        double[] all = times.stream()
                .mapToDouble(LaneResult.RoundTimes::usual)
                .sorted()
                .toArray();
        return all.length == 0 ? 0 : all[all.length / 2];
    }

    /** The processor time of the client's process for a round trip, ns; 0 where it was not measured. */
    double processor() {
        return times.stream()
                .mapToDouble(LaneResult.RoundTimes::processor)
                .average()
                .orElse(0);
    }

    /** There and back, ns. */
    Histogram times() {
        Histogram all = new Histogram(3);
        times.forEach(each -> all.add(each.histogram()));
        return all;
    }
}
