package io.github.comch4j.transfer;

/**
 * What a device takes of one send or copy, as far as it tells; DOCA checks none of it when a task is made or submitted.
 *
 * @param device the device, for messages
 * @param buffers in a list
 * @param data bytes
 * @param immediate bytes of immediate data; 0: not known
 */
public record SendLimits(String device, long buffers, long data, long immediate) {}
