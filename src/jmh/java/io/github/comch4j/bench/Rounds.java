package io.github.comch4j.bench;

import org.HdrHistogram.Histogram;

/**
 * Round trips, each of which begins when the one before has ended. The warm-up measures how long one usually takes;
 * afterwards a longer one also counts for those that could not begin meanwhile (coordinated omission).
 */
final class Rounds {
    private static final long HIGHEST = 3_600_000_000_000L;

    private final Histogram warming = new Histogram(HIGHEST, 3);
    private final Histogram raw = new Histogram(HIGHEST, 3);
    private final Histogram corrected = new Histogram(HIGHEST, 3);
    private final long warm;
    private final long end;
    private long last;
    private long interval;

    Rounds(Options options) {
        last = System.nanoTime();
        warm = last + (long) (options.warmup() * 1e9);
        end = warm + (long) (options.seconds() * 1e9);
    }

    /** A round trip has ended; false when it was the last one. */
    boolean record() {
        long now = System.nanoTime();
        long took = now - last;
        last = now;
        if (now - warm < 0) {
            warming.recordValue(took);
            return true;
        }
        if (interval == 0) {
            interval = warming.getTotalCount() == 0 ? took : warming.getValueAtPercentile(50);
        }
        raw.recordValue(took);
        corrected.recordValueWithExpectedInterval(took, interval);
        return now - end < 0;
    }

    void report(Options options, String work) {
        new Report(options, work)
                .value(raw.getValueAtPercentile(50) / 2.0, "ns/half")
                .count("rounds", raw.getTotalCount())
                .count("interval", interval)
                .percentiles("", corrected)
                .percentiles("raw_", raw)
                .print();
    }
}
