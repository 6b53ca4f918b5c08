package io.github.comch4j.channel;

/**
 * What went to and came from a peer ({@code doca_comm_channel_peer_addr_get_…}).
 *
 * @param sentMessages messages that were accepted to be sent
 * @param sentBytes their bytes
 * @param receivedMessages messages that were received
 * @param receivedBytes their bytes
 * @param inFlight messages that were accepted and have no place in the peer's receive queue yet; when it is 0,
 *     disconnecting loses nothing
 */
public record ChannelStatistics(
        long sentMessages, long sentBytes, long receivedMessages, long receivedBytes, long inFlight) {}
