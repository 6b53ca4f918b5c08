package io.github.comch4j.reliability;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.comch4j.Machine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Many short lives: {@code -Dreliability.rounds=2000 -Dreliability.seed=…}. With a Docker engine, one victim in ten is a container.
 */
@Tag("reliability")
class KillsIT {
    @TempDir
    Path folder;

    @Test
    void whoeverIsKilledTheOtherSideGoesOn() throws IOException {
        Machine.useEmulation();
        int rounds = Integer.getInteger("reliability.rounds", 100);
        long seed = Long.getLong("reliability.seed", new Random().nextLong(1_000_000_000));
        String fabric = System.getenv("DOCA_EMU_DIR");
        boolean containers = fabric != null && !System.getenv().getOrDefault("COMCH4J_TEST_IMAGE", "").isEmpty() && System.getenv("COMCH4J_NO_CONTAINERS") == null;
        System.out.println("kills: " + rounds + " rounds, seed " + seed + (containers ? "" : ", no containers"));
        long began = System.nanoTime();
        Kills kills = new Kills(seed, folder, fabric == null ? null : Path.of(fabric), containers ? 10 : 0);
        long settled = 0;
        try (kills) {
            for (int round = 1; round <= rounds; round++) {
                kills.round(round);
                if (round == Math.min(50, rounds / 2)) {
                    settled = Resources.anonymousMiB();
                }
                if (round % 100 == 0) {
                    System.out.println("kills: " + round + " rounds after " + (System.nanoTime() - began) / 1_000_000_000L + " s, " + kills.violations.size()
                            + " violations, " + Resources.anonymousMiB() + " MiB");
                }
            }
        } finally {
            kills.violations.forEach(System.out::println);
            kills.tally.forEach((what, count) -> System.out.println("  " + what + ": " + count));
            System.out.println("kills: " + kills.messages + " messages and " + kills.payloads + " payloads received; " + kills.orderly + " orderly ends; "
                    + kills.noticeFigures() + "; private memory " + settled + " MiB, at the end " + Resources.anonymousMiB() + " MiB");
        }
        assertThat(kills.violations).as("seed " + seed).isEmpty();
        if (fabric != null) {
            assertThat(Files.list(Path.of(fabric)).filter(file -> file.toString().endsWith(".lock")).count())
                    .as("locks in the fabric folder, of a last victim at most").isLessThanOrEqualTo(1);
        }
    }
}
