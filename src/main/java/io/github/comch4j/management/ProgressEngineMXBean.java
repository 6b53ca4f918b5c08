package io.github.comch4j.management;

/**
 * A {@link io.github.comch4j.core.ProgressEngine}, registered as {@code io.github.comch4j:type=ProgressEngine,id=…}.
 */
public interface ProgressEngineMXBean {

    /**
     * Returns the thread that owns the engine.
     *
     * @return the thread's name; empty while no thread owns it
     */
    String getOwner();

    /**
     * Returns how many times a thread has polled the engine for progress.
     *
     * @return the count since the engine was created
     */
    long getPolls();

    /**
     * Returns the number of events that progress has handled. The ratio of events to polls shows how busy the engine
     * is.
     *
     * @return the count since the engine was created
     */
    long getEvents();

    /**
     * Returns the number of callbacks that threw an exception.
     *
     * @return the count since the engine was created
     */
    long getCallbackFailures();
}
