package io.github.comch4j.cli.perf;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.Histogram;

/**
 * Round trips, each of which begins when the one before has ended, in three times: the warm-up; then blocks, whose
 * median is how long one usually takes, because a look at the clock costs as much as a tenth of a round trip; then, for
 * half as long, single ones, which show how they are distributed and contain the look at the clock. A longer one also
 * counts for those that could not begin meanwhile (coordinated omission).
 *
 * <p>With a pause after each there is nothing but single ones, and none of them counts for another. The warm-up has no
 * pauses: they would keep the code from being compiled.
 */
final class Rounds {
    private static final int BLOCK = 64;
    private static final long HIGHEST = 3_600_000_000_000L;

    /** Of single ones, ns. */
    final Histogram single = new Histogram(HIGHEST, 3);

    private final Histogram blocks = new Histogram(HIGHEST, 3);
    private final long pause; // ns
    private final long count; // 0: as many as there is time for
    private final long warm;
    private final long blocksEnd;
    private final long end;
    private long last = System.nanoTime();
    private long interval; // 0: not the time of the single ones yet
    private int left = BLOCK; // of the block
    private long counted;
    private long processor; // of this process when the warm-up was over, ns; 0: it is not

    Rounds(Plan plan) {
        pause = plan.pause();
        count = plan.count();
        warm = last + plan.warmup();
        blocksEnd = warm + plan.length();
        end = blocksEnd + plan.length() / 2;
    }

    /** A round trip has ended; false when it was the last one. */
    boolean record() {
        if (pause > 0) {
            return recordAndPause();
        }
        if (interval != 0) {
            return recordOne();
        }
        if (--left == 0) {
            blockEnded();
        }
        return true;
    }

    private boolean recordAndPause() {
        long now = System.nanoTime();
        if (processor != 0) {
            single.recordValue(Math.min(now - last, HIGHEST));
            counted++;
            LockSupport.parkNanos(pause);
        } else if (now - warm >= 0) {
            processor = processorTime();
        }
        last = System.nanoTime();
        return count > 0 ? counted < count : last - blocksEnd < 0;
    }

    /** Of this process, in steps of some milliseconds; ns. */
    private static long processorTime() {
        return ProcessHandle.current()
                .info()
                .totalCpuDuration()
                .orElse(Duration.ZERO)
                .toNanos();
    }

    /** The processor time of this process for one that was counted, ns; 0 without pauses. To be asked at the end. */
    double processor() {
        return pause == 0 || counted == 0 ? 0 : (double) (processorTime() - processor) / counted;
    }

    private void blockEnded() {
        long now = System.nanoTime();
        if (now - warm >= 0) {
            blocks.recordValue(Math.min(now - last, HIGHEST));
            counted += BLOCK;
            if (count > 0 ? counted >= count / 2 : now - blocksEnd >= 0) {
                interval = Math.max(1, blocks.getValueAtPercentile(50) / BLOCK);
            }
        }
        last = now;
        left = BLOCK;
    }

    private boolean recordOne() {
        long now = System.nanoTime();
        long took = Math.min(now - last, HIGHEST);
        last = now;
        single.recordValueWithExpectedInterval(took, interval);
        counted++;
        return count > 0 ? counted < count : now - end < 0;
    }

    /** How long one usually takes, there and back, ns. */
    double usual() {
        return blocks.getTotalCount() == 0
                ? single.getValueAtPercentile(50)
                : (double) blocks.getValueAtPercentile(50) / BLOCK;
    }

    long counted() {
        return counted;
    }
}
