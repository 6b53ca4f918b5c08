package io.github.comch4j.channel;

import io.github.comch4j.internal.call.ChannelCalls;

/**
 * What carries the messages of an endpoint. A public report describes a host with DOCA 3.1 and a BlueField-2 with 1.5
 * that work with a different carrier at each end, and the emulated device supports this, too. No document guarantees
 * it.
 */
public enum Carrier {
    /** The endpoint API of DOCA, {@code doca_comm_channel}. DOCA has it from 1.5 to 2.8, in a library of its own. */
    COMM_CHANNEL,
    /**
     * Comch, which DOCA has since 2.5. A service is a {@link io.github.comch4j.comch.ComchServer}, a client is a
     * {@link io.github.comch4j.comch.ComchClient}, and a message is one message of the control path. Any program that
     * uses Comch can therefore be at the other end.
     */
    COMCH;

    /** The one that endpoints have by default. */
    static Carrier ofLibraries() {
        return ChannelCalls.areThere() ? COMM_CHANNEL : COMCH;
    }
}
