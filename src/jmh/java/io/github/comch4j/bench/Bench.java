package io.github.comch4j.bench;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** The program: {@code Bench WORK [OPTION VALUE]...}, see {@link Options}. */
public final class Bench {
    /** An option for the child alone. */
    private static final String CHILD = "comch4j.bench.child";

    private static String[] commandLine;

    private Bench() {}

    /**
     * Runs one work.
     *
     * @param arguments the command line
     * @throws Exception if it fails
     */
    public static void main(String[] arguments) throws Exception {
        commandLine = arguments;
        Options options = Options.parse(arguments);
        switch (options.work()) {
            case "ops" -> Works.operations(options);
            case "idle" -> Works.idle(options);
            case "setup" -> Works.setup(options);
            case "first" -> Works.first(options);
            case "first-unix" -> Works.firstOverUnix(options);
            case "rpc", "rpc-unix" -> RpcWorks.run(options);
            case "echo", "echo-unix" -> EchoWorks.run(options);
            case "wait-call", "wait-socket", "wait-stream", "wait-unix" -> WaitWorks.run(options);
            case "socket", "socket-unix" -> SocketWorks.run(options);
            case "lines-rtt" -> LinesWorks.run(options);
            case "dma" -> DmaWorks.run(options);
            case "msgq-rtt" -> MsgqWorks.run(options);
            default -> carry(options);
        }
    }

    private static void carry(Options options) throws Exception {
        boolean pingPong = options.work().endsWith("-rtt");
        Carrier carrier = Carrier.of(options.work().replace("-rtt", ""));
        Runnable server = pingPong ? () -> Works.answer(options, carrier) : () -> Works.receive(options, carrier);
        Runnable client = pingPong ? () -> Works.ask(options, carrier) : () -> Works.send(options, carrier);
        switch (options.form()) {
            case ONE -> {
                if (pingPong
                        || !options.work().equals("fast")
                                && !options.isFlat()
                                && !options.work().equals("control")) {
                    throw new IllegalArgumentException(options.work() + " does not work in one thread");
                }
                Works.throughputAlone(options);
            }
            case THREADS -> Works.threads(server, client);
            case PROCESSES -> {
                Process child = child(options);
                server.run();
                join(child);
            }
            case SERVER -> server.run();
            case CLIENT -> client.run();
        }
    }

    /** This program again, as the client, with the same JVM and options. */
    static Process child(Options options, String... more) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(ManagementFactory.getRuntimeMXBean().getInputArguments());
        if (System.getProperty(CHILD) != null) {
            command.add(System.getProperty(CHILD));
        }
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), Bench.class.getName()));
        command.addAll(List.of(commandLine));
        command.addAll(List.of("--form", "client", "--name", options.name()));
        command.addAll(List.of(more));
        return new ProcessBuilder(command).inheritIO().start();
    }

    static void join(Process child) throws InterruptedException {
        if (!child.waitFor(30, TimeUnit.SECONDS)) {
            child.destroyForcibly();
            throw new IllegalStateException("the client's process does not end");
        }
        if (child.exitValue() != 0) {
            throw new IllegalStateException("the client's process ended with " + child.exitValue());
        }
    }
}
