package io.github.comch4j.channel;

import io.github.comch4j.DocaError;
import io.github.comch4j.DocaException;
import io.github.comch4j.SubmitResult;
import io.github.comch4j.WaitInterruptedException;
import io.github.comch4j.core.Device;
import io.github.comch4j.core.Representor;
import io.github.comch4j.internal.call.ChannelCalls;
import io.github.comch4j.internal.failure.Failures;
import io.github.comch4j.internal.life.Nanos;
import io.github.comch4j.internal.life.OneUse;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The common part of services and clients ({@code doca_comm_channel_ep_t}): sends messages to peers and receives
 * messages from them.
 *
 * <p>Messages are copied. For each peer they arrive whole, once, and in order. A receiver that does not receive makes
 * its senders wait; no message is dropped.
 *
 * <p><b>Threads.</b> One thread at a time may use an endpoint: a call while another thread is using it throws
 * {@link WrongThreadException}. Any thread may at any time arm events, wait for events, call {@link #close()}, and call
 * the methods whose description allows it.
 *
 * <p><b>Waiting.</b> {@link #send} and {@link #receive} with a timeout, and the {@code await…} methods, sleep in the
 * operating system and use no processor time. A virtual thread keeps its carrier thread while it sleeps. These methods
 * run a loop: try, arm, try again, poll the descriptor. A program with a {@code poll} of its own can do the same with
 * {@link #armReceive()} and {@link #receiveEvents()}.
 */
public abstract sealed class ChannelEndpoint implements AutoCloseable permits ChannelService, ChannelClient {
    private static final VarHandle USER = userHandle();
    private static final long PATIENCE = Duration.ofSeconds(10).toNanos();
    private static final long NAP = 50_000;
    private static final long LONGEST_NAP = 1_000_000;
    static final int LARGEST = 0xffff; // DOCA takes 16 bits

    final EndpointLink link;
    private final Device device;
    private final String description;
    private final EndpointLink.EndpointSizes sizes;
    private final EndpointLife life;
    private final EngineEvents.Entered entered = this::leave;
    private volatile @Nullable Thread user; // that is in a call
    private volatile boolean closing;

    ChannelEndpoint(Builder builder, String description) {
        this.device = builder.device;
        this.description = description;
        this.life = new EndpointLife(this, description, device, builder.representor);
        this.link = builder.link(this);
        this.sizes = link.sizes();
        try {
            life.begin();
        } catch (RuntimeException e) {
            end();
            throw e;
        }
    }

    /**
     * Creates a builder for a service or client.
     *
     * @param device for a service the DPU's device, for a client a host's function of the BlueField
     * @return the builder
     */
    public static Builder builder(Device device) {
        return new Builder(device);
    }

    /**
     * Returns the device of this endpoint. Any thread may call this method.
     *
     * @return the device
     */
    public final Device device() {
        return device;
    }

    /**
     * Returns what carries the messages of this endpoint. Any thread may call this method.
     *
     * @return the carrier; the peer must have the same one
     */
    public final Carrier carrier() {
        return link.carrier();
    }

    /**
     * Returns the maximum message size in use ({@code doca_comm_channel_ep_get_max_msg_size}). Any thread may call this
     * method.
     *
     * @return the size in bytes; if the peer's limit is smaller, that limit applies
     */
    public final int maxMessageSize() {
        return sizes.maxMessageSize();
    }

    /**
     * Returns how many messages to one peer can be in flight ({@code doca_comm_channel_ep_get_send_queue_size}). Any
     * thread may call this method.
     *
     * @return the number of messages
     */
    public final int sendQueueSize() {
        return sizes.sendQueueSize();
    }

    /**
     * Returns how many messages can wait to be received ({@code doca_comm_channel_ep_get_recv_queue_size}). Any thread
     * may call this method.
     *
     * @return the number of messages
     */
    public final int receiveQueueSize() {
        return sizes.receiveQueueSize();
    }

    /**
     * Sends a message if there is room ({@code doca_comm_channel_ep_sendto}). Never waits. Copies the bytes before it
     * returns.
     *
     * @param peer the peer to send to
     * @param message 1 to {@link #maxMessageSize()} bytes, native or on the heap
     * @return {@link SubmitResult#ACCEPTED}; {@link SubmitResult#NO_TASK} if this side has no free task;
     *     {@link SubmitResult#NO_RECEIVE} if the peer has no room or is not connected yet
     * @throws IllegalArgumentException if the message is empty or too long, or if the peer belongs to another endpoint
     * @throws PeerBrokenException if the connection has broken
     * @throws IllegalStateException if the peer is disconnected or was never connected, or the endpoint is closed
     * @throws WrongThreadException if another thread is using the endpoint
     * @throws DocaException if DOCA refuses; {@link DocaError#INVALID_VALUE} if the message is too long for the peer
     */
    public final SubmitResult trySend(ChannelPeer peer, MemorySegment message) {
        check(message);
        try (EngineEvents.Entered _ = enter()) {
            return submit(peer, message, false);
        }
    }

    /**
     * Sends a message as {@link #trySend} does, but waits until there is room.
     *
     * @param peer the peer to send to
     * @param message 1 to {@link #maxMessageSize()} bytes, native or on the heap
     * @param timeout the longest time to wait
     * @throws IllegalArgumentException if the message is empty or too long, or if the peer belongs to another endpoint
     * @throws PeerBrokenException if the connection breaks before or during the call
     * @throws IllegalStateException if the peer is disconnected or was never connected, or if the endpoint is closed
     *     before or during the call
     * @throws WaitInterruptedException if the thread is interrupted while it waits
     * @throws WrongThreadException if another thread is using the endpoint
     * @throws DocaException if DOCA refuses; {@link DocaError#TIME_OUT} if there is no room within the timeout
     */
    public final void send(ChannelPeer peer, MemorySegment message, Duration timeout) {
        check(message);
        long deadline = Nanos.deadline(timeout);
        try (EngineEvents.Entered _ = enter()) {
            while (!submit(peer, message, true).accepted()) {
                boolean inTime = peer.state() == ChannelPeerState.IN_PROGRESS
                        ? nap(deadline, LONGEST_NAP)
                        : sleep(ChannelEvent.SEND, deadline);
                if (!inTime) {
                    throw Failures.refused(
                            DocaError.TIME_OUT,
                            ChannelCalls.SEND_NAME,
                            "waiting " + Failures.text(timeout) + " for room to send to " + peer);
                }
            }
        }
    }

    private SubmitResult submit(ChannelPeer peer, MemorySegment message, boolean arms) {
        checkMine(peer);
        if (peer.state == ChannelPeerState.IN_PROGRESS) {
            link.update(peer);
        }
        return switch (peer.state) {
            case CONNECTED -> link.trySend(peer, message, arms);
            case IN_PROGRESS -> SubmitResult.NO_RECEIVE;
            case BROKEN -> throw peer.broken(ChannelCalls.SEND_NAME, "sending to ");
            case ABORTED ->
                throw new IllegalStateException(
                        peer + " was never connected" + (peer.reason().isEmpty() ? "" : ": " + peer.reason()),
                        peer.refusal);
            case DISCONNECTED -> throw new IllegalStateException(peer + " is disconnected");
        };
    }

    private void check(MemorySegment message) {
        long length = message.byteSize();
        if (length < 1 || length > maxMessageSize()) {
            throw new IllegalArgumentException(
                    this + " takes messages of 1 to " + maxMessageSize() + " bytes, not " + length);
        }
    }

    private void checkMine(ChannelPeer peer) {
        if (peer.endpoint() != this) {
            throw new IllegalArgumentException(peer + " does not belong to " + this);
        }
    }

    /**
     * Receives the next message if there is one ({@code doca_comm_channel_ep_recvfrom}). Never waits.
     * {@link #receivedLength()} returns the length of the message. A service also accepts waiting clients in this
     * method.
     *
     * @param buffer the memory to copy the message to, native or on the heap; {@link #maxMessageSize()} bytes are
     *     enough for any message
     * @return the sender of the message; null if there is no message
     * @throws PeerBrokenException once for each peer whose connection has broken
     * @throws BufferTooSmallException if the message is longer than the buffer; the message stays the next one
     * @throws IllegalArgumentException if the buffer is read-only
     * @throws IllegalStateException if the endpoint is closed, or is a client that is not connected
     * @throws WrongThreadException if another thread is using the endpoint, or the buffer belongs to another thread
     * @throws DocaException if DOCA refuses; {@link DocaError#CONNECTION_ABORTED} if the service has refused the client
     */
    public final @Nullable ChannelPeer tryReceive(MemorySegment buffer) {
        checkRoom(buffer);
        try (EngineEvents.Entered _ = enter()) {
            checkReceiving();
            return link.tryReceive(buffer, false);
        }
    }

    /**
     * Receives the next message as {@link #tryReceive} does, but waits for one.
     *
     * @param buffer the memory to copy the message to, native or on the heap
     * @param timeout the longest time to wait
     * @return the sender of the message; null if no message arrives in time
     * @throws PeerBrokenException once for each peer whose connection has broken; a client throws it on each call after
     *     it has received the last message
     * @throws BufferTooSmallException if the message is longer than the buffer; the message stays the next one
     * @throws IllegalArgumentException if the buffer is read-only
     * @throws IllegalStateException if the endpoint is closed before or during the call, or is a client that is not
     *     connected
     * @throws WaitInterruptedException if the thread is interrupted while it waits
     * @throws WrongThreadException if another thread is using the endpoint, or the buffer belongs to another thread
     * @throws DocaException if DOCA refuses; {@link DocaError#CONNECTION_ABORTED} if the service has refused the client
     */
    public final @Nullable ChannelPeer receive(MemorySegment buffer, Duration timeout) {
        checkRoom(buffer);
        long limit = Nanos.of(timeout);
        try (EngineEvents.Entered _ = enter()) {
            checkReceiving();
            ChannelPeer from = link.tryReceive(buffer, true);
            if (from != null) {
                return from;
            }
            long deadline = System.nanoTime() + limit;
            do {
                checkMoreCanCome();
                if (!sleep(ChannelEvent.RECEIVE, deadline)) {
                    return null;
                }
                from = link.tryReceive(buffer, true);
            } while (from == null);
            return from;
        }
    }

    private static void checkRoom(MemorySegment buffer) {
        if (buffer.isReadOnly()) {
            throw new IllegalArgumentException("the buffer to receive into is read-only");
        }
        if (!buffer.scope().isAlive()) {
            throw new IllegalStateException("the arena of the buffer to receive into is closed");
        }
        if (!buffer.isAccessibleBy(Thread.currentThread())) {
            throw new WrongThreadException("the buffer to receive into belongs to another thread");
        }
    }

    /** Fails where there are no event channels yet. */
    abstract void checkActive();

    /** Fails where nothing can be received. */
    abstract void checkReceiving();

    /** Fails where nothing more will come. */
    abstract void checkMoreCanCome();

    /**
     * Returns the length of the message that was received last.
     *
     * @return the length in bytes; 0 before the first message
     */
    public final int receivedLength() {
        return link.receivedLength;
    }

    /**
     * Returns the descriptor that becomes readable when there is room to send again
     * ({@code doca_comm_channel_ep_get_event_channel}): after {@link #armSend()}, when messages in flight have arrived.
     * The descriptor belongs to the endpoint; do not read from it. Any thread may call this method.
     *
     * @return a file descriptor, the same for each call
     * @throws IllegalStateException if the endpoint is closed, or is a client that has not connected yet
     * @throws DocaException if DOCA refuses
     */
    public final int sendEvents() {
        checkActive();
        return link.descriptor(ChannelEvent.SEND);
    }

    /**
     * Returns the descriptor that becomes readable when there is something to receive
     * ({@code doca_comm_channel_ep_get_event_channel}), after {@link #armReceive()}: a message, a client to accept, or
     * a peer that has broken. The descriptor belongs to the endpoint; do not read from it. Any thread may call this
     * method.
     *
     * @return a file descriptor, the same for each call
     * @throws IllegalStateException if the endpoint is closed, or is a client that has not connected yet
     * @throws DocaException if DOCA refuses
     */
    public final int receiveEvents() {
        checkActive();
        return link.descriptor(ChannelEvent.RECEIVE);
    }

    /**
     * Arms the send event ({@code doca_comm_channel_ep_event_handle_arm_send}): the next event makes
     * {@link #sendEvents()} readable. Until then the descriptor is not readable. If there is already room again, it
     * becomes readable at once. Any thread may call this method at any time.
     *
     * @throws IllegalStateException if the endpoint is closed, or is a client that has not connected yet
     * @throws DocaException if DOCA refuses
     */
    public final void armSend() {
        checkActive();
        link.arm(ChannelEvent.SEND);
    }

    /**
     * Arms the receive event ({@code doca_comm_channel_ep_event_handle_arm_recv}): the next event makes
     * {@link #receiveEvents()} readable. Until then the descriptor is not readable. If there is already something to
     * receive, it becomes readable at once. Any thread may call this method at any time.
     *
     * @throws IllegalStateException if the endpoint is closed, or is a client that has not connected yet
     * @throws DocaException if DOCA refuses
     */
    public final void armReceive() {
        checkActive();
        link.arm(ChannelEvent.RECEIVE);
    }

    /**
     * {@linkplain #armSend() Arms} the send event, and sleeps until there is room to send again. Any thread may call
     * this method.
     *
     * @param timeout the longest time to sleep
     * @return whether there was an event, which may be a false alarm
     * @throws IllegalStateException if the endpoint is closed before or during the call, or is a client that has not
     *     connected yet
     * @throws WaitInterruptedException if the thread is interrupted
     * @throws DocaException if DOCA refuses
     */
    public final boolean awaitSend(Duration timeout) {
        return await(ChannelEvent.SEND, timeout);
    }

    /**
     * {@linkplain #armReceive() Arms} the receive event, and sleeps until there is something to receive. Any thread may
     * call this method.
     *
     * @param timeout the longest time to sleep
     * @return whether there was an event, which may be a false alarm
     * @throws IllegalStateException if the endpoint is closed before or during the call, or is a client that has not
     *     connected yet
     * @throws WaitInterruptedException if the thread is interrupted
     * @throws DocaException if DOCA refuses
     */
    public final boolean awaitReceive(Duration timeout) {
        return await(ChannelEvent.RECEIVE, timeout);
    }

    private boolean await(ChannelEvent event, Duration timeout) {
        long nanos = Nanos.of(timeout);
        checkActive();
        link.arm(event);
        return awaitArmed(event, nanos);
    }

    /** Sleeps on what is armed. */
    final boolean awaitArmed(ChannelEvent event, long nanos) {
        boolean found = link.await(event, nanos);
        if (!found) {
            checkNotStopped(event);
        }
        return found;
    }

    /** Sleeps in a call; false: the time is up. */
    private boolean sleep(ChannelEvent event, long deadline) {
        long left = deadline - System.nanoTime();
        if (left <= 0) {
            return false;
        }
        checkNotStopped(event);
        link.sleep(event, left);
        return true;
    }

    /** A pause where no event tells of an end; false: the time is up. */
    final boolean nap(long deadline, long longest) {
        long left = deadline - System.nanoTime();
        if (left <= 0) {
            return false;
        }
        if (Thread.currentThread().isInterrupted()) {
            throw Failures.interrupted("waiting for a connection of " + this);
        }
        if (closing) {
            throw closed();
        }
        LockSupport.parkNanos(Math.min(left, longest));
        return true;
    }

    private void checkNotStopped(ChannelEvent event) {
        if (closing) {
            throw closed();
        }
        if (Thread.currentThread().isInterrupted()) {
            throw Failures.interrupted("waiting for " + event.what + " on " + this);
        }
    }

    final ChannelPeerState update(ChannelPeer peer) {
        try (EngineEvents.Entered _ = enter()) {
            link.update(peer);
            return peer.state;
        }
    }

    /** Asks for what a peer has counted. */
    final <T> T ask(ChannelPeer peer, Function<ChannelPeer, T> question) {
        try (EngineEvents.Entered _ = enter()) {
            if (peer.state() == ChannelPeerState.DISCONNECTED) {
                throw new IllegalStateException(peer + " is disconnected");
            }
            link.update(peer);
            return question.apply(peer);
        }
    }

    final void disconnect(ChannelPeer peer) {
        if (peer.state == ChannelPeerState.DISCONNECTED) {
            return;
        }
        try (EngineEvents.Entered _ = enter()) {
            if (peer.state == ChannelPeerState.DISCONNECTED) {
                return;
            }
            link.disconnect(peer);
            peer.state = ChannelPeerState.DISCONNECTED;
            disconnected(peer);
            if (peer.lossUntold) {
                throw peer.broken(ChannelCalls.DISCONNECT_NAME, "disconnecting ");
            }
        }
    }

    /** A peer is there no longer. */
    void disconnected(ChannelPeer peer) {}

    /** The calling thread is in the endpoint, until what is returned is closed. */
    final EngineEvents.Entered enter() {
        Thread current = Thread.currentThread();
        Thread other = (Thread) USER.compareAndExchange(this, (Thread) null, current);
        if (closing) {
            if (other == null) {
                leave();
            }
            throw closed();
        }
        if (other != null) {
            throw new WrongThreadException(
                    this + " is in use by " + other + "; " + current + " cannot use it at the same time");
        }
        return entered;
    }

    private void leave() {
        USER.setRelease(this, (Thread) null);
    }

    private IllegalStateException closed() {
        return new IllegalStateException(this + " is closed");
    }

    /** Fails if closing has begun. */
    final void checkOpen() {
        if (closing) {
            throw closed();
        }
    }

    /**
     * Returns whether this endpoint is closed. Any thread may call this method.
     *
     * @return true as soon as closing has begun
     */
    public final boolean isClosed() {
        return closing;
    }

    /**
     * Disconnects all peers, frees everything ({@code doca_comm_channel_ep_destroy}), and closes the descriptors. A
     * thread that waits in a call of this endpoint gets an {@link IllegalStateException}; this method waits for such
     * threads. Calling it again does nothing. Any thread may call this method.
     *
     * @throws DocaException if DOCA refuses, or the endpoint does not close in time; afterwards only {@code close} can
     *     be called, again
     */
    @Override
    public final void close() {
        life.close();
    }

    /** Closes after a failure that the caller is going to throw. */
    final void closeAfter(Throwable failure) {
        life.closeAfter(failure);
    }

    /** Wakes who waits, and waits for the thread that is in the endpoint: from here on only this one is. */
    final void beginEnd() {
        if (user == Thread.currentThread()) {
            return; // since the first call
        }
        closing = true;
        link.stopWaiting();
        long deadline = System.nanoTime() + PATIENCE;
        while (!USER.compareAndSet(this, (Thread) null, Thread.currentThread())) {
            if (System.nanoTime() - deadline > 0) {
                throw Failures.refused(
                        DocaError.TIME_OUT, ChannelCalls.DESTROY_NAME, "waiting for " + user + " to leave " + this);
            }
            LockSupport.parkNanos(NAP);
        }
        link.beginClosing();
    }

    /** Frees everything. */
    final void end() {
        beginEnd();
        try {
            link.close();
            link.peers().forEach(peer -> peer.state = ChannelPeerState.DISCONNECTED);
        } finally {
            leave();
        }
    }

    /**
     * Returns a description of this endpoint, for logs.
     *
     * @return a text that identifies this endpoint
     */
    @Override
    public final String toString() {
        return description;
    }

    private static VarHandle userHandle() {
        try {
            return MethodHandles.lookup().findVarHandle(ChannelEndpoint.class, "user", Thread.class);
        } catch (ReflectiveOperationException e) {
            throw new AssertionError(e);
        }
    }

    /**
     * Builds a service or client. Not thread-safe. A builder can be used only once, even if DOCA refuses: afterwards
     * every call throws {@link IllegalStateException}.
     */
    public static final class Builder {
        final Device device;
        private final OneUse use;

        @Nullable
        Representor representor; // of a service

        int maxMessageSize; // 0: the default, as in the next two
        int sendQueueSize;
        int receiveQueueSize;
        private @Nullable Carrier carrier; // null: that of the libraries

        private Builder(Device device) {
            this.device = Objects.requireNonNull(device, "device");
            this.use = new OneUse("ChannelEndpoint.Builder on " + device);
        }

        /**
         * Sets the maximum message size ({@code doca_comm_channel_ep_set_max_msg_size}). Both ends should agree. Values
         * below 256 are raised to 256. Default over {@link Carrier#COMCH}: 4080 bytes, or the device's maximum if that
         * is less; otherwise DOCA's, which is 1500 bytes in 2.5.
         *
         * @param bytes 1 to {@link ChannelCapabilities#maxMessageSize()}
         * @return this
         * @throws IllegalArgumentException if it is less than 1 or more than 65,535
         */
        public Builder maxMessageSize(int bytes) {
            maxMessageSize = checked("maxMessageSize", bytes);
            return this;
        }

        /**
         * Sets how many messages to one peer can be in flight ({@code doca_comm_channel_ep_set_send_queue_size}). The
         * value is raised to at least 16, and to a power of two. Default over {@link Carrier#COMCH}: 1024, or the
         * device's maximum if that is less; otherwise DOCA's, which is 128 in 2.5.
         *
         * @param messages 1 to {@link ChannelCapabilities#maxSendQueueSize()}
         * @return this
         * @throws IllegalArgumentException if it is less than 1 or more than 65,535
         */
        public Builder sendQueueSize(int messages) {
            sendQueueSize = checked("sendQueueSize", messages);
            return this;
        }

        /**
         * Sets how many messages can wait to be received ({@code doca_comm_channel_ep_set_recv_queue_size}). The value
         * is raised to at least 16, and to a power of two. Default over {@link Carrier#COMCH}: 1024, or the device's
         * maximum if that is less; otherwise DOCA's, which is 128 in 2.5.
         *
         * @param messages 1 to {@link ChannelCapabilities#maxReceiveQueueSize()}
         * @return this
         * @throws IllegalArgumentException if it is less than 1 or more than 65,535
         */
        public Builder receiveQueueSize(int messages) {
            receiveQueueSize = checked("receiveQueueSize", messages);
            return this;
        }

        /**
         * Sets what carries the messages. Default: {@link Carrier#COMM_CHANNEL} if the libraries have it, otherwise
         * {@link Carrier#COMCH}. If the two sides run different releases that both have Comch, set {@code COMCH} on
         * both.
         *
         * @param carrier the carrier
         * @return this
         */
        public Builder carrier(Carrier carrier) {
            use.check();
            this.carrier = Objects.requireNonNull(carrier);
            return this;
        }

        private int checked(String setting, int value) {
            use.check();
            if (value < 1 || value > LARGEST) {
                throw new IllegalArgumentException(setting + " must be 1 to " + LARGEST + ", not " + value);
            }
            return value;
        }

        /**
         * Creates a client ({@code doca_comm_channel_ep_create}), which is not connected yet. The device is a host's
         * function of the BlueField.
         *
         * @return the client
         * @throws IllegalStateException if the device is closed
         * @throws DocaException if DOCA refuses: {@link DocaError#INVALID_VALUE} for a size beyond the device's
         *     capability
         */
        public ChannelClient client() {
            use.begin();
            return new ChannelClient(this);
        }

        /**
         * Creates a service and listens ({@code doca_comm_channel_ep_create}, {@code doca_comm_channel_ep_listen}). The
         * device is the DPU's.
         *
         * @param representor the host function to serve
         * @param name the name to which clients connect: not empty, at most {@link ChannelCapabilities#maxNameLength()}
         *     bytes, and unique among the services of the representor that have the same carrier
         * @return the service
         * @throws IllegalArgumentException if the name is empty, contains NUL, or is too long for {@link Carrier#COMCH}
         * @throws IllegalStateException if the device or representor is closed
         * @throws DocaException if DOCA refuses: {@link DocaError#INVALID_VALUE} for a size beyond the device's
         *     capability, or a name that is too long for {@link Carrier#COMM_CHANNEL}; {@link DocaError#NOT_SUPPORTED}
         *     on a host; {@link DocaError#CONNECTION_ABORTED} for a name that is taken, over Comch
         *     {@link DocaError#INITIALIZATION}
         */
        public ChannelService listen(Representor representor, String name) {
            Objects.requireNonNull(representor, "representor");
            ChannelClient.checkName(name);
            use.begin();
            this.representor = representor;
            return new ChannelService(this, name);
        }

        private EndpointLink link(ChannelEndpoint endpoint) {
            Carrier chosen = carrier != null ? carrier : Carrier.ofLibraries();
            return switch (chosen) {
                case COMM_CHANNEL -> new LinkOverCommChannel(endpoint, this);
                case COMCH -> new LinkOverComch(endpoint, this);
            };
        }
    }
}
