package io.github.comch4j.channel;

import io.github.comch4j.comch.ComchClient;
import io.github.comch4j.comch.ComchConnection;
import org.jspecify.annotations.Nullable;

/** A peer to which a connection of Comch leads. */
final class PeerOverComch extends ChannelPeer {
    @Nullable
    ComchClient client; // on a client's side

    @Nullable
    ComchConnection connection; // once it is established

    boolean endKnown; // that it is BROKEN is among the arrivals
    long sent;
    long sentBytes;
    long received;
    long receivedBytes;
    /** How many more messages may be in flight, as far as is known without asking DOCA. */
    long credits;

    PeerOverComch(ChannelEndpoint endpoint, ChannelPeerState state) {
        super(endpoint, state);
    }

    /** A message was received by the program. */
    void received(long length) {
        received++;
        receivedBytes += length;
    }

    /** A message was accepted to be sent. */
    void sent(long length) {
        sent++;
        sentBytes += length;
        credits--;
    }

    /** Messages that were accepted and have not arrived. */
    long undelivered() {
        ComchConnection open = connection;
        return open == null || !open.isOpen()
                ? 0
                : Math.max(0, sent - open.counters().sentMessages());
    }
}
