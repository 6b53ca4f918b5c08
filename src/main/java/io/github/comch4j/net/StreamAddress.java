package io.github.comch4j.net;

import io.github.comch4j.core.Device;
import io.github.comch4j.core.PciAddress;
import io.github.comch4j.link.FirstDevice;
import io.github.comch4j.netty.ComchAddress;
import java.net.SocketException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A service in a line of text, for drivers that take nothing else: {@code NAME[,device=ADDRESS][,function=ADDRESS]
 * [,wait=MILLISECONDS]}.
 *
 * @param device this side's; null: the first one that is good for it
 * @param function of the host, whom a server serves; null: the first one
 * @param patience how long a socket waits for its connection unless told otherwise
 */
record StreamAddress(
        String service,
        @Nullable PciAddress device,
        @Nullable PciAddress function,
        Duration patience) {
    private static final Duration PATIENCE = Duration.ofSeconds(10);
    private static final String PREFIX = "comch:"; // as `comch relay` has addresses

    static StreamAddress parse(String text) {
        String[] parts = text.strip().split(",", -1);
        String service = parts[0].startsWith(PREFIX) ? parts[0].substring(PREFIX.length()) : parts[0];
        if (service.isBlank()) {
            throw invalid(text, "the name of the service is missing");
        }
        StreamAddress address = new StreamAddress(service, null, null, PATIENCE);
        for (int i = 1; i < parts.length; i++) {
            address = address.with(parts[i].strip(), text);
        }
        return address;
    }

    private StreamAddress with(String setting, String text) {
        int equals = setting.indexOf('=');
        String name = equals < 0 ? setting : setting.substring(0, equals);
        String value = equals < 0 ? "" : setting.substring(equals + 1);
        return switch (name) {
            case "device" -> new StreamAddress(service, PciAddress.of(value), function, patience);
            case "function" -> new StreamAddress(service, device, PciAddress.of(value), patience);
            case "wait" -> new StreamAddress(service, device, function, milliseconds(value, text));
            default -> throw invalid(text, "\"" + setting + "\" is not device=, function= or wait=");
        };
    }

    private static Duration milliseconds(String value, String text) {
        try {
            int milliseconds = Integer.parseInt(value);
            if (milliseconds > 0) {
                return Duration.ofMillis(milliseconds);
            }
        } catch (NumberFormatException e) {
            // said below
        }
        throw invalid(text, "\"wait=" + value + "\" must be a number of milliseconds, at least 1");
    }

    private static IllegalArgumentException invalid(String text, String why) {
        return new IllegalArgumentException("not a service over Comch: '" + text + "' (" + why
                + "; expected NAME[,device=0000:b1:00.0][,function=0000:b1:00.0][,wait=10000])");
    }

    /** What a client connects to. */
    ComchAddress server() throws SocketException {
        return ComchAddress.of(device == null ? first(false) : device, service);
    }

    /** What a server is bound to. */
    ComchAddress bound() throws SocketException {
        PciAddress own = device == null ? first(true) : device;
        return ComchAddress.of(own, function == null ? firstFunction(own) : function, service);
    }

    private static PciAddress first(boolean server) throws SocketException {
        return FirstDevice.of(Device.list(), server, SocketException::new);
    }

    private static PciAddress firstFunction(PciAddress device) throws SocketException {
        try (Device opened = Device.openDpu(device)) {
            return FirstDevice.functionOf(opened, SocketException::new);
        }
    }
}
