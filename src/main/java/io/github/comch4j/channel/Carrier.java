package io.github.comch4j.channel;

/**
 * What carries the messages of an endpoint. With one at each end a public report has it work between a host of DOCA 3.1
 * and a BlueField-2 of 1.5, and so does the emulated device; no document promises it.
 */
public enum Carrier {
    /** The endpoint API of DOCA, {@code doca_comm_channel}, which DOCA has from 1.5 to 2.8 in a library of its own. */
    COMM_CHANNEL,
    /**
     * Comch, which DOCA has since 2.5: a service is a {@link io.github.comch4j.comch.ComchServer}, a client a
     * {@link io.github.comch4j.comch.ComchClient}, a message one message of the control path. So any program that uses
     * Comch can be at the other end.
     */
    COMCH
}
