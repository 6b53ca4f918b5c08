package io.github.comch4j.cli;

import io.github.comch4j.cli.program.ProgramException;
import io.github.comch4j.core.Device;
import io.github.comch4j.core.DeviceInfo;
import io.github.comch4j.core.Devices;
import io.github.comch4j.core.PciAddress;
import io.github.comch4j.internal.call.DeviceCalls;
import io.github.comch4j.link.FirstDevice;
import java.util.List;

/** Which device and which function, where the user has named none. */
final class DeviceChoice {
    private DeviceChoice() {}

    static List<DeviceInfo> devicesHere() {
        List<DeviceInfo> devices = Devices.list();
        if (devices.isEmpty()) {
            throw new ProgramException(DeviceCalls.none());
        }
        return devices;
    }

    /** The first device that is good for this. */
    static PciAddress device(boolean server) {
        return FirstDevice.of(devicesHere(), server, ProgramException::new);
    }

    /** The first function behind a DPU's device. */
    static PciAddress function(Device dpu) {
        return FirstDevice.functionOf(dpu, ProgramException::new);
    }
}
