package io.github.comch4j.channel;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;

class ArrivalsTest {
    private final Arrivals arrivals = new Arrivals(20, 8);

    private void add(int length) {
        arrivals.add(null, MemorySegment.ofArray(new byte[length]));
    }

    @Test
    void theyAreFullWithExactlySoMany() {
        for (int i = 0; i < 19; i++) {
            add(8);
            assertThat(arrivals.isFull()).as("with " + (i + 1)).isFalse();
        }
        arrivals.addEnd(null);
        assertThat(arrivals.isFull()).isTrue();
        add(8);
        assertThat(arrivals.isFull()).as("what comes all the same").isTrue();
        arrivals.removeFirst();
        assertThat(arrivals.isFull()).isTrue();
        arrivals.removeFirst();
        assertThat(arrivals.isFull()).isFalse();
        add(100);
        assertThat(arrivals.isFull()).isTrue();
        for (int i = 0; i < 20; i++) {
            arrivals.removeFirst();
        }
        assertThat(arrivals.isEmpty()).isTrue();
        assertThat(arrivals.isFull()).isFalse();
    }
}
