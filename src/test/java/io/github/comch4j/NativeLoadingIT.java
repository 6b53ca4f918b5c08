package io.github.comch4j;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which libraries a process loads, and what it says when it cannot: once per process, so each case has its own. */
@Timeout(120)
class NativeLoadingIT {
    @TempDir
    Path folder;

    private static String outcome(List<String> options, Map<String, String> environment) {
        return outcome(List.of(), options, environment);
    }

    private static String outcome(List<String> launcher, List<String> options, Map<String, String> environment) {
        try (Child child = Child.startThrough(launcher, LibraryChoice.class, options, environment)) {
            String all = child.rest();
            assertThat(child.exitCode()).isZero();
            assertThat(all.lines().distinct())
                    .as("the second use comes to the same")
                    .hasSize(1);
            return all.lines().findFirst().orElseThrow();
        }
    }

    @Test
    void emulatedByPropertyLeavesNothingBehind() throws IOException {
        String outcome = outcome(
                List.of("-Dcomch4j.library=emulated", "-Dcomch4j.native.dir=" + folder),
                Map.of("COMCH4J_LIBRARY", "/nowhere/"));
        assertThat(outcome).startsWith("EMULATED 4 devices").contains("system property comch4j.library");
        try (Stream<Path> left = Files.list(folder)) {
            assertThat(left).isEmpty();
        }
    }

    @Test
    void emulatedByVariable() {
        assertThat(outcome(List.of(), Map.of("COMCH4J_LIBRARY", "emulated")))
                .startsWith("EMULATED")
                .contains("environment variable COMCH4J_LIBRARY");
    }

    /** A service on a card's host would talk to nobody. */
    @Test
    void theEmulatedDeviceThatNobodyAskedForIsAWarningWithTheSettingThatPinsIt() throws Exception {
        for (String setting : List.of("", "emulated")) {
            Map<String, String> environment = Map.of("COMCH4J_LIBRARY", setting, "LD_LIBRARY_PATH", "");
            try (ChildVm child = new ChildVm(folder, environment, LibraryChoice.class)) {
                assertThat(child.awaitEnd()).as(child.err()).isZero();
                assumeTrue(child.out().startsWith("EMULATED"), "a DOCA SDK is installed here");
                if (setting.isEmpty()) {
                    assertThat(child.err())
                            .containsOnlyOnce("WARNING: using the emulated BlueField, version ")
                            .contains("because no DOCA SDK is installed", "set comch4j.library=system to fail");
                } else {
                    assertThat(child.err()).doesNotContain("emulated BlueField");
                }
            }
        }
    }

    @Test
    void aFolderWithoutLibraries() {
        assertThat(outcome(List.of("-Dcomch4j.library=" + folder), Map.of()))
                .startsWith("system property comch4j.library names ")
                .contains(folder.toString());
    }

    @Test
    void constantsAndTheVersionOfTheHeadersNeedNoLibraries() {
        try (Child child = Child.start(ConstantsProgram.class, List.of("-Dcomch4j.library=" + folder), Map.of())) {
            assertThat(child.rest().lines()).hasSize(6).last().asString().startsWith("3.0");
            assertThat(child.exitCode()).isZero();
        }
    }

    @Test
    void aFolderWithSomethingElseUnderTheirNames() throws IOException {
        Files.writeString(folder.resolve("libdoca_common.so"), "not a library");
        Files.writeString(folder.resolve("libdoca_comch.so"), "not a library");
        assertThat(outcome(List.of("-Dcomch4j.library=" + folder), Map.of()))
                .startsWith("cannot load ")
                .contains(folder.toString())
                .contains("comch4j.library=emulated");
    }

    /** In DOCA 2.5 and 2.6 the file has one name, and the functions have not. */
    @ParameterizedTest
    @CsvSource({
        "2.5/libdoca_cc.so, libdoca_comch.so, CC_2_5",
        "2.6/libdoca_cc.so, libdoca_comch.so, CC_2_6",
        "2.6/libdoca_cc.so, libdoca_cc.so, CC_2_6",
        "2.7/libdoca_comch.so, libdoca_cc.so, COMCH"
    })
    void whatALibraryExportsCountsAndNotItsName(String library, String name, String generation) throws IOException {
        Path libraries = Path.of("target", "native", "lib").toAbsolutePath();
        assumeTrue(Files.exists(libraries.resolve(library)), "built without the C part");
        Path original = libraries.resolve(library);
        Files.copy(original, folder.resolve(name));
        Files.copy(original.resolveSibling("libdoca_common.so"), folder.resolve("libdoca_common.so"));
        assertThat(outcome(List.of("-Dcomch4j.library=" + folder), Map.of()))
                .startsWith("FOLDER 4 devices, " + generation);
    }

