package io.github.comch4j.core;

import io.github.comch4j.internal.call.ContextCalls;
import io.github.comch4j.internal.call.DeviceCalls;
import io.github.comch4j.internal.call.MmapCalls;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.EnumSet;
import java.util.HexFormat;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;

/**
 * The addresses, rate and capabilities that DOCA reports for a device, except those of Comch (see
 * {@link io.github.comch4j.comch.Capabilities}). {@link Device#properties} returns this snapshot. A property that the
 * device lacks, or that this DOCA release cannot report, is empty or false.
 */
public final class DeviceProperties {
    private final Optional<InetAddress> ipv4;
    private final Optional<InetAddress> ipv6;
    private final Optional<String> mac;
    private final OptionalInt lid;
    private final OptionalLong activeRate;
    private final OptionalInt vhcaId;
    private final Optional<PciFunctionType> functionType;
    private final OptionalInt sfIndex;
    private final OptionalInt completionVectors;
    private final boolean hotplugManager;
    private final boolean notificationModeration;
    private final boolean resourceReclaim;
    private final boolean exportsMemory;
    private final boolean importsMemory;
    private final Set<RepresentorFilter> representorFilters;

    /** Asks a {@code doca_devinfo}. */
    DeviceProperties(MemorySegment info) {
        ipv4 = DeviceCalls.ipv4Address(info).map(DeviceProperties::address);
        ipv6 = DeviceCalls.ipv6Address(info).map(DeviceProperties::address);
        mac = DeviceCalls.macAddress(info).map(HexFormat.ofDelimiter(":")::formatHex);
        lid = DeviceCalls.lid(info);
        activeRate = DeviceCalls.activeRate(info);
        vhcaId = DeviceCalls.vhcaId(info);
        OptionalInt type = DeviceCalls.functionType(info);
        functionType = type.isPresent() ? Optional.of(PciFunctionType.of(type.getAsInt())) : Optional.empty();
        sfIndex = DeviceCalls.scalableFunctionIndex(info);
        completionVectors = ContextCalls.completionVectors(info);
        hotplugManager = DeviceCalls.managesHotplug(info);
        notificationModeration = DeviceCalls.moderatesNotifications(info);
        resourceReclaim = DeviceCalls.reclaimsFast(info);
        exportsMemory = MmapCalls.exportsPci(info);
        importsMemory = MmapCalls.importsPci(info);
        Set<RepresentorFilter> filters = EnumSet.noneOf(RepresentorFilter.class);
        if (DeviceCalls.filtersAll(info)) {
            filters.add(RepresentorFilter.ALL);
        }
        if (DeviceCalls.filtersNet(info)) {
            filters.add(RepresentorFilter.NET);
        }
        if (DeviceCalls.filtersEmulated(info)) {
            filters.add(RepresentorFilter.EMULATED);
        }
        representorFilters = Set.copyOf(filters);
    }

    private static InetAddress address(byte[] bytes) {
        try {
            return InetAddress.getByAddress(bytes);
        } catch (UnknownHostException e) {
            throw new AssertionError(e); // 4 or 16 bytes
        }
    }

    /**
     * Returns the first IPv4 address of the interface ({@code doca_devinfo_get_ipv4_addr}).
     *
     * @return empty if the address is not known
     */
    public Optional<InetAddress> ipv4() {
        return ipv4;
    }

    /**
     * Returns the interface's IPv6 address ({@code doca_devinfo_get_ipv6_addr}).
     *
     * @return empty if the address is not known
     */
    public Optional<InetAddress> ipv6() {
        return ipv6;
    }

    /**
     * Returns the interface's MAC address, in the form {@code 02:00:5e:00:53:01} ({@code doca_devinfo_get_mac_addr}).
     *
     * @return empty if the address is not known
     */
    public Optional<String> mac() {
        return mac;
    }

    /**
     * Returns the local identifier of an InfiniBand port ({@code doca_devinfo_get_lid}).
     *
     * @return empty if it is not known
     */
    public OptionalInt lid() {
        return lid;
    }

    /**
     * Returns the port's rate in bits per second ({@code doca_devinfo_get_active_rate}, since 2.6).
     *
     * @return empty if it is not known
     */
    public OptionalLong activeRate() {
        return activeRate;
    }

    /**
     * Returns the number of the function within the device ({@code doca_devinfo_get_vhca_id}, since 3.0).
     *
     * @return empty if it is not known
     */
    public OptionalInt vhcaId() {
        return vhcaId;
    }

    /**
     * Returns the kind of PCIe function ({@code doca_devinfo_get_pci_func_type}, since 3.1).
     *
     * @return empty if it is not known
     */
    public Optional<PciFunctionType> functionType() {
        return functionType;
    }

    /**
     * Returns the number of a scalable function (SF) in this machine. Linux uses it in the name of the auxiliary
     * device, for example {@code mlx5_core.sf.4} ({@code doca_devinfo_get_sf_index}, since 3.1).
     *
     * @return empty if it is not known
     */
    public OptionalInt sfIndex() {
        return sfIndex;
    }

    /**
     * Returns how many completion vectors contexts can choose from ({@code doca_ctx_cap_get_num_completion_vectors},
     * since 3.0).
     *
     * @return empty if it is not known
     */
    public OptionalInt completionVectors() {
        return completionVectors;
    }

    /**
     * Returns whether the device manages hot-plugged functions ({@code doca_devinfo_cap_is_hotplug_manager_supported}).
     *
     * @return true if it does
     */
    public boolean hotplugManager() {
        return hotplugManager;
    }

    /**
     * Returns whether the device can moderate notifications
     * ({@code doca_devinfo_cap_is_notification_moderation_supported}, since 3.0).
     *
     * @return true if it can
     */
    public boolean notificationModeration() {
        return notificationModeration;
    }

    /**
     * Returns whether the device can accelerate the reclaiming of resources
     * ({@code doca_devinfo_cap_is_accelerate_resource_reclaim_supported}, since 3.0).
     *
     * @return true if it can
     */
    public boolean resourceReclaim() {
        return resourceReclaim;
    }

    /**
     * Returns whether {@link MemoryMap#exportPci} works with the device
     * ({@code doca_mmap_cap_is_export_pci_supported}).
     *
     * @return true if it does
     */
    public boolean exportsMemory() {
        return exportsMemory;
    }

    /**
     * Returns whether {@link MemoryMap#importFrom} works with the device
     * ({@code doca_mmap_cap_is_create_from_export_pci_supported}).
     *
     * @return true if it does
     */
    public boolean importsMemory() {
        return importsMemory;
    }

    /**
     * Returns the filters that {@link Device#representors(RepresentorFilter)} supports
     * ({@code doca_devinfo_rep_cap_is_filter_…_supported}).
     *
     * @return the filters; empty on a host
     */
    public Set<RepresentorFilter> representorFilters() {
        return representorFilters;
    }

    @Override
    public String toString() {
        return "DeviceProperties[ipv4=" + ipv4
                + ", ipv6=" + ipv6
                + ", mac=" + mac
                + ", lid=" + lid
                + ", activeRate=" + activeRate
                + ", vhcaId=" + vhcaId
                + ", functionType=" + functionType
                + ", sfIndex=" + sfIndex
                + ", completionVectors=" + completionVectors
                + ", hotplugManager=" + hotplugManager
                + ", notificationModeration=" + notificationModeration
                + ", resourceReclaim=" + resourceReclaim
                + ", exportsMemory=" + exportsMemory
                + ", importsMemory=" + importsMemory
                + ", representorFilters=" + representorFilters + "]";
    }
}
