package io.github.comch4j.comch;

/** Told of a handler that has thrown an exception, see {@link ControlPathEndpoint.Builder#onHandlerFailed}. */
@FunctionalInterface
public interface HandlerFailureHandler {
    /**
     * A handler has thrown an exception for a connection.
     *
     * @param connection the connection for which the handler ran
     * @param exception what it has thrown
     */
    void onHandlerFailed(ComchConnection connection, Exception exception);
}
