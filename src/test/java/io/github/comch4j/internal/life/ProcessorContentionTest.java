package io.github.comch4j.internal.life;

import static io.github.comch4j.internal.life.ProcessorContention.FIRST_SPELL;
import static io.github.comch4j.internal.life.ProcessorContention.LONGEST_SPELL;
import static io.github.comch4j.internal.life.ProcessorContention.LONG_YIELD;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ProcessorContentionTest {
    private final ProcessorContention crowding = new ProcessorContention();
    private long now = System.nanoTime();

    private void yields(long nanos) {
        yields(nanos, true);
    }

    private void yields(long nanos, boolean switched) {
        crowding.yielded(now, now + nanos, switched);
        now += nanos;
    }

    private void assertCrowdedFor(long spell) {
        assertThat(crowding.isCrowded(now + spell - 1)).isTrue();
        assertThat(crowding.isCrowded(now + spell)).isFalse();
        assertThat(crowding.isCrowded(now)).isFalse();
    }

    @Test
    void aYieldToNobodyShowsNothing() {
        yields(LONG_YIELD - 1);
        assertThat(crowding.isCrowded(now)).isFalse();
        assertThat(crowding.isCrowded()).isFalse();
    }

    @Test
    void aLongYieldShowsOthersForAWhileAndEachFurtherOneForTwiceAsLong() {
        for (long spell = FIRST_SPELL; spell < LONGEST_SPELL; spell *= 2) {
            yields(LONG_YIELD);
            assertCrowdedFor(spell);
        }
        yields(LONG_YIELD);
        assertCrowdedFor(LONGEST_SPELL);
        yields(LONG_YIELD);
        assertCrowdedFor(LONGEST_SPELL);
    }

    @Test
    void timeThatAHypervisorTakesShowsNothing() {
        yields(LONG_YIELD, false);
        assertThat(crowding.isCrowded(now)).isFalse();
        yields(LONG_YIELD, true);
        yields(2 * LONG_YIELD, false);
        assertThat(crowding.isCrowded(now)).isTrue();
        yields(LONG_YIELD, true);
        assertCrowdedFor(2 * FIRST_SPELL);
    }

    @Test
    void aShortYieldBeginsAnew() {
        yields(LONG_YIELD);
        yields(LONG_YIELD);
        yields(0);
        yields(LONG_YIELD);
        assertCrowdedFor(FIRST_SPELL);
    }
}
