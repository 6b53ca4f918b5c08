package io.github.comch4j.rpc;

import io.github.comch4j.comch.ConnectionClosedException;

/** How calls have failed. */
final class Ends {
    private Ends() {}

    /** The connection has ended, and the handler may have run. */
    static boolean isLost(Throwable failure) {
        return isUnavailable(failure)
                && ((RpcException) failure).delivery() == RpcException.Delivery.SENT
                && failure.getCause() instanceof ConnectionClosedException;
    }

    /** There was no connection to send on. */
    static boolean isNotSent(Throwable failure) {
        return isUnavailable(failure)
                && ((RpcException) failure).delivery() == RpcException.Delivery.NOT_SENT
                && ((RpcException) failure).isSafeToRepeat();
    }

    /** One of both. */
    static boolean isUnavailable(Throwable failure) {
        return failure instanceof RpcException call && call.kind() == RpcException.Kind.UNAVAILABLE;
    }
}
