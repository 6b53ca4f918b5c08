package io.github.comch4j.dpa;

import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.comch4j.Child;
import io.github.comch4j.Feature;
import io.github.comch4j.Machine;
import io.github.comch4j.Needs;
import io.github.comch4j.core.Access;
import io.github.comch4j.core.Device;
import io.github.comch4j.core.MemoryMap;
import io.github.comch4j.core.PciAddress;
import io.github.comch4j.emulator.JavaKernels;
import io.github.comch4j.testing.EmulatedBlueField;
import java.lang.invoke.VarHandle;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Kernels on the DPU's side: the host's memory, and a second port of the card. */
@Timeout(60)
@Needs(Feature.DPA)
class DpuKernelsTest {
    private static final VarHandle WORD = JAVA_LONG.varHandle();
    private static final List<String> OPTIONS = List.of("-Dcomch4j.library=emulated");

    @Test
    void kernelsShareTheMemoryOfAnExporterAsLongAsItLives() {
        try (Child exporter = Child.start(Exporter.class, OPTIONS, Map.of());
                Device dpu = Device.openDpu(Machine.DPU);
                Dpa dpa = Dpa.builder(dpu).start();
                MemoryMap memory = MemoryMap.importFrom(dpu, HexFormat.of().parseHex(exporter.line()))) {
            int map = (int) dpa.handleOf(memory);
            DpaFunction exchange = JavaKernels.of(dpa).rpc("exchange", (context, arguments) -> {
                long pointer = context.memory().ofMap(map, arguments[0]);
                return pointer == 0
                        ? -1
                        : (long) WORD.getAndSet(context.memory().at(pointer, 8), 0L, arguments[1]);
            });
            assertThat(dpa.rpc(exchange, memory.address() + 4096, 2)).isEqualTo(1);
            assertThat(exporter.line()).isEqualTo("2");
            assertThat(dpa.rpc(exchange, memory.address() + 4096, 4)).isEqualTo(3);
            assertThat(dpa.lastError()).isNull();
            exporter.kill();
            assertThat(exporter.exitCode()).isNotZero();
            assertThat(dpa.rpc(exchange, memory.address() + 4096, 5)).isEqualTo(4); // what it had at last
            assertThat(dpa.lastError()).isNotNull();
        }
    }

    @Test
    @EmulatedBlueField(topology = {"dpu 0000:03:00.0", "dpu 0000:03:00.1 dpa=0000:03:00.0"})
    void aDpaExtendsToTheSecondPort(@EmulatedBlueField.Dpu Device first) {
        try (Device second = Device.openDpu(PciAddress.of("0000:03:00.1"));
                Dpa dpa = Dpa.builder(first).start();
                Dpa extended = dpa.extend(second)) {
            DpaCompletion completion = extended.completion(1);
            DpaFunction use = JavaKernels.of(dpa).rpc("use", (context, handles) -> {
                context.useDevice(handles[0]);
                return context.pollCompletion(handles[1]) ? 1 : 0;
            });
            assertThat(dpa.rpc(use, extended.handle(), completion.handle())).isZero();
            assertThat(dpa.lastError()).isNull();
        }
    }

    /** Counts a word that a kernel counts as well. */
    static final class Exporter {
        private Exporter() {}

        public static void main(String[] arguments) throws InterruptedException {
            try (Device host = Device.openHost(Machine.HOST);
                    MemoryMap memory = MemoryMap.allocate(host, 8192, Access.PCI_READ_WRITE)) {
                WORD.setVolatile(memory.segment(), 4096L, 1L);
                System.out.println(HexFormat.of().formatHex(memory.exportPci(host)));
                long seen = 1;
                while (seen == 1) {
                    Thread.onSpinWait();
                    seen = (long) WORD.getVolatile(memory.segment(), 4096L);
                }
                WORD.setVolatile(memory.segment(), 4096L, seen + 1);
                System.out.println(seen);
                Thread.sleep(60_000);
            }
        }
    }
}
