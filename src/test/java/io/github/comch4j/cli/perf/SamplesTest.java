package io.github.comch4j.cli.perf;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Rates of what arrives. */
class SamplesTest {
    @ParameterizedTest
    @ValueSource(longs = {0, 1_000_000_000})
    void whatHadAllArrivedAtTheFirstLookHasTakenTime(long warmup) throws Exception {
        var samples = new Samples(
                new Plan(PerfPath.SLOTS, false, false, 64, 128, 64, 1, warmup, 1_000_000_000, 7, 0, Plan.Binding.NONE));
        Thread.sleep(2);
        samples.look(7);
        LaneResult received = samples.result(0);
        assertThat(received.messages()).isEqualTo(7);
        assertThat(received.nanos()).isGreaterThan(1_000_000);
        assertThat(received.rate()).isBetween(Double.MIN_VALUE, 7_000.0);
    }
}
