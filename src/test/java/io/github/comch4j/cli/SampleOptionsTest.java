package io.github.comch4j.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.comch4j.cli.SampleOptions.Generation;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SampleOptionsTest {
    @ParameterizedTest
    @CsvSource({
        "2.5.0108, CC",
        "2.5.0-emulated, CC",
        "2.6, CC",
        "2.7.0085, COMCH",
        "2.10.0087, COMCH",
        "3.0.0058-emulated, COMCH",
        "3.3, COMCH",
        "2, COMCH",
        "'', COMCH",
        "unknown, COMCH"
    })
    void theGenerationIsThatOfTheLibrary(String version, Generation generation) {
        assertThat(Generation.ofVersion(version)).isEqualTo(generation);
    }
}
