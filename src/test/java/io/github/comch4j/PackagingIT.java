package io.github.comch4j;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.spi.ToolProvider;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The ways to pack a program with the library, of docs/packaging.md. */
@Timeout(180)
class PackagingIT {
    private static final Path OLD_JAVA = Path.of("/usr/lib/jvm/java-17-openjdk-amd64/bin/java");

    @TempDir
    Path folder;

    private Path jar;

    /** All in one jar, as Maven's shade plugin has it. */
    @BeforeEach
    void pack() throws IOException {
        Path manifest = Files.writeString(
                folder.resolve("manifest"),
                "Main-Class: " + LibraryChoice.class.getName() + "\nEnable-Native-Access: ALL-UNNAMED\n");
        jar = folder.resolve("all.jar");
        List<String> arguments = new ArrayList<>(List.of("--create", "--file=" + jar, "--manifest=" + manifest));
        for (String entry : Child.classPath(LibraryChoice.class).split(java.io.File.pathSeparator)) {
            String part = Files.isDirectory(Path.of(entry)) ? entry : unpacked(Path.of(entry));
            arguments.addAll(List.of("-C", part, "io"));
            if (Files.isDirectory(Path.of(part, "native"))) {
                arguments.addAll(List.of("-C", part, "native"));
            }
        }
        assertThat(ToolProvider.findFirst("jar")
                        .orElseThrow()
                        .run(System.out, System.err, arguments.toArray(new String[0])))
                .isZero();
    }

    /** The library's own jar, which is what the tests run with once Maven has made it. */
    private String unpacked(Path archive) throws IOException {
        Path contents = Files.createTempDirectory(folder, "jar");
        Path tool = Path.of(System.getProperty("java.home"), "bin", "jar");
        assertThat(run(contents, tool.toString(), "--extract", "--file=" + archive.toAbsolutePath()))
                .isEmpty();
        return contents.toString();
    }

    private static String run(Path directory, String... command) throws IOException {
        Path output = directory.resolve("output");
        Process process = new ProcessBuilder(command)
                .directory(directory.toFile())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        try {
            process.waitFor();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
        return Files.readString(output);
    }

    @Test
    void oneJarWithTheManifestsPermission() throws IOException {
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        assertThat(run(folder, java, "-Dcomch4j.library=emulated", "-jar", jar.toString()))
                .startsWith("EMULATED 4 devices")
                .doesNotContain("WARNING");
    }

    /** Without jdk.jfr, java.management and java.logging. */
    @Test
    void aRuntimeOfTheSmallestModule() throws IOException {
        Path image = folder.resolve("image");
        String jlink = Path.of(System.getProperty("java.home"), "bin", "jlink").toString();
        String said = run(folder, jlink, "--add-modules", "java.base", "--output", image.toString());
        assumeTrue(Files.isExecutable(image.resolve("bin/java")), () -> "this JDK links no image: " + said);
        String java = image.resolve("bin/java").toString();
        for (String use : List.of("choice", "engine", "serve")) {
            assertThat(run(folder, java, "-Dcomch4j.library=emulated", "-jar", jar.toString(), use))
                    .as(use)
                    .containsAnyOf("EMULATED 4 devices", "server \"test-")
                    .doesNotContain("Error");
        }
    }

    @Test
    void anOldJavaSaysWhatItWants() throws IOException {
        assumeTrue(Files.isExecutable(OLD_JAVA), "no Java 17 here");
        assertThat(run(folder, OLD_JAVA.toString(), "-jar", jar.toString()))
                .contains("UnsupportedClassVersionError")
                .contains("class file version 66");
    }
}
