package io.github.comch4j.channel;

import io.github.comch4j.comch.Capabilities;
import io.github.comch4j.core.Device;
import io.github.comch4j.internal.call.ChannelCalls;
import io.github.comch4j.internal.call.DeviceCalls;
import io.github.comch4j.transfer.CoreObjects;
import java.lang.foreign.MemorySegment;
import java.util.OptionalLong;

/**
 * The limits of endpoints on a device ({@code doca_comm_channel_get_max_…}, or the equivalent of Comch).
 *
 * @param carrier the carrier to which the limits apply
 * @param maxNameLength the longest name of a service, in bytes of UTF-8, without the terminating NUL, which DOCA counts
 * @param maxMessageSize the largest message in bytes
 * @param maxSendQueueSize the largest send queue in messages
 * @param maxReceiveQueueSize the largest receive queue in messages
 * @param maxConnections the most clients of a service, 0 if there is no limit; empty on a host
 */
public record ChannelCapabilities(
        Carrier carrier,
        int maxNameLength,
        long maxMessageSize,
        long maxSendQueueSize,
        long maxReceiveQueueSize,
        OptionalLong maxConnections) {

    /**
     * Queries a device, for the carrier that endpoints use by default. Any thread may call this method.
     *
     * @param device an open device
     * @return its capabilities
     * @throws IllegalStateException if the device is closed
     * @throws io.github.comch4j.DocaException if DOCA refuses
     */
    public static ChannelCapabilities of(Device device) {
        return of(device, Carrier.ofLibraries());
    }

    /**
     * Queries a device, for a given carrier. Any thread may call this method.
     *
     * @param device an open device
     * @param carrier the carrier of the messages
     * @return its capabilities
     * @throws IllegalStateException if the device is closed
     * @throws io.github.comch4j.MissingFunctionException if the libraries do not have this carrier
     * @throws io.github.comch4j.DocaException if DOCA refuses
     */
    public static ChannelCapabilities of(Device device, Carrier carrier) {
        return switch (carrier) {
            case COMM_CHANNEL -> overCommChannel(device);
            case COMCH -> overComch(device);
        };
    }

    private static ChannelCapabilities overCommChannel(Device device) {
        ChannelCalls.checkThere();
        MemorySegment info = DeviceCalls.infoOf(CoreObjects.of(device).handle());
        return new ChannelCapabilities(
                Carrier.COMM_CHANNEL,
                (int) ChannelCalls.maxNameLength() - 1,
                ChannelCalls.maxMessageSize(info),
                ChannelCalls.maxSendQueueSize(info),
                ChannelCalls.maxReceiveQueueSize(info),
                ChannelCalls.maxConnections(info));
    }

    private static ChannelCapabilities overComch(Device device) {
        Capabilities comch = Capabilities.of(device);
        return new ChannelCapabilities(
                Carrier.COMCH,
                comch.maxNameLength(),
                comch.maxMessageSize(),
                Math.min(comch.maxSendTasks(), ChannelEndpoint.LARGEST),
                comch.maxReceiveQueueSize(),
                comch.server() ? OptionalLong.of(comch.maxClients()) : OptionalLong.empty());
    }
}
