package io.github.comch4j.cli;

import io.github.comch4j.cli.program.Interrupt;
import io.github.comch4j.cli.program.ProgramException;
import io.github.comch4j.cli.program.Terminals;
import io.github.comch4j.cli.program.ToolThreads;
import io.github.comch4j.comch.ConnectionClosedException;
import io.github.comch4j.comch.LinkState;
import io.github.comch4j.io.MessageServerSocket;
import io.github.comch4j.io.MessageSocket;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.time.Duration;
import java.util.Arrays;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code comch recv}. */
@Command(
        name = "recv",
        description = "Receive what \"comch send\" sends on the other side, and write it to stdout or into a command.",
        exitCodeList = {
            "0:everything that was sent has been written",
            "1:something is missing, or a command failed; stderr says why"
        },
        footer = {
            "  comch recv >image.bin                  from one client",
            "  comch recv --keep --lines              from all clients, until Ctrl-C",
            "  comch recv --keep --exec 'tr a-z A-Z'  a command answers each client"
        })
final class RecvCommand extends ToolCommand implements Runnable, UsesDevice {
    private static final Duration MOMENT = Duration.ofMillis(200);
    private static final Duration FOR_EVER = Duration.ofDays(1000);
    /** How long the other end has to leave when all is said. */
    private static final long FAREWELL_NANOS = 5_000_000_000L;

    @Mixin
    private final ServerName name = new ServerName(SendCommand.NAME);

    @Option(
            names = {"-L", "--lines"},
            description = "write each message as a line; add a line end if it has none")
    private boolean lines;

    @Option(
            names = {"-n", "--clients"},
            paramLabel = "N",
            description = "on the DPU: end after N clients (${DEFAULT-VALUE})")
    private int clients = 1;

    @Option(
            names = {"-k", "--keep"},
            description = "on the DPU: accept any number of clients, until Ctrl-C")
    private boolean keep;

    @Option(
            names = {"-e", "--exec"},
            paramLabel = "CMD",
            description = "run CMD with sh for each client, with the client's number in COMCH_CLIENT; CMD reads"
                    + " what the client sends, and the client gets what CMD writes")
    private @Nullable String command;

    @Option(
            names = "--plain",
            description = "the peer is not comch: send it only the messages; it can leave at any time")
    private boolean plain;

    @Mixin
    private Meeting meeting;

    private final TrafficCount traffic = new TrafficCount();
    private final OutputStream out = Terminals.stdout();
    private final AtomicReference<@Nullable RuntimeException> failure = new AtomicReference<>();
    private final Set<Process> running = ConcurrentHashMap.newKeySet();
    private volatile boolean stopped;
    private volatile boolean outIsClosed;
    private int come;

    @Override
    public void run() {
        within("--clients", clients, 1, Integer.MAX_VALUE);
        if (keep) {
            without("with --keep there is no last one", "--clients");
        }
        try (Meeting.End end = meeting.open(name.get(), true);
                MessageServerSocket server = end.listens() ? end.listen(plain) : null;
                Interrupt interrupt = new Interrupt()) {
            Set<Thread> threads = ConcurrentHashMap.newKeySet();
            if (server == null) {
                MessageSocket peer = interrupt.during(() -> end.connect(plain, "comch send"));
                if (peer != null) {
                    serve(peer, threads);
                }
                clients = 1;
                keep = false;
            } else if (common.verbose()) {
                System.err.println("comch: waits for clients as \"" + name + "\"");
            }
            while (!interrupt.stopped() && !outIsClosed && (keep || come < clients)) {
                MessageSocket next = server.accept(MOMENT);
                if (next != null) {
                    serve(next, threads);
                }
            }
            if (server != null) {
                server.shutdown();
            }
            while (!interrupt.stopped() && threads.stream().anyMatch(Thread::isAlive)) {
                ToolThreads.pause();
            }
            stopped = true;
            running.forEach(Process::destroy);
            if (interrupt.stopped() || common.verbose()) {
                System.err.println("comch: received " + traffic + ", of " + come + " client" + (come == 1 ? "" : "s"));
            }
            RuntimeException why = failure.get();
            if (!interrupt.stopped() && why != null) {
                throw why;
            }
        }
    }

