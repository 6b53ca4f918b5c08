package io.github.comch4j.channel;

/** What has become of a peer, as far as this process knows. */
public enum ChannelPeerState {
    /** The service has not accepted yet. */
    IN_PROGRESS,
    /** Messages can be sent and received. */
    CONNECTED,
    /** The service has refused, or there is none; to be {@linkplain ChannelPeer#disconnect() disconnected}. */
    ABORTED,
    /** Nothing can be sent to it any more; to be {@linkplain ChannelPeer#disconnect() disconnected}. */
    BROKEN,
    /** This process has disconnected it, or has closed the endpoint. */
    DISCONNECTED
}
