package io.github.comch4j.internal.failure;

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

    @SuppressWarnings("unchecked")
    private static <T extends Throwable> RuntimeException sneak(Throwable failure) throws T {
        throw (T) failure;
    }
}
