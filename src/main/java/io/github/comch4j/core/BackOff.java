package io.github.comch4j.core;

import io.github.comch4j.internal.life.Nanos;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/** Spins, yields, sleeps. */
final class BackOff implements IdleStrategy {
    private final int spins;
    private final int yields;
    private final long shortest;
    private final long longest;
    private final String text;
    /** Rounds without work that were spun or yielded; not more than both limits together. */
    int rounds;
    /** How long the last sleep was, in nanoseconds; 0 before the first one. */
    long sleep;

    BackOff(int spins, int yields, Duration shortest, Duration longest) {
        if (spins < 0 || yields < 0) {
            throw new IllegalArgumentException("spins " + spins + ", yields " + yields + ": neither may be negative");
        }
        this.spins = spins;
        this.yields = yields;
        this.shortest = positive("shortest", shortest);
        this.longest = positive("longest", longest);
        if (this.shortest > this.longest) {
            throw new IllegalArgumentException("shortest " + shortest + " is longer than longest " + longest);
        }
        this.text = "backoff(spins=" + spins + ", yields=" + yields + ", shortest=" + shortest + ", longest=" + longest
                + ")";
    }

    static long positive(String what, Duration time) {
        long nanos = Nanos.of(time);
        if (nanos < 1) {
            throw new IllegalArgumentException(what + " " + time + " is not positive");
        }
        return nanos;
    }

    @Override
    public void idle(int work) {
        if (work > 0) {
            rounds = 0;
            sleep = 0;
        } else if (rounds < spins) {
            rounds++;
            Thread.onSpinWait();
        } else if (rounds < spins + yields) {
            rounds++;
            Thread.yield();
        } else {
            sleep = sleep == 0 ? shortest : Math.min(2 * sleep, longest);
            LockSupport.parkNanos(sleep);
        }
    }

    @Override
    public String toString() {
        return text;
    }
}
