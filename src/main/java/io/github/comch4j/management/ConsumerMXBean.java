package io.github.comch4j.management;

/**
 * A {@link io.github.comch4j.comch.FastPathConsumer}:
 * {@code io.github.comch4j:type=Consumer,endpoint="…",connection=…,id=…}.
 */
public interface ConsumerMXBean {

    /**
     * Its state.
     *
     * @return the name of a {@link io.github.comch4j.core.ContextState}
     */
    String getState();

    /**
     * How many receives can be posted at a time.
     *
     * @return the number of its tasks
     */
    int getTasks();

    /**
     * How many receives are posted now. While it is 0, the producers of the peer have no room.
     *
     * @return posted, and not ended
     */
    int getPosted();

    /**
     * How many sends have been received, with data or without.
     *
     * @return since it was started
     */
    long getReceived();

    /**
     * How long the data in these were together.
     *
     * @return bytes
     */
    long getReceivedBytes();

    /**
     * How many posted receives came back with nothing.
     *
     * @return since it was started
     */
    long getFailed();
}
