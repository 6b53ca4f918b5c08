package io.github.comch4j.micrometer;

import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.function.ToLongFunction;

/**
 * Objects of one kind that share their meters, such as all connections of a server. What those have counted that ended
 * stays in the totals, so that a counter never goes back. Any thread.
 */
final class MeteredGroup<T> {
    private final Set<T> live = Collections.newSetFromMap(new IdentityHashMap<>());
    private final IdentityHashMap<ToLongFunction<T>, Long> ofEnded = new IdentityHashMap<>();
    private long begun;

    /** There are totals of these counts. */
    MeteredGroup(List<ToLongFunction<T>> counts) {
        counts.forEach(count -> ofEnded.put(count, 0L));
    }

    synchronized void add(T member) {
        if (live.add(member)) {
            begun++;
        }
    }

    synchronized void remove(T member) {
        if (live.remove(member)) {
            ofEnded.replaceAll((count, sum) -> sum + count.applyAsLong(member));
        }
    }

    /** How many there have been. */
    synchronized long begun() {
        return begun;
    }

    /** What there is now. */
    synchronized List<T> live() {
        return List.copyOf(live);
    }

    /** What those that are and those that have been have counted. */
    synchronized long total(ToLongFunction<T> count) {
        long total = ofEnded.getOrDefault(count, 0L);
        for (T member : live) {
            total += count.applyAsLong(member);
        }
        return total;
    }
}
