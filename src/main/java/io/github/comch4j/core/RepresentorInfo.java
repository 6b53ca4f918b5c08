package io.github.comch4j.core;

import java.util.Objects;
import java.util.OptionalInt;

/**
 * What is known of a representor without opening it ({@code doca_devinfo_rep}); a snapshot.
 *
 * @param address the PCI address of the host function as the host sees it
 * @param type the kind of host function
 * @param vuid the function's vendor-unique id, or empty
 * @param interfaceName the representor's network interface on the DPU, or empty, also where the release (before 3.0)
 *     cannot tell
 * @param hotplug whether the function was plugged in by software
 * @param vhcaId the number of the function within the device; empty where the release (before 3.0) cannot tell
 */
public record RepresentorInfo(
        PciAddress address,
        PciFunctionType type,
        String vuid,
        String interfaceName,
        boolean hotplug,
        OptionalInt vhcaId) {
    /** Checks that nothing is missing. */
    public RepresentorInfo {
        Objects.requireNonNull(address);
        Objects.requireNonNull(type);
        Objects.requireNonNull(vuid);
        Objects.requireNonNull(interfaceName);
        Objects.requireNonNull(vhcaId);
    }
}
