package io.github.comch4j.comch;

/**
 * The traffic of a connection's control path so far ({@code doca_comch_connection_get_counter}). The fast path is not
 * counted.
 *
 * @param sentMessages the number of messages that were sent
 * @param sentBytes the total length of these messages in bytes
 * @param receivedMessages the number of messages that were received
 * @param receivedBytes the total length of these messages in bytes
 */
public record ConnectionCounters(long sentMessages, long sentBytes, long receivedMessages, long receivedBytes) {}
