package io.github.comch4j.core;

import java.util.Objects;

/**
 * What is known of a representor without opening it ({@code doca_devinfo_rep}); a snapshot.
 *
 * @param address the PCI address of the host function as the host sees it
 * @param type the kind of host function
 * @param vuid the function's vendor-unique id, or empty
 */
public record RepresentorInfo(PciAddress address, PciFunctionType type, String vuid) {
    /** Checks that nothing is missing. */
    public RepresentorInfo {
        Objects.requireNonNull(address);
        Objects.requireNonNull(type);
        Objects.requireNonNull(vuid);
    }
}
