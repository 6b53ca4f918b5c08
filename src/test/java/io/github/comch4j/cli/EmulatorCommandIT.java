package io.github.comch4j.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.comch4j.samples.ChildVm;
import java.nio.file.Files;
import java.nio.file.Path;
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
}
