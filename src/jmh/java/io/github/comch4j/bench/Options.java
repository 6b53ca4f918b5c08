package io.github.comch4j.bench;

/** The command line, as {@code src/jmh/c/main.c} has it. */
record Options(
        String work,
        Form form,
        int size,
        int depth,
        double warmup,
        double seconds,
        int connections,
        String name,
        String dpu,
        String function,
        long since) {

    enum Form {
        ONE,
        THREADS,
        PROCESSES,
        SERVER,
        CLIENT;

        /** Two processes are two processes, whoever started them. */
        String reported() {
            return (this == SERVER || this == CLIENT ? PROCESSES : this).name().toLowerCase(java.util.Locale.ROOT);
        }
    }

    private static final String USAGE = """
            Bench WORK [OPTION VALUE]...
              fast, control              messages per second from a client to a server
              fast-rtt, control-rtt      ping-pong, one message at a time
              ops                        cost of single operations
              idle                       cost of progress with --connections idle connections
              setup                      connections made and ended per second
              first                      time from a process's start to its first message
              aeron, aeron-rtt           the same over Aeron IPC with an embedded media driver
              unix, unix-rtt             the same over a Unix-domain SocketChannel
              echo, echo-unix            an echo of an endpoint's blocking receive, and of a blocking Unix-domain socket
              rpc, rpc-unix              calls of --connections callers over one connection, and over a Unix-domain socket
            options:
              --form one|threads|processes|server|client   who is where (threads)
              --size BYTES        of a message, at least 8; k and m are known (64)
              --depth N           tasks, and buffers posted (256)
              --warmup SECONDS    not counted (2)
              --seconds SECONDS   counted (2)
              --connections N     of idle (1)
              --name NAME         of the server (comch4j-bench)
              --dpu ADDRESS       the DPU's device (0000:03:00.0)
              --function ADDRESS  the host's function (0000:b1:00.0)""";

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
        return new Options(work, Form.THREADS, 64, 256, 2, 2, 1, "comch4j-bench", "0000:03:00.0", "0000:b1:00.0", 0);
    }

    Options with(String option, String value) {
        return switch (option) {
            case "--form" ->
                new Options(
                        work,
                        Form.valueOf(value.toUpperCase(java.util.Locale.ROOT)),
                        size,
                        depth,
                        warmup,
                        seconds,
                        connections,
                        name,
                        dpu,
                        function,
                        since);
            case "--size" ->
                new Options(
                        work, form, number(value, 8), depth, warmup, seconds, connections, name, dpu, function, since);
            case "--depth" ->
                new Options(
                        work, form, size, number(value, 1), warmup, seconds, connections, name, dpu, function, since);
            case "--warmup" ->
                new Options(
                        work,
                        form,
                        size,
                        depth,
                        Double.parseDouble(value),
                        seconds,
                        connections,
                        name,
                        dpu,
                        function,
                        since);
            case "--seconds" ->
                new Options(
                        work,
                        form,
                        size,
                        depth,
                        warmup,
                        Double.parseDouble(value),
                        connections,
                        name,
                        dpu,
                        function,
                        since);
            case "--connections" ->
                new Options(work, form, size, depth, warmup, seconds, number(value, 1), name, dpu, function, since);
            case "--name" ->
                new Options(work, form, size, depth, warmup, seconds, connections, value, dpu, function, since);
            case "--dpu" ->
                new Options(work, form, size, depth, warmup, seconds, connections, name, value, function, since);
            case "--function" ->
                new Options(work, form, size, depth, warmup, seconds, connections, name, dpu, value, since);
            case "--since" ->
                new Options(
                        work,
                        form,
                        size,
                        depth,
                        warmup,
                        seconds,
                        connections,
                        name,
                        dpu,
                        function,
                        Long.parseLong(value));
            default -> throw new IllegalArgumentException("no such option: " + option + "\n" + USAGE);
        };
    }

    private static int number(String text, int least) {
        int unit = switch (Character.toLowerCase(text.charAt(text.length() - 1))) {
            case 'k' -> 1 << 10;
            case 'm' -> 1 << 20;
            default -> 1;
        };
        int value = Math.multiplyExact(Integer.parseInt(unit == 1 ? text : text.substring(0, text.length() - 1)), unit);
        if (value < least) {
            throw new IllegalArgumentException(text + " is less than " + least);
        }
        return value;
    }
}
