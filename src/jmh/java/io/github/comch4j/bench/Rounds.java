package io.github.comch4j.bench;

import org.HdrHistogram.Histogram;

/**
 * Round trips, each of which begins when the one before has ended, in three times: the warm-up; then blocks, whose
 * median is the result, because a look at the clock costs as much as a tenth of a round trip; then, for half as long,
 * single ones, which show how they are distributed and contain the look at the clock. A longer one also counts for
 * those that could not begin meanwhile (coordinated omission); the blocks say how long one usually takes.
 */
final class Rounds {
    private static final int BLOCK = 64;
    private static final long HIGHEST = 3_600_000_000_000L;

    private final Histogram blocks = new Histogram(HIGHEST, 3);
    private final Histogram raw = new Histogram(HIGHEST, 3);
    private final Histogram corrected = new Histogram(HIGHEST, 3);
    private final long warm;
    private final long blocksEnd;
    private final long end;
    private long last;
    private long interval; // 0: not the time of the single ones yet
    private int left = BLOCK; // of the block

    Rounds(Options options) {
        long length = (long) (options.seconds() * 1e9);
        last = System.nanoTime();
        warm = last + (long) (options.warmup() * 1e9);
        blocksEnd = warm + length;
        end = blocksEnd + length / 2;
    }

    /** A round trip has ended; false when it was the last one. */
    boolean record() {
        if (interval != 0) {
            return recordOne();
        }
        if (--left == 0) {
            blockEnded();
        }
        return true;
    }

    private void blockEnded() {
        long now = System.nanoTime();
        if (now - warm >= 0) {
            blocks.recordValue(now - last);
        }
        if (now - blocksEnd >= 0) {
            interval = Math.max(1, blocks.getValueAtPercentile(50) / BLOCK);
        }
        last = now;
        left = BLOCK;
    }

    private boolean recordOne() {
        long now = System.nanoTime();
        long took = now - last;
        last = now;
        raw.recordValue(took);
        corrected.recordValueWithExpectedInterval(took, interval);
        return now - end < 0;
    }

    void report(Options options, String work) {
        new Report(options, work)
                .value(blocks.getValueAtPercentile(50) / 2.0 / BLOCK, "ns/half")
                .count("rounds", blocks.getTotalCount() * BLOCK + raw.getTotalCount())
                .count("interval", interval)
                .percentiles("", corrected)
                .percentiles("raw_", raw)
                .print();
    }
}
