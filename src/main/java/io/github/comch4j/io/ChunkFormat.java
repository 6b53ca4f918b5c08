package io.github.comch4j.io;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * The format of a {@link ComchOutputChannel}'s messages: bytes of the stream, and behind them a word that says where in
 * the stream they lie. The reader sees so what is missing, with every release of DOCA: not all have immediate data.
 * Behind the bytes, as these begin at a cache line then.
 *
 * <p>The reader answers the end, or a gap, with such a word as well, in a message on the control path
 * ({@link io.github.comch4j.internal.life.ConnectionInside#say}).
 */
final class ChunkFormat {
    /** Bytes of the word. */
    static final int TRAILER = Long.BYTES;

    // kinds, of the writer
    /** The bytes before the word lie at its position. */
    static final int DATA = 0xc4d1;
    /** The stream has as many bytes as the position says, and ends. */
    static final int END = 0xc4d2;
    /** A chunk was lost, which this side knows: no more comes. The writer has accepted so many bytes. */
    static final int CUT = 0xc4d3;

    // kinds, of the reader
    /** All has come, so many bytes. */
    static final int WHOLE = 0xc4e1;
    /** What lies at the position has not come, and what is behind it has. */
    static final int GAP = 0xc4e2;
    /** The program has closed the channel when it had read so many bytes. */
    static final int LEFT = 0xc4e3;

    private static final ValueLayout.OfLong WORD = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final int POSITION_BITS = 48;
    private static final int CACHE_LINE = 64;

    private ChunkFormat() {}

    static long word(int kind, long position) {
        return ((long) kind << POSITION_BITS) | (position & ((1L << POSITION_BITS) - 1));
    }

    static int kind(long word) {
        return (int) (word >>> POSITION_BITS);
    }

    static long position(long word) {
        return word & (1L << POSITION_BITS) - 1;
    }

    static void seal(MemorySegment chunk, long length, long word) {
        chunk.set(WORD, length, word);
    }

    /** The word of a message of so many bytes; 0 if it has none. */
    static long wordOf(MemorySegment chunk, long length) {
        return length < TRAILER ? 0 : chunk.get(WORD, length - TRAILER);
    }

    /** What a chunk of so many bytes of the stream takes up in memory. */
    static long size(int bytes) {
        return ((long) bytes + TRAILER + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE;
    }
}
