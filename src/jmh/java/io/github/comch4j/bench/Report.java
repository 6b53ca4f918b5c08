package io.github.comch4j.bench;

import java.util.Locale;
import org.HdrHistogram.Histogram;

/** One result: a JSON object on one line of stdout. */
final class Report {
    private final StringBuilder line = new StringBuilder("{");

    Report(Options options, String work) {
        text("impl", "java")
                .text("work", work)
                .text("form", options.form().reported())
                .count("size", options.size())
                .count("depth", options.depth())
                .count("producers", options.producers())
                .number("warmup", options.warmup());
    }

    private void name(String name) {
        line.append(line.length() > 1 ? "," : "").append('"').append(name).append("\":");
    }

    Report text(String name, String value) {
        name(name);
        line.append('"').append(value).append('"');
        return this;
    }

    Report number(String name, double value) {
        name(name);
        line.append(String.format(Locale.ROOT, "%.6g", value));
        return this;
    }

    Report count(String name, long value) {
        name(name);
        line.append(value);
        return this;
    }

    Report value(double value, String unit) {
        return number("value", value).text("unit", unit);
    }

    Report percentiles(String prefix, Histogram histogram) {
        return count(prefix + "p50", histogram.getValueAtPercentile(50))
                .count(prefix + "p90", histogram.getValueAtPercentile(90))
                .count(prefix + "p99", histogram.getValueAtPercentile(99))
                .count(prefix + "p99_9", histogram.getValueAtPercentile(99.9))
                .count(prefix + "p99_99", histogram.getValueAtPercentile(99.99))
                .count(prefix + "max", histogram.getMaxValue())
                .number(prefix + "mean", histogram.getMean());
    }

    void print() {
        System.out.println(line.append('}'));
        System.out.flush();
    }
}
