package io.github.comch4j.containers;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * The C twin of the echo programs, built against the emulated BlueField that {@code scripts/install-emulator.sh} has
 * installed.
 */
record Interop(Path sdk, Path echo) {
    private static Interop built;

    static synchronized Interop build() {
        if (built == null) {
            Path root = Path.of("").toAbsolutePath();
            Path folder = root.resolve("target/interop");
            Path sdk = folder.resolve("sdk");
            Path echo = folder.resolve("echo");
            run(folder, "scripts/install-emulator.sh", sdk.toString());
            String compiler = System.getenv().getOrDefault("CC", "cc");
            run(
                    folder,
                    compiler,
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
                    sdk.resolve("include").toString(),
                    root.resolve("src/test/c/interop/echo.c").toString(),
                    "-L",
                    sdk.resolve("lib").toString(),
                    "-ldoca_comch",
                    "-ldoca_common",
                    "-o",
                    echo.toString());
            built = new Interop(sdk, echo);
        }
        return built;
    }

    private static void run(Path folder, String... command) {
        try {
            Files.createDirectories(folder);
            Path log = folder.resolve("build.log");
            List<String> all = new ArrayList<>(List.of(command));
            Process process = new ProcessBuilder(all)
                    .redirectErrorStream(true)
                    .redirectOutput(log.toFile())
                    .start();
            if (!process.waitFor(300, TimeUnit.SECONDS) || process.exitValue() != 0) {
                throw new AssertionError(all + " fails:\n" + Files.readString(log));
            }
        } catch (IOException | InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
