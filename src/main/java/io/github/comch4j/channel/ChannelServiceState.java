package io.github.comch4j.channel;

import java.util.List;

/**
 * The clients of a service at one moment ({@code doca_comm_channel_ep_get_peer_addr_list},
 * {@code doca_comm_channel_ep_get_pending_connections}).
 *
 * @param peers the peers that were accepted and not disconnected, those that are broken included
 * @param pending how many clients wait to be accepted, which receiving does; 0 over Comch, where they never wait
 */
public record ChannelServiceState(List<ChannelPeer> peers, long pending) {
    /**
     * Copies the list.
     *
     * @param peers the peers
     * @param pending how many clients wait
     */
    public ChannelServiceState {
        peers = List.copyOf(peers);
    }
}
