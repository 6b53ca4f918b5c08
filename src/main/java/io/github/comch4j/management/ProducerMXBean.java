package io.github.comch4j.management;

/**
 * A {@link io.github.comch4j.comch.FastPathProducer}:
 * {@code io.github.comch4j:type=Producer,endpoint="…",connection=…,id=…}.
 */
public interface ProducerMXBean {

    /**
     * Its state.
     *
     * @return the name of a {@link io.github.comch4j.core.ContextState}
     */
    String getState();

    /**
     * How many sends can be in flight at a time.
     *
     * @return the number of its tasks
     */
    int getTasks();

    /**
     * How many sends are in flight now, queued ones included.
     *
     * @return not completed
     */
    int getInFlight();

    /**
     * How many sends have succeeded.
     *
     * @return since it was started
     */
    long getSent();

    /**
     * How long the data of these sends were together.
     *
     * @return bytes
     */
    long getSentBytes();

    /**
     * How many sends were accepted and failed.
     *
     * @return since it was started
     */
    long getFailed();

    /**
     * How many times a send was not accepted because there was no room.
     *
     * @return since it was started
     */
    long getRefused();

    /**
     * How many episodes of back-pressure there were: from a first refusal to the next send that was accepted.
     *
     * @return since it was started
     */
    long getBackPressures();
}
