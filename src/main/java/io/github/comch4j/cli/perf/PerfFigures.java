package io.github.comch4j.cli.perf;

import io.github.comch4j.cli.program.TextTable;
import java.io.PrintStream;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.HdrHistogram.Histogram;

/** What came out: as a table, as CSV, and as what becomes JSON. */
public final class PerfFigures {
    private static final double[] PERCENTILES = {50, 90, 99, 99.9, 99.99};
    private static final double MEGA = 1e6;

    private PerfFigures() {}

    /** A row for each. */
    public static void table(List<PerfOutcome> all, PrintStream out) {
        boolean latency = all.getFirst().plan().latency();
        boolean times = all.getFirst().hasTimes();
        boolean processor = all.getFirst().processor() > 0;
        Map<String, Function<PerfOutcome, String>> columns = new LinkedHashMap<>();
        columns.put("size", each -> Units.size(each.plan().size()));
        columns.put(latency ? "rounds" : "messages", each -> Long.toString(each.messages()));
        if (latency) {
            columns.put("half", each -> Units.micros(each.usual() / 2));
        } else {
            columns.put("MB/s", each -> Units.number(each.bytesPerSecond() / MEGA));
            columns.put("Mmsg/s", each -> Units.number(each.rate() / MEGA));
            columns.put("slowest", each -> Units.number(each.slowest() / MEGA));
            columns.put("fastest", each -> Units.number(each.fastest() / MEGA));
        }
        if (times) {
            columns.put("min", each -> Units.micros(each.times().getMinValue()));
            for (double percentile : PERCENTILES) {
                columns.put(
                        Units.percentile(percentile),
                        each -> Units.micros(each.times().getValueAtPercentile(percentile)));
            }
            columns.put("max", each -> Units.micros(each.times().getMaxValue()));
        }
        if (processor) {
            columns.put("CPU", each -> Units.micros(each.processor()));
        }
        TextTable table = new TextTable(columns.keySet().toArray(String[]::new)).rightAligned();
        for (PerfOutcome each : all) {
            table.row(
                    columns.values().stream().map(column -> column.apply(each)).toArray(String[]::new));
        }
        table.print(out);
        if (times) {
            out.println(
                    latency
                            ? "times in microseconds, there and back; half: one way, of the usual trip"
                            : "times in microseconds, of a call");
        }
        if (processor) {
            out.println("CPU: processor time of this process for each, in microseconds");
        }
    }

    /** For programs, by the names of the columns. */
    public static Map<String, Object> map(PerfOutcome outcome) {
        Plan plan = outcome.plan();
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("kind", plan.kind());
        map.put("measure", plan.latency() ? "latency" : "throughput");
        map.put("both_ways", plan.bothWays());
        map.put("size", plan.size());
        map.put("depth", plan.depth());
        map.put("threads", plan.threads());
        map.put("messages", outcome.messages());
        map.put("seconds", rounded(outcome.seconds()));
        map.put("messages_per_s", rounded(outcome.rate()));
        map.put("bytes_per_s", rounded(outcome.bytesPerSecond()));
        map.put("slowest_per_s", rounded(outcome.slowest()));
        map.put("fastest_per_s", rounded(outcome.fastest()));
        map.put("refused", outcome.refused());
        map.put("pause_ns", plan.pause());
        map.put("processor_ns", outcome.processor() > 0 ? rounded(outcome.processor()) : "");
        Histogram histogram = outcome.hasTimes() ? outcome.times() : null;
        map.put("half_ns", histogram == null || !plan.latency() ? "" : rounded(outcome.usual() / 2));
        map.put("min_ns", histogram == null ? "" : histogram.getMinValue());
        for (double percentile : PERCENTILES) {
            map.put(
                    Units.percentile(percentile).replace('.', '_') + "_ns",
                    histogram == null ? "" : histogram.getValueAtPercentile(percentile));
        }
        map.put("max_ns", histogram == null ? "" : histogram.getMaxValue());
        return map;
    }

    /** The same without what there is not, and with the rate of each window. */
    public static Map<String, Object> json(PerfOutcome outcome) {
        Map<String, Object> map = map(outcome);
        map.values().removeIf(""::equals);
        map.put(
                "rates_per_s",
                Arrays.stream(outcome.rates()).mapToObj(PerfFigures::rounded).toList());
        return map;
    }

    private static Number rounded(double value) {
        return value >= 1000 ? (Number) Math.round(value) : Math.round(value * 1e6) / 1e6;
    }

    /** A line of names, and a line for each. */
    public static String csv(List<PerfOutcome> all) {
        StringBuilder text = new StringBuilder();
        for (PerfOutcome each : all) {
            Map<String, Object> map = map(each);
            if (text.isEmpty()) {
                text.append(String.join(",", map.keySet())).append('\n');
            }
            text.append(String.join(
                            ",", map.values().stream().map(Object::toString).toList()))
                    .append('\n');
        }
        return text.toString();
    }
}
