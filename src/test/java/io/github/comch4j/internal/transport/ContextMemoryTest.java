package io.github.comch4j.internal.transport;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Memory that ended contexts leave to later ones. */
class ContextMemoryTest {
    private final Arena arena = Arena.ofConfined();
    private final ContextMemory memory = new ContextMemory(arena);

    @AfterEach
    void close() {
        arena.close();
    }

    @Test
    void whatWasGivenBackIsUsedAgainAndEmpty() {
        MemorySegment first = memory.take(5000);
        first.fill((byte) 7);
        memory.giveBack(first);
        MemorySegment second = memory.take(8000);
        assertThat(second.address()).isEqualTo(first.address());
        assertThat(second.byteSize()).isGreaterThanOrEqualTo(8000);
        assertThat(second.toArray(ValueLayout.JAVA_BYTE)).containsOnly(0);
    }

    @Test
    void allThatWasGivenBackIsUsedAgain() {
        List<MemorySegment> first =
                Stream.generate(() -> memory.take(64)).limit(10).toList();
        first.forEach(memory::giveBack);
        List<MemorySegment> second =
                Stream.generate(() -> memory.take(64)).limit(10).toList();
        assertThat(second)
                .extracting(MemorySegment::address)
                .containsExactlyInAnyOrderElementsOf(
                        first.stream().map(MemorySegment::address).toList());
    }

    @Test
    void whatIsInUseIsNobodyElses() {
        MemorySegment first = memory.take(64);
        MemorySegment second = memory.take(64);
        assertThat(second.asOverlappingSlice(first)).isEmpty();
    }

    @Test
    void aBlockHasTheSizeThatIsAskedFor() {
        for (long size : new long[] {1, 1023, 1024, 1025, 65_536, 65_537}) {
            assertThat(memory.take(size).byteSize())
                    .isGreaterThanOrEqualTo(size)
                    .isLessThan(Math.max(1025, 2 * size));
        }
    }

    @Test
    void blocksBeginAtCacheLines() {
        assertThat(memory.take(100).address() % 64).isZero();
        assertThat(memory.take(100_000).address() % 64).isZero();
    }
}
