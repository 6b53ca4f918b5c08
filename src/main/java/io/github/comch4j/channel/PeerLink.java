package io.github.comch4j.channel;

/** The carrier's part of a peer. Belongs to the thread that is in the endpoint, but for the state. */
abstract class PeerLink {
    final ChannelPeer peer;
    volatile ChannelPeerState state;

    PeerLink(ChannelEndpoint endpoint, ChannelPeerState state) {
        this.peer = new ChannelPeer(endpoint, this);
        this.state = state;
    }
}
