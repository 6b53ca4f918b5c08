package io.github.comch4j.management;

/**
 * An {@code RpcClient} or {@code RpcServer}: {@code io.github.comch4j:type=RpcClient,name="…",id=…}. All counts are
 * since it began; rates are their differences.
 */
public interface CallsMXBean {

    /**
     * How many calls there have been: given to the loop to be sent, or arrived and not refused at once.
     *
     * @return since it began
     */
    long getCalls();

    /**
     * How many calls wait for their end now.
     *
     * @return begun and not ended
     */
    int getInFlight();

    /**
     * How many calls were answered with a response.
     *
     * @return since it began
     */
    long getAnswered();

    /**
     * How long the answered calls took together: of a client from the call to its response, of a server from the
     * request to its response.
     *
     * @return nanoseconds
     */
    long getAnsweredNanos();

    /**
     * How long the slowest of the answered calls took.
     *
     * @return nanoseconds
     */
    long getLongestNanos();

    /**
     * How many calls failed after their handler had run.
     *
     * @return since it began
     */
    long getFailed();

    /**
     * How many calls were refused, by either side, before their handler ran.
     *
     * @return since it began
     */
    long getRejected();

    /**
     * How many calls were not answered in time; of a server: were late when their turn came.
     *
     * @return since it began
     */
    long getLate();

    /**
     * How many calls have no known end: of a client, the connection has ended meanwhile, or nobody waited any more; of
     * a server, the client does not wait any more.
     *
     * @return since it began
     */
    long getLost();
}
