package io.github.comch4j.internal.failure;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FailuresTest {
    @Test
    void theLongestAndTheShortestHaveATextToo() {
        assertThat(Failures.text(Duration.ofSeconds(Long.MAX_VALUE, 999_999_999)))
                .isEqualTo(Long.MAX_VALUE + " s");
        assertThat(Failures.text(Duration.ofSeconds(Long.MIN_VALUE, 1))).isEqualTo(Long.MIN_VALUE + " s");
        assertThat(Failures.text(Duration.ofNanos(500_000))).isEqualTo("500 us");
    }

    @ParameterizedTest
    @CsvSource({"10000, 10 s", "0, 0 s", "300, 300 ms", "1500, 1500 ms"})
    void timesAreInTheirUnit(long millis, String text) {
        assertThat(Failures.text(Duration.ofMillis(millis))).isEqualTo(text);
    }
}