    @Test
    void aLibraryThatIsOfNoRelease() throws IOException {
        compile("libdoca_common.so", "doca_version_runtime");
        compile("libdoca_cc.so", "doca_cc_server_create", "doca_cc_consumer_create");
        assertThat(outcome(List.of("-Dcomch4j.library=" + folder), Map.of()))
                .startsWith(folder.resolve("libdoca_cc.so") + " does not match")
                .contains("doca_cc_consumer_cap_is_supported (doca_cc of DOCA 2.6)")
                .contains("doca_cc_cap_is_consumer_supported (doca_cc of DOCA 2.5)")
                .contains("comch4j.library=emulated");
    }

    /** A library that exports functions of these names. */
    private void compile(String name, String... functions) throws IOException {
        Path source = Files.writeString(
                folder.resolve(name + ".c"),
                Stream.of(functions)
                        .map(function -> "void " + function + "(void) {}")
                        .collect(Collectors.joining("\n")));
        BatchSources.compile(folder.resolve(name), List.of(source.toString()));
    }

    @Test
    void anUnpackingFolderThatIsNone() throws IOException {
        Path file = Files.createFile(folder.resolve("file"));
        assertThat(outcome(List.of("-Dcomch4j.library=emulated", "-Dcomch4j.native.dir=" + file), Map.of()))
                .startsWith("cannot unpack and load ")
                .contains(file.toString())
                .contains("comch4j.native.dir");
    }

    @Test
    void anUnpackingFolderThatIsReadOnly() {
        assertThat(outcome(List.of("-Dcomch4j.library=emulated", "-Dcomch4j.native.dir=/proc"), Map.of()))
                .startsWith("cannot unpack and load ")
                .contains("/proc")
                .contains("writable");
    }

    /** In a mount namespace of its own, where something else is mounted over the folder. */
    @Test
    void anUnpackingFolderThatForbidsExecution() throws Exception {
        List<String> confined = List.of(
                "unshare",
                "--map-root-user",
                "--mount",
                "sh",
                "-c",
                "mount -t tmpfs -o noexec,mode=700 none \"$0\" && exec \"$@\"",
                folder.toString());
        assumeTrue(works(confined), "no mount namespaces for this user here");
        assertThat(outcome(confined, List.of("-Dcomch4j.library=emulated", "-Dcomch4j.native.dir=" + folder), Map.of()))
                .startsWith("cannot unpack and load ")
                .contains(folder.toString())
                .contains("noexec")
                .contains("comch4j.native.dir");
    }

    /** The default one, which is made: both sides of the namespace's own /dev/shm are new. */
    @Test
    void theFabricFolderIsTheSecondPlaceToUnpackIn() throws Exception {
        List<String> confined = List.of(
                "unshare",
                "--map-root-user",
                "--mount",
                "sh",
                "-c",
                "mount -t tmpfs -o noexec,mode=700 none \"$0\" && mount -t tmpfs -o mode=1777 none /dev/shm"
                        + " && exec \"$@\"",
                folder.toString());
        assumeTrue(works(confined), "no mount namespaces for this user here");
        assertThat(outcome(
                        confined,
                        List.of("-Dcomch4j.library=emulated", "-Djava.io.tmpdir=" + folder),
                        Map.of("DOCA_EMU_DIR", "")))
                .startsWith("EMULATED 4 devices");
    }

    /** The system's locale has no such letter, so Java cannot open the path; C can. */
    @Test
    void pathsWithLettersThatTheLocaleLacks() {
        List<String> umlaut = List.of(
                "sh",
                "-c",
                "umlaut=$(printf '\\303\\274'); export LC_ALL=C LD_LIBRARY_PATH=/nowhere/$umlaut"
                        + " DOCA_EMU_DIR=\"$0/$umlaut\"; exec \"$@\"",
                folder.toString());
        assertThat(outcome(umlaut, List.of("-Dcomch4j.library=auto"), Map.of()))
                .satisfiesAnyOf(
                        text -> assertThat(text).startsWith("EMULATED 4 devices"),
                        text -> assertThat(text).startsWith("SYSTEM")); // a machine that has an SDK
        assertThat(outcome(umlaut, List.of("-Dcomch4j.library=emulated", "-Djava.io.tmpdir=/proc"), Map.of()))
                .startsWith("cannot unpack and load ")
                .contains("DOCA_EMU_DIR is not a valid path");
    }

    private static boolean works(List<String> launcher) throws InterruptedException {
        List<String> command = new ArrayList<>(launcher);
        command.add("true");
        try {
            return new ProcessBuilder(command)
                            .redirectErrorStream(true)
                            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                            .start()
                            .waitFor()
                    == 0;
        } catch (IOException e) {
            return false; // no such command
        }
    }

