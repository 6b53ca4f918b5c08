package io.github.comch4j.internal.call;

import io.github.comch4j.internal.load.Symbols;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * Zeroed memory for devices, already backed by pages: by large ones where it is large, which makes copies and
 * translations of addresses cheaper.
 */
public final class Pages {
    private static final long PAGE = 4096; // so that devices need no bounce buffers
    private static final long ANY_PAGE = 65536; // the largest page size in use: memory is unmapped in whole pages
    // of x86_64, and of aarch64 with pages of 4 KiB; elsewhere it does no harm
    private static final long LARGE = 2 << 20;

    private static final int PROT_READ_WRITE = 1 | 2;
    private static final int MAP_PRIVATE_ANONYMOUS = 0x02 | 0x20;
    private static final int MADV_HUGEPAGE = 14;
    private static final long MAP_FAILED = -1;

    private static final MemorySegment MMAP = Symbols.standardFunction("mmap");
    private static final MemorySegment MUNMAP = Symbols.standardFunction("munmap");
    private static final MemorySegment MADVISE = Symbols.standardFunction("madvise");

    private Pages() {}

    /**
     * Allocates; freed with the arena.
     *
     * @throws OutOfMemoryError if there is not enough memory
     */
    public static MemorySegment allocate(Arena arena, long bytes) {
        return bytes < LARGE ? arena.allocate(bytes, PAGE) : allocateLarge(arena, bytes);
    }

    @SuppressWarnings("restricted")
    private static MemorySegment allocateLarge(Arena arena, long bytes) {
        long length = bytes + ANY_PAGE - 1 & -ANY_PAGE;
        long mapped = length + LARGE; // to choose a start in it
        long from = mapped < bytes ? MAP_FAILED : map(mapped);
        if (from == MAP_FAILED) {
            throw new OutOfMemoryError("cannot map " + bytes + " bytes");
        }
        long start = from + LARGE - 1 & -LARGE;
        unmap(from, start - from);
        unmap(start + length, from + mapped - (start + length));
        advise(start, length);
        MemorySegment memory =
                MemorySegment.ofAddress(start).reinterpret(bytes, arena, segment -> unmap(start, length));
        return memory.fill((byte) 0); // now, and not when the first messages arrive
    }

    private static long map(long length) {
        return Symbols.call(MMAP, 0, length, PROT_READ_WRITE, MAP_PRIVATE_ANONYMOUS, -1, 0);
    }

    private static void unmap(long start, long length) {
        if (length != 0) {
            Symbols.call(MUNMAP, start, length, 0);
        }
    }

    /** Asks for large pages; a kernel that has none to give is as good as before. */
    private static void advise(long start, long length) {
        Symbols.call(MADVISE, start, length, MADV_HUGEPAGE);
    }
}
