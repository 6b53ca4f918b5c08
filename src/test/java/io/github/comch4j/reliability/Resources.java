package io.github.comch4j.reliability;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * What this process holds of the kernel's, as far as connections could leave it behind.
 *
 * @param descriptors of each kind, and how many
 * @param mappings of the emulated device's shared memory
 */
record Resources(Map<String, Integer> descriptors, long mappings) {

    static Resources now() {
        Map<String, Integer> descriptors = new TreeMap<>();
        try (Stream<Path> entries = Files.list(Path.of("/proc/self/fd"))) {
            for (Path entry : entries.toList()) {
                String kind = kind(entry);
                if (kind.startsWith("socket") || kind.startsWith("anon_inode") || kind.startsWith("/memfd")) {
                    descriptors.merge(kind, 1, Integer::sum);
                }
            }
            long mappings = Files.readAllLines(Path.of("/proc/self/maps")).stream()
                    .filter(line -> line.contains("memfd:doca-emu"))
                    .count();
            return new Resources(descriptors, mappings);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Whether there is no more of anything than there was. */
    boolean isWithin(Resources before) {
        return mappings <= before.mappings
                && descriptors.entrySet().stream()
                        .allMatch(each -> each.getValue() <= before.descriptors.getOrDefault(each.getKey(), 0));
    }

    private static String kind(Path entry) {
        try {
            return Files.readSymbolicLink(entry).toString().replaceAll("\\[?\\d+\\]?", "");
        } catch (IOException e) {
            return ""; // closed meanwhile
        }
    }

    /** Resident memory of this process in MiB: all of it, and the part that is not shared. */
    static long residentMiB() {
        return status("VmRSS") / 1024;
    }

    static long anonymousMiB() {
        return privateKiB() / 1024;
    }

    /** Resident memory of this process in KiB that is its own, such as Java's heap and what C code allocates. */
    static long privateKiB() {
        return status("RssAnon");
    }

    /** Resident memory of this process in KiB that it may share, such as that of the emulated device's connections. */
    static long sharedKiB() {
        return status("RssShmem");
    }

    private static long status(String name) {
        try {
            List<String> lines = Files.readAllLines(Path.of("/proc/self/status"));
            return lines.stream()
                    .filter(line -> line.startsWith(name + ":"))
                    .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")))
                    .findFirst()
                    .orElseThrow();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
