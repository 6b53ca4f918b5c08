package io.github.comch4j.core;

import io.github.comch4j.internal.access.Internals;
import io.github.comch4j.internal.call.DeviceCalls;
import io.github.comch4j.internal.life.Handle;
import java.lang.foreign.MemorySegment;

/**
 * On the DPU: an open representor of one host function ({@code doca_dev_rep}), which a server serves; made by
 * {@link Device#openRepresentor}. May be used from any thread.
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
     * The PCI address of the host function.
     *
     * @return the address as the host sees it
     */
    public PciAddress address() {
        return address;
    }

    /**
     * What is known of it ({@code doca_dev_rep_as_devinfo}, {@code doca_devinfo_rep_get_…}).
     *
     * @return a snapshot
     * @throws IllegalStateException if it is closed
     */
    public RepresentorInfo info() {
        resource.checkOpen();
        return describe(DeviceCalls.infoOfRepresentor(resource.handle()));
    }

    /**
     * Whether it is closed.
     *
     * @return true from the beginning of closing
     */
    public boolean isClosed() {
        return resource.isClosed();
    }

    /**
     * Closes the servers on this representor, then the representor ({@code doca_dev_rep_close}). The second call does
     * nothing.
     *
     * @throws WrongThreadException if a server on it belongs to another thread that is no {@link EventLoop}'s
     * @throws io.github.comch4j.DocaException if something does not end in time; the representor is still open then
     */
    @Override
    public void close() {
        resource.close();
    }

    /**
     * For logs.
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
