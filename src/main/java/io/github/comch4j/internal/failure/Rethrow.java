package io.github.comch4j.internal.failure;

import org.jspecify.annotations.Nullable;

/** Throws what was caught elsewhere, in another thread or under native code. */
public final class Rethrow {
    private Rethrow() {}

    /**
     * Throws anything, also a checked exception that the caller does not declare: who gave the code that threw it knows
     * of it.
     *
     * @param failure what was caught
     * @return nothing; its type lets the caller write {@code throw}
     */
    public static RuntimeException asIs(Throwable failure) {
        throw Rethrow.<RuntimeException>sneak(failure);
    }

    /**
     * Of several failures that are thrown as one: the first, in which the others are suppressed.
     *
     * @param before the first so far, or null
     * @param next one more, perhaps the same
     * @return the first
     */
    public static Throwable first(@Nullable Throwable before, Throwable next) {
        if (before == null) {
            return next;
        }
        if (before != next) {
            before.addSuppressed(next);
        }
        return before;
    }

    @SuppressWarnings("unchecked")
    private static <T extends Throwable> RuntimeException sneak(Throwable failure) throws T {
        throw (T) failure;
    }
}
