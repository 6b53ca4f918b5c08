package io.github.comch4j.internal.transport;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * Where the batch library puts messages that wait in the {@link CompletionRing}, and what handlers get of them: one
 * segment for each place and length, made when it is needed first, so that a message allocates nothing. A segment that
 * a program keeps shows later messages, and throws once the engine is closed.
 */
final class Inbox {
    private final MemorySegment memory;
    private final long address;
    private final int size; // of a place
    private final MemorySegment[][] views; // by place and length

    /** So many places of so many bytes. */
    Inbox(Arena arena, int places, int size) {
        this.memory = arena.allocate((long) places * size, 64);
        this.address = memory.address();
        this.size = size;
        this.views = new MemorySegment[places][];
    }

    long address() {
        return address;
    }

    int places() {
        return views.length;
    }

    /** A message in one of the places. */
    MemorySegment view(long message, int length) {
        long offset = message - address;
        int place = (int) (offset / size);
        MemorySegment[] ofPlace = views[place];
        if (ofPlace == null || ofPlace[length] == null) {
            ofPlace = make(place, offset, length);
        }
        return ofPlace[length];
    }

    private MemorySegment[] make(int place, long offset, int length) {
        if (views[place] == null) {
            views[place] = new MemorySegment[size + 1];
        }
        views[place][length] = memory.asSlice(offset, length);
        return views[place];
    }
}
