package io.github.comch4j.core;

import java.util.Objects;
import java.util.OptionalInt;

/**
 * A description of a representor, available without opening it ({@code doca_devinfo_rep}); a snapshot.
 *
 * @param address the PCI address of the host function as seen on the host
 * @param type the kind of host function
 * @param vuid the function's vendor-unique id, or empty
 * @param interfaceName the representor's network interface on the DPU; empty if there is none, or if the release
 *     (before 3.0) cannot report it
 * @param hotplug whether the function was plugged in by software
 * @param vhcaId the number of the function within the device; empty if the release (before 3.0) cannot report it
 */
public record RepresentorInfo(
        PciAddress address,
        PciFunctionType type,
        String vuid,
        String interfaceName,
        boolean hotplug,
        OptionalInt vhcaId) {
    /** Checks that no component is null. */
    public RepresentorInfo {
        Objects.requireNonNull(address);
        Objects.requireNonNull(type);
        Objects.requireNonNull(vuid);
        Objects.requireNonNull(interfaceName);
        Objects.requireNonNull(vhcaId);
    }
}
