package io.github.comch4j.cli.perf;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Counts what arrives after the warm-up in windows, of which the median is the result: what disturbs one does not
 * count.
 */
final class Samples {
    private static final int WINDOWS = 7;
    private static final long SHORT_WINDOW = 50_000_000;
    private static final int MOST_WINDOWS = 100_000;

    /** When so many had arrived. */
    private record Sample(long at, long received) {}

    private final List<Sample> samples = new ArrayList<>();
    private final long warmup;
    private final long interval;
    private final int windows;
    private long next;
    private long started = System.nanoTime(); // before anything had arrived
    private long before; // received, at the last look
    private long changed; // when the last look found more

    Samples(Plan plan) {
        this(plan, plan.warmup());
    }

    /** With another warm-up than the plan's, ns. */
    Samples(Plan plan, long warmup) {
        this.warmup = warmup;
        interval = plan.count() > 0 ? SHORT_WINDOW : plan.length() / WINDOWS;
        windows = plan.count() > 0 ? MOST_WINDOWS : WINDOWS;
    }

    /** Now and then. */
    void look(long received) {
        if (received == before && received > 0) {
            return;
        }
        long now = System.nanoTime();
        if (received == 0) {
            started = now;
            return;
        }
        if (before == 0) {
            next = warmup == 0 ? now + interval : now + warmup;
            if (warmup == 0) {
                samples.add(new Sample(started, 0));
            }
        }
        before = received;
        changed = now;
        if (now - next >= 0 && samples.size() <= windows) {
            samples.add(new Sample(now, received));
            next = now + interval;
        }
    }

    /** After the last message. */
    LaneResult result(long refused) {
        List<Sample> all = new ArrayList<>(samples);
        boolean whole = all.size() > windows; // what comes after the last window is no steady state
        if (all.isEmpty()) {
            all.add(new Sample(started, 0)); // it was all over before the end of the warm-up
        }
        if (!whole) {
            all.add(new Sample(changed, before));
        }
        double[] rates = new double[all.size() - 1];
        for (int i = 0; i < rates.length; i++) {
            long nanos = all.get(i + 1).at - all.get(i).at;
            rates[i] = (all.get(i + 1).received - all.get(i).received) * 1e9 / Math.max(1, nanos);
        }
        if (rates.length > 1 && all.getLast().at - all.get(rates.length - 1).at < interval / 2) {
            rates = Arrays.copyOf(rates, rates.length - 1); // a short last one
        }
        long nanos = all.getLast().at - all.getFirst().at;
        long messages = all.getLast().received - all.getFirst().received;
        return new LaneResult(messages, nanos, rates, refused, null);
    }
}
