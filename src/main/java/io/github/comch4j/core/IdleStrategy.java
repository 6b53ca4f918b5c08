package io.github.comch4j.core;

import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.locks.LockSupport;

/**
 * Determines what a loop does when there was nothing to do. The loop is an {@link EventLoop}, or a loop of the program.
 * Each strategy object belongs to one loop.
 *
 * {@snippet file="Pieces.java" region="idle"}
 *
 * <p>If there are more loops than cores, counting this process and its peers, spinning makes each loop wait for the
 * time slices of the others.
 *
 * <table>
 * <caption>The strategies</caption>
 * <tr><th>alias</th><th>latency of the next event</th><th>processor time when idle</th></tr>
 * <tr><td>{@code spin}</td><td>none</td><td>one core, always</td></tr>
 * <tr><td>{@code yield}</td><td>none while no other thread needs the core</td><td>the time of one core that others
 * leave</td></tr>
 * <tr><td>{@code backoff}</td><td>none while busy, up to 1 ms after a pause</td>
 * <td>about one hundredth of a core</td></tr>
 * <tr><td>{@code event} (default of an {@link EventLoop})</td><td>none while busy, a wake-up by the operating system
 * after a pause</td><td>almost none on the emulated device; on others as {@code backoff}</td></tr>
 * <tr><td>{@code shared}</td><td>as {@code event}; threads that wait run the program's handlers, too</td>
 * <td>as {@code event}</td></tr>
 * <tr><td>{@code park}</td><td>up to the given time</td><td>almost none</td></tr>
 * </table>
 */
@FunctionalInterface
public interface IdleStrategy {
    /**
     * Called after each round of the loop.
     *
     * @param work how many events the round handled; if 0, the strategy should wait a little
     */
    void idle(int work);

    /**
     * Returns a strategy that polls again at once, with the processor's hint for spin loops.
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
     * Returns a strategy that yields the core to other threads between polls.
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
     * Returns a strategy that sleeps for a fixed time.
     *
     * @param time how long, at least 1 ns; the operating system adds about 50 µs
     * @return a new strategy
     * @throws IllegalArgumentException if the time is not positive
     */
    static IdleStrategy parking(Duration time) {
        long nanos = BackOff.positive("time", time);
        return new NamedIdleStrategy("park(" + time + ")", work -> {
            if (work == 0) {
                LockSupport.parkNanos(nanos);
            }
        });
    }

    /**
     * Returns a strategy that spins, then yields, then sleeps for increasing times: fast while busy, and light on the
     * processor when idle.
     *
     * @return a new strategy: 200 spins, 50 yields, then sleeps from 10 µs to 1 ms
     */
    static IdleStrategy backOff() {
        return backOff(200, 50, Duration.ofNanos(10_000), Duration.ofMillis(1));
    }

    /**
     * Returns a strategy that spins, then yields, then sleeps for increasing times.
     *
     * @param spins the number of spins
     * @param yields the number of yields after them
     * @param shortest the first sleep; each further sleep is twice as long
     * @param longest the longest sleep
     * @return a new strategy
     * @throws IllegalArgumentException if a number is negative, a time is not positive, or {@code shortest} is longer
     *     than {@code longest}
     */
    static IdleStrategy backOff(int spins, int yields, Duration shortest, Duration longest) {
        return new BackOff(spins, yields, shortest, longest);
    }

    /**
     * Returns a strategy that spins for a while, then sleeps in the operating system until the engine of the
     * {@link EventLoop} has something to do ({@link ProgressEngine#awaitEvent}) or a task is submitted. In a loop of
     * the program, it backs off instead.
     *
     * <p>According to NVIDIA's documentation for DOCA 2.5 to 3.0, Comch has no event-triggered completions. On every
     * device except the emulated one, which has them, the strategy therefore sleeps for at most 1 ms. It sleeps longer
     * only as long as events arrive and no poll finds work that arrived without an event.
     *
     * @return a new strategy
     */
    static IdleStrategy eventDriven() {
        return new EventDriven(false);
    }

    /**
     * Returns a strategy like {@link #eventDriven()} for an {@link EventLoop} whose handlers may run on other threads
     * than the loop's. A platform thread that waits in a call of this library makes progress itself even if there are
     * handlers of the program on the engine, and runs them. It saves waking the loop's thread for them. Handlers still
     * run one at a time, and {@link EventLoop#isInLoop} returns true in them. A handler that takes long delays the call
     * that the thread waits in.
     *
     * @return a new strategy
     */
    static IdleStrategy sharedEventDriven() {
        return new EventDriven(true);
    }

    /**
     * Returns the strategy with an alias, for settings.
     *
     * @param alias {@code spin}, {@code yield}, {@code backoff}, {@code event}, {@code shared} or {@code park} (100
     *     µs); case does not matter
     * @return a new strategy
     * @throws IllegalArgumentException if there is no strategy with that alias
     */
    static IdleStrategy of(String alias) {
        return switch (alias.toLowerCase(Locale.ROOT)) {
            case "spin" -> busySpin();
            case "yield" -> yielding();
            case "backoff" -> backOff();
            case "event" -> eventDriven();
            case "shared" -> sharedEventDriven();
            case "park" -> parking(Duration.ofNanos(100_000));
            default ->
                throw new IllegalArgumentException("unknown idle strategy \"" + alias
                        + "\": expected spin, yield, backoff, event, shared or park");
        };
    }
}
