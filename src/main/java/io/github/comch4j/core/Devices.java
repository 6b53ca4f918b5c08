package io.github.comch4j.core;

import io.github.comch4j.DocaError;
import io.github.comch4j.internal.call.CapabilityCalls;
import io.github.comch4j.internal.call.DeviceCalls;
import io.github.comch4j.internal.call.NativeList;
import io.github.comch4j.internal.life.Leaks;
import io.github.comch4j.internal.load.NativeLibrary;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Optional;

/**
 * The devices of this machine: on a host its BlueField functions, on a DPU the DPU's own device. Any thread may call
 * these methods.
 *
 * <p>With the emulated BlueField, the environment variable {@code DOCA_EMU_SIDE} ({@code host}, {@code dpu},
 * {@code both}) determines which machine this process runs on.
 */
public final class Devices {
    private Devices() {}

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
            return devices.map(Devices::describe);
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
            Optional<MemorySegment> info = devices.find(address, Devices::address);
            if (info.isEmpty()) {
                List<PciAddress> available = devices.map(Devices::address);
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

    private static Device openIf(PciAddress address, java.util.function.Predicate<Device> condition, String otherwise) {
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

    static DeviceInfo describe(MemorySegment info) {
        return new DeviceInfo(
                address(info),
                DeviceCalls.interfaceName(info),
                DeviceCalls.infiniBandName(info),
                CapabilityCalls.servers(info),
                CapabilityCalls.clients(info));
    }

    private static PciAddress address(MemorySegment info) {
        return PciAddress.of(DeviceCalls.pciAddress(info));
    }
}
