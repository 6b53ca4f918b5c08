package io.github.comch4j.netty;

import io.github.comch4j.core.PciAddress;
import java.net.SocketAddress;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The address of a service: the host's function through which clients reach it, and its name. On the DPU, the address
 * also has the device that provides the service.
 *
 * <p>If server and client are in one process, the client can connect to the address that the server is bound to; it
 * ignores {@link #device()}. An end of a connection that has no name has the number of the connection in its process
 * instead, like the port that TCP chooses for a client.
 */
public final class ComchAddress extends SocketAddress {
    private static final long serialVersionUID = 1L;

    /** The host's function, as text. */
    private final String function;
    /** The DPU's device, as text, or null. */
    private final @Nullable String device;
    /** The name. */
    private final String service;
    /** The number of a connection, or 0. */
    private final long connection;

    private ComchAddress(String function, @Nullable String device, String service, long connection) {
        this.function = function;
        this.device = device;
        this.service = service;
        this.connection = connection;
    }

    /**
     * Creates the address that a client connects to.
     *
     * @param function the host's function of the BlueField
     * @param service the server's name
     * @return the address
     * @throws IllegalArgumentException if the name is empty
     */
    public static ComchAddress of(PciAddress function, String service) {
        return new ComchAddress(function.toString(), null, checked(service), 0);
    }

    /**
     * Creates the address that a server is bound to.
     *
     * @param device the DPU's device
     * @param function the host's function to serve
     * @param service the server's name
     * @return the address
     * @throws IllegalArgumentException if the name is empty
     */
    public static ComchAddress of(PciAddress device, PciAddress function, String service) {
        return new ComchAddress(function.toString(), device.toString(), checked(service), 0);
    }

    private static String checked(String service) {
        if (service.isEmpty()) {
            throw new IllegalArgumentException("the name of a service must not be empty");
        }
        return service;
    }

    /** The end of a connection that has no name. */
    static ComchAddress unnamed(ComchAddress server, long connection) {
        return new ComchAddress(server.function, null, server.service, connection);
    }

    /**
     * Returns the host's function.
     *
     * @return its PCI address
     */
    public PciAddress function() {
        return PciAddress.of(function);
    }

    /**
     * Returns the DPU's device.
     *
     * @return its PCI address; null if a server cannot be bound to this address
     */
    public @Nullable PciAddress device() {
        return device == null ? null : PciAddress.of(device);
    }

    /**
     * Returns the name of the server.
     *
     * @return the name
     */
    public String service() {
        return service;
    }

    /**
     * Returns the connection of which this address is an end.
     *
     * @return the connection's {@linkplain io.github.comch4j.comch.ComchConnection#number() number} in this process; 0
     *     for the address of a service
     */
    public long connection() {
        return connection;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof ComchAddress that
                && function.equals(that.function)
                && Objects.equals(device, that.device)
                && service.equals(that.service)
                && connection == that.connection;
    }

    @Override
    public int hashCode() {
        return Objects.hash(function, device, service, connection);
    }

    /**
     * Returns a description of this address, for logs.
     *
     * @return all parts of the address
     */
    @Override
    public String toString() {
        return "comch:" + (device == null ? "" : device + "/") + function + "/" + service
                + (connection == 0 ? "" : "#" + connection);
    }
}
