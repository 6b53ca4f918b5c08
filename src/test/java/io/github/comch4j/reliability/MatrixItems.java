package io.github.comch4j.reliability;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** What an item of the matrix looks like: its number, and bytes that follow from it. */
final class MatrixItems {
    private MatrixItems() {}

    static byte[] of(int number, int size) {
        byte[] item = new byte[size];
        write(MemorySegment.ofArray(item), number);
        return item;
    }

    static void write(MemorySegment item, int number) {
        item.fill((byte) number);
        item.set(ValueLayout.JAVA_INT_UNALIGNED, 0, number);
    }

    static int number(byte[] item) {
        return number(MemorySegment.ofArray(item));
    }

    /** The number of an item, which must be one. */
    static int number(MemorySegment item) {
        int number = item.get(ValueLayout.JAVA_INT_UNALIGNED, 0);
        for (long i = Integer.BYTES; i < item.byteSize(); i++) {
            if (item.get(ValueLayout.JAVA_BYTE, i) != (byte) number) {
                throw new AssertionError("other bytes than were written: item " + number + " at " + i);
            }
        }
        return number;
    }
}
