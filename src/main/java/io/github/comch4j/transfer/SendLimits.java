package io.github.comch4j.transfer;

/** What a device takes of one send, as far as it tells; DOCA checks none of it when a task is made or submitted. */
public interface SendLimits {
    /** Buffers in a list. */
    long buffers();

    /** Bytes of data. */
    long data();

    /** Bytes of immediate data; 0: not known. */
    long immediate();

    /** The device, for messages. */
    String device();
}
