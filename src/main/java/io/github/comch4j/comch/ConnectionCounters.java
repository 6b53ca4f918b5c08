package io.github.comch4j.comch;

/**
 * What went over a connection's control path so far ({@code doca_comch_connection_get_counter}); the fast path does not
 * count.
 *
 * @param sentMessages messages that were sent
 * @param sentBytes their bytes
 * @param receivedMessages messages that were received
 * @param receivedBytes their bytes
 */
public record ConnectionCounters(long sentMessages, long sentBytes, long receivedMessages, long receivedBytes) {}
