package io.github.comch4j.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.comch4j.ChildVm;
import io.github.comch4j.cli.fabric.Fabric;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code comch doctor} on made-up machines, folders that stand for {@code /}, and on this one. */
@Timeout(180)
class DoctorIT {
    private static final String SDK = "/opt/mellanox/doca/lib64";
    private static final String FUNCTION = "0000:b1:00.0";
    private static final String ARM_FUNCTION = "0000:03:00.0";

    @TempDir
    private Path folder;

    private Path root;
    private String fabric = "";
    private String library = "";

    /** A host with a BlueField-3 in DPU mode, and all that DOCA needs. */
    private void host() throws IOException {
        root = Files.createDirectory(folder.resolve("root"));
        sdk(SDK, "libdoca_common.so.2.9.1", "libdoca_comch.so.2.9.1");
        card(FUNCTION);
        write("/dev/infiniband/uverbs0", "");
        limit("unlimited");
        program(
                "ldd",
                "ldd (Debian GLIBC 2.36-9) 2.36\nlibdoca_common.so.2 => /opt/mellanox/doca/lib64/libdoca_common.so.2 (0x1)");
        program("mlxconfig", "INTERNAL_CPU_OFFLOAD_ENGINE    ENABLED(0)");
        program("df", "Avail\n4294967296");
    }

    /** Its DPU. */
    private void dpu() throws IOException {
        host();
        Files.delete(at("/sys/bus/pci/devices/" + FUNCTION + "/device"));
        card(ARM_FUNCTION);
        write("/etc/mlnx-release", "DOCA_2.9.1_BSP_4.9.1_Ubuntu_22.04-prod");
        program("devlink", "pci/0000:03:00.0: mode switchdev inline-mode none encap-mode basic");
        write("/sys/class/net/p0/phys_port_name", "p0");
        write("/sys/class/net/pf0hpf/phys_port_name", "pf0hpf");
        write("/sys/class/net/en3f0pf0sf0/phys_port_name", "c1pf0sf0");
    }

    private Path at(String path) {
        return root.resolve(path.substring(1));
    }

    private void write(String path, String text) throws IOException {
        Files.createDirectories(at(path).getParent());
        Files.writeString(at(path), text + "\n");
    }

    private void sdk(String where, String... libraries) throws IOException {
        for (String library : libraries) {
            write(where + "/" + library, "");
            Path link = at(where + "/" + library.replaceFirst("(\\.so\\.\\d+).*", "$1"));
            Files.deleteIfExists(link);
            Files.createSymbolicLink(link, Path.of(library));
        }
    }

    private void card(String address) throws IOException {
        write("/sys/bus/pci/devices/" + address + "/vendor", "0x15b3");
        write("/sys/bus/pci/devices/" + address + "/device", "0xa2dc");
    }

    private void limit(String locked) throws IOException {
        write(
                "/proc/self/limits",
                "Max file size  unlimited unlimited bytes\nMax processes  1 1 processes\nMax locked memory         "
                        + locked + " " + locked + " bytes");
    }

