package io.github.comch4j.bench;

/** Counts what arrives between the end of the warm-up and the end of the run. */
final class Window {
    /** Looks at the clock once in so many turns; a power of two. */
    static final int TURNS_PER_LOOK = 256;

    private final long begin = System.nanoTime();
    private final long warmup;
    private final long length;
    private long from;
    private long to;
    private long first;
    private long last;
    private long emptyBefore;
    private long empty;
    private long allocatedBefore;
    private long allocated;

    Window(Options options) {
        warmup = (long) (options.warmup() * 1e9);
        length = (long) (options.seconds() * 1e9);
    }

    /** True when the time is over. */
    boolean look(long received, long emptyPolls) {
        long now = System.nanoTime();
        if (from == 0) {
            if (now - begin >= warmup) {
                from = now;
                first = received;
                emptyBefore = emptyPolls;
                allocatedBefore = Allocation.bytes();
            }
            return false;
        }
        if (now - from < length) {
            return false;
        }
        to = now;
        last = received;
        empty = emptyPolls - emptyBefore;
        allocated = Allocation.bytes() - allocatedBefore;
        return true;
    }

    void report(Options options, String work, long checked) {
        double seconds = (to - from) / 1e9;
        long messages = last - first;
        new Report(options, work)
                .value(messages / seconds, "msg/s")
                .number("bytes_per_s", (double) messages * options.size() / seconds)
                .count("messages", messages)
                .number("seconds", seconds)
                .count("empty", empty)
                .count("checked", checked)
                .number("allocated_per_msg", messages == 0 ? 0 : (double) allocated / messages)
                .print();
    }
}
