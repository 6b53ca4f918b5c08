package io.github.comch4j.internal.failure;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FailuresTest {
    @ParameterizedTest
    @CsvSource({"10000, 10 s", "0, 0 s", "300, 300 ms", "1500, 1500 ms"})
    void timesAreInTheirUnit(long millis, String text) {
        assertThat(Failures.text(Duration.ofMillis(millis))).isEqualTo(text);
    }
}
