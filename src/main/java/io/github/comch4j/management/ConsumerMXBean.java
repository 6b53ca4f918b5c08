package io.github.comch4j.management;

/**
 * A {@link io.github.comch4j.comch.FastPathConsumer}, registered as {@code
 * io.github.comch4j:type=Consumer,endpoint="…",connection=…,id=…}.
 */
public interface ConsumerMXBean {

    /**
     * Returns the state of the consumer.
     *
     * @return the name of a {@link io.github.comch4j.core.ContextState}
     */
    String getState();

    /**
     * Returns how many receives can be posted at a time.
     *
     * @return the number of its tasks
     */
    int getTasks();

    /**
     * Returns the number of posted receives. While it is 0, the peer's producers have no room.
     *
     * @return the receives that are posted and have not ended
     */
    int getPosted();

    /**
     * Returns the number of sends that the consumer has received, with or without data.
     *
     * @return the count since the consumer was started
     */
    long getReceived();

    /**
     * Returns the total length of the received data.
     *
     * @return bytes
     */
    long getReceivedBytes();

    /**
     * Returns the number of posted receives that ended without a message.
     *
     * @return the count since the consumer was started
     */
    long getFailed();
}