    @Test
    void aSettingThatMeansNothingStopsTheStart() {
        for (String flag : List.of("comch4j.batch", "comch4j.strict", "comch4j.debug")) {
            for (String value : List.of("banana", "", "yes")) {
                assertThat(outcome(List.of("-Dcomch4j.library=emulated", "-D" + flag + "=" + value), Map.of()))
                        .isEqualTo("system property " + flag + " is '" + value + "': expected true or false");
            }
        }
        assertThat(outcome(List.of("-Dcomch4j.library=emulated", "-Dcomch4j.batch=FALSE"), Map.of()))
                .startsWith("EMULATED");
        assertThat(outcome(List.of("-Dcomch4j.library=emulatd"), Map.of()))
                .contains("'emulatd'")
                .contains("expected auto, system, emulated or a folder");
    }

    @Test
    void aSystemWithoutAnSdk() {
        String outcome = outcome(List.of("-Dcomch4j.library=system"), Map.of("LD_LIBRARY_PATH", folder.toString()));
        assertThat(outcome)
                .satisfiesAnyOf(
                        text -> assertThat(text)
                                .startsWith("no DOCA SDK found")
                                .contains("/opt/mellanox/doca/lib")
                                .contains(folder.toString()),
                        text -> assertThat(text).startsWith("SYSTEM")); // a machine that has one
    }

    @Test
    void anSdkWithoutComch() throws IOException {
        Files.createFile(folder.resolve("libdoca_common.so.2.5.0"));
        Map<String, String> path = Map.of("LD_LIBRARY_PATH", folder.toString());
        assertThat(outcome(List.of("-Dcomch4j.library=" + folder), Map.of()))
                .startsWith("system property comch4j.library names ")
                .contains(folder + " holds libdoca_common.so.2.5.0");
        assertThat(outcome(List.of("-Dcomch4j.library=system"), path))
                .satisfiesAnyOf(
                        text -> assertThat(text)
                                .startsWith("no usable DOCA SDK")
                                .contains(folder + " holds libdoca_common.so.2.5.0")
                                .contains("neither libdoca_comch.so nor libdoca_cc.so"),
                        text -> assertThat(text).startsWith("SYSTEM")); // a machine that has one
        assertThat(outcome(List.of("-Dcomch4j.library=auto"), path))
                .satisfiesAnyOf(
                        text -> assertThat(text).startsWith("EMULATED").contains("has no Comch"),
                        text -> assertThat(text).startsWith("SYSTEM"));
    }

    @Test
    @EnabledForJreRange(minVersion = 24) // which can forbid them
    void aJvmThatForbidsNativeCalls() {
        try (Child child = Child.startForbidden(LibraryChoice.class, "first calls")) {
            List<String> lines = child.rest().lines().toList();
            assertThat(lines).hasSize(2 * LibraryChoice.FIRST_CALLS.size());
            assertThat(lines.stream().distinct())
                    .singleElement()
                    .asString()
                    .startsWith("the JVM forbids native calls")
                    .contains("--enable-native-access=ALL-UNNAMED");
            assertThat(child.exitCode()).isZero();
        }
    }

    @Test
    void aFabricFolderThatCannotBeMade() throws IOException {
        Path file = Files.createFile(folder.resolve("file"));
        try (Child child = Child.start(
                LibraryChoice.class,
                List.of("-Dcomch4j.library=emulated"),
                Map.of("DOCA_EMU_DIR", file + "/fabric"),
                "serve")) {
            assertThat(child.rest()).contains(file + "/fabric").doesNotContain("another server");
            assertThat(child.exitCode()).isZero();
        }
    }

    @Test
    void aMachineWithoutDevices() throws IOException {
        Path topology = Files.writeString(folder.resolve("topology"), "dpu 0000:03:00.0\n");
        Map<String, String> hostWithoutCard = Map.of("DOCA_EMU_TOPOLOGY", topology.toString(), "DOCA_EMU_SIDE", "host");
        try (Child child =
                Child.start(LibraryChoice.class, List.of("-Dcomch4j.library=emulated"), hostWithoutCard, "device")) {
            assertThat(child.rest().lines())
                    .hasSize(2)
                    .allSatisfy(line -> assertThat(line)
                            .startsWith("NOT_FOUND")
                            .contains("no device 0000:b1:00.0 here: DOCA finds no device at all")
                            .contains("DOCA_EMU_SIDE"));
        }
    }

    @Test
    void inStrictModeASegmentEndsWithItsCallback() {
        try (Child child = Child.start(LibraryChoice.class, List.of("-Dcomch4j.strict=true"), Map.of(), "keep")) {
            assertThat(child.rest()).startsWith("IllegalStateException");
            assertThat(child.exitCode()).isZero();
        }
    }
}
