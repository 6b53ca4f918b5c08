package io.github.comch4j.core;

import io.github.comch4j.MissingFunctionException;
import io.github.comch4j.ffi.doca_h;
import io.github.comch4j.internal.Calls;
import io.github.comch4j.internal.Resource;
import io.github.comch4j.internal.Teardown;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * On the DPU: an open representor of one host function ({@code doca_dev_rep}), which a server serves; made by
 * {@link Device#openRepresentor}. May be used from any thread.
 */
public final class Representor implements AutoCloseable {
    private final PciAddress address;
    private final Node node;

    Representor(Device device, PciAddress address, MemorySegment handle) {
        this.address = address;
        this.node = new Node(device, address, handle);
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
        node.checkOpen();
        return describe(Calls.value("doca_dev_rep_as_devinfo", () -> doca_h.doca_dev_rep_as_devinfo(node.handle)));
    }

    /**
     * Whether it is closed.
     *
     * @return true from the beginning of closing
     */
    public boolean isClosed() {
        return node.isClosed();
    }

    /**
     * Closes the servers on this representor, then the representor ({@code doca_dev_rep_close}). The second call does nothing.
     *
     * @throws WrongThreadException if a server on it belongs to another thread that is no {@link EventLoop}'s
     * @throws IllegalStateException inside a callback of a server on it
     * @throws io.github.comch4j.DocaException if something does not end in time; the representor is still open then
     */
    @Override
    public void close() {
        node.close();
    }

    /**
     * For logs.
     *
     * @return "representor of" and its address
     */
    @Override
    public String toString() {
        return node.name();
    }

    Resource resource() {
        return node;
    }

    MemorySegment handle() {
        node.checkOpen();
        return node.handle;
    }

    static PciAddress address(MemorySegment info) {
        return PciAddress.of(Calls.text("doca_devinfo_rep_get_pci_addr_str", "asking for a representor's address",
                doca_h.DOCA_DEVINFO_REP_PCI_ADDR_SIZE(), out -> doca_h.doca_devinfo_rep_get_pci_addr_str(info, out)));
    }

    static RepresentorInfo describe(MemorySegment info) {
        String action = "describing a representor";
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment type = arena.allocate(ValueLayout.JAVA_INT);
            Calls.check("doca_devinfo_rep_get_pci_func_type", action, () -> doca_h.doca_devinfo_rep_get_pci_func_type(info, type));
            DeviceQuery query = new DeviceQuery(info);
            return new RepresentorInfo(address(info), PciFunctionType.of(type.get(ValueLayout.JAVA_INT, 0)),
                    Calls.text("doca_devinfo_rep_get_vuid", action, doca_h.DOCA_DEVINFO_REP_VUID_SIZE(),
                            out -> doca_h.doca_devinfo_rep_get_vuid(info, out, (int) out.byteSize())),
                    interfaceName(info, action),
                    query.flag("doca_devinfo_rep_get_is_hotplug", doca_h::doca_devinfo_rep_get_is_hotplug),
                    query.uint16("doca_devinfo_rep_get_vhca_id", doca_h::doca_devinfo_rep_get_vhca_id));
        }
    }

    private static String interfaceName(MemorySegment info, String action) {
        try {
            return Calls.text("doca_devinfo_rep_get_iface_name", action, doca_h.DOCA_DEVINFO_IFACE_NAME_SIZE(),
                    out -> doca_h.doca_devinfo_rep_get_iface_name(info, out, (int) out.byteSize()));
        } catch (MissingFunctionException e) {
            return "";
        }
    }

    private static final class Node extends Resource {
        private final MemorySegment handle;

        Node(Device device, PciAddress address, MemorySegment handle) {
            super(Rank.BASE, "the representor of " + address, device.resource());
            this.handle = handle;
            attach();
        }

        @Override
        protected void release(Teardown teardown) {
            Calls.check("doca_dev_rep_close", "closing " + name(), () -> doca_h.doca_dev_rep_close(handle));
        }
    }
}
