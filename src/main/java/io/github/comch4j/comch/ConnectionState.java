package io.github.comch4j.comch;

/** Whether a connection can be used, and if not, why. */
public enum ConnectionState {
    /** Messages can be sent. */
    OPEN,
    /** Ended by this process, or by the peer in good order as far as DOCA tells. */
    CLOSED,
    /** The peer vanished without ending it. Only servers learn the difference. */
    LOST
}