    private void serve(MessageSocket client, Set<Thread> threads) {
        int number = ++come;
        threads.removeIf(thread -> !thread.isAlive());
        threads.add(ToolThreads.start("client", () -> {
            boolean said = false;
            try {
                if (command == null) {
                    receive(client, out, () -> true);
                } else {
                    execute(client, number);
                }
                said = true;
            } catch (ConnectionClosedException e) {
                if (!plain && !client.isInputShutdown()) {
                    failed(number, "has left without saying that it had sent everything");
                }
            } catch (IOException e) {
                failed(number, "has sent what cannot be written: " + e.getMessage());
            } catch (RuntimeException e) {
                failed(number, "cannot be talked to: " + e.getMessage());
            } finally {
                leave(client, said);
            }
        }));
    }

    /** Is told at once where others go on, and else in the end. */
    private void failed(int number, String what) {
        if (stopped) {
            return;
        }
        String sentence = (keep || clients > 1 ? "client " + number : "the other end") + " " + what;
        if (!failure.compareAndSet(null, new ProgramException(sentence)) || keep) {
            System.err.println("comch: " + sentence);
        }
    }

    /** Writes what a client sends, until it has said that it sends no more, or nobody wants it. */
    private void receive(MessageSocket client, OutputStream to, BooleanSupplier isWanted) throws IOException {
        try {
            while (!stopped && isWanted.getAsBoolean()) {
                byte[] message = client.receive(Duration.ZERO);
                if (message == null) {
                    write(to, null);
                    message = client.receive(MOMENT);
                }
                if (message != null) {
                    traffic.add(message.length);
                    write(to, message);
                } else if (client.isInputShutdown()) {
                    return;
                }
            }
        } finally {
            write(to, null);
        }
    }

    /** Without a message: what has been written goes out, as for now there is no more. */
    private void write(OutputStream to, byte @Nullable [] message) throws IOException {
        synchronized (to) {
            try {
                if (message == null) {
                    to.flush();
                } else {
                    to.write(message);
                    if (lines && message[message.length - 1] != '\n') {
                        to.write('\n');
                    }
                }
            } catch (IOException e) {
                if (to == out) {
                    outIsClosed = true;
                    throw e;
                }
                // a command reads no more, as head does when it has enough
            }
        }
    }

    private void execute(MessageSocket client, int number) throws IOException {
        ProcessBuilder builder = new ProcessBuilder("sh", "-c", command).redirectError(ProcessBuilder.Redirect.INHERIT);
        builder.environment().put("COMCH_CLIENT", Integer.toString(number));
        Process process = builder.start();
        running.add(process);
        try {
            Thread answers = ToolThreads.start("answers", () -> answers(process.getInputStream(), client));
            boolean left = false;
            try {
                receive(client, process.getOutputStream(), process::isAlive);
            } catch (ConnectionClosedException e) {
                left = !client.isInputShutdown() && !plain;
            } finally {
                close(process.getOutputStream());
            }
            int status = process.waitFor();
            answers.join();
            if (left) {
                failed(number, "has left without saying that it had sent everything");
            } else if (status != 0 && !stopped) {
                failed(number, "had a command that ended with " + status);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            running.remove(process);
            process.destroy();
        }
    }

    private static void close(OutputStream in) {
        try {
            in.close();
        } catch (IOException e) {
            // what it did not want to read
        }
    }

    private void answers(InputStream from, MessageSocket client) {
        try (from) {
            int most = client.maxMessageSize();
            byte[] buffer = new byte[most];
            for (int read = from.read(buffer); read >= 0; read = from.read(buffer)) {
                client.send(Arrays.copyOf(buffer, read), FOR_EVER);
            }
        } catch (IOException | RuntimeException e) {
            // it has left, which its other direction tells
        }
    }

    /**
     * Lets the client go first: then nothing is lost on its way.
     *
     * @param said whether to tell it that all is well, and no more comes
     */
    private void leave(MessageSocket client, boolean said) {
        try {
            if (said && !plain && !stopped) {
                client.shutdownOutput(MOMENT.multipliedBy(10));
                long until = System.nanoTime() + FAREWELL_NANOS;
                while (!stopped && System.nanoTime() - until < 0 && client.state() == LinkState.CONNECTED) {
                    ToolThreads.pause();
                }
            }
            client.close();
        } catch (RuntimeException e) {
            // it has left
        }
    }
}
