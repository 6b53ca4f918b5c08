package io.github.comch4j.samples;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.comch4j.ChildVm;
import io.github.comch4j.ChildVms;
import io.github.comch4j.Feature;
import io.github.comch4j.Machine;
import io.github.comch4j.Needs;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** The block device, each end in its own VM. */
@Timeout(120)
@Needs(Feature.DMA)
class BlockDeviceIT {
    @RegisterExtension
    private final ChildVms children = new ChildVms();

    private final String name = Machine.uniqueName();

    @TempDir
    private Path folder;

    private ChildVm start(Map<String, String> environment, Class<?> program, String... options) throws Exception {
        List<String> arguments = new ArrayList<>(List.of("--name", name));
        arguments.addAll(Arrays.asList(options));
        return children.start(folder, environment, program, arguments.toArray(String[]::new));
    }

    private Path image() {
        return folder.resolve("blocks.img");
    }

    @Test
    void everyBlockIsSignedInPlace() throws Exception {
        byte[] before = new byte[64 * Blocks.SIZE];
        new Random(1).nextBytes(before);
        Files.write(image(), before);
        ChildVm dpu = start(Map.of(), BlockDeviceDpu.class, "--text", "Grüße", "--depth", "5");
        dpu.awaitOutput("serves");
        ChildVm host = start(Map.of(), BlockDeviceHost.class, "--file", image().toString(), "--size", "260k");
        dpu.assertSuccess();
        host.assertSuccess();
        assertThat(dpu.out())
                .contains("read 65 blocks of 4096 bytes, 260 KiB", "wrote 65 blocks", "the host has found them so");
        assertThat(host.out()).contains("exports 260 KiB of " + image(), "the DPU says ");
        try (RandomAccessFile file = new RandomAccessFile(image().toFile(), "r")) {
            assertThat(file.length()).isEqualTo(65 * Blocks.SIZE);
            byte[] block = new byte[Blocks.SIZE];
            for (int i = 0; i < 65; i++) {
                file.readFully(block);
                byte[] signature = ("Grüße " + i + "\0").getBytes(StandardCharsets.UTF_8);
                assertThat(Arrays.copyOf(block, signature.length)).isEqualTo(signature);
                byte[] rest = i < 64
                        ? Arrays.copyOfRange(before, i * Blocks.SIZE + signature.length, (i + 1) * Blocks.SIZE)
                        : new byte[Blocks.SIZE - signature.length];
                assertThat(Arrays.copyOfRange(block, signature.length, Blocks.SIZE))
                        .isEqualTo(rest);
            }
        }
    }

    @Test
    void aCopyThatFailsEndsBothPrograms() throws Exception {
        ChildVm dpu = start(Map.of("DOCA_EMU_FAULTS", "fail_dma=10:IO_FAILED"), BlockDeviceDpu.class);
        dpu.awaitOutput("serves");
        ChildVm host = start(Map.of(), BlockDeviceHost.class, "--file", image().toString(), "--size", "1m");
        dpu.assertFailure("a block could not be copied: IO_FAILED");
        host.assertFailure("the DPU has left");
    }

    @Test
    void aDeviceOfHalfABlockIsNone() throws Exception {
        start(Map.of(), BlockDeviceHost.class, "--file", image().toString(), "--size", "6k")
                .assertFailure("not a multiple of 4096");
    }
}
