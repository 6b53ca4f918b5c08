package io.github.comch4j.channel;

import io.github.comch4j.DocaException;
import io.github.comch4j.internal.life.Attachments;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Whom an endpoint is connected to ({@code doca_comm_channel_addr_t}): for a client its service, for a service one of
 * its clients. A client that connects again is another peer.
 *
 * <p>A peer belongs to its endpoint: the rule for its threads holds, unless a method says otherwise.
 */
public final class ChannelPeer {
    private static final AtomicLong NUMBERS = new AtomicLong();

    final PeerLink link;
    private final ChannelEndpoint endpoint;
    private final long number = NUMBERS.incrementAndGet();
    private volatile @Nullable Object attachment;

    ChannelPeer(ChannelEndpoint endpoint, PeerLink link) {
        this.endpoint = endpoint;
        this.link = link;
    }

    /**
     * The endpoint that this is a peer of. Any thread may ask.
     *
     * @return the endpoint
     */
    public ChannelEndpoint endpoint() {
        return endpoint;
    }

    /**
     * Tells it from the other peers of this process, also from those that are gone. Any thread may ask.
     *
     * @return 1 for the first one, and so on
     */
    public long number() {
        return number;
    }

    /**
     * What had become of it when the endpoint was last used. Any thread may ask.
     *
     * @return the state
     */
    public ChannelPeerState state() {
        return link.state;
    }

    /**
     * Looks what has become of it ({@code doca_comm_channel_peer_addr_update_info}). A client that connects makes
     * progress with it.
     *
     * @return the state
     * @throws IllegalStateException if the endpoint is closed
     * @throws WrongThreadException if another thread is in the endpoint
     * @throws io.github.comch4j.DocaException if DOCA refuses
     */
    public ChannelPeerState update() {
        return endpoint.update(this);
    }

    /**
     * Why a client's attempt to connect was refused. Any thread may ask.
     *
     * @return an exception that nobody has thrown, with a {@link DocaException#reason()} if the libraries have told
     *     one; null unless the state is {@link ChannelPeerState#ABORTED}, or if nothing is known
     */
    public @Nullable DocaException refusal() {
        return state() == ChannelPeerState.ABORTED ? link.refusal : null;
    }

    /**
     * Counts what went to it and came from it ({@code doca_comm_channel_peer_addr_update_info} and
     * {@code doca_comm_channel_peer_addr_get_…}).
     *
     * @return a snapshot; also of a peer that is broken
     * @throws IllegalStateException if it is disconnected, or the endpoint closed
     * @throws WrongThreadException if another thread is in the endpoint
     * @throws io.github.comch4j.DocaException if DOCA refuses
     */
    public ChannelStatistics statistics() {
        return endpoint.statistics(this);
    }

    /**
     * Ends the connection and frees what belongs to it ({@code doca_comm_channel_ep_disconnect}). Messages that were
     * accepted still go out, for a second at most if the peer does not receive; those that have come from it and were
     * not received are thrown away. The endpoint can then connect anew. The second call does nothing.
     *
     * <p>Whether the peer learns of it depends on the {@link Carrier}.
     *
     * @throws PeerBrokenException if a message that was accepted could not be delivered, and no call has told of it:
     *     the peer is disconnected all the same. Over {@link Carrier#COMM_CHANNEL} it is the send that fails
     * @throws WrongThreadException if another thread is in the endpoint
     * @throws io.github.comch4j.DocaException if DOCA refuses
     */
    public void disconnect() {
        endpoint.disconnect(this);
    }

    /**
     * What the program attached, of any type. Any thread may ask.
     *
     * @return the object, or null
     */
    public @Nullable Object attachment() {
        return attachment;
    }

    /**
     * What the program attached, by its type. Any thread may ask.
     *
     * @param <T> what is attached
     * @param type its type
     * @return the object, or null
     * @throws ClassCastException if something else is attached
     */
    public <T> @Nullable T attachment(Class<T> type) {
        return Attachments.as(type, attachment, this);
    }

    /**
     * Attaches an object of the program's, in place of the one before. It stays when the peer breaks or is
     * disconnected. Any thread may.
     *
     * @param object the object, or null
     * @return this
     */
    public ChannelPeer attach(@Nullable Object object) {
        attachment = object;
        return this;
    }

    /**
     * For logs.
     *
     * @return its number, and whose peer it is
     */
    @Override
    public String toString() {
        return "peer " + number + " of " + endpoint;
    }
}
