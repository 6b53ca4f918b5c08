package io.github.comch4j.core;

import java.net.InetAddress;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;

/**
 * All that DOCA tells of a device's port and capabilities, besides those of Comch (see
 * {@link io.github.comch4j.comch.Capabilities}); a snapshot, made by {@link Device#properties}. What the device does
 * not have, or this DOCA release cannot tell, is empty or false.
 *
 * @param ipv4 the first IPv4 address of the interface ({@code doca_devinfo_get_ipv4_addr})
 * @param ipv6 its IPv6 address ({@code doca_devinfo_get_ipv6_addr})
 * @param mac its MAC address, as {@code 02:00:5e:00:53:01} ({@code doca_devinfo_get_mac_addr})
 * @param lid the local identifier of an InfiniBand port ({@code doca_devinfo_get_lid})
 * @param activeRate the port's rate, bits per second ({@code doca_devinfo_get_active_rate}, since 2.6)
 * @param vhcaId the number of the function within the device ({@code doca_devinfo_get_vhca_id}, since 3.0)
 * @param functionType the kind of PCIe function that it is ({@code doca_devinfo_get_pci_func_type}, since 3.1)
 * @param sfIndex the number of a SF in this machine, which Linux has in the name of its auxiliary device
 *     {@code mlx5_core.sf.4} ({@code doca_devinfo_get_sf_index}, since 3.1)
 * @param completionVectors how many completion vectors contexts may choose from
 *     ({@code doca_ctx_cap_get_num_completion_vectors}, since 3.0)
 * @param hotplugManager whether it manages hot-plugged functions
 *     ({@code doca_devinfo_cap_is_hotplug_manager_supported})
 * @param notificationModeration whether it can moderate notifications
 *     ({@code doca_devinfo_cap_is_notification_moderation_supported}, since 3.0)
 * @param resourceReclaim whether it can be made to reclaim resources faster
 *     ({@code doca_devinfo_cap_is_accelerate_resource_reclaim_supported}, since 3.0)
 * @param exportsMemory whether {@link MemoryMap#exportPci} works with it
 *     ({@code doca_mmap_cap_is_export_pci_supported})
 * @param importsMemory whether {@link MemoryMap#importFrom} works with it
 *     ({@code doca_mmap_cap_is_create_from_export_pci_supported})
 * @param representorFilters what {@link Device#representors(RepresentorFilter)} understands
 *     ({@code doca_devinfo_rep_cap_is_filter_…_supported}); empty on a host
 */
public record DeviceProperties(
        Optional<InetAddress> ipv4,
        Optional<InetAddress> ipv6,
        Optional<String> mac,
        OptionalInt lid,
        OptionalLong activeRate,
        OptionalInt vhcaId,
        Optional<PciFunctionType> functionType,
        OptionalInt sfIndex,
        OptionalInt completionVectors,
        boolean hotplugManager,
        boolean notificationModeration,
        boolean resourceReclaim,
        boolean exportsMemory,
        boolean importsMemory,
        Set<RepresentorFilter> representorFilters) {
    /** Checks that nothing is missing. */
    public DeviceProperties {
        Objects.requireNonNull(ipv4);
        Objects.requireNonNull(ipv6);
        Objects.requireNonNull(mac);
        Objects.requireNonNull(lid);
        Objects.requireNonNull(activeRate);
        Objects.requireNonNull(vhcaId);
        Objects.requireNonNull(functionType);
        Objects.requireNonNull(sfIndex);
        Objects.requireNonNull(completionVectors);
        representorFilters = Set.copyOf(representorFilters);
    }
}
