package io.github.comch4j;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.comch4j.emulator.EmulatedMachine;
import io.github.comch4j.emulator.EmulatedMachine.Side;
import io.github.comch4j.emulator.PeerProcess;
import io.github.comch4j.testing.EmulatedBlueField;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The samples, each in two processes, with what their READMEs show. */
@Timeout(120)
@EmulatedBlueField
class SampleProgramsIT {
    private static final String[] NOTHING = {};

    /** The host's program to its end, which must be a good one: what it has written. */
    private static String host(EmulatedMachine machine, Class<?> main, String... arguments) {
        PeerProcess host = machine.peer(Side.HOST, main, arguments).start();
        assertThat(host.exitStatus()).as(host::output).isZero();
        return host.output();
    }

    private static PeerProcess dpu(EmulatedMachine machine, Class<?> main, String ready, String... arguments) {
        PeerProcess dpu = machine.peer(Side.DPU, main, arguments).start();
        dpu.awaitLine(ready);
        return dpu;
    }

    @Test
    void fileDrop(EmulatedMachine machine, @TempDir Path folder) throws IOException {
        byte[] bytes = new byte[3_000_001];
        new Random(7).nextBytes(bytes);
        Path large = Files.write(folder.resolve("large"), bytes);
        Path empty = Files.write(folder.resolve("empty"), new byte[0]);
        Path there = Files.createDirectory(folder.resolve("there"));
        dpu(machine, samples.filedrop.Dpu.class, "puts files into", there.toString());

        assertThat(host(machine, samples.filedrop.Host.class, large.toString(), empty.toString()))
                .contains("large: dropped", "empty: dropped");
        assertThat(there.resolve("large")).hasBinaryContent(bytes);
        assertThat(there.resolve("empty")).isEmptyFile();

        // a host that is killed in the middle leaves no file, and the next one is served
        Path fifo = folder.resolve("fifo");
        assertThat(run("mkfifo", fifo.toString())).isZero();
        PeerProcess killed = machine.peer(Side.HOST, samples.filedrop.Host.class, fifo.toString())
                .start();
        try (var writer = Files.newOutputStream(fifo)) { // opens when the host does
            writer.write(bytes);
            killed.kill();
        } catch (IOException e) {
            assertThat(e).hasMessageContaining("Broken pipe"); // of the host that is gone
        }
        assertThat(host(machine, samples.filedrop.Host.class, large.toString())).contains("large: dropped");
        assertThat(there.resolve("fifo")).doesNotExist();
    }

    private static int run(String... command) throws IOException {
        try {
            return new ProcessBuilder(command).start().waitFor();
        } catch (InterruptedException e) {
            throw new IOException(e);
        }
    }

    @Test
    void telemetryMissesReadingsAtASlowHostOnly(EmulatedMachine machine) {
        dpu(machine, samples.telemetry.Dpu.class, "a reading every 2 ms", "2");
        PeerProcess slow = machine.peer(Side.HOST, samples.telemetry.Host.class, "12", "50")
                .start();
        slow.awaitLine("load");
        assertThat(host(machine, samples.telemetry.Host.class, "200")).contains("200 readings seen");
        assertThat(slow.exitStatus()).isZero();
        assertThat(slow.output()).contains("12 readings seen").doesNotContain(" 0 missed");
    }

    @Test
    void keyValue(EmulatedMachine machine) {
        dpu(machine, samples.keyvalue.Dpu.class, "is ready");
        assertThat(host(machine, samples.keyvalue.Host.class, NOTHING).lines())
                .startsWith(
                        "keys: colour shape", "colour = blue", "colour is removed, it was blue", "no such key: colour")
                .last()
                .asString()
                .startsWith("50000 calls of 200 callers: ");
        assertThat(host(machine, samples.keyvalue.Host.class, "get", "shape")).isEqualTo("shape = round");
    }

    @Test
    void blockDevice(EmulatedMachine machine, @TempDir Path folder) {
        dpu(
                machine,
                samples.blockdevice.Dpu.class,
                "serving",
                folder.resolve("blocks").toString());
        assertThat(host(machine, samples.blockdevice.Host.class, NOTHING))
                .endsWith("11024 requests intact, 0 blocks differ");
        assertThat(folder.resolve("blocks")).hasSize(64L << 20);
    }

    @Test
    void dma(EmulatedMachine machine, @TempDir Path folder) throws IOException {
        int size = 4096;
        byte[] before = new byte[64 * size];
        new Random(1).nextBytes(before);
        Path file = Files.write(folder.resolve("blocks.img"), before);
        PeerProcess dpu = dpu(machine, samples.dma.Dpu.class, "waits for blocks", "Grüße");
        assertThat(host(machine, samples.dma.Host.class, file.toString(), "65"))
                .contains("exports 65 blocks of " + file, "the blocks are as the DPU says: ");
        assertThat(dpu.exitStatus()).isZero();
        assertThat(dpu.output())
                .contains("read 65 blocks of 4096 bytes", "wrote 65 blocks", "the host has found them so");
        byte[] after = Files.readAllBytes(file);
        byte[] expected = Arrays.copyOf(before, 65 * size); // longer than it was, by one block
        for (int i = 0; i < 65; i++) {
            byte[] signature = ("Grüße " + i + "\0").getBytes(StandardCharsets.UTF_8);
            System.arraycopy(signature, 0, expected, i * size, signature.length);
        }
        assertThat(after).isEqualTo(expected);
    }

    @Test
    void dmaThatFailsEndsBothPrograms(EmulatedMachine machine) {
        PeerProcess dpu = machine.peer(Side.DPU, samples.dma.Dpu.class)
                .environment("DOCA_EMU_FAULTS", "fail_dma=10:IO_FAILED")
                .start();
        dpu.awaitLine("waits for blocks");
        PeerProcess host = machine.peer(Side.HOST, samples.dma.Host.class).start();
        assertThat(dpu.exitStatus()).isNotZero();
        assertThat(dpu.output()).contains("a block could not be copied: IO_FAILED");
        assertThat(host.exitStatus()).isNotZero();
        assertThat(host.output()).contains("the DPU has left");
    }

    @Test
    void grpc(EmulatedMachine machine) {
        dpu(machine, samples.grpc.Dpu.class, "gRPC is served");
        assertThat(host(machine, samples.grpc.Host.class, "reader", "2"))
                .containsPattern("hello reader, this is process \\d+")
                .endsWith("response 1" + System.lineSeparator() + "response 2");
    }
}
