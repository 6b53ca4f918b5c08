package io.github.comch4j.cli;

import io.github.comch4j.core.Device;
import io.github.comch4j.core.DeviceInfo;
import io.github.comch4j.core.Devices;
import io.github.comch4j.core.PciAddress;
import io.github.comch4j.core.RepresentorInfo;
import io.github.comch4j.internal.call.DeviceCalls;
import io.github.comch4j.internal.support.program.ProgramException;
import java.util.List;

/** Which device and which function, where the user has named none. */
final class Choice {
    private Choice() {}

    static List<DeviceInfo> devicesHere() {
        List<DeviceInfo> devices = Devices.list();
        if (devices.isEmpty()) {
            throw new ProgramException(DeviceCalls.none());
        }
        return devices;
    }

    /** The first device that is good for this. */
    static PciAddress device(boolean server) {
        return devicesHere().stream()
                .filter(device -> server ? device.server() : device.client())
                .map(DeviceInfo::address)
                .findFirst()
                .orElseThrow(() -> new ProgramException(
                        server
                                ? "no device here can serve: a server runs on the DPU"
                                : "no device here can be a client: a client runs on the host"));
    }

    /** The first function behind a DPU's device. */
    static PciAddress function(Device dpu) {
        List<RepresentorInfo> functions = dpu.representors();
        if (functions.isEmpty()) {
            throw new ProgramException(dpu.address() + " represents no function of the host");
        }
        return functions.getFirst().address();
    }
}
