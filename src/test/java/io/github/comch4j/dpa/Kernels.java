package io.github.comch4j.dpa;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.concurrent.TimeUnit;

/** Programs for the DPA of the C tests, compiled as users compile theirs: by dpacc, to libraries that Java loads. */
public final class Kernels {
    private static final Path SOURCES = Path.of("src", "test", "c", "dpa");
    private static final Path BUILT = Path.of("target", "dpa-kernels");

    private Kernels() {}

    /** The one for calls, launches and threads. */
    public static DpaApplication program() {
        return load("program", "test_program");
    }

    /** The one for queues. */
    public static DpaApplication queues() {
        return load("msgq_program", "msgq_program");
    }

    private static DpaApplication load(String source, String name) {
        return DpaApplication.load(compile(source, name), name);
    }

    /** Makes the library of {@code src/test/c/dpa/SOURCE.c}, unless it is newer. */
    static synchronized Path compile(String source, String name) {
        Path file = SOURCES.resolve(source + ".c");
        Path library = BUILT.resolve(source + ".so").toAbsolutePath();
        try {
            if (!Files.exists(library)
                    || Files.getLastModifiedTime(library).compareTo(Files.getLastModifiedTime(file)) < 0) {
                Files.createDirectories(BUILT);
                Path made = Files.createTempFile(BUILT.toAbsolutePath(), source, ".so");
                compile(file, made, name);
                Files.move(made, library, StandardCopyOption.ATOMIC_MOVE); // another process may make it too
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return library;
    }

    /** Makes a library of a source, with an application of that name. */
    static void compile(Path source, Path library, String name) throws IOException {
        run("scripts/dpacc", source.toString(), "-o", library.toString(), "--app-name=" + name, "-O2", "-Wall");
    }

    private static void run(String... command) throws IOException {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        try {
            if (!process.waitFor(2, TimeUnit.MINUTES) || process.exitValue() != 0) {
                throw new IOException(String.join(" ", command) + ": " + said);
            }
        } catch (InterruptedException e) {
            throw new IOException(e);
        }
    }
}
