package io.github.comch4j.core;

import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.locks.LockSupport;

/**
 * What a loop does when there was nothing to do: an {@link EventLoop}, or one of the program's own. An object belongs
 * to one loop.
 *
 * {@snippet file="Pieces.java" region="idle"}
 *
 * <p>Where there are more loops than cores, of this process and its peers, spinning makes each wait for the others'
 * time slices.
 *
 * <table>
 * <caption>The strategies</caption>
 * <tr><th>alias</th><th>latency of the next event</th><th>processor when idle</th></tr>
 * <tr><td>{@code spin}</td><td>none</td><td>one core, always</td></tr>
 * <tr><td>{@code yield}</td><td>none while nobody else wants the core</td><td>what others leave of one core</td></tr>
 * <tr><td>{@code backoff}</td><td>none while busy, up to a millisecond after a pause</td>
 * <td>about one hundredth of a core</td></tr>
 * <tr><td>{@code event} (default of an {@link EventLoop})</td><td>none while busy, that of a wake-up by the operating
 * system after a pause</td><td>next to nothing on the emulated device; on others as {@code backoff}</td></tr>
 * <tr><td>{@code park}</td><td>up to the time that it is given</td><td>next to nothing</td></tr>
 * </table>
 */
public interface IdleStrategy {
    /**
     * Called after each round of the loop.
     *
     * @param work how many things happened in it; 0 is the time to wait a little
     */
    void idle(int work);

    /**
     * Its short name.
     *
     * @return what {@link #of} takes
     */
    String alias();

    /**
     * Asks again at once, with the processor's hint for such loops.
     *
     * @return a new strategy
     */
    static IdleStrategy busySpin() {
        return new NamedIdleStrategy("spin", work -> {
            if (work == 0) {
                Thread.onSpinWait();
            }
        });
    }

    /**
     * Lets other threads have the core in between.
     *
     * @return a new strategy
     */
    static IdleStrategy yielding() {
        return new NamedIdleStrategy("yield", work -> {
            if (work == 0) {
                Thread.yield();
            }
        });
    }

    /**
     * Sleeps for a fixed time.
     *
     * @param time how long, at least 1 ns; the operating system adds some 50 µs
     * @return a new strategy
     * @throws IllegalArgumentException if the time is not positive
     */
    static IdleStrategy parking(Duration time) {
        long nanos = BackOff.positive("time", time);
        return new NamedIdleStrategy("park", work -> {
            if (work == 0) {
                LockSupport.parkNanos(nanos);
            }
        }) {
            @Override
            public String toString() {
                return "park(" + time + ")";
            }
        };
    }

    /**
     * Spins, then yields, then sleeps for longer and longer: quick when busy, kind to a laptop when not.
     *
     * @return a new strategy: 200 spins, 50 yields, then from 10 µs to 1 ms
     */
    static IdleStrategy backOff() {
        return backOff(200, 50, Duration.ofNanos(10_000), Duration.ofMillis(1));
    }

    /**
     * Spins, then yields, then sleeps for longer and longer.
     *
     * @param spins how often to spin
     * @param yields how often to yield then
     * @param shortest the first sleep; each one is twice as long as the one before
     * @param longest the longest sleep
     * @return a new strategy
     * @throws IllegalArgumentException if a number is negative, a time not positive, or {@code shortest} longer than
     *     {@code longest}
     */
    static IdleStrategy backOff(int spins, int yields, Duration shortest, Duration longest) {
        return new BackOff(spins, yields, shortest, longest);
    }

    /**
     * Spins for a while, then sleeps in the operating system until the engine of the {@link EventLoop} has something to
     * do ({@link ProgressEngine#awaitEvent}) or a task is handed over. In a loop of the program's own it backs off.
     *
     * <p>NVIDIA's documentation says, for DOCA 2.5 to 3.0, that Comch has no event-triggered completions. So, but on
     * the emulated device, which has them, it sleeps for a millisecond at most; for longer only as long as events come,
     * and nothing is found that came without.
     *
     * @return a new strategy
     */
    static IdleStrategy eventDriven() {
        return new EventDriven();
    }

    /**
     * A strategy by its alias, for settings.
     *
     * @param alias {@code spin}, {@code yield}, {@code backoff}, {@code event} or {@code park} (100 µs), in either case
     * @return a new strategy
     * @throws IllegalArgumentException if there is none of that name
     */
    static IdleStrategy of(String alias) {
        return switch (alias.toLowerCase(Locale.ROOT)) {
            case "spin" -> busySpin();
            case "yield" -> yielding();
            case "backoff" -> backOff();
            case "event" -> eventDriven();
            case "park" -> parking(Duration.ofNanos(100_000));
            default ->
                throw new IllegalArgumentException(
                        "no idle strategy \"" + alias + "\": spin, yield, backoff, event or park");
        };
    }
}
