package io.github.comch4j.link;

import io.github.comch4j.core.Device;
import io.github.comch4j.core.DeviceInfo;
import io.github.comch4j.core.PciAddress;
import io.github.comch4j.core.RepresentorInfo;
import java.util.List;
import java.util.function.Function;

/** Which device and which function, where the user has named none. {@code failure} makes what is thrown of a reason. */
public final class FirstDevice {
    private FirstDevice() {}

    /** The first device that a server can run on, or a client. */
    public static <X extends Exception> PciAddress of(
            List<DeviceInfo> devices, boolean server, Function<String, X> failure) throws X {
        for (DeviceInfo device : devices) {
            if (server ? device.server() : device.client()) {
                return device.address();
            }
        }
        throw failure.apply(
                server
                        ? "no device here can serve: a server runs on the DPU"
                        : "no device here can be a client: a client runs on the host");
    }

    /** The first function behind a DPU's device. */
    public static <X extends Exception> PciAddress functionOf(Device dpu, Function<String, X> failure) throws X {
        List<RepresentorInfo> functions = dpu.representors();
        if (functions.isEmpty()) {
            throw failure.apply(dpu.address() + " represents no function of the host");
        }
        return functions.getFirst().address();
    }
}
