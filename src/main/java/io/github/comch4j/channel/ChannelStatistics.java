package io.github.comch4j.channel;

/**
 * Counters of what was sent to a peer and received from it ({@code doca_comm_channel_peer_addr_get_…}).
 *
 * @param sentMessages the number of messages accepted for sending
 * @param sentBytes their bytes
 * @param receivedMessages the number of messages received
 * @param receivedBytes their bytes
 * @param inFlight the number of accepted messages that have no place in the peer's receive queue yet; when it is 0,
 *     disconnecting loses nothing
 */
public record ChannelStatistics(
        long sentMessages, long sentBytes, long receivedMessages, long receivedBytes, long inFlight) {}
