package io.github.comch4j.management;

/** A {@link io.github.comch4j.core.ProgressEngine}: {@code io.github.comch4j:type=ProgressEngine,id=…}. */
public interface ProgressEngineMXBean {

    /**
     * The thread that owns it.
     *
     * @return the thread's name; empty while no thread does
     */
    String getOwner();

    /**
     * How many times it was asked for progress.
     *
     * @return since it was created
     */
    long getPolls();

    /**
     * How many events progress has brought. Together with the polls this shows how busy it is.
     *
     * @return since it was created
     */
    long getEvents();

    /**
     * How many callbacks have thrown.
     *
     * @return since it was created
     */
    long getCallbackFailures();
}
