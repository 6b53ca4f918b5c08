package io.github.comch4j.internal.call;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.github.comch4j.internal.load.Symbols;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** What the kernel counts of a thread ({@code getrusage}). */
public final class ThreadUsage {
    private static final int RUSAGE_THREAD = 1;
    private static final long BYTES = 144; // of struct rusage
    private static final long INVOLUNTARY_SWITCHES = 136; // in it

    private static final MemorySegment GETRUSAGE = Symbols.standardFunction("getrusage");
    private static final ThreadLocal<MemorySegment> USAGE =
            ThreadLocal.withInitial(() -> Arena.ofAuto().allocate(BYTES, 8));

    private ThreadUsage() {}

    /** How often another thread has got the processor of this one, which could have gone on. */
    public static long involuntarySwitches() {
        MemorySegment usage = USAGE.get();
        Symbols.call(GETRUSAGE, RUSAGE_THREAD, usage.address(), 0);
        return usage.get(JAVA_LONG, INVOLUNTARY_SWITCHES);
    }
}
