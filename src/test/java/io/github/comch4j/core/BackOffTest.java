package io.github.comch4j.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** From spinning to longer and longer sleeps, and back at once when there is work. */
class BackOffTest {

    private static List<String> idle(BackOff strategy, int times) {
        List<String> states = new ArrayList<>();
        for (int i = 0; i < times; i++) {
            strategy.idle(0);
            states.add(strategy.rounds + " " + strategy.sleep);
        }
        return states;
    }

    @Test
    void spinsThenYieldsThenSleepsTwiceAsLongEachTime() {
        BackOff strategy = new BackOff(2, 1, Duration.ofNanos(3), Duration.ofNanos(10));
        List<String> expected = List.of("1 0", "2 0", "3 0", "3 3", "3 6", "3 10", "3 10");
        assertThat(idle(strategy, 7)).isEqualTo(expected);
        strategy.idle(1);
        assertThat(strategy.rounds).isZero();
        assertThat(idle(strategy, 7)).as("after work it begins again").isEqualTo(expected);
        strategy.idle(-1); // less than nothing is nothing
        assertThat(strategy.rounds).isEqualTo(3);
    }

    @Test
    void theLimitsMayBeNoneOrTheSame() {
        assertThat(idle(new BackOff(0, 0, Duration.ofNanos(5), Duration.ofNanos(5)), 2))
                .containsExactly("0 5", "0 5");
        assertThatThrownBy(() -> new BackOff(0, -1, Duration.ofNanos(5), Duration.ofNanos(5)))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new BackOff(0, 0, Duration.ofNanos(6), Duration.ofNanos(5)))
                .isInstanceOf(IllegalArgumentException.class);
        assertThat(BackOff.positive("it", Duration.ofNanos(1))).isEqualTo(1);
        assertThatThrownBy(() -> BackOff.positive("it", Duration.ZERO))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("it PT0S");
    }
}
