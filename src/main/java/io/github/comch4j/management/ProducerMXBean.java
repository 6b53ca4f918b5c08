package io.github.comch4j.management;

/**
 * A {@link io.github.comch4j.comch.FastPathProducer}, registered as {@code
 * io.github.comch4j:type=Producer,endpoint="…",connection=…,id=…}.
 */
public interface ProducerMXBean {

    /**
     * Returns the state of the producer.
     *
     * @return the name of a {@link io.github.comch4j.core.ContextState}
     */
    String getState();

    /**
     * Returns how many sends can be in flight at a time.
     *
     * @return the number of its tasks
     */
    int getTasks();

    /**
     * Returns the number of sends in flight, including queued ones.
     *
     * @return the sends that have not completed
     */
    int getInFlight();

    /**
     * Returns the number of successful sends.
     *
     * @return the count since the producer was started
     */
    long getSent();

    /**
     * Returns the total length of the data of the successful sends.
     *
     * @return bytes
     */
    long getSentBytes();

    /**
     * Returns the number of sends that were accepted and then failed.
     *
     * @return the count since the producer was started
     */
    long getFailed();

    /**
     * Returns how many times a send was not accepted because there was no room.
     *
     * @return the count since the producer was started
     */
    long getRefused();

    /**
     * Returns the number of episodes of back-pressure. An episode lasts from a first refusal to the next accepted send.
     *
     * @return the count since the producer was started
     */
    long getBackPressures();
}
