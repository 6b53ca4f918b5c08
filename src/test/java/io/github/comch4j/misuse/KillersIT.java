package io.github.comch4j.misuse;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.comch4j.Child;
import io.github.comch4j.Machine;
import io.github.comch4j.core.Doca;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Mistakes that could end a VM, each in one of its own. */
@Timeout(180)
class KillersIT {

    private static void survives(boolean batched, boolean strict, String... arguments) {
        List<String> options = List.of(
                "-D" + Doca.LIBRARY_PROPERTY + "=" + Machine.emulation(),
                "-D" + Doca.BATCH_PROPERTY + "=" + batched,
                "-D" + Doca.STRICT_PROPERTY + "=" + strict,
                "-XX:-CreateCoredumpOnCrash");
        try (Child child = Child.start(Killers.class, options, Map.of(), arguments)) {
            assertThat(child.rest()).endsWith("alive");
            assertThat(child.exitCode()).isZero();
        }
    }

    @ParameterizedTest
    @CsvSource({
        "arena, true",
        "arena, false",
        "descriptors, true",
        "kept, true",
        "kept, false",
        "slots, true",
        "slots, false",
        "exit, true",
        "exit, false",
        "race, true",
        "race, false",
        "inventory, true",
        "memory, true",
        "memory, false"
    })
    void theVmLives(String killer, boolean batched) {
        survives(batched, false, killer);
    }

    @ParameterizedTest
    @CsvSource({"kept, true", "kept, false", "slots, true", "slots, false"})
    void keptSegmentsThrowAtOnceInStrictMode(String killer, boolean batched) {
        survives(batched, true, killer);
    }

    @ParameterizedTest
    @CsvSource({"true", "false"})
    void memoryOfAnotherProcessIsNotTouched(boolean batched, @TempDir Path folder) {
        Path descriptor = folder.resolve("descriptor");
        try (Child exporter = Child.start(
                Killers.class,
                List.of("-D" + Doca.LIBRARY_PROPERTY + "=" + Machine.emulation()),
                Map.of(),
                "export",
                descriptor.toString())) {
            assertThat(exporter.line()).isEqualTo("exported");
            survives(batched, false, "import", descriptor.toString());
        }
    }
}
