package io.github.comch4j;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.module.ModuleDescriptor;
import java.lang.module.ModuleFinder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.spi.ToolProvider;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The finished jars as modules and on the class path, native access denied to all but the library. */
@Timeout(120)
class ModulePathIT {
    private static final String MODULE = "io.github.comch4j";

    private static final String TESTING = MODULE + ".testing";

    private static Path jar() throws IOException {
        return jar("");
    }

    private static Path jar(String classifier) throws IOException {
        String name = "comch4j-[\\w.]+(-SNAPSHOT)?" + classifier + "\\.jar";
        try (Stream<Path> files = Files.list(Path.of("target"))) {
            return files.filter(file -> file.getFileName().toString().matches(name))
                    .findFirst()
                    .orElseThrow();
        }
    }

    private static String run(String... options) throws Exception {
        return run("modules.ModuleProgram", List.of(options));
    }

    /** The last line that it prints. */
    private static String run(String main, List<String> options) throws Exception {
        return run(Path.of(System.getProperty("java.home")), main, options);
    }

    private static String run(Path java, String main, List<String> options) throws Exception {
        List<String> command =
                new ArrayList<>(List.of(java.resolve("bin/java").toString(), "-Xmx128m", "-Dcomch4j.library=emulated"));
        if (Runtime.version().feature() >= 24) {
            command.add("--illegal-native-access=deny"); // before, it was a warning, which is looked for below
            command.add("--sun-misc-unsafe-memory-access=deny");
        }
        command.addAll(options);
        command.add(main);
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = process.inputReader().lines().collect(Collectors.joining("\n"));
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).as(output).isZero();
        assertThat(output).doesNotContain("WARNING");
        return output.lines().reduce((first, second) -> second).orElse("");
    }

    @Test
    void worksAsAModule() throws Exception {
        assertThat(run(
                        "-p",
                        jar().toString(),
                        "--add-modules",
                        MODULE,
                        "--enable-native-access=" + MODULE,
                        "-cp",
                        "target/test-classes"))
                .isEqualTo("module " + MODULE + ", EMULATED");
    }

    /** A module of its own, which is patched as Maven does for tests, and opened to. */
    @Test
    void aPeerOfAModularProgramIsOfTheSameModules(@TempDir Path folder) throws Exception {
        Path module = compile(folder, jar().toString(), "module programs { requires " + MODULE + "; }", "PeerProgram");
        List<String> options = List.of(
                "-p",
                jar() + ":" + module,
                "--enable-native-access=" + MODULE,
                "--add-opens",
                "java.base/java.lang=programs",
                "--module");
        assertThat(run("programs/modules.PeerProgram", options))
                .isEqualTo("peer in module programs, java.lang open, sees 1");
    }

    /** Compiles a program as a module, and returns where that is. */
    private static Path compile(Path folder, String path, String declaration, String program) throws IOException {
        Path source = Files.writeString(
                Files.createDirectories(folder.resolve("source")).resolve("module-info.java"), declaration);
        Path module = folder.resolve("programs");
        javac("-p", path, "-d", module.toString(), source.toString(), "src/test/java/modules/" + program + ".java");
        return module;
    }

    private static void javac(String... arguments) {
        int compiled = ToolProvider.findFirst("javac").orElseThrow().run(System.out, System.err, arguments);
        assertThat(compiled).isZero();
    }

    /** What a program of JUnit needs, wherever this test has it from. */
    private static String junit() {
        return Stream.of(
                        org.junit.jupiter.api.Test.class,
                        org.junit.jupiter.engine.JupiterTestEngine.class,
                        org.junit.platform.commons.JUnitException.class,
                        org.junit.platform.engine.TestEngine.class,
                        org.junit.platform.launcher.Launcher.class,
                        org.opentest4j.AssertionFailedError.class,
                        org.apiguardian.api.API.class)
                .map(Child::locationOf)
                .collect(Collectors.joining(":"));
    }

    @Test
    void testsRunAsAModule(@TempDir Path folder) throws Exception {
        String path = jar() + ":" + jar("-testing") + ":" + junit();
        Path module = compile(
                folder,
                path,
                "open module programs { requires " + TESTING
                        + "; requires org.junit.jupiter.api; requires org.junit.platform.launcher; }",
                "TestedProgram");
        List<String> options = List.of(
                "-p",
                path + ":" + module,
                "--add-modules",
                "org.junit.jupiter.engine",
                "--enable-native-access=" + MODULE,
                "--module");
        assertThat(run("programs/modules.TestedProgram", options))
                .isEqualTo("2 tests in module programs with module " + TESTING);
    }

    @Test
    void testsRunOnTheClassPath() throws Exception {
        String path = jar() + ":" + jar("-testing") + ":" + junit() + ":target/test-classes";
        assertThat(run("modules.TestedProgram", List.of("--enable-native-access=ALL-UNNAMED", "-cp", path)))
                .isEqualTo("2 tests in no module with no module");
    }

    /** As Maven does it for a program that is a module: its tests are patched into it, JUnit is on the class path. */
    @Test
    void testsOfAModuleHaveJUnitOnTheClassPath(@TempDir Path folder) throws Exception {
        Path module =
                compile(folder, jar().toString(), "module programs { requires " + MODULE + "; }", "ModuleProgram");
        Path tests = folder.resolve("tests");
        String path = jar("-testing") + ":" + junit();
        javac("-cp", jar() + ":" + path, "-d", tests.toString(), "src/test/java/modules/TestedProgram.java");
        List<String> options = List.of(
                "-p",
                jar() + ":" + module,
                "-cp",
                path,
                "--patch-module",
                "programs=" + tests,
                "--add-reads",
                "programs=ALL-UNNAMED",
                "--add-opens",
                "programs/modules=ALL-UNNAMED",
                "--enable-native-access=" + MODULE,
                "--module");
        assertThat(run("programs/modules.TestedProgram", options))
                .isEqualTo("2 tests in module programs with no module");
    }

    @Test
    void aRuntimeOfItsOwnHasTheModule(@TempDir Path folder) throws Exception {
        Path module =
                compile(folder, jar().toString(), "module programs { requires " + MODULE + "; }", "ModuleProgram");
        Path image = folder.resolve("image");
        StringWriter said = new StringWriter();
        int linked = ToolProvider.findFirst("jlink")
                .orElseThrow()
                .run(
                        new PrintWriter(said),
                        new PrintWriter(said),
                        "-p",
                        jar() + ":" + module,
                        "--add-modules",
                        "programs",
                        "--output",
                        image.toString());
        assumeTrue(linked == 0 || !said.toString().contains("java.base"), "this JDK links no image: " + said);
        assertThat(linked).as(said.toString()).isZero();
        assertThat(run(
                        image,
                        "programs/modules.ModuleProgram",
                        List.of("--enable-native-access=" + MODULE, "--module")))
                .isEqualTo("module " + MODULE + ", EMULATED");
    }

    /** As a word of the command line, the kernel would refuse it. */
    @Test
    void aPeerHasALongClassPath(@TempDir Path folder) throws Exception {
        String path = jar() + ":target/test-classes" + (":" + folder.resolve("x".repeat(100))).repeat(1500);
        Path file = Files.writeString(
                folder.resolve("arguments"), "--enable-native-access=ALL-UNNAMED -cp \"" + path + "\"");
        assertThat(run("modules.PeerProgram", List.of("@" + file)))
                .startsWith("peer in unnamed module")
                .endsWith("sees 1");
    }

    @Test
    void worksOnTheClassPath() throws Exception {
        assertThat(run("--enable-native-access=ALL-UNNAMED", "-cp", jar() + ":target/test-classes"))
                .startsWith("unnamed module")
                .endsWith("EMULATED");
    }

    @Test
    void theModuleShowsItsApiOnlyAndNeedsTheJdkOnly() throws IOException {
        ModuleDescriptor module =
                ModuleFinder.of(jar()).find(MODULE).orElseThrow().descriptor();
        assertThat(module.exports())
                .extracting(ModuleDescriptor.Exports::source)
                .contains("io.github.comch4j", "io.github.comch4j.comch", "io.github.comch4j.core")
                .doesNotContain("io.github.comch4j.internal", "io.github.comch4j.ffi");
        assertThat(module.packages()).doesNotContain(TESTING);
        assertThat(module.opens()).isEmpty();
        assertThat(module.requires())
                .filteredOn(needed -> !needed.modifiers().contains(ModuleDescriptor.Requires.Modifier.STATIC))
                .allSatisfy(needed -> assertThat(needed.name()).matches("(java|jdk)\\..*"));
        // what is compiled in, and is not there in any of these runs
        assertThat(module.requires())
                .extracting(ModuleDescriptor.Requires::name)
                .as("it would have Maven run the JUnit of a program's tests as a module, and half of it at that")
                .noneMatch(needed -> needed.startsWith("org.junit"));
        assertThat(module.requires())
                .filteredOn(needed -> needed.name().matches("io[.]netty[.].*|micrometer[.]core"))
                .isNotEmpty()
                .allSatisfy(needed ->
                        assertThat(needed.modifiers()).containsExactly(ModuleDescriptor.Requires.Modifier.STATIC));
    }

    @Test
    void theModuleForTestsNeedsTheLibraryAndIsOpenToJUnit() throws IOException {
        ModuleDescriptor module =
                ModuleFinder.of(jar("-testing")).find(TESTING).orElseThrow().descriptor();
        assertThat(module.packages()).containsExactly(TESTING);
        assertThat(module.exports())
                .extracting(ModuleDescriptor.Exports::source)
                .containsExactly(TESTING);
        assertThat(module.opens()).singleElement().satisfies(opened -> {
            assertThat(opened.source()).isEqualTo(TESTING);
            assertThat(opened.targets()).containsExactly("org.junit.platform.commons");
        });
        assertThat(module.requires())
                .filteredOn(needed -> !needed.modifiers().contains(ModuleDescriptor.Requires.Modifier.STATIC))
                .extracting(ModuleDescriptor.Requires::name)
                .containsExactlyInAnyOrder("java.base", MODULE);
    }

    @Test
    void aConsumerIsCompiledWithoutTheAnnotations(@TempDir Path folder) throws IOException {
        Path module =
                Files.writeString(folder.resolve("module-info.java"), "module consumer { requires " + MODULE + "; }");
        Path user = Files.writeString(
                Files.createDirectory(folder.resolve("consumer")).resolve("User.java"), """
                package consumer;
                class User {
                    Object use(io.github.comch4j.core.BufferPool pool, io.github.comch4j.comch.ComchConnection connection) {
                        return pool.tryAcquire() == null ? connection.attach(null) : connection.attachment(String.class);
                    }
                }
                """);
        StringWriter said = new StringWriter();
        int status = ToolProvider.findFirst("javac")
                .orElseThrow()
                .run(
                        new PrintWriter(said),
                        new PrintWriter(said),
                        "-Xlint:all",
                        "-Werror",
                        "-p",
                        jar().toString(),
                        "-d",
                        folder.resolve("classes").toString(),
                        module.toString(),
                        user.toString());
        assertThat(status).as(said.toString()).isZero();
    }

    private static Set<String> entries(Path jar) throws IOException {
        try (JarFile file = new JarFile(jar.toFile())) {
            return file.stream().map(JarEntry::getName).collect(Collectors.toSet());
        }
    }

    /** All the rest is in jars of its own. */
    @ParameterizedTest
    @ValueSource(strings = {"", "-hardware"})
    void theLibrarysJarIsTheLibrary(String classifier) throws IOException {
        assertThat(entries(jar(classifier)))
                .contains("module-info.class", "io/github/comch4j/comch/ComchClient.class")
                .noneMatch(name -> name.matches("io/github/comch4j/(cli|testing)/.*"));
    }

    @Test
    void theToolsJarIsRunnableAndMayCallNatively() throws IOException {
        try (JarFile file = new JarFile(jar("-tool").toFile())) {
            Attributes manifest = file.getManifest().getMainAttributes();
            assertThat(manifest.getValue("Main-Class")).isEqualTo("io.github.comch4j.cli.Comch");
            assertThat(manifest.getValue("Enable-Native-Access")).isEqualTo("ALL-UNNAMED");
        }
        assertThat(entries(jar("-tool"))).containsAll(ofTheTool());
    }

    /** What lies below target/classes/io/github/comch4j/cli. */
    private static List<String> ofTheTool() throws IOException {
        Path classes = Path.of("target", "classes");
        try (Stream<Path> files = Files.walk(classes.resolve(Path.of("io", "github", "comch4j", "cli")))) {
            return files.filter(Files::isRegularFile)
                    .map(file -> classes.relativize(file).toString())
                    .toList();
        }
    }

    @Test
    void allEntriesHaveOneTimeSoThatBuildsCanBeCompared() throws IOException {
        try (JarFile file = new JarFile(jar().toFile())) {
            assertThat(file.stream().map(JarEntry::getLastModifiedTime).distinct())
                    .hasSize(1);
        }
    }
}
