package io.github.comch4j.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.comch4j.ChildVm;
import io.github.comch4j.cli.fabric.FabricView;
import io.github.comch4j.interop.Sdk;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code comch emulator}. */
@Timeout(180)
class EmulatorCommandIT {
    @TempDir
    private Path folder;

    private ChildVm comch(String... arguments) throws Exception {
        return new ChildVm(folder, Map.of("DOCA_EMU_DIR", "/proc/none"), Comch.class, arguments);
    }

    @Test
    void aCommandHasAMachineOfItsOwn() throws Exception {
        try (ChildVm child = comch(
                "emulator",
                "run",
                "--in",
                folder.toString(),
                "--",
                "sh",
                "-c",
                "stat -c %a \"$DOCA_EMU_DIR\"; mkdir -p \"$DOCA_EMU_DIR/a/b\"; echo \"$DOCA_EMU_DIR\"; exit 7")) {
            assertThat(child.awaitEnd()).isEqualTo(7);
            assertThat(child.out().lines()).hasSize(2).first().isEqualTo("700");
            Path made = Path.of(child.out().lines().skip(1).findFirst().orElseThrow());
            assertThat(made.getParent()).isEqualTo(folder);
            assertThat(made).doesNotExist();
        }
    }

    /** Who outlives the command and writes there, again and again. */
    @Test
    void theStatusIsTheCommandsWhoeverElseWrites() throws Exception {
        Path end = folder.resolve("end");
        Path gone = folder.resolve("gone");
        // true, as a shell ends when it cannot open a file for the special command ":"
        String writes =
                "(i=0; while [ ! -e " + end + " ]; do mkdir -p \"$DOCA_EMU_DIR/d\"; true >\"$DOCA_EMU_DIR/d/$i\";"
                        + " i=$((i+1)); done; true >" + gone + ") 2>/dev/null &"
                        + " while [ ! -e \"$DOCA_EMU_DIR/d/50\" ]; do true; done; exit 7";
        try (ChildVm child = comch("emulator", "run", "--in", folder.toString(), "--", "sh", "-c", writes)) {
            assertThat(child.awaitEnd()).as(child.err()).isEqualTo(7);
            assertThat(child.err()).doesNotContain("failed");
        } finally {
            Files.createFile(end);
        }
        while (!Files.exists(gone)) { // or it writes there while the folder is removed
            Thread.sleep(1);
        }
    }

    @Test
    void aMachineMayBeStrict() throws Exception {
        String in = folder.toString();
        try (ChildVm child =
                comch("emulator", "run", "--strict", "--in", in, "--", "sh", "-c", "echo \"$DOCA_EMU_STRICT\"")) {
            assertThat(child.awaitEnd()).isZero();
            assertThat(child.out().strip()).isEqualTo("1");
        }
    }

    @Test
    void theMachineIsRemovedAfterAnInterrupt() throws Exception {
        ChildVm child = comch(
                "emulator",
                "run",
                "--in",
                folder.toString(),
                "--",
                "sh",
                "-c",
                "echo \"at $DOCA_EMU_DIR\"; exec sleep 100");
        child.awaitOutput("at ");
        Path made = Path.of(child.out().strip().substring(3));
        assertThat(made).isDirectory();
        ProcessHandle sleep = child.handle().children().findFirst().orElseThrow();
        child.terminate();
        child.awaitEnd();
        assertThat(made).doesNotExist();
        assertThat(sleep.isAlive()).isFalse();
    }

    @Test
    void whatCannotBeStartedIsSaid() throws Exception {
        comch("emulator", "run", "--in", folder.toString(), "--", "no-such-program")
                .assertFailure("Cannot run program \"no-such-program\"");
        Path none = folder.resolve("none");
        comch("emulator", "run", "--in", none.toString(), "--", "true").assertFailure(none.toString());
        try (var left = Files.newDirectoryStream(folder, "comch-*")) {
            assertThat(left).isEmpty();
        }
        assertThat(comch("emulator", "run").awaitEnd()).isEqualTo(2);
        assertThat(comch("emulator").awaitEnd()).isEqualTo(2);
    }

    @Test
    void whatDeadServersHaveLeftIsRemovedAndNothingElse() throws Exception {
        Path fabric = Files.createDirectory(folder.resolve("fabric"));
        Map<String, String> dpu = Map.of("DOCA_EMU_DIR", fabric.toString(), "DOCA_EMU_SIDE", "dpu");
        Map<String, String> host = Map.of("DOCA_EMU_DIR", fabric.toString(), "DOCA_EMU_SIDE", "host");
        Files.writeString(fabric.resolve("topology"), "dpu 0000:03:00.0\nhost 0000:b1:00.0 pf\n");
        try (ChildVm dead = new ChildVm(folder, dpu, Comch.class, "serve", "--name", "dead");
                ChildVm alive = new ChildVm(folder, dpu, Comch.class, "serve", "--name", "alive")) {
            dead.awaitOutput("serves");
            alive.awaitOutput("serves");
            dead.kill();
            try (ChildVm clean = new ChildVm(folder, host, Comch.class, "emulator", "clean")) {
                clean.assertSuccess();
                assertThat(clean.out())
                        .startsWith("removed ")
                        .endsWith(fabric + ": removed what 1 server has left\n")
                        .hasLineCount(2);
            }
            try (var left = Files.list(fabric)) {
                assertThat(left.map(file -> file.getFileName().toString().replaceFirst(".*\\.", "")))
                        .containsExactlyInAnyOrder("lock", "sock", "topology");
            }
            try (ChildVm ping = new ChildVm(folder, host, Comch.class, "ping", "--name", "alive", "-c", "1")) {
                ping.assertSuccess();
            }
        }
        try (ChildVm none = comch("emulator", "clean")) {
            none.assertSuccess();
            assertThat(none.out()).isEqualTo("there is no /proc/none\n");
        }
    }

