package io.github.comch4j.internal.transport;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Native memory for the calls of one engine: bytes to send that come from the Java heap, and one pointer-sized result.
 * DOCA copies the bytes before such a call returns, so that all contexts of the engine can share it, and to make a
 * context takes no memory that would have to be given back. Belongs to the engine's owner.
 */
public final class CallMemory {
    /**
     * Native bytes up to this length are copied before they are sent: to keep their arena open during the call costs
     * more, if threads share it.
     */
    private static final int COPIED = 256;

    private static final long FIRST_SIZE = 4096;

    private static final ValueLayout.OfLong HEADER = ValueLayout.JAVA_LONG.withOrder(ByteOrder.LITTLE_ENDIAN);

    // closed with the engine, which may have been handed to another thread
    private final Arena arena = Arena.ofShared();
    private final MemorySegment result = arena.allocate(ValueLayout.JAVA_LONG);
    private MemorySegment outgoing; // with no arena that a call would have to keep open
    private ByteBuffer outgoingBytes;

    /** With room for short messages. */
    public CallMemory() {
        allocate(FIRST_SIZE);
    }

    /** Makes room for messages of so many bytes. */
    public void reserve(long size) {
        if (size > outgoing.byteSize()) {
            allocate(Math.max(size, 2 * outgoing.byteSize())); // what there was remains until the engine is closed
        }
    }

    private void allocate(long size) {
        MemorySegment memory = arena.allocate(size, 8);
        outgoing = unowned(memory);
        outgoingBytes = memory.asByteBuffer();
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

    /** Eight bytes, the number in little-endian order, and then others; native. */
    public MemorySegment stage(long header, byte[] message) {
        outgoing.set(HEADER, 0, header);
        MemorySegment.copy(message, 0, outgoing, ValueLayout.JAVA_BYTE, Long.BYTES, message.length);
        return outgoing;
    }

    /** As {@link #stage(long, byte[])}, with the remaining bytes of a buffer, whose position is left alone. */
    public MemorySegment stage(long header, ByteBuffer message) {
        outgoing.set(HEADER, 0, header);
        outgoingBytes.put(Long.BYTES, message, message.position(), message.remaining());
        return outgoing;
    }

    /** The remaining bytes of a buffer, native; its position is left alone. */
    public MemorySegment stage(ByteBuffer message) {
        outgoingBytes.put(0, message, message.position(), message.remaining());
        return outgoing;
    }

    /** Where a call writes its result. */
    public long resultAddress() {
        return result.address();
    }

    /** What the call wrote there. */
    public long result() {
        return result.get(ValueLayout.JAVA_LONG, 0);
    }

    /** The engine is gone. */
    public void close() {
        arena.close();
    }

    @SuppressWarnings("restricted")
    private static MemorySegment unowned(MemorySegment segment) {
        return MemorySegment.ofAddress(segment.address()).reinterpret(segment.byteSize());
    }
}
