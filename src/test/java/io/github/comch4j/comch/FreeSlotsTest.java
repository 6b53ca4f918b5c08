package io.github.comch4j.comch;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.BitSet;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class FreeSlotsTest {
    @ParameterizedTest
    @CsvSource({"1, false", "1, true", "63, false", "64, false", "64, true", "65, true", "200, false", "256, true"})
    void theNextOneAndItsRowAreThoseOfASimpleSearch(int slots, boolean roundRobin) {
        FreeSlots free = new FreeSlots(slots, roundRobin);
        BitSet model = new BitSet(slots);
        model.set(0, slots);
        Random random = new Random(slots);
        int turn = 0;
        int longest = 0;
        for (int i = 0; i < 20_000; i++) {
            if (!model.isEmpty() && random.nextInt(3) > 0) {
                int first = free.next();
                int expected = roundRobin && model.nextSetBit(turn) >= 0 ? model.nextSetBit(turn) : model.nextSetBit(0);
                assertThat(first).isEqualTo(expected);
                int behind = Math.min(model.nextClearBit(first), slots) - first;
                int most = 1 + random.nextInt(slots);
                assertThat(free.row(first, Integer.MAX_VALUE)).isEqualTo(behind);
                int row = free.row(first, most);
                assertThat(row).isEqualTo(Math.min(most, behind));
                putSome(free, model, slots, random, 2); // meanwhile
                free.take(first, row);
                model.clear(first, first + row);
                turn = first + row;
                longest = Math.max(longest, row);
            } else {
                putSome(free, model, slots, random, 1 + random.nextInt(slots));
            }
            int slot = random.nextInt(slots);
            assertThat(free.isFree(slot)).isEqualTo(model.get(slot));
        }
        assertThat(longest).isGreaterThanOrEqualTo(Math.min(slots, 40)); // over the end of a word, too
    }

    private static void putSome(FreeSlots free, BitSet model, int slots, Random random, int most) {
        for (int i = 0; i < most; i++) {
            int slot = random.nextInt(slots);
            int taken = Math.min(model.get(slot) ? 0 : slots - slot, 1 + random.nextInt(100));
            int next = model.nextSetBit(slot);
            int row = next < 0 ? taken : Math.min(taken, next - slot);
            if (row > 0) {
                free.put(slot, row);
                model.set(slot, slot + row);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void whatIsNotTakenIsNextAgain(boolean roundRobin) {
        FreeSlots free = new FreeSlots(10, roundRobin);
        free.take(free.next(), 3);
        assertThat(free.next()).isEqualTo(3);
        assertThat(free.next()).isEqualTo(3);
    }

    @Test
    void theLowestOneComesBackFirstUnlessEachHasItsTurn() {
        FreeSlots lowest = new FreeSlots(10, false);
        FreeSlots turns = new FreeSlots(10, true);
        for (FreeSlots free : new FreeSlots[] {lowest, turns}) {
            free.take(free.next(), 4);
            free.put(1, 1);
        }
        assertThat(lowest.next()).isEqualTo(1);
        assertThat(turns.next()).isEqualTo(4);
    }
}
