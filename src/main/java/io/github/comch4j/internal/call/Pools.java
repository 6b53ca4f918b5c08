package io.github.comch4j.internal.call;

import io.github.comch4j.internal.load.NativeLibrary;

/** How large pools of tasks are: DOCA 2.5 is told the binary logarithm. */
public final class Pools {
    private static final int LARGEST_POWER = 1 << 30;

    private Pools() {}

    /** How many tasks there are in a pool that is to have at least so many: in DOCA 2.5 a power of two. */
    public static int size(int wanted) {
        return NativeLibrary.isCc25() ? powerOfTwo(wanted) : wanted;
    }

    /** The next power of two; what is above the largest stays, and is above the limit of any device. */
    static int powerOfTwo(int wanted) {
        return wanted > LARGEST_POWER ? wanted : Integer.highestOneBit(2 * wanted - 1);
    }

    /** The binary logarithm of a size, rounded up. */
    static int log(int size) {
        return Integer.SIZE - Integer.numberOfLeadingZeros(size - 1);
    }
}
