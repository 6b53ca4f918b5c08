package io.github.comch4j.cli;

import io.github.comch4j.cli.program.Sizes;
import java.util.concurrent.atomic.LongAdder;

/** What has gone through a command, for its last line. */
final class TrafficCount {
    private final LongAdder messages = new LongAdder();
    private final LongAdder bytes = new LongAdder();
    private final long began = System.nanoTime();

    void add(int length) {
        messages.increment();
        bytes.add(length);
    }

    /** {@code 3 messages, 4.1 KiB in 2.0 s, 0.0 MB/s}. */
    @Override
    public String toString() {
        double seconds = (System.nanoTime() - began) / 1e9;
        long count = messages.sum();
        return "%d message%s, %s in %.1f s, %.1f MB/s"
                .formatted(
                        count, count == 1 ? "" : "s", Sizes.format(bytes.sum()), seconds, bytes.sum() / 1e6 / seconds);
    }
}
