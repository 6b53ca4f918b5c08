package io.github.comch4j.core;

import io.github.comch4j.DocaError;
import io.github.comch4j.DocaException;
import io.github.comch4j.internal.access.Internals;
import io.github.comch4j.internal.call.CapabilityCalls;
import io.github.comch4j.internal.call.DeviceCalls;
import io.github.comch4j.internal.call.NativeList;
import io.github.comch4j.internal.life.Handle;
import io.github.comch4j.internal.life.Leaks;
import io.github.comch4j.internal.load.NativeLibrary;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * An open device ({@code doca_dev}). On a host the devices are BlueField functions, on a DPU the DPU's own device. Any
 * thread may use one, and open one.
 *
 * <p>With the emulated BlueField, the environment variable {@code DOCA_EMU_SIDE} ({@code host}, {@code dpu},
 * {@code both}) determines which machine this process runs on.
 */
public final class Device implements AutoCloseable {
    static {
        Internals.open(Device.class, Device::resource);
    }

    private final PciAddress address;
    private final DeviceHandle resource;

    private Device(PciAddress address, MemorySegment handle) {
        this.address = address;
        this.resource = new DeviceHandle("device " + address, handle, DeviceCalls::close);
    }

    /**
     * Loads the libraries first: the exception for no libraries, or for native calls that are forbidden, says more than
     * that for a class that cannot be initialized.
     */
    private static NativeList local() {
        NativeLibrary.load();
        return DeviceCalls.list();
    }

    /**
     * Lists the devices ({@code doca_devinfo_create_list}).
     *
     * @return a snapshot; empty if there are none
     * @throws io.github.comch4j.DocaException if DOCA refuses
     * @throws io.github.comch4j.NativeLibraryException if there is no usable native library
     */
    public static List<DeviceInfo> list() {
        try (NativeList devices = local()) {
            return devices.map(Device::describe);
        }
    }

    /**
     * Opens a device ({@code doca_dev_open}). A program can open a device more than once, and must close each opening
     * separately.
     *
     * @param address its PCI address
     * @return the device
     * @throws NoSuchDeviceException if there is no device with this address
     * @throws io.github.comch4j.DocaException if DOCA refuses
     * @throws io.github.comch4j.NativeLibraryException if there is no usable native library
     */
    public static Device open(PciAddress address) {
        try (NativeList devices = local()) {
            Optional<MemorySegment> info = devices.find(address, Device::addressOf);
            if (info.isEmpty()) {
                List<PciAddress> available = devices.map(Device::addressOf);
                throw new NoSuchDeviceException(
                        DocaError.NOT_FOUND,
                        DeviceCalls.LIST_NAME,
                        "opening device " + address,
                        "no device " + address + " here"
                                + (available.isEmpty() ? ": " + DeviceCalls.none() : "; there are " + available),
                        address,
                        available);
            }
            Device opened = new Device(address, DeviceCalls.open(info.get(), "opening device " + address));
            Leaks.watch(opened, opened.resource());
            return opened;
        }
    }

    /**
     * Opens a device that supports clients: a BlueField function as seen on the host.
     *
     * @param address its PCI address
     * @return the device
     * @throws NoSuchDeviceException if there is no such device, or it does not support clients
     * @throws io.github.comch4j.DocaException if DOCA refuses
     * @throws io.github.comch4j.NativeLibraryException if there is no usable native library
     */
    public static Device openHost(PciAddress address) {
        return openIf(
                address, Device::supportsClients, "cannot have Comch clients: not a host's function of a BlueField");
    }

    /**
     * Opens a device that supports servers: the DPU's own device.
     *
     * @param address its PCI address
     * @return the device
     * @throws NoSuchDeviceException if there is no such device, or it does not support servers
     * @throws io.github.comch4j.DocaException if DOCA refuses
     * @throws io.github.comch4j.NativeLibraryException if there is no usable native library
     */
    public static Device openDpu(PciAddress address) {
        return openIf(address, Device::supportsServers, "cannot have Comch servers: not a DPU's own device");
    }

    private static Device openIf(PciAddress address, Predicate<Device> condition, String otherwise) {
        Device device = open(address);
        if (!condition.test(device)) {
            device.close();
            throw new NoSuchDeviceException(
                    DocaError.NOT_SUPPORTED,
                    DeviceCalls.OPEN_NAME,
                    "opening device " + address,
                    "device " + address + " " + otherwise,
                    address,
                    list().stream().map(DeviceInfo::address).toList());
        }
        return device;
    }

    private static DeviceInfo describe(MemorySegment info) {
        return new DeviceInfo(
                addressOf(info),
                DeviceCalls.interfaceName(info),
                DeviceCalls.infiniBandName(info),
                CapabilityCalls.servers(info),
                CapabilityCalls.clients(info));
    }

    private static PciAddress addressOf(MemorySegment info) {
        return PciAddress.of(DeviceCalls.pciAddress(info));
    }

