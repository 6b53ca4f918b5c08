package io.github.comch4j.channel;

import io.github.comch4j.core.Device;
import io.github.comch4j.core.Representor;
import io.github.comch4j.internal.life.Nanos;
import java.time.Duration;
import java.util.Objects;

/**
 * A service on the DPU for one host function: an endpoint that listens under a name
 * ({@code doca_comm_channel_ep_listen}).
 *
 * {@snippet file="Pieces.java" region="channelservice"}
 *
 * <p>A service accepts clients when it receives, so it must receive even if it expects no messages. It learns of a
 * client from the client's first message, or from {@link #refresh()}.
 */
public final class ChannelService extends ChannelEndpoint {
    private final String name;

    private ChannelService(Builder builder, String name) {
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
     * Creates a builder for a service.
     *
     * @param device the DPU's device
     * @param representor the host function to serve
     * @return the builder
     */
    public static Builder builder(Device device, Representor representor) {
        return new Builder(device, representor);
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
     * Returns which clients are connected ({@code doca_comm_channel_ep_update_service_state_info}), and arms
     * {@link #serviceEvents()}.
     *
     * @return a snapshot
     * @throws IllegalStateException if this service is closed
     * @throws WrongThreadException if another thread is using the endpoint
     * @throws io.github.comch4j.DocaException if DOCA refuses; {@link io.github.comch4j.DocaError#CONNECTION_RESET} if
     *     the service has broken for good and can only be closed
     */
    public ChannelServiceState refresh() {
        try (EngineEvents.Entered _ = enter()) {
            return link.refresh();
        }
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

    /**
     * Builds a service. Not thread-safe. A builder can be used only once, even if DOCA refuses: afterwards every call
     * throws {@link IllegalStateException}.
     */
    public static final class Builder extends ChannelEndpoint.Builder<Builder> {

        private Builder(Device device, Representor representor) {
            super(
                    "ChannelService.Builder",
                    device,
                    new LinkSettings(device, Objects.requireNonNull(representor, "representor")));
        }

        /**
         * Creates the endpoint and listens ({@code doca_comm_channel_ep_create}, {@code doca_comm_channel_ep_listen}).
         *
         * @param name the name to which clients connect: not empty, at most {@link ChannelCapabilities#maxNameLength()}
         *     bytes, and unique among the services of the representor that have the same carrier
         * @return the service
         * @throws IllegalArgumentException if the name is empty, contains NUL, or is too long for {@link Carrier#COMCH}
         * @throws IllegalStateException if the device or representor is closed
         * @throws io.github.comch4j.DocaException if DOCA refuses: {@link io.github.comch4j.DocaError#INVALID_VALUE}
         *     for a size beyond the device's capability, or a name that is too long for {@link Carrier#COMM_CHANNEL};
         *     {@link io.github.comch4j.DocaError#NOT_SUPPORTED} on a host;
         *     {@link io.github.comch4j.DocaError#CONNECTION_ABORTED} for a name that is taken, over Comch
         *     {@link io.github.comch4j.DocaError#INITIALIZATION}
         */
        public ChannelService listen(String name) {
            ChannelClient.checkName(name);
            use.begin();
            return new ChannelService(this, name);
        }

        @Override
        Builder self() {
            return this;
        }
    }
}
