package io.github.comch4j.comch;

/** Told of a handler that has thrown an exception, see {@link ControlPathEndpoint.Builder#onFailure}. */
@FunctionalInterface
public interface ConnectionFailureHandler {
    /**
     * A handler has thrown an exception for a connection.
     *
     * @param connection the connection for which the handler ran
     * @param exception what it has thrown
     */
    void onFailure(ComchConnection connection, Exception exception);
}
