package io.github.comch4j.cli.perf;

import io.github.comch4j.cli.program.ProgramException;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One measurement, which the client tells the server.
 *
 * @param kind what carries the messages
 * @param latency whether each message comes back before the next one goes
 * @param bothWays whether the server sends, too
 * @param size of a message, bytes
 * @param depth tasks, and buffers posted; of calls, how many are under way
 * @param burst messages offered before completions are taken
 * @param threads of each end, each with a connection of its own
 * @param warmup not counted, ns
 * @param length counted, ns, unless there is a count
 * @param count messages of each thread and direction; 0: as many as there is time for
 * @param pause of the thread that asks, after each answer, ns
 * @param binding to processors
 */
public record Plan(
        PerfPath kind,
        boolean latency,
        boolean bothWays,
        int size,
        int depth,
        int burst,
        int threads,
        long warmup,
        long length,
        long count,
        long pause,
        Binding binding) {
    static final int MOST_THREADS = 64;
    static final int MOST_DEPTH = 1 << 16;
    static final int MOST_SIZE = 1 << 30;
    static final long MOST_MEMORY = 4L << 30;
    private static final long MOST_TIME = 1_000_000_000_000_000L;

    /** Which processors the threads of an end keep to. */
    public enum Binding {
        /** Any. */
        NONE,
        /** Both ends are on one machine: every other one. */
        SHARED,
        /** One after the other. */
        OWN
    }

    /**
     * Looks whether it makes sense.
     *
     * @throws ProgramException if it does not
     */
    public Plan {
        if (latency && !kind.hasLatency()) {
            throw new ProgramException(kind + " have no latency: a single record is a message of slots");
        }
        if (!latency && !kind.hasThroughput()) {
            throw new ProgramException(kind + " is measured one message after the other: --latency");
        }
        within("size", size, 1, MOST_SIZE);
        within("depth", depth, 1, MOST_DEPTH);
        within("burst", burst, 1, MOST_DEPTH);
        within("number of threads", threads, 1, MOST_THREADS);
        within("warm-up", warmup, 0, MOST_TIME);
        within("time", length, 1_000_000, MOST_TIME);
        within("count", count, 0, Long.MAX_VALUE / 2);
        within("pause", pause, 0, MOST_TIME);
        if (pause > 0 && (!latency || depth != 1 || kind.isBound())) {
            throw new ProgramException("a pause is for --latency of calls and of sockets, with --depth 1");
        }
        if (kind == PerfPath.RECORDS && size > RecordOutlet.LONGEST) {
            throw new ProgramException("records here have at most " + RecordOutlet.LONGEST + " bytes");
        }
        if ((long) size * depth * threads > MOST_MEMORY && kind.isBound() && kind != PerfPath.RECORDS) {
            throw new ProgramException("size, depth and threads make more than 4 GiB of buffers");
        }
        if (bothWays && (latency || !kind.goesBothWays())) {
            throw new ProgramException((latency ? "latency" : kind.toString()) + " is not measured in both directions");
        }
    }

    private static void within(String name, long value, long least, long most) {
        if (value < least || value > most) {
            throw new ProgramException("the " + name + " " + value + " is not from " + least + " to " + most);
        }
    }

    /** Whether this end sends, other than answers. */
    boolean sends(boolean server) {
        return !latency && (bothWays || !server);
    }

    boolean receives(boolean server) {
        return !latency && kind != PerfPath.CALLS && (bothWays || server);
    }

    /** For who looks at the server. */
    public String described() {
        return described(Units.size(size));
    }

    /** For who looks at several sizes. */
    public String described(String sizes) {
        return kind + " of " + sizes + " bytes, " + (latency ? "latency" : "throughput")
                + (bothWays ? " both ways" : "") + ", " + threads + (threads == 1 ? " thread" : " threads") + ", depth "
                + depth;
    }

    /** For the peer. */
    String text() {
        return "kind=" + kind + " latency=" + latency + " both=" + bothWays + " size=" + size + " depth=" + depth
                + " burst=" + burst + " threads=" + threads + " warmup=" + warmup + " length=" + length + " count="
                + count + " pause=" + pause + " binding=" + binding;
    }

    /**
     * That of a peer.
     *
     * @throws ProgramException if it is none
     */
    static Plan of(String text) {
        Map<String, String> words = words(text);
        try {
            return new Plan(
                    PerfPath.of(word(words, "kind")),
                    Boolean.parseBoolean(word(words, "latency")),
                    Boolean.parseBoolean(word(words, "both")),
                    Integer.parseInt(word(words, "size")),
                    Integer.parseInt(word(words, "depth")),
                    Integer.parseInt(word(words, "burst")),
                    Integer.parseInt(word(words, "threads")),
                    Long.parseLong(word(words, "warmup")),
                    Long.parseLong(word(words, "length")),
                    Long.parseLong(word(words, "count")),
                    Long.parseLong(word(words, "pause")),
                    Binding.valueOf(word(words, "binding")));
        } catch (IllegalArgumentException e) {
            throw new ProgramException("the settings are not understood: " + e.getMessage(), e);
        }
    }

    /** What is written as {@code name=value}, with spaces in between. */
    static Map<String, String> words(String text) {
        Map<String, String> words = new HashMap<>();
        for (String word : text.split(" ")) {
            int sign = word.indexOf('=');
            if (sign > 0) {
                words.put(word.substring(0, sign), word.substring(sign + 1));
            }
        }
        return words;
    }

    private static String word(Map<String, String> words, String name) {
        @Nullable String value = words.get(name);
        if (value == null) {
            throw new IllegalArgumentException("no " + name);
        }
        return value;
    }
}
