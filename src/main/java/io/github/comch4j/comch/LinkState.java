package io.github.comch4j.comch;

/** Whether a {@code MessageSocket} or an {@code RpcClient}, which may connect again, has a connection. */
public enum LinkState {
    /** There is a connection. */
    CONNECTED,
    /**
     * The connection has ended, or the server of an {@code RpcClient} accepts no more calls. There may be another
     * connection later.
     */
    DISCONNECTED,
    /** The program has closed the socket or client. */
    CLOSED
}
