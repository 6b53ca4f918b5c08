package io.github.comch4j.reliability;

import java.util.ArrayList;
import java.util.List;

/** How much memory something held, seen at equal intervals. */
final class Samples {
    private final List<Long> kib = new ArrayList<>();

    void add(long value) {
        kib.add(value);
    }

    /**
     * The mean of the last quarter less that of the first, in MiB: a single peak is no growth, and what grows slowly
     * and for ever is.
     */
    double growthMiB() {
        int quarter = Math.max(1, kib.size() / 4);
        return mean(kib.size() - quarter, kib.size()) - mean(0, quarter);
    }

    double firstMiB() {
        return mean(0, Math.max(1, kib.size() / 4));
    }

    private double mean(int from, int to) {
        return kib.subList(from, to).stream()
                        .mapToLong(Long::longValue)
                        .average()
                        .orElseThrow()
                / 1024;
    }

    @Override
    public String toString() {
        return kib.isEmpty() ? "unknown" : String.format("%.0f MiB, growth %.1f MiB", firstMiB(), growthMiB());
    }
}
