package io.github.comch4j.internal.life;

import java.time.Duration;

/** Durations in nanoseconds, also those of some hundred years and more. */
public final class Nanos {
    /** {@link System#nanoTime()} is compared by difference: half of the range is for ever. */
    private static final long LIMIT = Long.MAX_VALUE / 2;

    private static final long LIMIT_SECONDS = LIMIT / 1_000_000_000;

    private Nanos() {}

    /** As many nanoseconds as it takes, within half of the range of {@code long}. */
    public static long of(Duration duration) {
        long seconds = duration.getSeconds();
        if (seconds >= LIMIT_SECONDS) {
            return LIMIT;
        }
        return seconds < -LIMIT_SECONDS ? -LIMIT : seconds * 1_000_000_000 + duration.getNano();
    }

    /** The moment, by {@link System#nanoTime()}, when {@code duration} will have passed. */
    public static long deadline(Duration duration) {
        return System.nanoTime() + of(duration);
    }
}
