package io.github.comch4j.bench;

import java.util.Arrays;

/**
 * Counts what arrives between the end of the warm-up and the end of the run, in windows, of which the median counts:
 * what disturbs one does not count.
 */
final class Window {
    /** Looks at the clock once in so many turns; a power of two. */
    static final int TURNS_PER_LOOK = 256;

    private static final int WINDOWS = 7;

    private final long warm; // when the warm-up is over
    private final long length; // of one window, ns
    // where the windows begin and end
    private final long[] at = new long[WINDOWS + 1];
    private final long[] received = new long[WINDOWS + 1];
    private int known;
    private long emptyBefore;
    private long empty;
    private long allocatedBefore;
    private long allocated;

    Window(Options options) {
        warm = System.nanoTime() + (long) (options.warmup() * 1e9);
        length = (long) (options.seconds() * 1e9) / WINDOWS;
    }

    /** True when the time is over. */
    boolean look(long receivedSoFar, long emptyPolls) {
        long now = System.nanoTime();
        if (now - (known == 0 ? warm : at[known - 1] + length) < 0) {
            return false;
        }
        if (known == 0) {
            emptyBefore = emptyPolls;
            allocatedBefore = Allocation.bytes();
        }
        at[known] = now;
        received[known] = receivedSoFar;
        if (++known <= WINDOWS) {
            return false;
        }
        empty = emptyPolls - emptyBefore;
        allocated = Allocation.bytes() - allocatedBefore;
        return true;
    }

    void report(Options options, String work, long checked) {
        double[] rates = new double[WINDOWS];
        for (int i = 0; i < WINDOWS; i++) {
            rates[i] = (received[i + 1] - received[i]) * 1e9 / (at[i + 1] - at[i]);
        }
        Arrays.sort(rates);
        long messages = received[WINDOWS] - received[0];
        new Report(options, work)
                .value(rates[WINDOWS / 2], "msg/s")
                .number("slowest", rates[0])
                .number("fastest", rates[WINDOWS - 1])
                .number("bytes_per_s", rates[WINDOWS / 2] * options.size())
                .count("messages", messages)
                .number("seconds", (at[WINDOWS] - at[0]) / 1e9)
                .count("empty", empty)
                .count("checked", checked)
                .number("allocated_per_msg", messages == 0 ? 0 : (double) allocated / messages)
                .print();
    }
}
