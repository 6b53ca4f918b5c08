package io.github.comch4j.core;

import java.util.Objects;

/**
 * A description of a device, available without opening it ({@code doca_devinfo}); a snapshot.
 *
 * @param address the PCI address
 * @param interfaceName the network interface, or empty
 * @param ibDeviceName the RDMA device, for example {@code mlx5_0}, or empty
 * @param server whether the device supports Comch servers: true on the DPU
 * @param client whether the device supports Comch clients: true on the host
 */
public record DeviceInfo(
        PciAddress address, String interfaceName, String ibDeviceName, boolean server, boolean client) {
    /** Checks that no component is null. */
    public DeviceInfo {
        Objects.requireNonNull(address);
        Objects.requireNonNull(interfaceName);
        Objects.requireNonNull(ibDeviceName);
    }
}
