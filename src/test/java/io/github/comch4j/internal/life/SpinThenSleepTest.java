package io.github.comch4j.internal.life;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.comch4j.Machine;
import org.junit.jupiter.api.Test;

/** How often a loop spins that has nothing to sleep on. */
class SpinThenSleepTest {
    static {
        Machine.useEmulation();
    }

    private static int spins(SpinThenSleep rest) {
        int count = 0;
        while (rest.idle(Long.MAX_VALUE)) {
            count++;
        }
        return count;
    }

    @Test
    void spinsAsOftenAsItIsToldAfterEachWork() {
        SpinThenSleep rest = new SpinThenSleep(3);
        assertThat(spins(rest)).isEqualTo(3);
        assertThat(spins(rest)).isZero();
        rest.worked(false);
        assertThat(spins(rest)).isZero();
        rest.worked(true);
        assertThat(spins(rest)).isEqualTo(3);
        assertThat(spins(new SpinThenSleep(0))).isZero();
    }

    @Test
    void spinsUnlessItIsTold() {
        SpinThenSleep rest = new SpinThenSleep();
        assertThat(spins(rest)).isPositive();
    }
}
