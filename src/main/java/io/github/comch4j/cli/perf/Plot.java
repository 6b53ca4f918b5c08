package io.github.comch4j.cli.perf;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.HdrHistogram.Histogram;

/**
 * A picture of the figures: of a sweep, one value by the size; of one size, its percentiles, or its rate as time went
 * by. In the terminal and as SVG.
 */
public final class Plot {
    private static final double[] PERCENTILES = {50, 75, 90, 99, 99.9, 99.99, 99.999};
    private static final int BAR = 50;
    private static final int WIDTH = 720;
    private static final int HEIGHT = 400;
    private static final int LEFT = 80;
    private static final int RIGHT = 20;
    private static final int TOP = 40;
    private static final int BOTTOM = 50;

    private final String title;
    private final String across;
    private final String unit;
    private final List<String> labels = new ArrayList<>();
    private final List<Double> values = new ArrayList<>();

    private Plot(String title, String across, String unit) {
        this.title = title;
        this.across = across;
        this.unit = unit;
    }

    /** Of one outcome or several. */
    public static Plot of(List<PerfOutcome> all) {
        PerfOutcome first = all.getFirst();
        Plan plan = first.plan();
        boolean latency = plan.latency();
        if (all.size() > 1) {
            Plot plot = new Plot(
                    plan.kind() + (latency ? ", one way by the size" : ", throughput by the size"),
                    "bytes",
                    latency ? "us" : "MB/s");
            for (PerfOutcome each : all) {
                plot.add(Units.size(each.plan().size()), latency ? each.usual() / 2e3 : each.bytesPerSecond() / 1e6);
            }
            return plot;
        }
        String of = plan.kind() + " of " + Units.size(plan.size());
        if (first.hasTimes()) {
            Histogram histogram = first.times();
            Plot plot = new Plot(of + ", there and back", "percentile", "us");
            plot.add("min", histogram.getMinValue() / 1e3);
            for (double percentile : PERCENTILES) {
                plot.add("%s".formatted(percentile), histogram.getValueAtPercentile(percentile) / 1e3);
            }
            plot.add("max", histogram.getMaxValue() / 1e3);
            return plot;
        }
        Plot plot = new Plot(of + ", as time went by", "window", "Mmsg/s");
        double[] rates = first.rates();
        for (int i = 0; i < rates.length; i++) {
            plot.add(Integer.toString(i + 1), rates[i] / 1e6);
        }
        return plot;
    }

    private void add(String label, double value) {
        labels.add(label);
        values.add(value);
    }

    private double most() {
        return values.stream().mapToDouble(Double::doubleValue).max().orElse(0);
    }

    /** A bar for each value; letters, if the terminal has no blocks. */
    public void print(PrintStream out) {
        boolean blocks = out.charset().newEncoder().canEncode('█');
        int width = labels.stream().mapToInt(String::length).max().orElse(0);
        double most = Math.max(most(), Double.MIN_NORMAL);
        out.println(title + ", " + unit);
        for (int i = 0; i < labels.size(); i++) {
            double eighths = values.get(i) / most * BAR * 8;
            String bar = blocks
                    ? "█".repeat((int) eighths / 8)
                            + new String[] {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"}[(int) eighths % 8]
                    : "#".repeat((int) Math.round(eighths / 8));
            out.println(" ".repeat(width - labels.get(i).length()) + labels.get(i) + " " + bar + " "
                    + Units.number(values.get(i)));
        }
    }

    /** A line with a point for each value. */
    public String svg() {
        StringBuilder svg = new StringBuilder();
        svg.append(("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" font-family=\"sans-serif\""
                        + " font-size=\"12\">%n")
                .formatted(WIDTH, HEIGHT));
        svg.append("<rect width=\"%d\" height=\"%d\" fill=\"#fff\"/>%n".formatted(WIDTH, HEIGHT));
        text(svg, LEFT, 20, "start", title);
        double top = niceAbove(most());
        for (int i = 0; i <= 4; i++) {
            double value = top * i / 4;
            double y = y(value, top);
            svg.append("<path d=\"M%d %.1fH%d\" stroke=\"#ddd\"/>%n".formatted(LEFT, y, WIDTH - RIGHT));
            text(svg, LEFT - 6, y + 4, "end", i == 0 ? "0" : Units.number(value));
        }
        text(svg, 6, TOP - 8, "start", unit);
        text(svg, WIDTH - RIGHT, HEIGHT - 8, "end", across);
        StringBuilder line = new StringBuilder();
        for (int i = 0; i < values.size(); i++) {
            double x = x(i);
            double y = y(values.get(i), top);
            line.append(i == 0 ? "M" : "L").append("%.1f %.1f".formatted(x, y));
            svg.append("<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\" fill=\"#1769aa\"/>%n".formatted(x, y));
            text(svg, x, HEIGHT - BOTTOM + 18, "middle", labels.get(i));
        }
        svg.append("<path d=\"%s\" fill=\"none\" stroke=\"#1769aa\" stroke-width=\"2\"/>%n</svg>%n".formatted(line));
        return svg.toString();
    }

    private double x(int i) {
        return LEFT + (WIDTH - LEFT - RIGHT) * (i + 0.5) / values.size();
    }

    private static double y(double value, double top) {
        return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * value / top;
    }

    /** 1, 2, 4 or 8 times a power of ten. */
    private static double niceAbove(double value) {
        double power = Math.pow(10, Math.floor(Math.log10(Math.max(value, 1e-6))));
        for (int step : new int[] {1, 2, 4, 8}) {
            if (value <= step * power) {
                return step * power;
            }
        }
        return 10 * power;
    }

    private static void text(StringBuilder svg, double x, double y, String anchor, String text) {
        svg.append(String.format(
                Locale.ROOT, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">%s</text>%n", x, y, anchor, text));
    }
}
