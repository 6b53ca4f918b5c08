package io.github.comch4j.channel;

import io.github.comch4j.DocaException;
import io.github.comch4j.comch.ConnectionCounters;
import io.github.comch4j.internal.life.Attachments;
import io.github.comch4j.internal.observe.Diagnosis;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * A peer of an endpoint ({@code doca_comm_channel_addr_t}). The peer of a client is its service; the peers of a service
 * are its clients. A client that connects again is a new peer.
 *
 * <p>A peer belongs to its endpoint: the endpoint's rule for threads applies, except where a method states otherwise.
 */
public abstract sealed class ChannelPeer permits PeerOverComch, PeerOverCommChannel {
    private static final AtomicLong NUMBERS = new AtomicLong();

    private final ChannelEndpoint endpoint;
    private final long number = NUMBERS.incrementAndGet();
    private volatile @Nullable Object attachment;

    // Belong to the thread that is in the endpoint, but for the state.

    volatile ChannelPeerState state;

    @Nullable
    DocaException refusal; // why it is ABORTED, if that is known

    boolean refusedForGood; // waiting does not change it
    boolean lossUntold; // a message that was accepted could not be delivered, and no call has thrown since

    ChannelPeer(ChannelEndpoint endpoint, ChannelPeerState state) {
        this.endpoint = endpoint;
        this.state = state;
    }

    /** The attempt to connect has failed just now, in this thread. */
    final void refused(@Nullable DocaException why) {
        refusal = why;
        refusedForGood = Diagnosis.refusedForGood();
        state = ChannelPeerState.ABORTED; // last: who sees it from another thread may ask why
    }

    /** For a call that meets its end. */
    final PeerBrokenException broken(String function, String action) {
        lossUntold = false;
        return new PeerBrokenException(this, function, action + this);
    }

    /** Why there never was a connection, as far as it is known. */
    final String reason() {
        DocaException why = refusal;
        return why == null ? "" : why.reason();
    }

    /**
     * Returns the endpoint to which this peer belongs. Any thread may call this method.
     *
     * @return the endpoint
     */
    public final ChannelEndpoint endpoint() {
        return endpoint;
    }

    /**
     * Returns a number that no other peer of this process has, including peers that are gone. Any thread may call this
     * method.
     *
     * @return 1 for the first peer, 2 for the second, and so on
     */
    public final long number() {
        return number;
    }

    /**
     * Returns the state of this peer when the endpoint was last used. Any thread may call this method.
     *
     * @return the state
     */
    public final ChannelPeerState state() {
        return state;
    }

    /**
     * Updates the state of this peer ({@code doca_comm_channel_peer_addr_update_info}). While a client is connecting,
     * this also advances the attempt.
     *
     * @return the state
     * @throws IllegalStateException if the endpoint is closed
     * @throws WrongThreadException if another thread is using the endpoint
     * @throws io.github.comch4j.DocaException if DOCA refuses
     */
    public final ChannelPeerState update() {
        return endpoint.update(this);
    }

    /**
     * Returns why a client's attempt to connect was refused. Any thread may call this method.
     *
     * @return an exception that has not been thrown, with a {@link DocaException#reason()} if the libraries report one;
     *     null if no reason is known, or if the state is not {@link ChannelPeerState#ABORTED}
     */
    public final @Nullable DocaException refusal() {
        return state() == ChannelPeerState.ABORTED ? refusal : null;
    }

    /**
     * Returns counters of what was accepted to be sent to this peer and what was received from it
     * ({@code doca_comm_channel_peer_addr_update_info} and {@code doca_comm_channel_peer_addr_get_…}).
     *
     * @return a snapshot, even if the peer is broken
     * @throws IllegalStateException if the peer is disconnected or the endpoint is closed
     * @throws WrongThreadException if another thread is using the endpoint
     * @throws io.github.comch4j.DocaException if DOCA refuses
     */
    public final ConnectionCounters counters() {
        return endpoint.ask(this, endpoint.link::counters);
    }

    /**
     * Returns how many messages to this peer are in flight
     * ({@code doca_comm_channel_peer_addr_get_send_in_flight_messages}).
     *
     * @return the number of accepted messages that have no place in the peer's receive queue yet; when it is 0,
     *     disconnecting loses nothing
     * @throws IllegalStateException if the peer is disconnected or the endpoint is closed
     * @throws WrongThreadException if another thread is using the endpoint
     * @throws io.github.comch4j.DocaException if DOCA refuses
     */
    public final long inFlight() {
        return endpoint.ask(this, endpoint.link::inFlight);
    }

    /**
     * Ends the connection and frees its resources ({@code doca_comm_channel_ep_disconnect}). Messages that were
     * accepted are still sent; if the peer does not receive, this takes at most a second. Messages from the peer that
     * were not received are discarded. The endpoint can then connect again. Calling it again does nothing.
     *
     * <p>Whether the peer notices depends on the {@link Carrier}.
     *
     * @throws PeerBrokenException if a message that was accepted could not be delivered and no call has reported this;
     *     the peer is disconnected anyway. Over {@link Carrier#COMM_CHANNEL}, the send fails instead
     * @throws WrongThreadException if another thread is using the endpoint
     * @throws io.github.comch4j.DocaException if DOCA refuses
     */
    public final void disconnect() {
        endpoint.disconnect(this);
    }

    /**
     * Returns the object that the program attached. Any thread may call this method.
     *
     * @return the object, or null
     */
    public final @Nullable Object attachment() {
        return attachment;
    }

    /**
     * Returns the object that the program attached, cast to a type. Any thread may call this method.
     *
     * @param <T> the type of the attached object
     * @param type the class of that type
     * @return the object, or null
     * @throws ClassCastException if the attached object has another type
     */
    public final <T> @Nullable T attachment(Class<T> type) {
        return Attachments.as(type, attachment, this);
    }

    /**
     * Attaches an object of the program, and replaces the previous one. The object stays attached when the peer breaks
     * or is disconnected. Any thread may call this method.
     *
     * @param object the object, or null
     * @return this
     */
    public final ChannelPeer attach(@Nullable Object object) {
        attachment = object;
        return this;
    }

    /**
     * Returns a description of this peer, for logs.
     *
     * @return its number, and its endpoint
     */
    @Override
    public final String toString() {
        return "peer " + number + " of " + endpoint;
    }
}
