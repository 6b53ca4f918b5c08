package io.github.comch4j;

import static org.assertj.core.api.Assertions.assertThat;

import examples.BlockClient;
import examples.BlockServer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The cookbook's block transfer, in two processes. */
@Timeout(120)
class BlocksIT {
    private static final int SIZE = 3_000_001;

    private final String name = Machine.uniqueName();

    @TempDir
    private Path folder;

    private ChildVm client(Path file, int block, int depth) throws Exception {
        return new ChildVm(
                folder,
                Map.of("DOCA_EMU_SIDE", "host"),
                BlockClient.class,
                name,
                file.toString(),
                Integer.toString(block),
                Integer.toString(depth));
    }

    @Test
    void aFileGoesThereAndBackAlsoAfterAClientWasKilled() throws Exception {
        byte[] bytes = new byte[SIZE];
        new Random(2).nextBytes(bytes);
        bytes[10] = 1;
        Path file = Files.write(folder.resolve("sent"), bytes);
        Path blocks = folder.resolve("blocks");
        try (ChildVm server = new ChildVm(
                        folder,
                        Map.of("DOCA_EMU_SIDE", "dpu"),
                        BlockServer.class,
                        name,
                        blocks.toString(),
                        Integer.toString(SIZE + 1000),
                        "8")
                .awaitOutput("serving")) {
            try (ChildVm victim = client(file, 1, 8)) { // millions of blocks
                while (Files.readAllBytes(blocks)[10] != bytes[10]) {
                    assertThat(victim.isAlive()).isTrue();
                }
                victim.kill();
            }
            try (ChildVm client = client(file, 64 * 1024, 16)) {
                client.assertSuccess();
                assertThat(client.out()).contains("92 of 92 blocks intact, the file came back unchanged");
            }
            assertThat(Arrays.copyOf(Files.readAllBytes(blocks), SIZE)).isEqualTo(bytes);
            assertThat(server.isAlive()).isTrue();
        }
    }
}
