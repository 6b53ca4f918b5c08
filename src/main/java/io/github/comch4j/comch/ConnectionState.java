package io.github.comch4j.comch;

/** Whether a connection can be used, and if not, why. */
public enum ConnectionState {
    /** Messages can be sent. */
    OPEN,
    /** This process has ended the connection, or the peer has ended it in good order as far as DOCA reports. */
    CLOSED,
    /** The peer vanished without ending the connection. Only servers can detect the difference. */
    LOST
}
