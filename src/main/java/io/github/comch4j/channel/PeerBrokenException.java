package io.github.comch4j.channel;

import io.github.comch4j.DocaError;
import io.github.comch4j.DocaException;
import io.github.comch4j.internal.failure.Failures;

/**
 * The connection to a peer has broken: nothing can be sent to it any more. The program has to
 * {@linkplain ChannelPeer#disconnect() disconnect} it; other peers of a service are not affected.
 */
public final class PeerBrokenException extends DocaException {
    private static final long serialVersionUID = 1L;

    /** Whose connection it was. */
    private final transient ChannelPeer peer;

    PeerBrokenException(ChannelPeer peer, String function, String action) {
        super(Failures.origin(DocaError.CONNECTION_RESET, function, action));
        this.peer = peer;
    }

    /**
     * The peer that is to be disconnected.
     *
     * @return the peer
     */
    public ChannelPeer peer() {
        return peer;
    }
}
