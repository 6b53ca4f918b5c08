package io.github.comch4j.dma;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.comch4j.Child;
import io.github.comch4j.DocaException;
import io.github.comch4j.Feature;
import io.github.comch4j.Machine;
import io.github.comch4j.Needs;
import io.github.comch4j.core.Device;
import io.github.comch4j.core.Devices;
import io.github.comch4j.core.ProgressEngine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Devices that have no DMA, by a topology, which holds for the life of a process. */
@Timeout(60)
@Needs(Feature.DMA)
class WithoutDmaTest {

    @Test
    void allIsRefused(@TempDir Path folder) throws IOException {
        Path topology =
                Files.writeString(folder.resolve("topology"), "dpu 0000:03:00.0 without=dma\nhost 0000:b1:00.0 pf\n");
        try (Child child = Child.start(Program.class, List.of(), Map.of("DOCA_EMU_TOPOLOGY", topology.toString()))) {
            assertThat(child.rest().lines())
                    .containsExactly(
                            "DPU false", "Optional.empty", "NOT_SUPPORTED doca_dma_create", "host true", "runs");
            assertThat(child.exitCode()).isZero();
        }
    }

    /** Runs in a process of its own. */
    static final class Program {
        private Program() {}

        public static void main(String[] arguments) {
            Machine.useEmulation();
            try (ProgressEngine engine = ProgressEngine.create();
                    Device dpu = Devices.openDpu(Machine.DPU);
                    Device host = Devices.openHost(Machine.HOST)) {
                System.out.println("DPU " + DmaContext.isSupported(dpu));
                System.out.println(DmaCapabilities.of(dpu));
                try {
                    DmaContext.builder(dpu, engine).start();
                } catch (DocaException e) {
                    System.out.println(e.error() + " " + e.function());
                }
                System.out.println("host " + DmaContext.isSupported(host));
                DmaContext.builder(host, engine).start();
                System.out.println("runs");
            }
        }
    }
}
