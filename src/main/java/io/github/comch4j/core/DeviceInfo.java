package io.github.comch4j.core;

import java.util.Objects;

/**
 * What is known of a device without opening it ({@code doca_devinfo}); a snapshot.
 *
 * @param address its PCI address
 * @param interfaceName its network interface, or empty
 * @param ibDeviceName its RDMA device, for example {@code mlx5_0}, or empty
 * @param server whether Comch servers can be made on it: yes on the DPU
 * @param client whether Comch clients can be made on it: yes on the host
 */
public record DeviceInfo(
        PciAddress address, String interfaceName, String ibDeviceName, boolean server, boolean client) {
    /** Checks that nothing is missing. */
    public DeviceInfo {
        Objects.requireNonNull(address);
        Objects.requireNonNull(interfaceName);
        Objects.requireNonNull(ibDeviceName);
    }
}