    private void program(String name, String prints) throws IOException {
        write("/usr/bin/" + name, "#!/bin/sh\ncat <<'END'\n" + prints + "\nEND");
        Files.setPosixFilePermissions(at("/usr/bin/" + name), PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    private ChildVm doctor(String... options) throws Exception {
        String[] arguments = new String[options.length + 3];
        arguments[0] = "doctor";
        arguments[1] = "--root";
        arguments[2] = root.toString();
        System.arraycopy(options, 0, arguments, 3, options.length);
        return new ChildVm(
                folder,
                Map.of("LD_LIBRARY_PATH", "", "LC_ALL", "C.UTF-8", "DOCA_EMU_DIR", fabric, "COMCH4J_LIBRARY", library),
                Comch.class,
                arguments);
    }

    private List<String> diagnosis(int status) throws Exception {
        try (ChildVm child = doctor()) {
            assertThat(child.awaitEnd()).as(child.out() + child.err()).isEqualTo(status);
            assertThat(child.err()).isEmpty();
            return child.out().lines().toList();
        }
    }

    @Test
    void aHostInWhichAllIsWell() throws Exception {
        host();
        List<String> said = diagnosis(0);
        assertThat(said).noneMatch(line -> line.startsWith("! ") || line.startsWith("✘ "));
        assertThat(said)
                .contains(
                        "✔ libc: GNU C library 2.36",
                        "✔ DOCA libraries: in " + at(SDK).toRealPath() + ", release 2.9.1, doca_comch",
                        "✔ dependencies: all that libdoca_comch.so.2.9.1 needs is there",
                        "✔ card: BlueField-3 at 0000:b1:00.0",
                        "✔ mode: the card is in DPU mode",
                        "· DPA: in DPU mode, programs for it are started on the Arm cores, not on the host",
                        "✔ verbs: /dev/infiniband has uverbs0",
                        "✔ locked memory: unlimited",
                        "✔ shared memory: 4096 MiB free in /dev/shm",
                        "✔ file size: unlimited");
    }

    @Test
    void aLimitOfTheSizeOfFiles() throws Exception {
        host();
        write("/proc/self/limits", "Max file size             1048576              unlimited            bytes");
        assertThat(diagnosis(1))
                .contains(
                        "! file size: at most 1024 KiB, and the emulated BlueField makes files in memory of"
                                + " 12582912 KiB, of which it uses little",
                        "    → ulimit -f unlimited, or fsize in /etc/security/limits.conf");
    }

    /** In a terminal the signs have a colour, unless the user wants none. */
    @Test
    void signsHaveColoursInATerminal() throws Exception {
        host();
        program("mlxconfig", "INTERNAL_CPU_OFFLOAD_ENGINE    DISABLED(1)");
        Map<String, String> letters = Map.of("LC_ALL", "C.UTF-8", "DOCA_EMU_DIR", "/fabric", "COMCH4J_LIBRARY", "");
        assertThat(Pty.run(folder, letters, "doctor", "--root", root.toString()))
                .contains("\033[32m✔\033[0m card: BlueField-3", "\033[31m✘\033[0m mode: the card is in NIC mode");
        Map<String, String> plain =
                Map.of("LC_ALL", "C", "NO_COLOR", "1", "DOCA_EMU_DIR", "/fabric", "COMCH4J_LIBRARY", "");
        assertThat(Pty.run(folder, plain, "doctor", "--root", root.toString()))
                .contains("ok card: BlueField-3", "x mode: the card is in NIC mode")
                .doesNotContain("\033");
    }

    @Test
    void aDpuInWhichAllIsWell() throws Exception {
        dpu();
        assertThat(diagnosis(0))
                .contains(
                        "✔ card: BlueField-3 at 0000:03:00.0; this is the DPU",
                        "✔ representors: en3f0pf0sf0, pf0hpf",
                        "· DPA: in DPU mode, programs for it are started here, on the Arm cores");
    }

    @Test
    void aCardInNicMode() throws Exception {
        host();
        program("mlxconfig", "INTERNAL_CPU_OFFLOAD_ENGINE    DISABLED(1)");
        assertThat(diagnosis(2))
                .containsSequence(
                        "✘ mode: the card is in NIC mode, in which nothing runs on its processor",
                        "    → mlxconfig -d 0000:b1:00.0 -y set INTERNAL_CPU_MODEL=1 INTERNAL_CPU_OFFLOAD_ENGINE=0,"
                                + " then a power cycle of the machine",
                        "· DPA: in NIC mode, programs for it are started on the host, and there is no Comch");
        Files.delete(at("/usr/bin/mlxconfig"));
        assertThat(diagnosis(1)).anyMatch(line -> line.startsWith("! mode: whether the card is in DPU mode is not"));
    }

    /** BlueField-2 has no such cores. */
    @Test
    void aCardWithoutDpa() throws Exception {
        host();
        write("/sys/bus/pci/devices/" + FUNCTION + "/device", "0xa2d6");
        assertThat(diagnosis(0))
                .contains("✔ card: BlueField-2 at 0000:b1:00.0")
                .noneMatch(line -> line.contains("DPA"));
    }

    @Test
    void aDpuWithoutRepresentors() throws Exception {
        dpu();
        Files.delete(at("/sys/class/net/pf0hpf/phys_port_name"));
        Files.delete(at("/sys/class/net/en3f0pf0sf0/phys_port_name"));
        assertThat(diagnosis(2)).contains("✘ representors: no interface stands for a function of the host");
        program("devlink", "pci/0000:03:00.0: mode legacy inline-mode none");
        assertThat(diagnosis(2)).contains("    → devlink dev eswitch set pci/0000:03:00.0 mode switchdev");
    }

    @Test
    void aContainerWithoutDevices() throws Exception {
        host();
        write("/.dockerenv", "");
        Files.delete(at("/dev/infiniband/uverbs0"));
        limit("8388608");
        program("df", "Avail\n67108863");
        assertThat(diagnosis(2))
                .contains(
                        "✘ verbs: there is no /dev/infiniband/uverbs0 in this container",
                        "    → docker run --device /dev/infiniband --ulimit memlock=-1 ...",
                        "! locked memory: at most 8192 KiB, and DOCA locks all that it registers",
                        "! shared memory: only 63 MiB free in /dev/shm, which the emulated BlueField lives in");
    }

    @Test
    void anSdkAndNoCard() throws Exception {
        host();
        write("/sys/bus/pci/devices/" + FUNCTION + "/device", "0x1017"); // a ConnectX
        assertThat(diagnosis(2)).contains("✘ card: DOCA is installed and PCI has no BlueField");
    }

    @Test
    void aBrokenSdk() throws Exception {
        host();
        Files.delete(at(SDK + "/libdoca_comch.so.2.9.1"));
        Files.delete(at(SDK + "/libdoca_comch.so.2"));
        assertThat(diagnosis(1))
                .contains(
                        "! DOCA libraries: " + SDK + " has DOCA without Comch: programs run on the emulated BlueField",
                        "    → apt-get install doca-sdk-comch, or the same with dnf")
                .noneMatch(line -> line.contains(" card:"));
        sdk(SDK, "libdoca_comch.so.2.7.0");
        program("ldd", "libibverbs.so.1 => not found\nlibc.so.6 => /lib/libc.so.6 (0x1)");
        assertThat(diagnosis(2))
                .contains(
                        "✘ DOCA libraries: of two releases in " + at(SDK).toRealPath()
                                + ": libdoca_common.so.2.9.1 and libdoca_comch.so.2.7.0",
                        "✘ dependencies: libdoca_comch.so.2.7.0 needs libibverbs.so.1, not found on this machine",
                        "    → apt-get install rdma-core, or MLNX_OFED's");
    }

    @Test
    void twoSdks() throws Exception {
        host();
        sdk("/usr/lib64", "libdoca_common.so.2.5.0", "libdoca_cc.so.2.5.0");
        assertThat(diagnosis(1))
                .contains(
                        "! DOCA libraries: also in [" + at("/usr/lib64").toRealPath() + "]: the first folder is taken");
    }

    @Test
    void nothingOfNvidia() throws Exception {
        host();
        for (String each : List.of("common", "comch")) {
            Files.delete(at(SDK + "/libdoca_" + each + ".so.2.9.1"));
            Files.delete(at(SDK + "/libdoca_" + each + ".so.2"));
        }
        assertThat(diagnosis(1))
                .contains("! DOCA libraries: no DOCA SDK is installed: programs run on the emulated BlueField")
                .hasSize(6);
    }

    @Test
    void forPrograms() throws Exception {
        host();
        write("/sys/bus/pci/devices/" + FUNCTION + "/device", "0x1017");
        try (ChildVm child = doctor("--json")) {
            assertThat(child.awaitEnd()).isEqualTo(2);
            assertThat(child.out())
                    .startsWith("{\n  \"status\": 2,\n  \"findings\": [")
                    .contains("\"level\": \"bad\",\n      \"about\": \"card\"", "\"level\": \"good\"");
        }
    }

    /** The devices as DOCA sees them, and a message, come last; where all is emulated, they are well. */
    @Test
    void thisMachine() throws Exception {
        List<String> said = here(Map.of("DOCA_EMU_SIDE", "both"), 0, 1);
        assertThat(said)
                .anyMatch(line -> line.startsWith("✔ libc: GNU C library "))
                .anyMatch(line -> line.startsWith("✔ devices: DOCA ")
                        && line.endsWith("(EMULATED) sees 4, 1 can serve and 3 can be clients"))
                .anyMatch(line -> line.startsWith("✔ DPA: reached by 0000:03:00.0, 0000:b1:00.0"));
        assertThat(said.getLast()).startsWith("✔ a message: went from 0000:b1:00.0 to 0000:03:00.0 and back in ");
    }

    /** A note, which is no fault of the machine's. */
    @Test
    void oneSideOfAMachineCannotTryAMessage() throws Exception {
        assertThat(here(Map.of("DOCA_EMU_SIDE", "host"), 0, 1))
                .contains(
                        "· a message: not tried: this machine has the host's side only",
                        "    → comch serve on the DPU, then comch ping on the host");
        Path topology =
                Files.writeString(folder.resolve("topology"), "dpu 0000:03:00.0 without=dpa\nhost 0000:b1:00.0 pf\n");
        assertThat(here(Map.of("DOCA_EMU_SIDE", "dpu", "DOCA_EMU_TOPOLOGY", topology.toString()), 0, 1))
                .contains(
                        "· DPA: no device has one, which MsgQ alone needs",
                        "· a message: not tried: this machine has the DPU's side only");
    }

    @Test
    void aFolderThatIsNoSdk() throws Exception {
        for (String library : List.of("libdoca_common.so.2", "libdoca_comch.so.2")) {
            Files.writeString(folder.resolve(library), "no library");
        }
        assertThat(here(Map.of("COMCH4J_LIBRARY", folder.toString()), 2, 2))
                .anyMatch(line -> line.startsWith("✘ devices: ") && line.contains(folder.toString()));
    }

    private List<String> here(Map<String, String> more, int best, int worst) throws Exception {
        Map<String, String> environment = new java.util.HashMap<>(more);
        environment.put("LC_ALL", "C.UTF-8");
        try (ChildVm child = new ChildVm(folder, environment, Comch.class, "doctor")) {
            assertThat(child.awaitEnd()).as(child.out() + child.err()).isBetween(best, worst);
            assertThat(child.err()).doesNotContain("comch: ", "\tat "); // the VM may warn of what is no library
            return child.out().lines().toList();
        }
    }

    @Test
    void aSystemOfMusl() throws Exception {
        host();
        write("/lib/ld-musl-x86_64.so.1", "");
        assertThat(diagnosis(2))
                .contains("✘ libc: this is musl, and DOCA as well as the emulated BlueField are for the GNU C library");
    }

    @Test
    void aFabricFolder() throws Exception {
        host();
        fabric = "/fabric";
        Path there = Files.createDirectory(
                at("/fabric"), PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        assertThat(diagnosis(0))
                .contains("✔ fabric folder: /fabric is this user's, and no server in it is dead or stopped");
        write("/fabric/0000:b1:00.0-1.lock", "");
        assertThat(diagnosis(1))
                .containsSequence(
                        "! fabric folder: /fabric has the files of 1 server that is dead",
                        "    → comch emulator clean");
        assertThat(there.resolve("0000:b1:00.0-1.lock")).exists();
        Files.setPosixFilePermissions(there, PosixFilePermissions.fromString("rwxrwxrwx"));
        assertThat(diagnosis(2)).contains("    → chmod 700 /fabric");
        assumeTrue(Fabric.user() == 0, "only root can give a folder away");
        Files.setAttribute(there, "unix:uid", 12345);
        assertThat(diagnosis(2)).contains("✘ fabric folder: /fabric belongs to user 12345, and this is user 0");
    }

    /** It is the folder that counts in which the emulated BlueField will live. */
    @Test
    void aFabricFolderWithoutRoom() throws Exception {
        host();
        write("/full/file", "");
        write("/usr/bin/df", "#!/bin/sh\ncase $3 in */full) echo 1000000 ;; *) echo 4294967296 ;; esac");
        assertThat(diagnosis(0)).contains("✔ shared memory: 4096 MiB free in /dev/shm");
        fabric = "/full/fabric";
        assertThat(diagnosis(1))
                .containsSequence(
                        "! shared memory: only 0 MiB free in /full/fabric, which the emulated BlueField lives in",
                        "    → let DOCA_EMU_DIR name a folder with more room");
        Files.delete(at("/usr/bin/df"));
        assertThat(diagnosis(1)).anyMatch(line -> line.startsWith("! shared memory: /full/fabric is not there, or"));
    }

    /** Who has asked for it by name is not told that something is missing. */
    @Test
    void theEmulatedBlueFieldByName() throws Exception {
        host();
        Files.delete(at(SDK + "/libdoca_common.so.2.9.1"));
        Files.delete(at(SDK + "/libdoca_common.so.2"));
        assertThat(diagnosis(1)).anyMatch(line -> line.startsWith("! DOCA libraries: no DOCA SDK is installed"));
        library = "emulated";
        assertThat(diagnosis(0)).contains("✔ DOCA libraries: those of the emulated BlueField, as was asked for");
        library = "";
        try (ChildVm child = doctor("--library", "emulated")) {
            assertThat(child.awaitEnd()).as(child.out() + child.err()).isZero();
        }
    }

    /** It has its lock and its socket, and answers nobody. */
    @Test
    void aServerThatIsStopped() throws Exception {
        Path place = Files.createDirectory(
                folder.resolve("place"),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        Map<String, String> machine = Map.of("DOCA_EMU_DIR", place.toString());
        try (ChildVm server = new ChildVm(folder, machine, Comch.class, "serve", "--name", "frozen")) {
            server.awaitOutput("serves");
            assertThat(here(machine, 0, 1))
                    .contains("✔ fabric folder: " + place + " is this user's, and no server in it is dead or stopped");
            signal("STOP", server);
            try {
                assertThat(here(machine, 1, 1))
                        .anyMatch(line -> line.startsWith("! fabric folder: server frozen at ")
                                && line.contains(" answers nobody: process ")
                                && line.endsWith(" is stopped"))
                        .contains("    → kill -CONT " + server.handle().pid());
            } finally {
                signal("CONT", server);
            }
        }
    }

    private static void signal(String name, ChildVm child) throws Exception {
        String pid = Long.toString(child.handle().pid());
        assertThat(new ProcessBuilder("kill", "-" + name, pid).start().waitFor())
                .isZero();
    }

    @Test
    void devicesAndAMessageThatFail() throws Exception {
        Path topology = Files.writeString(folder.resolve("topology"), "nonsense\n");
        assertThat(here(Map.of("DOCA_EMU_TOPOLOGY", topology.toString()), 2, 2))
                .anyMatch(line -> line.startsWith("✘ devices: "));
        assertThat(here(Map.of("DOCA_EMU_DIR", "/proc/none", "DOCA_EMU_SIDE", "both"), 2, 2))
                .anyMatch(line -> line.startsWith("✘ a message: "));
    }

    /** From JDK 24 on, a call may be refused that was not allowed on the command line. */
    @Test
    void nativeCallsThatAreNotAllowed() throws Exception {
        host();
        List<String> made = forbidden(1, "--illegal-native-access=warn", "--root", root.toString());
        assertThat(made)
                .anyMatch(line ->
                        line.startsWith("! Java: ") && line.contains("native calls are not allowed to the class path"));
        assertThat(made).contains("    → java --enable-native-access=ALL-UNNAMED ...");
        assertThat(forbidden(2, "--illegal-native-access=deny"))
                .anyMatch(line -> line.startsWith("✘ devices: ") && line.contains("--enable-native-access"));
    }

    private List<String> forbidden(int status, String option, String... more) throws Exception {
        assumeTrue(Runtime.version().feature() >= 24, "this JDK has no such option");
        Path out = Files.createTempFile(folder, "doctor", ".out");
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                option,
                "-cp",
                System.getProperty("java.class.path"),
                Comch.class.getName(),
                "doctor"));
        command.addAll(List.of(more));
        ProcessBuilder builder =
                new ProcessBuilder(command).redirectOutput(out.toFile()).redirectError(ProcessBuilder.Redirect.DISCARD);
        builder.environment().putAll(Map.of("LC_ALL", "C.UTF-8", "COMCH4J_LIBRARY", "emulated"));
        builder.environment().remove("LD_LIBRARY_PATH");
        assertThat(builder.start().waitFor()).as(Files.readString(out)).isEqualTo(status);
        return Files.readAllLines(out);
    }

    /** Signs that a terminal without UTF-8 has, too. */
    @Test
    void marksInPlainLetters() throws Exception {
        host();
        try (ChildVm child = new ChildVm(
                folder,
                Map.of("LC_ALL", "C", "LD_LIBRARY_PATH", "", "COMCH4J_LIBRARY", ""),
                Comch.class,
                "doctor",
                "--root",
                root.toString())) {
            assertThat(child.awaitEnd()).isZero();
            assertThat(child.out()).contains("ok card: BlueField-3").doesNotContain("?");
        }
    }
}
