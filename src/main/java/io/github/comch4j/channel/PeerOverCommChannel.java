package io.github.comch4j.channel;

/** A peer that DOCA has. */
final class PeerOverCommChannel extends ChannelPeer {
    /** Of the {@code struct doca_comm_channel_addr_t}; 0: the service has refused at once, and there is none. */
    final long address;

    PeerOverCommChannel(ChannelEndpoint endpoint, long address, ChannelPeerState state) {
        super(endpoint, state);
        this.address = address;
    }
}
