package io.github.comch4j.cli.sample;

import io.github.comch4j.LibraryInfo.Generation;
import io.github.comch4j.core.Device;
import io.github.comch4j.core.DeviceInfo;
import io.github.comch4j.core.Doca;
import io.github.comch4j.core.PciAddress;
import io.github.comch4j.core.RepresentorInfo;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * What the sample programs take, with their defaults.
 *
 * @param server whether this is the end on the DPU
 * @param device of which this end is made
 * @param function the host's function to serve; a client has no use for it
 * @param text what to send, UTF-8
 * @param chosen the generation that the user named
 */
public record SampleOptions(
        boolean server, SampleDevice device, SampleDevice function, byte[] text, Optional<Generation> chosen) {
    public static final int MOST_TEXT = 4096;

    /** A PCI address as it was written: in {@code bb:dd.f}, the domain is not said. */
    public record SampleDevice(PciAddress address, boolean withoutDomain) {
        public static SampleDevice of(String text) {
            return new SampleDevice(PciAddress.of(text), text.indexOf(':') == text.lastIndexOf(':'));
        }

        @Override
        public String toString() {
            return withoutDomain
                    ? address.toString().substring(address.toString().indexOf(':') + 1)
                    : address.toString();
        }

        /** Which one of these it is. {@code doca_cc} takes a short address for that of any domain. */
        PciAddress among(Supplier<Stream<PciAddress>> addresses, Generation generation) {
            if (!withoutDomain || generation == Generation.COMCH) {
                return address;
            }
            return addresses
                    .get()
                    .filter(each -> each.bus() == address.bus()
                            && each.device() == address.device()
                            && each.function() == address.function())
                    .findFirst()
                    .orElse(address);
        }
    }

    /** Those of the endpoint API, whose programs are of one generation. */
    public static SampleOptions ofEndpoints(boolean server, SampleDevice device, SampleDevice function, byte[] text) {
        return new SampleOptions(server, device, function, text, Optional.of(Generation.CC_2_5));
    }

    /** That of the library, which is loaded to know, unless the user named one. */
    Generation generation() {
        return chosen.orElseGet(() -> Doca.library().generation());
    }

    /** The address of the device that the user means. */
    PciAddress deviceHere() {
        return device.among(() -> Device.list().stream().map(DeviceInfo::address), generation());
    }

    /** The address of the host's function that the user means. */
    PciAddress functionOf(Device dpu) {
        return function.among(() -> dpu.representors().stream().map(RepresentorInfo::address), generation());
    }

    /** What clients ask for: the programs of each generation find their like alone. */
    String serverName(String path) {
        return (generation() == Generation.COMCH ? "comch_" : "cc_") + path + "_sample_server";
    }
}
