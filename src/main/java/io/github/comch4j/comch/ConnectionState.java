package io.github.comch4j.comch;

/** Whether a connection can be used, and if not, why. */
public enum ConnectionState {
    /** Messages can be sent. */
    OPEN,
    /** Ended by this side, or by the other side in good order as far as DOCA tells. */
    CLOSED,
    /** The other side vanished without a goodbye. Only servers are told the difference. */
    LOST
}
