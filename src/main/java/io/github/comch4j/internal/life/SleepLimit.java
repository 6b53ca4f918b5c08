package io.github.comch4j.internal.life;

import io.github.comch4j.internal.load.Symbols;

/**
 * How long an engine's thread may sleep on its descriptor. On the emulated device it wakes up in time. NVIDIA's guides
 * say that Comch does not raise events, so elsewhere sleeps are short, until the device has proved that they need not
 * be: by events that led to work. One sleep in which work has come without an event, and they are short again.
 */
public final class SleepLimit {
    private static final long SHORT = 1_000_000; // nanoseconds, as the next
    private static final long LONG = 50_000_000;

    private final long least;
    private long nanos;
    private boolean slept; // and progress has not been made since
    private boolean event;

    SleepLimit(boolean trusted) {
        least = trusted ? LONG : SHORT;
        nanos = least;
    }

    /** Of the libraries in use. */
    public static SleepLimit ofLibraries() {
        return new SleepLimit(areEventsTrusted());
    }

    /** Whether Comch of the libraries in use is known to wake a sleeping engine for each event. */
    public static boolean areEventsTrusted() {
        return Symbols.find("doca_emu_last_error").isPresent();
    }

    /** The longest sleep. */
    public long nanos() {
        return nanos;
    }

    /** It has slept; whether an event ended that. */
    public void slept(boolean byEvent) {
        slept = true;
        event = byEvent;
    }

    /** Progress was made; whether it brought anything. */
    public void worked(boolean anything) {
        if (slept && anything) {
            nanos = event ? Math.min(2 * nanos, LONG) : least;
        }
        slept = false;
    }
}
