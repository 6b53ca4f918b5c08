package io.github.comch4j.core;

import io.github.comch4j.internal.access.Internals;
import io.github.comch4j.internal.call.DeviceCalls;
import io.github.comch4j.internal.life.Handle;
import java.lang.foreign.MemorySegment;

/**
 * An open representor of one host function, on the DPU ({@code doca_dev_rep}). A server serves one representor.
 * {@link Device#openRepresentor} opens representors. Any thread may use one.
 */
public final class Representor implements AutoCloseable {
    static {
        Internals.open(Representor.class, Representor::resource);
    }

    private final PciAddress address;
    private final DeviceHandle resource;

    Representor(Device device, PciAddress address, MemorySegment handle) {
        this.address = address;
        this.resource = new DeviceHandle(
                "the representor of " + address, handle, DeviceCalls::closeRepresentor, device.resource());
    }

    /**
     * Returns the PCI address of the host function.
     *
     * @return the address as seen on the host
     */
    public PciAddress address() {
        return address;
    }

    /**
     * Returns a description of the representor ({@code doca_dev_rep_as_devinfo}, {@code doca_devinfo_rep_get_…}).
     *
     * @return a snapshot
     * @throws IllegalStateException if the representor is closed
     */
    public RepresentorInfo info() {
        resource.checkOpen();
        return describe(DeviceCalls.infoOfRepresentor(resource.handle()));
    }

    /**
     * Returns whether the representor is closed.
     *
     * @return true from the beginning of closing
     */
    public boolean isClosed() {
        return resource.isClosed();
    }

    /**
     * Closes the servers on this representor, then the representor ({@code doca_dev_rep_close}). A second call does
     * nothing.
     *
     * @throws WrongThreadException if a server on the representor belongs to another thread that is not an
     *     {@link EventLoop}'s
     * @throws io.github.comch4j.DocaException if an operation does not end in time; the representor is then still open
     */
    @Override
    public void close() {
        resource.close();
    }

    /**
     * Returns a description for logs.
     *
     * @return "representor of" and its address
     */
    @Override
    public String toString() {
        return resource.name();
    }

    Handle resource() {
        return resource;
    }

    MemorySegment handle() {
        return resource.handle();
    }

    static PciAddress address(MemorySegment info) {
        return PciAddress.of(DeviceCalls.representorPciAddress(info));
    }

    static RepresentorInfo describe(MemorySegment info) {
        return new RepresentorInfo(
                address(info),
                PciFunctionType.of(DeviceCalls.representorFunctionType(info)),
                DeviceCalls.representorVuid(info),
                DeviceCalls.representorInterfaceName(info),
                DeviceCalls.representorIsHotplug(info),
                DeviceCalls.representorVhcaId(info));
    }
}
