package io.github.comch4j.cli.perf;

import io.github.comch4j.link.Framing;
import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;

/** What carries the messages. */
public enum PerfPath {
    /** Messages on the control path. */
    CONTROL(256, 64, true),
    /** The fast path: a producer, and a consumer with its buffers. */
    BUFFERS(256, 32, true),
    /** The fast path by way of slots. */
    SLOTS(256, 32, true),
    /** Records, many in a message of the fast path. */
    RECORDS(64, 0, true),
    /** Calls, each with a response of the same length. */
    CALLS(256, 1, false),
    /** Blocking sockets. */
    SOCKETS(256, 1, false),
    /** Messages to a kernel on the DPA, each of which comes back. */
    MSGQ(32, 32, false);

    private final int depth;
    private final int latencyDepth;
    private final boolean bothWays;

    PerfPath(int depth, int latencyDepth, boolean bothWays) {
        this.depth = depth;
        this.latencyDepth = latencyDepth;
        this.bothWays = bothWays;
    }

    /** As it is written on a command line. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** All words. */
    public static String words() {
        return Arrays.stream(values()).map(PerfPath::toString).collect(Collectors.joining(", "));
    }

    /** The one that is written so. */
    public static PerfPath of(String word) {
        return valueOf(word.toUpperCase(Locale.ROOT));
    }

    /** Unless the user says otherwise. */
    public int depth(boolean latency, int size) {
        int usual = latency ? latencyDepth : depth;
        return size >= 1 << 16 ? Math.min(usual, 32) : usual; // the caches have no room for more
    }

    /** Whether a message can come back as one of its kind. */
    boolean hasLatency() {
        return latencyDepth > 0;
    }

    boolean hasThroughput() {
        return this != MSGQ;
    }

    boolean goesBothWays() {
        return bothWays;
    }

    /** Messages that are offered before completions are taken, unless the user says otherwise. */
    public int burst() {
        return this == RECORDS ? RecordOutlet.BURST : 64;
    }

    /** The longest message that makes sense, where the control path has some of {@code message} bytes. */
    public long longest(long message) {
        return switch (this) {
            case CONTROL -> message;
            case SOCKETS -> message - Framing.HEADER;
            case RECORDS -> RecordOutlet.LONGEST;
            case MSGQ -> 32;
            case BUFFERS, SLOTS, CALLS -> 1 << 20;
        };
    }

    /** Whether its threads poll, each on a processor of its own. */
    public boolean isBound() {
        return this != CALLS && this != SOCKETS;
    }
}
