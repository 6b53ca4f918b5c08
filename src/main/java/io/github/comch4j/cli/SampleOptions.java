package io.github.comch4j.cli;

import io.github.comch4j.core.Doca;
import io.github.comch4j.core.PciAddress;
import io.github.comch4j.internal.program.CommandLine;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * What the four sample programs take, with their defaults.
 *
 * @param server whether this is the end on the DPU
 * @param device of which this end is made
 * @param function the host's function to serve; a client has no use for it
 * @param text what to send, UTF-8
 * @param chosen the generation that the user named
 */
record SampleOptions(boolean server, Place device, Place function, byte[] text, Optional<Generation> chosen) {
    private static final int MOST_TEXT = 4096;

    /** Of DOCA's sample programs: their servers have names of their own, so each talks to its like. */
    enum Generation {
        /** {@code doca_cc}, of DOCA 2.5 and 2.6. */
        CC("2.5", "cc_"),
        /** {@code doca_comch}, since DOCA 2.7. */
        COMCH("3.0", "comch_");

        private final String release;
        private final String prefix;

        Generation(String release, String prefix) {
            this.release = release;
            this.prefix = prefix;
        }

        static Generation of(String release) {
            return release.equals(CC.release) ? CC : COMCH;
        }

        /** That of a version as {@code doca_version_runtime} tells it; the newer one if it cannot be read. */
        static Generation ofVersion(String version) {
            String[] numbers = version.split("[^0-9]+", 3);
            boolean known = numbers.length > 1 && numbers[0].equals("2") && !numbers[1].isEmpty();
            return known && Integer.parseInt(numbers[1]) < 7 ? CC : COMCH;
        }

        /** What clients ask for. */
        String serverName(String path) {
            return prefix + path + "_sample_server";
        }
    }

    /** A PCI address as it was written: in {@code bb:dd.f}, the domain is not said. */
    record Place(PciAddress address, boolean withoutDomain) {
        static Place of(String text) {
            return new Place(PciAddress.of(text), text.indexOf(':') == text.lastIndexOf(':'));
        }

        /** Which one of these it is. DOCA 2.5 takes a short address for that of any domain, later ones for domain 0. */
        PciAddress among(Supplier<Stream<PciAddress>> addresses, Generation generation) {
            if (!withoutDomain || generation != Generation.CC) {
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

    static SampleOptions of(CommandLine line, boolean server) {
        byte[] text =
                line.text("--text", "-t", "Message from the client", MOST_TEXT); // first: it may look like an option
        Place device = line.parsed("--pci-addr", "-p", server ? "03:00.0" : "b1:00.0", Place::of);
        Place function = line.parsed("--rep-pci", "-r", "b1:00.0", Place::of);
        Optional<Generation> chosen = line.choice("--generation", "3.0", "2.5").map(Generation::of);
        line.end();
        return new SampleOptions(server, device, function, text, chosen);
    }

    /** Loads the native library, unless the user named a generation. */
    Generation generation() {
        return chosen.orElseGet(() -> Generation.ofVersion(Doca.library().version()));
    }
}
