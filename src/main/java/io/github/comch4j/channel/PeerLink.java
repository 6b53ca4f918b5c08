package io.github.comch4j.channel;

import io.github.comch4j.DocaException;
import io.github.comch4j.internal.observe.Diagnosis;
import org.jspecify.annotations.Nullable;

/** The carrier's part of a peer. Belongs to the thread that is in the endpoint, but for the state. */
abstract class PeerLink {
    final ChannelPeer peer;
    volatile ChannelPeerState state;

    @Nullable
    DocaException refusal; // why it is ABORTED, if that is known

    boolean refusedForGood; // waiting does not change it
    boolean lossUntold; // a message that was accepted could not be delivered, and no call has thrown since

    PeerLink(ChannelEndpoint endpoint, ChannelPeerState state) {
        this.peer = new ChannelPeer(endpoint, this);
        this.state = state;
    }

    /** The attempt to connect has failed just now, in this thread. */
    void refused(@Nullable DocaException why) {
        refusal = why;
        refusedForGood = Diagnosis.refusedForGood();
        state = ChannelPeerState.ABORTED; // last: who sees it from another thread may ask why
    }

    /** For a call that meets its end. */
    PeerBrokenException broken(String function, String action) {
        lossUntold = false;
        return new PeerBrokenException(peer, function, action + peer);
    }

    /** Why there never was a connection, as far as it is known. */
    String reason() {
        DocaException why = refusal;
        return why == null ? "" : why.reason();
    }
}
