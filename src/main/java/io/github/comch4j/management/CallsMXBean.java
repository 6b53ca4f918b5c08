package io.github.comch4j.management;

/**
 * An {@code RpcClient} or {@code RpcServer}, registered as {@code io.github.comch4j:type=RpcClient,name="…",id=…}. All
 * counts are since the client or server was created; rates are differences between counts.
 */
public interface CallsMXBean {

    /**
     * Returns the number of calls: of a client, those handed to the loop to be sent; of a server, those that arrived
     * and were not refused at once.
     *
     * @return the count since the client or server was created
     */
    long getCalls();

    /**
     * Returns the number of calls that have begun and not ended.
     *
     * @return the calls in flight now
     */
    int getInFlight();

    /**
     * Returns the number of calls that were answered with a response.
     *
     * @return the count since the client or server was created
     */
    long getAnswered();

    /**
     * Returns the total time of the answered calls: of a client, from each call to its response; of a server, from each
     * request to its response.
     *
     * @return nanoseconds
     */
    long getAnsweredNanos();

    /**
     * Returns the time of the slowest answered call.
     *
     * @return nanoseconds
     */
    long getLongestNanos();

    /**
     * Returns the number of calls that failed after their handler had run.
     *
     * @return the count since the client or server was created
     */
    long getFailed();

    /**
     * Returns the number of calls that either side refused before their handler ran.
     *
     * @return the count since the client or server was created
     */
    long getRejected();

    /**
     * Returns the number of late calls: of a client, those without a response in time; of a server, those whose
     * deadline had passed when their turn came.
     *
     * @return the count since the client or server was created
     */
    long getLate();

    /**
     * Returns the number of calls whose outcome is unknown: of a client, because the connection ended or the caller
     * stopped waiting; of a server, because the client no longer waits.
     *
     * @return the count since the client or server was created
     */
    long getLost();
}
