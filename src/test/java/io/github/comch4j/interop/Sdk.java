package io.github.comch4j.interop;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * The emulated BlueField as {@code scripts/install-emulator.sh} installs it, and C programs that are built against it.
 *
 * @param release of DOCA: 3.0, 2.6 or 2.5
 * @param folder where it is
 */
public record Sdk(String release, Path folder) {
    private static final Path ROOT = Path.of("").toAbsolutePath();
    private static final Path BUILT = ROOT.resolve("target/interop");
    private static final Map<String, Sdk> INSTALLED = new HashMap<>();

    /** Installs that of DOCA 3.0, once in the life of this process. */
    public static Sdk install() {
        return install("3.0");
    }

    /** Installs that of a release, once in the life of this process. */
    public static synchronized Sdk install(String release) {
        return INSTALLED.computeIfAbsent(release, key -> {
            Path folder = BUILT.resolve("sdk-" + release);
            run("scripts/install-emulator.sh", "--release", release, folder.toString());
            return new Sdk(release, folder);
        });
    }

    private boolean isComch() {
        return release.equals("3.0");
    }

    /** Where its libraries are: what {@code LD_LIBRARY_PATH} has to name. */
    public Path libraries() {
        return folder.resolve("lib");
    }

    /**
     * Compiles {@code src/test/c/interop/NAME.c}, for {@code doca_cc} with GENERATION_2_5 or GENERATION_2_6 defined,
     * with other sources of the project, which lie beside their headers.
     */
    public Path compile(String name, String... others) {
        return compileFor(isComch() ? "doca_comch" : "doca_cc", name, others);
    }

    /** As {@link #compile}, for a library of DOCA's in place of Comch or {@code doca_cc}. */
    public Path compileFor(String library, String name, String... others) {
        Path program = BUILT.resolve(name + "-" + release);
        List<String> command = new ArrayList<>(List.of(
                System.getenv().getOrDefault("CC", "cc"),
                "-std=c11",
                "-D_GNU_SOURCE",
                "-DDOCA_ALLOW_EXPERIMENTAL_API",
                "-O2",
                "-pthread",
                "-Wall",
                "-Wextra",
                "-Werror",
                "-Wshadow",
                "-Wconversion",
                "-I",
                folder.resolve("include").toString(),
                ROOT.resolve("src/test/c/interop").resolve(name + ".c").toString()));
        for (String other : others) {
            Path source = ROOT.resolve(other);
            command.addAll(List.of("-I", source.getParent().toString(), source.toString()));
        }
        if (!isComch()) {
            command.add("-DGENERATION_" + release.replace('.', '_'));
        }
        command.addAll(List.of("-L", libraries().toString(), "-l" + library));
        command.addAll(List.of("-ldoca_common", "-o", program.toString()));
        run(command.toArray(String[]::new));
        return program;
    }

    private static void run(String... command) {
        try {
            Files.createDirectories(BUILT);
            Path log = BUILT.resolve("build.log");
            Process process = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(log.toFile())
                    .start();
            if (!process.waitFor(300, TimeUnit.SECONDS) || process.exitValue() != 0) {
                throw new AssertionError(List.of(command) + " fails:\n" + Files.readString(log));
            }
        } catch (IOException | InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
