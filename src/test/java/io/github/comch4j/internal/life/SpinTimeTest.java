package io.github.comch4j.internal.life;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** How long a thread spins, by how long it has waited of late. */
class SpinTimeTest {
    private final SpinTime spins = new SpinTime();

    private void waits(int times, long nanos) {
        for (int i = 0; i < times; i++) {
            spins.waited(nanos);
        }
    }

    @Test
    void spinsForWhatComesSoonerThanASleepTakes() {
        waits(20, 10_000);
        assertThat(spins.budget()).isBetween(19_000L, 21_000L);
        waits(20, 0);
        assertThat(spins.budget()).isEqualTo(SpinTime.SHORTEST);
        waits(20, SpinTime.WORTH_IT - 1);
        assertThat(spins.budget()).isEqualTo(SpinTime.LONGEST);
    }

    @Test
    void sleepsAtOnceWhereItWaitsForLong() {
        waits(20, 1_000_000);
        assertThat(spins.budget()).isEqualTo(SpinTime.SHORTEST);
    }

    @Test
    void aPauseIsForgottenSoon() {
        waits(20, 5_000);
        waits(1, 1_000_000_000);
        waits(6, 5_000);
        assertThat(spins.budget()).isGreaterThan(SpinTime.SHORTEST);
    }

    @Test
    void spinsUntilItsTimeIsUp() {
        waits(20, 50_000);
        int rounds = 0;
        while (spins.again()) {
            rounds++;
        }
        assertThat(rounds).isPositive();
        assertThat(spins.again()).isFalse();
    }
}
