package io.github.comch4j.core;

import io.github.comch4j.DocaError;
import io.github.comch4j.DocaException;
import io.github.comch4j.internal.failure.Failures;
import java.util.List;

/**
 * Thrown when there is no device or representor with the requested address, or it is of another kind: the configuration
 * is wrong, or the program runs on the wrong machine. The message lists the existing devices or representors.
 *
 * <p>{@link #error()} is {@link DocaError#NOT_FOUND}, or {@link DocaError#NOT_SUPPORTED} for a device that exists.
 */
public final class NoSuchDeviceException extends DocaException {
    private static final long serialVersionUID = 1L;

    /** The address that was asked for. */
    private final PciAddress address;
    /** The addresses that there are. */
    private final PciAddress[] available;

    NoSuchDeviceException(
            DocaError error,
            String function,
            String action,
            String message,
            PciAddress address,
            List<PciAddress> available) {
        super(Failures.explained(error, function, action, message));
        this.address = address;
        this.available = available.toArray(PciAddress[]::new);
    }

    /**
     * Returns the address of the device or representor that the program requested.
     *
     * @return the address
     */
    public PciAddress address() {
        return address;
    }

    /**
     * Returns the devices or representors that exist.
     *
     * @return the addresses of all devices, or of all representors of the device; some may not be suitable
     */
    public List<PciAddress> available() {
        return List.of(available);
    }
}
