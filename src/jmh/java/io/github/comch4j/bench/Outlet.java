package io.github.comch4j.bench;

/** The sending end of something that carries messages one way. Belongs to one thread. */
interface Outlet extends AutoCloseable {
    /** Writes the number into a payload and sends it; false when there is no room. */
    boolean trySend(long number);

    /**
     * As {@link #trySend}, in the form that is meant for many: what is accepted may go out with {@link #progress} only.
     */
    default boolean offer(long number) {
        return trySend(number);
    }

    /** Offers several, each with the next number; returns how many there was room for. */
    default int offer(long number, int most) {
        int offered = 0;
        while (offered < most && offer(number + offered)) {
            offered++;
        }
        return offered;
    }

    /**
     * How many are offered at most before {@link #progress}. What completes at once is used again at once, while it is
     * in the cache; else up to {@code depth} are under way after some turns.
     */
    default int turn() {
        return 64;
    }

    /** Takes all completions. */
    void progress();

    /** Whether the peer has asked for an end; looked at now and then. */
    boolean isStopped();

    /** Attempts that found no room, other than for want of a completion. */
    long again();

    @Override
    void close();
}
