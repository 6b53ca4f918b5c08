package io.github.comch4j.dpa;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.comch4j.Child;
import io.github.comch4j.DocaException;
import io.github.comch4j.Feature;
import io.github.comch4j.Machine;
import io.github.comch4j.Needs;
import io.github.comch4j.core.Device;
import io.github.comch4j.core.Devices;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Devices that have no DPA, by a topology, which holds for the life of a process. */
@Timeout(60)
@Needs(Feature.DPA)
class WithoutDpaTest {

    @Test
    void allIsRefused(@TempDir Path folder) throws IOException {
        Path topology = Files.writeString(
                folder.resolve("topology"), "dpu 0000:03:00.0 without=dpa\nhost 0000:b1:00.0 pf without=dpa\n");
        try (Child child = Child.start(
                Program.class,
                List.of("-Dcomch4j.library=emulated"),
                Map.of("DOCA_EMU_TOPOLOGY", topology.toString()))) {
            assertThat(child.rest().lines())
                    .containsExactly(
                            "supported false",
                            "Dpa NOT_SUPPORTED doca_dpa_create",
                            "MessageQueue NOT_SUPPORTED doca_comch_msgq_create");
            assertThat(child.exitCode()).isZero();
        }
    }

    /** Runs in a process of its own. */
    static final class Program {
        private Program() {}

        public static void main(String[] arguments) {
            try (Device host = Devices.openHost(Machine.HOST)) {
                System.out.println("supported " + Dpa.isSupported(host));
                refused("Dpa", () -> Dpa.builder(host).start());
                refused("MessageQueue", () -> MessageQueue.onCpu(host).start());
            }
        }

        private static void refused(String what, Runnable call) {
            try {
                call.run();
                System.out.println(what + " is there");
            } catch (DocaException e) {
                System.out.println(what + " " + e.error() + " " + e.function());
            }
        }
    }
}
