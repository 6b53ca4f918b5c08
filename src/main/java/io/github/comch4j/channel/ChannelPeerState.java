package io.github.comch4j.channel;

/** The state of a peer, as far as this process knows. */
public enum ChannelPeerState {
    /** The service has not accepted the client yet. */
    IN_PROGRESS,
    /** The endpoint can send to the peer and receive from it. */
    CONNECTED,
    /**
     * The service has refused the client, or does not exist. The program must
     * {@linkplain ChannelPeer#disconnect() disconnect} the peer.
     */
    ABORTED,
    /** Nothing more can be sent to the peer. The program must {@linkplain ChannelPeer#disconnect() disconnect} it. */
    BROKEN,
    /** This process has disconnected the peer or closed the endpoint. */
    DISCONNECTED
}
