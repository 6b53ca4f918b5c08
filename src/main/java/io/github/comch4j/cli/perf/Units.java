package io.github.comch4j.cli.perf;

/** Numbers as the tools of this field write them. */
public final class Units {
    private Units() {}

    /** {@code 64}, {@code 4K}, {@code 1M}. */
    public static String size(long bytes) {
        if (bytes >= 1 << 20 && bytes % (1 << 20) == 0) {
            return (bytes >> 20) + "M";
        }
        return bytes >= 1 << 10 && bytes % (1 << 10) == 0 ? (bytes >> 10) + "K" : Long.toString(bytes);
    }

    /** Three digits that count, or all those before the point. */
    static String number(double value) {
        double magnitude = Math.abs(value);
        return (magnitude >= 100 ? "%.0f" : magnitude >= 10 ? "%.1f" : magnitude >= 1 ? "%.2f" : "%.4f")
                .formatted(value);
    }

    /** {@code p50}, {@code p99.9}. */
    public static String percentile(double percentile) {
        return "p" + (percentile == (long) percentile ? "%.0f".formatted(percentile) : "%s".formatted(percentile));
    }

    static String micros(long nanos) {
        return micros((double) nanos);
    }

    static String micros(double nanos) {
        return number(nanos / 1e3);
    }
}
