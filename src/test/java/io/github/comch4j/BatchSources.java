package io.github.comch4j;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** A copy of the batch library's sources, in which a test changes something. */
public record BatchSources(Path folder) {
    /** Where the sources are, in the project. */
    public static final Path ORIGINAL = Path.of("src", "main", "c", "batch");

    /** Copies them into a new folder. */
    public static BatchSources copyTo(Path folder) throws IOException {
        Files.createDirectories(folder);
        try (Stream<Path> files = Files.list(ORIGINAL)) {
            for (Path file : files.toList()) {
                Files.copy(file, folder.resolve(file.getFileName()));
            }
        }
        return new BatchSources(folder);
    }

    /** Swaps two pieces of text, each of which the file has once. */
    public BatchSources swap(String file, String first, String second) throws IOException {
        String text = Files.readString(folder.resolve(file));
        assertThat(text).containsOnlyOnce(first).containsOnlyOnce(second);
        String swapped = text.replace(first, "\0").replace(second, first).replace("\0", second);
        Files.writeString(folder.resolve(file), swapped);
        return this;
    }

    /** Replaces a piece of text, which the file has once. */
    public BatchSources replace(String file, String old, String replacement) throws IOException {
        String text = Files.readString(folder.resolve(file));
        assertThat(text).containsOnlyOnce(old);
        Files.writeString(folder.resolve(file), text.replace(old, replacement));
        return this;
    }

    /** Compiles the library into a file. */
    public Path compile(Path library) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return compile(
                    library,
                    files.map(Path::toString)
                            .filter(name -> name.endsWith(".c"))
                            .toList());
        }
    }

    /** As {@link #compile}, with nothing but the function that describes the layout. */
    public Path compileLayout(Path library) throws IOException {
        return compile(library, List.of(folder.resolve("layout.c").toString()));
    }

    /** Compiles sources into a shared library. */
    public static Path compile(Path library, List<String> sources) throws IOException {
        Files.createDirectories(library.getParent());
        List<String> command = new ArrayList<>(List.of(
                System.getenv().getOrDefault("CC", "cc"),
                "-std=c11",
                "-shared",
                "-fPIC",
                "-DDOCA_ALLOW_EXPERIMENTAL_API",
                "-I",
                "headers",
                "-o",
                library.toString()));
        command.addAll(sources);
        Path log = library.resolveSibling("compiler.log");
        Process compiler = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        try {
            assertThat(compiler.waitFor(60, TimeUnit.SECONDS))
                    .as("the compiler ends")
                    .isTrue();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
        assertThat(compiler.exitValue()).as(Files.readString(log)).isZero();
        return library;
    }
}
