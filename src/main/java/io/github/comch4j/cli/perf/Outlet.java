package io.github.comch4j.cli.perf;

/** The sending end of what goes one way. Belongs to one thread. */
interface Outlet extends AutoCloseable {
    /** Sends a message with this number at once; false if there is no room. For round trips. */
    boolean trySend(long number);

    /** Offers messages, each with the next number, which may go out with {@link #progress} only; returns how many. */
    int offer(long number, int most);

    /** Takes all completions. */
    void progress();

    /** Whether all that was offered is completed. */
    boolean isIdle();

    /** Attempts that found no room, other than for want of a completion. */
    long refused();

    @Override
    void close();
}
