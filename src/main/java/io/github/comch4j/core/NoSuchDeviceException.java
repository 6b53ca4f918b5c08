package io.github.comch4j.core;

import io.github.comch4j.DocaError;
import io.github.comch4j.DocaException;
import io.github.comch4j.internal.failure.Failures;
import java.util.List;

/**
 * There is no device, or representor, of the address that was asked for, or it is of another kind: the configuration is
 * wrong, or the program runs on the wrong machine. The message says which there are.
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
        super(Failures.origin(error, function, action, message));
        this.address = address;
        this.available = available.toArray(PciAddress[]::new);
    }

    /**
     * The device or representor that was asked for.
     *
     * @return the address
     */
    public PciAddress address() {
        return address;
    }

    /**
     * The devices or representors that there are instead.
     *
     * @return the addresses of all devices, or of all representors of the device; not all need be suitable
     */
    public List<PciAddress> available() {
        return List.of(available);
    }
}
