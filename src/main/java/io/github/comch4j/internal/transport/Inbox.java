package io.github.comch4j.internal.transport;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * Where the batch library puts the short messages that wait in the {@link CompletionRing}, and what handlers get of
 * them: one segment for each place and length, made when it is needed first, so that a message allocates nothing. A
 * segment that a program keeps shows later messages, and throws once the engine is closed.
 */
final class Inbox {
    private final MemorySegment memory;
    private final long address;
    private final MemorySegment[][] views = new MemorySegment[Batch.MESSAGES][]; // by place and length

    Inbox(Arena arena) {
        memory = arena.allocate((long) Batch.MESSAGES * Batch.MESSAGE_LEN, 64);
        address = memory.address();
    }

    long address() {
        return address;
    }

    /** A message in one of the places. */
    MemorySegment view(long message, int length) {
        long offset = message - address;
        int place = (int) (offset / Batch.MESSAGE_LEN);
        MemorySegment[] ofPlace = views[place];
        if (ofPlace == null || ofPlace[length] == null) {
            ofPlace = make(place, offset, length);
        }
        return ofPlace[length];
    }

    private MemorySegment[] make(int place, long offset, int length) {
        if (views[place] == null) {
            views[place] = new MemorySegment[Batch.MESSAGE_LEN + 1];
        }
        views[place][length] = memory.asSlice(offset, length);
        return views[place];
    }
}
