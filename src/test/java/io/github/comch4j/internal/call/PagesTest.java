package io.github.comch4j.internal.call;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.comch4j.Machine;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PagesTest {
    private static final long LARGE = 2 << 20;

    @BeforeAll
    static void emulated() {
        Machine.useEmulation();
    }

    /**
     * What the kernel says about the mapping that has this address: its first line and what follows up to the next;
     * empty without one.
     */
    private static List<String> mapping(long address) throws IOException {
        List<String> lines = Files.readAllLines(Path.of("/proc/self/smaps"));
        for (int i = 0; i < lines.size(); i++) {
            String[] range = lines.get(i).split("[- ]", 3);
            if (range.length == 3
                    && range[0].matches("[0-9a-f]+")
                    && range[1].matches("[0-9a-f]+")
                    && Long.compareUnsigned(Long.parseUnsignedLong(range[0], 16), address) <= 0
                    && Long.compareUnsigned(address, Long.parseUnsignedLong(range[1], 16)) < 0) {
                int end = i + 1;
                while (end < lines.size()
                        && Character.isUpperCase(lines.get(end).charAt(0))) {
                    end++;
                }
                return lines.subList(i, end);
            }
        }
        return List.of();
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 4096, LARGE - 1, LARGE, LARGE + 1, 5 * LARGE + 12345})
    void memoryIsZeroedAlignedAndAllThere(long bytes) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment memory = Pages.allocate(arena, bytes);
            assertThat(memory.byteSize()).isEqualTo(bytes);
            assertThat(memory.address() % (bytes < LARGE ? 4096 : LARGE)).isZero();
            assertThat(memory.mismatch(MemorySegment.ofArray(new byte[(int) bytes])))
                    .isEqualTo(-1);
            memory.fill((byte) 7);
            assertThat(memory.get(ValueLayout.JAVA_BYTE, bytes - 1)).isEqualTo((byte) 7);
        }
    }

    @Test
    void largeMemoryIsAdvisedToHaveLargePages() throws IOException {
        assumeTrue(
                Files.exists(Path.of("/sys/kernel/mm/transparent_hugepage/enabled")),
                "a kernel with transparent huge pages");
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment memory = Pages.allocate(arena, 3 * LARGE);
            for (long at : new long[] {0, memory.byteSize() - 1}) {
                assertThat(mapping(memory.address() + at))
                        .filteredOn(line -> line.startsWith("VmFlags:"))
                        .singleElement()
                        .asString()
                        .contains(" hg");
            }
        }
    }

    @Test
    void theArenaGivesItBack() throws IOException {
        MemorySegment memory;
        try (Arena arena = Arena.ofConfined()) {
            memory = Pages.allocate(arena, 16 * LARGE);
            assertThat(mapping(memory.address())).isNotEmpty();
        }
        assertThat(memory.scope().isAlive()).isFalse();
        assertThat(mapping(memory.address() + LARGE)).isEmpty();
    }

    @Test
    void moreThanThereIsIsRefused() {
        try (Arena arena = Arena.ofConfined()) {
            assertThatThrownBy(() -> Pages.allocate(arena, Long.MAX_VALUE)).isInstanceOf(OutOfMemoryError.class);
            assertThatThrownBy(() -> Pages.allocate(arena, 1L << 60)).isInstanceOf(OutOfMemoryError.class);
        }
    }
}
