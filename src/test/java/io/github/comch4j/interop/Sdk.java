package io.github.comch4j.interop;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * The emulated BlueField as {@code scripts/install-emulator.sh} installs it, and C programs that are built against it.
 *
 * @param folder where it is
 */
public record Sdk(Path folder) {
    private static final Path ROOT = Path.of("").toAbsolutePath();
    private static final Path BUILT = ROOT.resolve("target/interop");
    private static Sdk installed;

    /** Installs it, once in the life of this process. */
    public static synchronized Sdk install() {
        if (installed == null) {
            Path folder = BUILT.resolve("sdk");
            run("scripts/install-emulator.sh", folder.toString());
            installed = new Sdk(folder);
        }
        return installed;
    }

    /** Where its libraries are: what {@code LD_LIBRARY_PATH} has to name. */
    public Path libraries() {
        return folder.resolve("lib");
    }

    /** Compiles {@code src/test/c/interop/NAME.c}, with other sources of the project, which lie beside their headers. */
    public Path compile(String name, String... others) {
        Path program = BUILT.resolve(name);
        List<String> command = new ArrayList<>(List.of(
                System.getenv().getOrDefault("CC", "cc"),
                "-std=c11",
                "-D_GNU_SOURCE",
                "-DDOCA_ALLOW_EXPERIMENTAL_API",
                "-O2",
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
        command.addAll(
                List.of("-L", libraries().toString(), "-ldoca_comch", "-ldoca_common", "-o", program.toString()));
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
