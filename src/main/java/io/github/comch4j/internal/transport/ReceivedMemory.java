package io.github.comch4j.internal.transport;

import io.github.comch4j.internal.load.LibrarySettings;
import io.github.comch4j.internal.load.NativeAccess;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * Memory that one context re-uses for every message that it receives, on its way to a callback. One thread at a time.
 * For what goes the other way see {@link CallMemory}.
 *
 * <p><b>What callbacks get.</b> DOCA lends a pointer for the length of the callback. A segment on it that a program
 * keeps would crash the VM later, and a segment that can be invalidated costs an arena per message. So the bytes are
 * copied into this scratch and the callback gets a slice of it. There is one slice per length, made when a message of
 * that length comes for the first time: no allocation per message. A slice that is kept shows later messages, and
 * throws once the context is closed; it never reaches memory that is not its own. In strict mode
 * ({@value LibrarySettings#STRICT_PROPERTY}) each message gets memory of its own, which ends with the callback: a kept
 * segment throws at once. Messages that the batch library has copied already are not copied again, see {@link Inbox}.
 */
public final class ReceivedMemory {
    static final boolean STRICT = LibrarySettings.strict();
    /** The segment that a callback gets for a message, or immediate data, of no bytes. */
    public static final MemorySegment NOTHING =
            MemorySegment.ofArray(new byte[0]).asReadOnly();

    private static final MemorySegment ALL_MEMORY = NativeAccess.allMemory().asReadOnly();

    private final int longest; // as was negotiated
    private Arena arena; // once a message has come; closed with the context, maybe by another thread
    private MemorySegment incoming = NOTHING;
    private MemorySegment[] slices = {};
    private Arena lent; // strict mode: the memory of the callback that runs

    /** For messages of up to so many bytes. */
    public ReceivedMemory(long longest) {
        this.longest = (int) longest;
    }

    /** A copy of received bytes, valid until {@link #takeBack}. */
    public MemorySegment lend(long address, int length) {
        if (length == 0) {
            return NOTHING;
        }
        if (STRICT) {
            if (lent == null) { // else the callback asks again
                lent = Arena.ofConfined();
            }
            MemorySegment copy = lent.allocate(length, 8);
            MemorySegment.copy(ALL_MEMORY, address, copy, 0, length);
            return copy;
        }
        if (length >= slices.length) {
            makeRoom(Math.max(length, longest)); // more than was negotiated should not be, and must not harm
        }
        MemorySegment.copy(ALL_MEMORY, address, incoming, 0, length);
        MemorySegment slice = slices[length];
        if (slice == null) {
            slice = incoming.asSlice(0, length);
            slices[length] = slice;
        }
        return slice;
    }

    private void makeRoom(int size) {
        if (arena == null) {
            arena = Arena.ofShared();
        }
        incoming = arena.allocate(size, 8);
        slices = new MemorySegment[size + 1];
    }

    /** The callback that got the bytes has returned. */
    public void takeBack() {
        if (lent != null) {
            lent.close();
            lent = null;
        }
    }

    /** Frees the memory: what was lent throws from now on. */
    public void close() {
        takeBack();
        if (arena != null) {
            arena.close();
        }
    }
}
