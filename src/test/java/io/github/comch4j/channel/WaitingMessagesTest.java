package io.github.comch4j.channel;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import org.junit.jupiter.api.Test;

class WaitingMessagesTest {
    private final WaitingMessages arrivals = new WaitingMessages(20, 8);

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

    /** Slots are added, and made wider, while the oldest message lies in the middle of the ring. */
    @Test
    void growingKeepsOrderAndBytes() {
        Deque<byte[]> expected = new ArrayDeque<>(); // an end: no bytes
        for (int i = 0; i < 150; i++) {
            byte[] message = new byte[i % 7 == 3 ? 0 : 1 + i / 2 + i % 5];
            Arrays.fill(message, (byte) i);
            expected.add(message);
            if (message.length == 0) {
                arrivals.addEnd(null);
            } else {
                arrivals.add(null, MemorySegment.ofArray(message));
            }
            if (i % 2 == 1) {
                expectFirst(expected.remove());
            }
        }
        while (!expected.isEmpty()) {
            expectFirst(expected.remove());
        }
        assertThat(arrivals.isEmpty()).isTrue();
    }

    private void expectFirst(byte[] message) {
        assertThat(arrivals.firstIsEnd()).isEqualTo(message.length == 0);
        if (message.length > 0) {
            byte[] got = new byte[arrivals.firstLength()];
            arrivals.copyFirst(MemorySegment.ofArray(got));
            assertThat(got).isEqualTo(message);
        }
        arrivals.removeFirst();
    }
}
