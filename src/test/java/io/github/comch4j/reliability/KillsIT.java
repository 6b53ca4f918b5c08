package io.github.comch4j.reliability;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.comch4j.Machine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Many short lives: {@code -Dreliability.rounds=2000 -Dreliability.seed=…}. With a Docker engine, one victim in ten is
 * a container; {@code -Dreliability.containers=50} makes it every other one. {@code -Dreliability.phase=5} strikes in
 * one phase only, those of {@link Ledger}.
 */
@Tag("reliability")
class KillsIT {
    /** Memory is flat if it grows by less than this from the first to the last quarter of the later rounds. */
    private static final double FLAT_MIB = 32;

    @TempDir
    Path temporary;

    @Test
    void whoeverIsKilledTheOtherSideGoesOn() throws IOException {
        Machine.useEmulation();
        int rounds = Integer.getInteger("reliability.rounds", 100);
        long seed = Long.getLong("reliability.seed", new Random().nextLong(1_000_000_000));
        Path fabric = System.getenv("DOCA_EMU_DIR") == null ? null : Path.of(System.getenv("DOCA_EMU_DIR"));
        boolean containers = VictimProcess.canUseContainers(fabric);
        int containerPercent = containers ? Integer.getInteger("reliability.containers", 10) : 0;
        int phase = Integer.getInteger("reliability.phase", 0);
        System.out.println("kills: " + rounds + " rounds, seed " + seed + (containers ? "" : ", no containers"));
        long began = System.nanoTime();
        Kills kills = new Kills(seed, Ledger.folder(fabric, temporary), fabric, containerPercent, phase);
        Samples memory = new Samples();
        try (kills) {
            for (int round = 1; round <= rounds; round++) {
                kills.round(round);
                if (round > Math.min(200, rounds / 2)) {
                    memory.add(Resources.privateKiB());
                }
                if (round % 100 == 0) {
                    System.out.println("kills: " + round + " rounds after "
                            + (System.nanoTime() - began) / 1_000_000_000L + " s, " + kills.violations.size()
                            + " violations, " + Resources.privateKiB() / 1024 + " MiB");
                }
            }
        } finally {
            kills.violations.forEach(System.out::println);
            kills.tally.forEach((what, count) -> System.out.println("  " + what + ": " + count));
            System.out.println("kills: " + kills.messages + " messages and " + kills.payloads + " payloads received; "
                    + kills.orderly + " orderly ends, " + kills.leaves + " times left with balanced books; "
                    + kills.noticeFigures());
            System.out.println("kills: memory of the survivor: " + memory);
        }
        assertThat(kills.violations).as("seed " + seed).isEmpty();
        assertThat(memory.growthMiB()).as("growth of the survivor's memory").isLessThan(FLAT_MIB);
        if (fabric != null) {
            try (Stream<Path> files = Files.list(fabric)) {
                assertThat(files.filter(file -> file.toString().endsWith(".lock"))
                                .count())
                        .as("locks in the fabric folder, of a last victim at most")
                        .isLessThanOrEqualTo(1);
            }
        }
    }
}
