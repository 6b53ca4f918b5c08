package io.github.comch4j.internal.life;

import io.github.comch4j.internal.failure.Rethrow;

/**
 * Collects what goes wrong while a tree of resources is closed: the first problem is thrown at the end, the others are
 * suppressed in it.
 */
public final class Teardown {
    private Throwable first;

    /** Remembers a problem. */
    public void add(Throwable problem) {
        first = Rethrow.first(first, problem);
    }

    /** The first problem, or null. */
    Throwable first() {
        return first;
    }

    /** Throws what was collected, if anything. */
    void rethrow() {
        if (first != null) {
            throw Rethrow.asIs(first);
        }
    }
}
