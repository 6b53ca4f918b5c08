package io.github.comch4j.internal.support.window;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * The messages that sockets, and channels of Netty, send to each other beside those of the program, see
 * {@code docs/sockets.md}: 32 bytes, of which the first 16 say that it is one. Numbers are little-endian.
 */
public final class SocketFrames {
    /** Length of such a message. */
    public static final int SIZE = 32;

    /** What a message counts in a window beside its length: an object, and its place in a queue. */
    public static final int OVERHEAD = 64;

    /** The value is how much the receiver of this may have sent since the connection began. */
    public static final int WINDOW = 1;

    /** Whoever sends this observes windows from now on. */
    public static final int OBSERVES = 2;

    /** The connection is about to be ended; the value is a {@link EndReason}. */
    public static final int ENDING = 3;

    /** The sender of this sends no more messages of the program; the value is 0. */
    public static final int FINISHED = 4;

    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final long MARK_1 = 0x63_6f_6d_63_68_34_6a_fbL; // "comch4j" in front of a byte that is no UTF-8
    private static final long MARK_2 = 0x9e_37_79_b9_7f_4a_7c_15L;

    private SocketFrames() {}

    /** A frame, ready to be sent. */
    public static byte[] make(int kind, long value) {
        byte[] bytes = new byte[SIZE];
        MemorySegment frame = MemorySegment.ofArray(bytes);
        frame.set(LONG, 0, MARK_1);
        frame.set(LONG, 8, MARK_2);
        frame.set(LONG, 16, kind);
        frame.set(LONG, 24, value);
        return bytes;
    }

    /** Whether a message is a frame. */
    public static boolean isFrame(MemorySegment message) {
        return message.byteSize() == SIZE && message.get(LONG, 0) == MARK_1 && message.get(LONG, 8) == MARK_2;
    }

    /** As {@link #isFrame(MemorySegment)}. */
    public static boolean isFrame(byte[] message) {
        return message.length == SIZE && isFrame(MemorySegment.ofArray(Arrays.copyOf(message, SIZE)));
    }

    /** Any number: the peer has written it. */
    public static long kind(MemorySegment frame) {
        return frame.get(LONG, 16);
    }

    /** The number in a frame. */
    public static long value(MemorySegment frame) {
        return frame.get(LONG, 24);
    }

    /** What a message counts in a window. */
    public static long cost(long length) {
        return length + OVERHEAD;
    }
}
