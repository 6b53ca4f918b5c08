package io.github.comch4j.bench;

import java.util.HashMap;
import java.util.Locale;
import java.util.Map;

/** The command line, as {@code src/jmh/c/main.c} has it. What is asked for per message is to be kept. */
final class Options {
    enum Form {
        ONE,
        THREADS,
        PROCESSES,
        SERVER,
        CLIENT;

        /** Two processes are two processes, whoever started them. */
        String reported() {
            return (this == SERVER || this == CLIENT ? PROCESSES : this).name().toLowerCase(Locale.ROOT);
        }
    }

    /** Producers of a sending side. */
    static final int MAX_PRODUCERS = 8;

    private static final String USAGE = """
            Bench WORK [OPTION VALUE]...
              fast, control              messages per second from a client to a server
              flat                       as fast, in slots, each in its turn
              flat-last                  as flat, from the lowest free slot (C: the one that was free last)
              packed                     as fast, of records, many in a message
              fast-rtt, flat-rtt, control-rtt   ping-pong, one message at a time
              ops                        cost of single operations
              idle                       cost of progress with --connections idle connections
              setup                      connections made and ended per second
              first, first-unix          time from a process's start to its first message
              aeron, aeron-rtt           the same over Aeron IPC with an embedded media driver
              unix, unix-rtt             the same over a Unix-domain SocketChannel
              echo, echo-unix            an echo of an endpoint's blocking receive, and of a blocking Unix-domain socket
              wait-call, wait-socket, wait-stream, wait-unix
                                         one thread that asks, and pauses: by a call, by messages of a MessageSocket,
                                         by a socket of java.net, by a Unix-domain socket
              lines-rtt                  ping-pong of two cache lines between threads, without DOCA
              msgq-rtt                   ping-pong with a kernel on the DPA, one process
              rpc, rpc-unix              calls of --connections callers over one connection, and over a Unix socket
            options:
              --form one|threads|processes|server|client   who is where (threads)
              --size BYTES        of a message, at least 8; k and m are known (64)
              --depth N           tasks, and buffers posted (256)
              --warmup SECONDS    not counted (2)
              --seconds SECONDS   counted (2)
              --connections N     of idle (1)
              --large BYTES       of rpc: longer bodies take the fast path (64k)
              --producers N       of fast, flat and flat-last, 1 to 8: they send bursts in turn (1)
              --pause MICROSECONDS   of wait-*, between an answer and the next question (0)
              --name NAME         of the server (comch4j-bench)
              --dpu ADDRESS       the DPU's device (0000:03:00.0)
              --function ADDRESS  the host's function (0000:b1:00.0)""";

    private static final Map<String, String> DEFAULTS = Map.ofEntries(
            Map.entry("--form", "threads"),
            Map.entry("--size", "64"),
            Map.entry("--depth", "256"),
            Map.entry("--warmup", "2"),
            Map.entry("--seconds", "2"),
            Map.entry("--connections", "1"),
            Map.entry("--large", "64k"),
            Map.entry("--producers", "1"),
            Map.entry("--pause", "0"),
            Map.entry("--name", "comch4j-bench"),
            Map.entry("--dpu", "0000:03:00.0"),
            Map.entry("--function", "0000:b1:00.0"),
            Map.entry("--since", "0"));

    private final String work;
    private final Map<String, String> values; // by option

    private Options(String work, Map<String, String> values) {
        this.work = work;
        this.values = values;
    }

    static Options parse(String[] arguments) {
        if (arguments.length < 1 || arguments.length % 2 != 1) {
            throw new IllegalArgumentException(USAGE);
        }
        Options o = of(arguments[0]);
        for (int i = 1; i < arguments.length; i += 2) {
            o = o.with(arguments[i], arguments[i + 1]);
        }
        return o;
    }

    /** Defaults. */
    static Options of(String work) {
        return new Options(work, DEFAULTS);
    }

    /** These, but for one. */
    Options with(String option, String value) {
        if (!DEFAULTS.containsKey(option)) {
            throw new IllegalArgumentException("no such option: " + option + "\n" + USAGE);
        }
        Map<String, String> changed = new HashMap<>(values);
        changed.put(option, value);
        return new Options(work, changed);
    }

    String work() {
        return work;
    }

    /** Whether messages go through slots, one way. */
    boolean isFlat() {
        return work.equals("flat") || work.equals("flat-last");
    }

    Form form() {
        return Form.valueOf(values.get("--form").toUpperCase(Locale.ROOT));
    }

    int size() {
        return number("--size", 8, Integer.MAX_VALUE);
    }

    int depth() {
        return number("--depth", 1, Integer.MAX_VALUE);
    }

    double warmup() {
        return Double.parseDouble(values.get("--warmup"));
    }

    double seconds() {
        return Double.parseDouble(values.get("--seconds"));
    }

    int connections() {
        return number("--connections", 1, Integer.MAX_VALUE);
    }

    int large() {
        return number("--large", 0, Integer.MAX_VALUE);
    }

    int producers() {
        return number("--producers", 1, MAX_PRODUCERS);
    }

    int pause() {
        return number("--pause", 0, Integer.MAX_VALUE);
    }

    String name() {
        return values.get("--name");
    }

    String dpu() {
        return values.get("--dpu");
    }

    String function() {
        return values.get("--function");
    }

    /** When the client's process was started, {@link System#nanoTime()}. */
    long since() {
        return Long.parseLong(values.get("--since"));
    }

    private int number(String option, int least, int most) {
        String text = values.get(option);
        int unit = switch (Character.toLowerCase(text.charAt(text.length() - 1))) {
            case 'k' -> 1 << 10;
            case 'm' -> 1 << 20;
            default -> 1;
        };
        int value = Math.multiplyExact(Integer.parseInt(unit == 1 ? text : text.substring(0, text.length() - 1)), unit);
        if (value < least || value > most) {
            throw new IllegalArgumentException(
                    option + " " + text + " is less than " + least + ", or more than " + most);
        }
        return value;
    }
}
