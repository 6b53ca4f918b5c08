package io.github.comch4j.internal.transport;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;

/**
 * Native memory of an engine's contexts. What an ended context gives back is for later ones: to free it by itself would
 * take an arena of its own, and to close such an arena stops all threads of the JVM for a moment. Belongs to the
 * engine's owner.
 */
final class ContextMemory {
    private static final int SMALLEST_SHIFT = 10;
    private static final int ALIGNMENT = 64;

    private final Arena arena; // of the engine
    private final ArrayDeque<MemorySegment>[] free = freeLists(); // by the power of two

    ContextMemory(Arena arena) {
        this.arena = arena;
    }

    @SuppressWarnings({"unchecked", "rawtypes"})
    private static ArrayDeque<MemorySegment>[] freeLists() {
        return new ArrayDeque[Long.SIZE];
    }

    private static int shift(long size) {
        return Math.max(SMALLEST_SHIFT, Long.SIZE - Long.numberOfLeadingZeros(size - 1));
    }

    /** Memory of at least so many bytes, all of them 0. */
    MemorySegment take(long size) {
        int shift = shift(size);
        MemorySegment block = free[shift] == null ? null : free[shift].poll();
        return block == null ? arena.allocate(1L << shift, ALIGNMENT) : block.fill((byte) 0);
    }

    /** What {@link #take} has returned is not used any more. */
    void giveBack(MemorySegment block) {
        int shift = shift(block.byteSize());
        if (free[shift] == null) {
            free[shift] = new ArrayDeque<>(2);
        }
        free[shift].add(block);
    }
}
