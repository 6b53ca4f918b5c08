package io.github.comch4j.internal.transport;

import io.github.comch4j.internal.load.Settings;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;

/**
 * Native memory that one context re-uses for every message: received bytes on their way to a callback, bytes to send
 * that come from the Java heap, and one pointer-sized result of a call. One thread at a time.
 *
 * <p><b>What callbacks get.</b> DOCA lends a pointer for the length of the callback. A segment on it that a program
 * keeps would crash the VM later, and a segment that can be invalidated costs an arena per message. So the bytes are
 * copied into this scratch and the callback gets a slice of it. There is one slice per length, made when a message of
 * that length comes for the first time: no allocation per message. A slice that is kept shows later messages, and
 * throws once the context is closed; it never reaches memory that is not its own. In strict mode
 * ({@value Settings#STRICT_PROPERTY}) each message gets memory of its own, which ends with the callback: a kept segment
 * throws at once. Short messages that the batch library has copied already are not copied again, see {@link Inbox}.
 */
public final class Scratch {
    static final boolean STRICT = Boolean.getBoolean(Settings.STRICT_PROPERTY);
    /** The segment that a callback gets for a message, or immediate data, of no bytes. */
    public static final MemorySegment NOTHING =
            MemorySegment.ofArray(new byte[0]).asReadOnly();

    private static final MemorySegment ALL_MEMORY = allMemory();
    /**
     * Native bytes up to this length are copied before they are sent: to keep their arena open during the call costs
     * more, if threads share it.
     */
    private static final int COPIED = 256;

    // closed with the context, which may have been handed to another thread
    private final Arena arena = Arena.ofShared();
    private final MemorySegment result = arena.allocate(ValueLayout.JAVA_LONG);
    private final MemorySegment outgoing; // with no arena that a call would have to keep open
    private final ByteBuffer outgoingBytes;
    private MemorySegment incoming;
    private MemorySegment[] slices;
    private Arena lent; // strict mode: the memory of the callback that runs

    /** For messages of up to so many bytes in either direction. */
    public Scratch(long incomingSize, long outgoingSize) {
        incoming = arena.allocate(Math.max(1, incomingSize), 8);
        slices = new MemorySegment[(int) incomingSize + 1];
        MemorySegment staging = arena.allocate(Math.max(1, outgoingSize), 8);
        outgoing = unowned(staging);
        outgoingBytes = staging.asByteBuffer();
    }

    /** A copy of received bytes, valid until {@link #takeBack}. */
    public MemorySegment lend(long address, int length) {
        if (length == 0) {
            return NOTHING;
        }
        if (STRICT) {
            lent = Arena.ofConfined();
            MemorySegment copy = lent.allocate(length, 8);
            MemorySegment.copy(ALL_MEMORY, address, copy, 0, length);
            return copy;
        }
        if (length >= slices.length) { // more than was negotiated: should not be, and must not harm
            incoming = arena.allocate(length, 8);
            slices = new MemorySegment[length + 1];
        }
        MemorySegment.copy(ALL_MEMORY, address, incoming, 0, length);
        MemorySegment slice = slices[length];
        if (slice == null) {
            slice = incoming.asSlice(0, length);
            slices[length] = slice;
        }
        return slice;
    }

    /** The callback that got the bytes has returned. */
    public void takeBack() {
        if (lent != null) {
            lent.close();
            lent = null;
        }
    }

    /** Bytes to send, native: the segment itself, or a copy of one on the heap or of a short one. */
    public MemorySegment stage(MemorySegment message) {
        if (message.isNative() && message.byteSize() > COPIED) {
            return message;
        }
        MemorySegment.copy(message, 0, outgoing, 0, message.byteSize());
        return outgoing;
    }

    /** Bytes to send, native. */
    public MemorySegment stage(byte[] message) {
        MemorySegment.copy(message, 0, outgoing, ValueLayout.JAVA_BYTE, 0, message.length);
        return outgoing;
    }

    /** The remaining bytes of a buffer, native; its position is left alone. */
    public MemorySegment stage(ByteBuffer message) {
        outgoingBytes.put(0, message, message.position(), message.remaining());
        return outgoing;
    }

    /** A native copy of bytes to send, for calls that take an address. */
    public long stageCopy(MemorySegment bytes) {
        MemorySegment.copy(bytes, 0, outgoing, 0, bytes.byteSize());
        return outgoing.address();
    }

    /** Where a call writes its result. */
    public long resultAddress() {
        return result.address();
    }

    /** What the call wrote there. */
    public long result() {
        return result.get(ValueLayout.JAVA_LONG, 0);
    }

    /** Frees the memory: what was lent throws from now on. */
    public void close() {
        takeBack();
        arena.close();
    }

    @SuppressWarnings("restricted")
    private static MemorySegment unowned(MemorySegment segment) {
        return MemorySegment.ofAddress(segment.address()).reinterpret(segment.byteSize());
    }

    @SuppressWarnings("restricted")
    private static MemorySegment allMemory() {
        return MemorySegment.NULL.reinterpret(Long.MAX_VALUE).asReadOnly();
    }
}
