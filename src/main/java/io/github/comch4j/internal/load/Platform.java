package io.github.comch4j.internal.load;

import io.github.comch4j.internal.failure.Failures;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The operating system and processor, in the words of Linux.
 *
 * @param arch {@code x86_64} or {@code aarch64}
 */
public record Platform(String arch) {

    /** This process's platform, or an exception that says what is supported. */
    public static Platform current() {
        return of(System.getProperty("os.name"), System.getProperty("os.arch"), usesMusl(Path.of("/proc/self/maps")));
    }

    static Platform of(String system, String processor, boolean musl) {
        String arch = switch (processor) {
            case "amd64", "x86_64" -> "x86_64";
            case "aarch64", "arm64" -> "aarch64";
            default -> null;
        };
        if (!system.equals("Linux") || arch == null) {
            throw Failures.unusable(
                    "DOCA Comch, real or emulated, needs Linux on x86_64 or aarch64; this is " + system + " on "
                            + processor,
                    null);
        }
        if (musl) {
            throw Failures.unusable(
                    "DOCA Comch, real or emulated, needs the GNU C library; this Java runs on"
                            + " musl (Alpine): use an image based on Debian, Ubuntu or Red Hat",
                    null);
        }
        return new Platform(arch);
    }

    /** The folder of this platform's libraries in the jar. */
    public String folder() {
        return "linux-" + arch;
    }

    /** Whether the dynamic loader in this list of a process's mappings is musl's. */
    static boolean usesMusl(Path maps) {
        try {
            return Files.readString(maps, StandardCharsets.ISO_8859_1).contains("/ld-musl-");
        } catch (IOException e) {
            return false; // no /proc: let the loader speak
        }
    }
}
