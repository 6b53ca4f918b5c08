package io.github.comch4j.cli.perf;

/** The receiving end of what goes one way. Belongs to one thread. */
interface Inlet extends AutoCloseable {
    /** Takes what has arrived; returns how many messages. */
    int poll();

    /** Takes one message, if there is one; looks for it several times. For round trips. */
    void turn();

    @Override
    void close();
}
