package io.github.comch4j.bench;

import java.lang.management.ManagementFactory;

/** What the calling thread has allocated on the heap. */
final class Allocation {
    private static final com.sun.management.ThreadMXBean THREADS =
            (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();

    private Allocation() {}

    /** Bytes since the thread began; asking allocates nothing. */
    static long bytes() {
        return THREADS.getCurrentThreadAllocatedBytes();
    }
}
