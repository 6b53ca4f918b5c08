package io.github.comch4j.channel;

import java.util.List;

/**
 * The clients of a service at one moment ({@code doca_comm_channel_ep_get_peer_addr_list},
 * {@code doca_comm_channel_ep_get_pending_connections}).
 *
 * @param peers the peers that the service has accepted and not disconnected, including broken ones
 * @param pending the number of clients that wait to be accepted, which happens when the service receives; 0 over Comch,
 *     where clients never wait
 */
public record ChannelServiceState(List<ChannelPeer> peers, long pending) {
    /**
     * Creates a snapshot with a copy of the list.
     *
     * @param peers the peers
     * @param pending the number of clients that wait
     */
    public ChannelServiceState {
        peers = List.copyOf(peers);
    }
}
