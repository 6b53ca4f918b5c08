package io.github.comch4j.io;

import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/** The format of records in a message, see {@link RecordWriter}. */
final class Records {
    /** Before each record. */
    static final int HEADER = 8;
    /** At the beginning of each message: its number in the lower half, its writer's in the upper one. */
    static final int NUMBER = 8;

    static final ValueLayout.OfLong NUMBER_LAYOUT = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    /** Length in the lower half, type in the upper one. A record begins at a multiple of 8, which is not checked. */
    static final ValueLayout.OfLong HEADER_LAYOUT = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    /** Of the header, the length alone. */
    static final ValueLayout.OfInt LENGTH_LAYOUT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    private Records() {}

    static long number(int number, int writer) {
        return Integer.toUnsignedLong(number) | (long) writer << 32;
    }

    static long header(int length, int type) {
        return length | (long) type << 32;
    }

    static int length(long header) {
        return (int) header;
    }

    static int type(long header) {
        return (int) (header >>> 32);
    }

    /** What a record takes up, with its header and padding. */
    static long size(int length) {
        return (long) length + HEADER + 7 & ~7;
    }
}
