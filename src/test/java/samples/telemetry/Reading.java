package samples.telemetry;

import static java.lang.foreign.ValueLayout.JAVA_DOUBLE_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import java.lang.foreign.MemorySegment;

/** What is published, in 24 bytes: its number, the load of the DPU's processors, and its free memory in bytes. */
record Reading(long number, double load, long free) {
    static final int BYTES = 24;

    static Reading of(MemorySegment bytes) {
        return new Reading(
                bytes.get(JAVA_LONG_UNALIGNED, 0),
                bytes.get(JAVA_DOUBLE_UNALIGNED, 8),
                bytes.get(JAVA_LONG_UNALIGNED, 16));
    }

    void to(MemorySegment bytes) {
        bytes.set(JAVA_LONG_UNALIGNED, 0, number);
        bytes.set(JAVA_DOUBLE_UNALIGNED, 8, load);
        bytes.set(JAVA_LONG_UNALIGNED, 16, free);
    }
}
