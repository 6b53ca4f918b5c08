package io.github.comch4j.internal.life;

import java.time.Duration;

/** Durations in nanoseconds, also those of some hundred years and more. */
public final class Nanos {
    /** {@link System#nanoTime()} is compared by difference: half of the range is for ever. */
    private static final long LIMIT = Long.MAX_VALUE / 2;

    private static final Duration LONGEST = Duration.ofNanos(LIMIT);

    private Nanos() {}

    /** As many nanoseconds as it takes, within half of the range of {@code long}. */
    public static long of(Duration duration) {
        if (duration.compareTo(LONGEST) > 0) {
            return LIMIT;
        }
        return duration.compareTo(LONGEST.negated()) < 0 ? -LIMIT : duration.toNanos();
    }

    /** The moment, by {@link System#nanoTime()}, when {@code duration} will have passed. */
    public static long deadline(Duration duration) {
        return System.nanoTime() + of(duration);
    }
}