    private ChildVm at(Path fabric, Map<String, String> environment, String... arguments) throws Exception {
        Map<String, String> all = new HashMap<>(environment);
        all.put("DOCA_EMU_DIR", fabric.toString());
        return new ChildVm(folder, all, Comch.class, arguments);
    }

    private String faults(Path fabric, String... arguments) throws Exception {
        List<String> words = new ArrayList<>(List.of("emulator", "faults"));
        words.addAll(List.of(arguments));
        try (ChildVm child = at(fabric, Map.of(), words.toArray(String[]::new))) {
            child.assertSuccess();
            return child.out();
        }
    }

    private Path privateFabric() throws IOException {
        Path fabric = Files.createDirectory(folder.resolve("fabric"));
        return Files.setPosixFilePermissions(fabric, PosixFilePermissions.fromString("rwx------"));
    }

    @Test
    void aRunningJvmIsToldFaults() throws Exception {
        Path fabric = privateFabric();
        Map<String, String> host = Map.of("DOCA_EMU_SIDE", "host");
        try (ChildVm server = at(fabric, Map.of("DOCA_EMU_SIDE", "dpu", "DOCA_EMU_FAULTS", "@server"), "serve")) {
            server.awaitOutput("serves");
            String told = "; told to " + server.handle().pid() + " Comch serve\n";
            String some = "server: refuse=1000000,accept_delay=1";
            assertThat(faults(fabric, "server", "refuse=1000000", "accept_delay=1"))
                    .isEqualTo(some + told);
            assertThat(faults(fabric)).isEqualTo(some + told);
            try (ChildVm refused = at(fabric, host, "ping")) {
                assertThat(refused.awaitEnd()).isEqualTo(1);
            }
            assertThat(faults(fabric, "server", "off")).isEqualTo("server: off" + told);
            assertThat(faults(fabric)).isEmpty();
            try (ChildVm served = at(fabric, host, "ping", "-c", "1")) {
                served.assertSuccess();
            }
        }
        assertThat(faults(fabric, "no-one", "drop=1"))
                .isEqualTo("no-one: drop=1; nobody that is seen from here was started with DOCA_EMU_FAULTS=@no-one\n");
    }

    @Test
    void aRunningCProgramIsToldFaults() throws Exception {
        Path fabric = privateFabric();
        Sdk sdk = Sdk.install();
        Path echo = sdk.compile("echo");
        Path printed = folder.resolve("printed");
        Process server = program(sdk, fabric, "dpu", echo, "server", "of C", "1")
                .redirectOutput(printed.toFile())
                .start();
        try {
            while (FabricView.of(fabric).servers.isEmpty()) {
                assertThat(server.isAlive()).isTrue();
                Thread.sleep(20);
            }
            assertThat(faults(fabric, "c", "refuse=1000000"))
                    .isEqualTo("c: refuse=1000000; told to " + server.pid() + " echo-3.0\n");
            ProcessBuilder client = program(sdk, fabric, "host", echo, "client", "of C", "1");
            Path said = folder.resolve("said");
            client.redirectErrorStream(true).redirectOutput(said.toFile());
            assertThat(client.start().waitFor()).isNotZero();
            assertThat(faults(fabric, "c", "off")).startsWith("c: off; told to " + server.pid());
            assertThat(client.start().waitFor()).as(Files.readString(said)).isZero();
            assertThat(server.waitFor()).isZero();
        } finally {
            server.destroyForcibly();
        }
    }

    private static ProcessBuilder program(Sdk sdk, Path fabric, String side, Path program, String... arguments) {
        List<String> command = new ArrayList<>(List.of(program.toString()));
        command.addAll(List.of(arguments));
        ProcessBuilder builder = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.DISCARD);
        builder.environment()
                .putAll(Map.of(
                        "LD_LIBRARY_PATH",
                        sdk.libraries().toString(),
                        "DOCA_EMU_DIR",
                        fabric.toString(),
                        "DOCA_EMU_SIDE",
                        side,
                        "DOCA_EMU_FAULTS",
                        "@c"));
        return builder;
    }

    @Test
    void whatAreNoFaultsIsSaid() throws Exception {
        Path fabric = folder.resolve("new");
        for (String[] wrong : new String[][] {{"x", "nonsense"}, {"x"}, {"../x", "drop=1"}, {"x", "off", "drop=1"}}) {
            List<String> words = new ArrayList<>(List.of("emulator", "faults"));
            words.addAll(List.of(wrong));
            try (ChildVm child = at(fabric, Map.of(), words.toArray(String[]::new))) {
                assertThat(child.awaitEnd()).isEqualTo(2);
                assertThat(child.err()).startsWith("comch: ").contains("See \"comch emulator faults --help\".");
            }
        }
        assertThat(faults(fabric)).isEqualTo("there is no " + fabric + "\n");
        assertThat(faults(fabric, "x", "again=1")).startsWith("x: again=1; nobody");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(fabric)))
                .isEqualTo("rwx------");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(fabric.resolve("x.faults"))))
                .isEqualTo("rw-------");
        try (ChildVm child = at(Path.of("/proc/none"), Map.of(), "emulator", "faults", "x", "drop=1")) {
            child.assertFailure("in /proc/none nothing can be told: ");
        }
    }
}
