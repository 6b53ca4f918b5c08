package io.github.comch4j.channel;

import io.github.comch4j.internal.life.Nanos;
import java.time.Duration;
import java.util.List;

/**
 * A service on the DPU for one host function: an endpoint that listens under a name
 * ({@code doca_comm_channel_ep_listen}). {@link ChannelEndpoint.Builder#listen} creates it.
 *
 * {@snippet file="Pieces.java" region="channelservice"}
 *
 * <p>A service accepts clients when it receives, so it must receive even if it expects no messages. It learns of a
 * client from the client's first message, or from {@link #refresh()}.
 */
public final class ChannelService extends ChannelEndpoint {
    private final String name;

    ChannelService(Builder builder, String name) {
        super(builder, "channel service \"" + name + "\"");
        this.name = name;
        try {
            link.listen(name);
        } catch (RuntimeException | Error e) {
            closeAfter(e);
            throw e;
        }
    }

    /**
     * Returns the name to which clients connect. Any thread may call this method.
     *
     * @return the name
     */
    public String name() {
        return name;
    }

    /**
     * Returns which clients are connected ({@code doca_comm_channel_ep_update_service_state_info},
     * {@code doca_comm_channel_ep_get_peer_addr_list}), and arms {@link #serviceEvents()}.
     *
     * @return a snapshot of the peers that this service has accepted and not disconnected, including broken ones
     * @throws IllegalStateException if this service is closed
     * @throws WrongThreadException if another thread is using the endpoint
     * @throws io.github.comch4j.DocaException if DOCA refuses; {@link io.github.comch4j.DocaError#CONNECTION_RESET} if
     *     the service has broken for good and can only be closed
     */
    public List<ChannelPeer> refresh() {
        try (EngineEvents.Entered _ = enter()) {
            return link.refresh();
        }
    }

    /**
     * Returns how many clients waited to be accepted at the last {@link #refresh()}
     * ({@code doca_comm_channel_ep_get_pending_connections}). A service accepts them when it receives. Any thread may
     * call this method.
     *
     * @return the number of clients; 0 over {@link Carrier#COMCH}, where clients never wait
     */
    public long pending() {
        return link.pending;
    }

    /**
     * Returns the descriptor that becomes readable, after {@link #refresh()}, when a client comes or goes or the
     * service breaks ({@code doca_comm_channel_ep_get_service_event_channel}). The descriptor belongs to the endpoint;
     * do not read from it. Any thread may call this method.
     *
     * @return a file descriptor, the same for each call
     * @throws IllegalStateException if this service is closed
     * @throws io.github.comch4j.DocaException if DOCA refuses
     */
    public int serviceEvents() {
        return link.descriptor(ChannelEvent.SERVICE);
    }

    /**
     * Sleeps until a client has come or gone since the last {@link #refresh()}, or until the service has broken. Any
     * thread may call this method.
     *
     * @param timeout the longest time to sleep
     * @return whether there was an event, which may be a false alarm
     * @throws IllegalStateException if this service is closed, before or during the call
     * @throws io.github.comch4j.WaitInterruptedException if the thread is interrupted
     * @throws io.github.comch4j.DocaException if DOCA refuses
     */
    public boolean awaitServiceEvent(Duration timeout) {
        return awaitArmed(ChannelEvent.SERVICE, Nanos.of(timeout));
    }

    @Override
    void checkActive() {
        // listens from the beginning
    }

    @Override
    void checkReceiving() {
        // always
    }

    @Override
    void checkMoreCanCome() {
        // there may be other clients
    }
}
