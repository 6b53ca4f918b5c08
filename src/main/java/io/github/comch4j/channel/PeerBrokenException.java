package io.github.comch4j.channel;

import io.github.comch4j.DocaError;
import io.github.comch4j.DocaException;
import io.github.comch4j.internal.failure.Failures;

/**
 * Thrown when the connection to a peer has broken: nothing more can be sent to the peer. The program must
 * {@linkplain ChannelPeer#disconnect() disconnect} it. Other peers of a service are not affected.
 */
public final class PeerBrokenException extends DocaException {
    private static final long serialVersionUID = 1L;

    /** Whose connection it was. */
    private final transient ChannelPeer peer;

    PeerBrokenException(ChannelPeer peer, String function, String action) {
        super(Failures.refused(DocaError.CONNECTION_RESET, function, action));
        this.peer = peer;
    }

    /**
     * Returns the peer that the program must disconnect.
     *
     * @return the peer
     */
    public ChannelPeer peer() {
        return peer;
    }
}
