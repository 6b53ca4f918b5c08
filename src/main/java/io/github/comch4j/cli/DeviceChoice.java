package io.github.comch4j.cli;

import io.github.comch4j.cli.program.ProgramException;
import io.github.comch4j.core.Device;
import io.github.comch4j.core.DeviceInfo;
import io.github.comch4j.core.PciAddress;
import io.github.comch4j.internal.call.DeviceCalls;
import io.github.comch4j.link.FirstDevice;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options that say which device and which function, and what is taken where the user has named none. */
final class DeviceChoice {
    @Option(
            names = "--device",
            order = 70,
            paramLabel = "PCI",
            description = "this side's device (the first that fits)")
    @Nullable
    PciAddress address;

    @Option(
            names = "--representor",
            order = 71,
            paramLabel = "PCI",
            description = "on the DPU: the host's function to serve, as the host sees it (the first)")
    @Nullable
    PciAddress function;

    /** Where an end is: this side's device, and on the DPU whom it serves. */
    record DeviceAndFunction(PciAddress device, @Nullable PciAddress function) {}

    static List<DeviceInfo> devicesHere() {
        List<DeviceInfo> devices = Device.list();
        if (devices.isEmpty()) {
            throw new ProgramException(DeviceCalls.none());
        }
        return devices;
    }

    /** The first device that is good for this. */
    static PciAddress first(boolean server) {
        return FirstDevice.of(devicesHere(), server, ProgramException::new);
    }

    PciAddress device(boolean server) {
        return address != null ? address : first(server);
    }

    /** Of a DPU's device. */
    PciAddress function(Device dpu) {
        return function != null ? function : FirstDevice.functionOf(dpu, ProgramException::new);
    }

    DeviceAndFunction place(PciAddress device, boolean server) {
        if (!server || function != null) {
            return new DeviceAndFunction(device, server ? function : null);
        }
        try (Device dpu = Device.openDpu(device)) {
            return new DeviceAndFunction(device, function(dpu));
        }
    }
}
