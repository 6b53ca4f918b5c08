package io.github.comch4j.channel;

import io.github.comch4j.SubmitResult;
import io.github.comch4j.comch.ConnectionCounters;
import java.lang.foreign.MemorySegment;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What carries the messages of one endpoint. {@link ChannelEndpoint} lets one thread at a time in, and checks what does
 * not depend on the carrier; only {@link #descriptor}, {@link #arm} and {@link #await} may be called by others
 * meanwhile.
 */
abstract class EndpointLink {
    /** The length of the message that was received last. */
    int receivedLength;

    /** How many clients a service had at the last refresh that wait. */
    volatile long pending;

    /** Who carries. */
    abstract Carrier carrier();

    /** The sizes in use. */
    abstract EndpointSizes sizes();

    /** Serves clients from now on. */
    abstract void listen(String name);

    /** Begins to connect; a refusal that comes at once is a peer that is ABORTED. */
    abstract ChannelPeer connect(String name);

    /**
     * Copies a message of a permitted length to a peer that is CONNECTED, if there is room. {@code arms}: if there is
     * none, {@link ChannelEvent#SEND} is armed, and something may have been done to get room.
     */
    abstract SubmitResult trySend(ChannelPeer to, MemorySegment message, boolean arms);

    /**
     * The peer whose message was copied into the buffer, and {@link #receivedLength}; null: there is none.
     * {@code arms}: then {@link ChannelEvent#RECEIVE} is armed.
     *
     * @throws PeerBrokenException once for each peer that has broken
     * @throws BufferTooSmallException if the message is longer; it remains the next one
     */
    abstract @Nullable ChannelPeer tryReceive(MemorySegment buffer, boolean arms);

    /** Looks anew what has become of a peer. */
    abstract void update(ChannelPeer peer);

    /** After an update. */
    abstract ConnectionCounters counters(ChannelPeer peer);

    /** After an update. */
    abstract long inFlight(ChannelPeer peer);

    /** Frees a peer that is not DISCONNECTED yet. */
    abstract void disconnect(ChannelPeer peer);

    /** The clients of a service, and {@link #pending}. Arms {@link ChannelEvent#SERVICE}. */
    abstract List<ChannelPeer> refresh();

    /** Readable from an event on, if it was armed, until it is armed again. */
    abstract int descriptor(ChannelEvent event);

    /** The next event makes the descriptor readable, at once if there is one already. */
    abstract void arm(ChannelEvent event);

    /** Sleeps on the descriptor; returns whether there was an event. */
    abstract boolean await(ChannelEvent event, long nanos);

    /**
     * Sleeps on what the last call has armed, or on something else that ends not later. For the thread that is in the
     * endpoint.
     */
    abstract void sleep(ChannelEvent event, long nanos);

    /** Wakes who sleeps, for good. */
    abstract void stopWaiting();

    /** Nothing but {@link #close} is called any more, and that by the calling thread. */
    void beginClosing() {}

    /** Frees everything native. */
    abstract void close();

    /** The peers that are there, for the end. */
    abstract List<ChannelPeer> peers();

    /** Sizes as the endpoint has them. */
    record EndpointSizes(int maxMessageSize, int sendQueueSize, int receiveQueueSize) {}
}