    /**
     * Returns the device's PCI address.
     *
     * @return the address that the device was opened by
     */
    public PciAddress address() {
        return address;
    }

    /**
     * Returns whether the device supports Comch servers ({@code doca_comch_cap_server_is_supported}).
     *
     * @return true on the DPU's own device
     * @throws IllegalStateException if the device is closed
     */
    public boolean supportsServers() {
        resource.checkOpen();
        return CapabilityCalls.servers(DeviceCalls.infoOf(resource.handle()));
    }

    /**
     * Returns whether the device supports Comch clients ({@code doca_comch_cap_client_is_supported}).
     *
     * @return true on a host's function
     * @throws IllegalStateException if the device is closed
     */
    public boolean supportsClients() {
        resource.checkOpen();
        return CapabilityCalls.clients(DeviceCalls.infoOf(resource.handle()));
    }

    /**
     * Returns a description of the device ({@code doca_dev_as_devinfo}).
     *
     * @return a snapshot, as in the result of {@link #list}
     * @throws IllegalStateException if the device is closed
     */
    public DeviceInfo info() {
        return query(Device::describe);
    }

    /**
     * Returns the device's addresses, rate and capabilities ({@code doca_devinfo_get_…}, {@code doca_devinfo_cap_…},
     * {@code doca_mmap_cap_…}).
     *
     * @return a snapshot
     * @throws IllegalStateException if the device is closed
     */
    public DeviceProperties properties() {
        return query(DeviceProperties::new);
    }

    /**
     * Lists the host's network functions that this device represents and that Comch can serve
     * ({@code doca_devinfo_rep_create_list}).
     *
     * @return a snapshot; empty on a host, whose devices represent no functions
     * @throws IllegalStateException if the device is closed
     * @throws DocaException if DOCA refuses
     */
    public List<RepresentorInfo> representors() {
        return representors(RepresentorFilter.NET);
    }

    /**
     * Lists the host functions of one kind that this device represents ({@code doca_devinfo_rep_create_list}).
     *
     * @param filter the kind
     * @return a snapshot; empty on a host, whose devices represent no functions, and if the device does not support the
     *     filter
     * @throws IllegalStateException if the device is closed
     * @throws DocaException if DOCA refuses
     */
    public List<RepresentorInfo> representors(RepresentorFilter filter) {
        resource.checkOpen();
        try (NativeList list = listRepresentors(filter)) {
            return list.map(Representor::describe);
        } catch (DocaException e) {
            if (e.error() == DocaError.NOT_SUPPORTED) {
                return List.of();
            }
            throw e;
        }
    }

    /**
     * Opens the representor of a host function ({@code doca_dev_rep_open}).
     *
     * @param function the PCI address of the host function, as seen on the host
     * @return the representor
     * @throws NoSuchDeviceException if this device does not represent such a function
     * @throws IllegalStateException if the device is closed
     * @throws DocaException if DOCA refuses; {@link DocaError#NOT_SUPPORTED} on a host
     */
    public Representor openRepresentor(PciAddress function) {
        resource.checkOpen();
        try (NativeList list = listRepresentors(RepresentorFilter.NET)) {
            MemorySegment info = list.find(function, Representor::address).orElseThrow(() -> {
                List<PciAddress> available = list.map(Representor::address);
                return new NoSuchDeviceException(
                        DocaError.NOT_FOUND,
                        DeviceCalls.LIST_REPRESENTORS_NAME,
                        "opening the representor of " + function,
                        this + " has no representor for " + function + "; it has " + available,
                        function,
                        available);
            });
            return new Representor(
                    this, function, DeviceCalls.openRepresentor(info, "opening the representor of " + function));
        }
    }

    private NativeList listRepresentors(RepresentorFilter filter) {
        return DeviceCalls.listRepresentors(resource.handle(), filter.code(), "listing the representors of " + this);
    }

    /**
     * Returns whether the device is closed.
     *
     * @return true from the beginning of closing
     */
    public boolean isClosed() {
        return resource.isClosed();
    }

    /**
     * Closes all objects on this device, then the device ({@code doca_dev_close}). A second call does nothing.
     *
     * @throws WrongThreadException if a context on the device belongs to another thread that is not an
     *     {@link EventLoop}'s
     * @throws DocaException if an operation does not end in time; the device is then still open
     */
    @Override
    public void close() {
        resource.close();
    }

    /**
     * Returns a description for logs.
     *
     * @return "device" and its address
     */
    @Override
    public String toString() {
        return resource.name();
    }

    /** Asks something of its {@code doca_devinfo}. */
    <T> T query(Function<MemorySegment, T> question) {
        resource.checkOpen();
        return question.apply(DeviceCalls.infoOf(resource.handle()));
    }

    Handle resource() {
        return resource;
    }

    MemorySegment handle() {
        return resource.handle();
    }
}
