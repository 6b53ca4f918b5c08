package io.github.comch4j.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.comch4j.Feature;
import io.github.comch4j.Machine;
import io.github.comch4j.Needs;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Needs(Feature.IMMEDIATE_DATA)
class ImmediatePlacesTest {
    private static final int SLOTS = 5;

    @BeforeAll
    static void emulated() {
        Machine.useEmulation();
    }

    @ParameterizedTest
    @CsvSource({"0, 4096", "32, 32", "4096, 4096", "4097, 4096"})
    void aPlaceHasWhatTheDeviceTakesUpToALimit(long ofTheDevice, long size) {
        assertThat(new ImmediatePlaces(1, ofTheDevice).size()).isEqualTo(size);
    }

    @Test
    @SuppressWarnings("restricted") // the places are read where DOCA reads them
    void eachSlotHasAPlaceOfItsOwn() {
        ImmediatePlaces places = new ImmediatePlaces(SLOTS, Integer.BYTES);
        long[] addresses = new long[SLOTS];
        for (int slot = 0; slot < SLOTS; slot++) {
            addresses[slot] = places.put(slot, MemorySegment.ofArray(new int[] {100 + slot}));
        }
        for (int slot = 0; slot < SLOTS; slot++) {
            int there = MemorySegment.ofAddress(addresses[slot])
                    .reinterpret(Integer.BYTES)
                    .get(ValueLayout.JAVA_INT_UNALIGNED, 0);
            assertThat(there).isEqualTo(100 + slot);
        }
        assertThat(addresses).doesNotHaveDuplicates().isSorted();
        assertThat(addresses[SLOTS - 1] - addresses[0]).isEqualTo((SLOTS - 1) * places.size());
    }
}
