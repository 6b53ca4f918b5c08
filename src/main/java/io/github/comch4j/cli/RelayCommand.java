package io.github.comch4j.cli;

import io.github.comch4j.cli.program.Interrupt;
import io.github.comch4j.cli.program.ProgramException;
import io.github.comch4j.cli.program.TextFile;
import io.github.comch4j.cli.program.ToolThreads;
import io.github.comch4j.cli.relay.Relay;
import io.github.comch4j.cli.relay.RelayEndpoint;
import io.github.comch4j.streams.PeerLimits;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import org.jline.utils.Signals;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code comch relay}: programs that know TCP and Unix sockets, over Comch. */
@Command(
        name = "relay",
        description = {
            "Connect sockets of one side to sockets of the other over Comch, for programs that use TCP or Unix"
                    + " sockets.",
            "An address is unix:PATH[,mode=0660][,user=NAME][,group=NAME], tcp:[HOST:]PORT, - (stdin and stdout),"
                    + " exec:COMMAND, or comch:NAME. In each pair, exactly one address must be comch:NAME."
        },
        footer = {
            "  comch relay comch:redis tcp:6379              on the DPU, where Redis is",
            "  comch relay unix:/run/redis.sock comch:redis  on the host",
            "  redis-cli -s /run/redis.sock",
            "  ssh -o ProxyCommand='comch relay - comch:ssh' dpu"
        })
final class RelayCommand extends ToolCommand implements Runnable, UsesDevice {
    private static final long MOST = Integer.MAX_VALUE;

    @Parameters(
            arity = "0..*",
            paramLabel = "FROM TO",
            description = "pairs: where streams come from, and where they go")
    private List<String> words = new ArrayList<>();

    @Option(
            names = {"-f", "--file"},
            order = 10,
            paramLabel = "FILE",
            description = "read more pairs from FILE, one per line; on SIGHUP, read it again")
    private @Nullable Path file;

    @Option(
            names = "--check",
            order = 11,
            description = "report everything that is wrong with the pairs, and start nothing")
    private boolean check;

    @Mixin
    private Meeting meeting;

    @Option(
            names = "--drain",
            order = 74,
            paramLabel = "SECONDS",
            defaultValue = "10",
            description = "after SIGTERM, how long streams may continue (${DEFAULT-VALUE})")
    private Duration drain;

    @Option(
            names = "--streams",
            order = 75,
            paramLabel = "N",
            description = "maximum number of streams of a connection at a time (${DEFAULT-VALUE})")
    private int streams = 4096;

    @Option(
            names = "--connections",
            order = 76,
            paramLabel = "N",
            description = "on the DPU: maximum number of connections of a name at a time (${DEFAULT-VALUE})")
    private int connections = 64;

    @Option(
            names = "--window",
            order = 77,
            paramLabel = "SIZE",
            defaultValue = "256K",
            converter = OptionConverters.Size.class,
            description = "maximum number of unread bytes of a stream (${DEFAULT-VALUE})")
    private long window;

    @Override
    public void run() {
        List<RelayEndpoint.Pair> pairs = pairs();
        PeerLimits limits;
        try {
            limits = new PeerLimits((int) Math.min(window, MOST), streams, connections, drain);
        } catch (IllegalArgumentException e) {
            throw wrong("--window, --streams, --connections: " + e.getMessage());
        }
        if (check) {
            System.err.println("comch: nothing is wrong with the pairs: " + pairs.size());
            return;
        }
        DeviceChoice.DeviceAndFunction place = meeting.place(pairs.getFirst().serves());
        try (Interrupt interrupt = new Interrupt(drain.plusSeconds(10))) {
            boolean clean = false;
            try (Relay relay =
                    new Relay(place.device(), place.function(), limits, meeting.timeout(), common.verbose())) {
                relay.start(pairs);
                relay.tellServiceManager("READY=1");
                if (relay.endsByItself()) {
                    foreground(relay, interrupt);
                    relay.drain();
                } else {
                    clean = serve(relay, interrupt);
                }
            }
            if (clean) {
                Runtime.getRuntime().halt(0); // Java's own status after a signal is 143
            }
        } catch (IOException e) {
            throw new ProgramException("the stream has ended early: " + e.getMessage(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Until it has ended; Ctrl-C ends it at once. */
    private static void foreground(Relay relay, Interrupt interrupt) throws IOException, InterruptedException {
        FutureTask<Boolean> work = new FutureTask<>(() -> {
            relay.runForeground();
            return true;
        });
        ToolThreads.start("comch-relay-foreground", work);
        ToolThreads.start("comch-relay-interrupt", () -> {
            try {
                interrupt.await();
                work.cancel(true);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        try {
            work.get();
        } catch (CancellationException e) {
            relay.resetForeground(); // also where nobody takes what it writes
        } catch (ExecutionException e) {
            if (e.getCause() instanceof IOException failure) {
                throw failure;
            }
            throw e.getCause() instanceof RuntimeException failure ? failure : new IllegalStateException(e);
        }
    }

    /** SIGHUP: the file again, all of it or nothing. */
    private synchronized void reload(Relay relay) {
        try {
            List<RelayEndpoint.Pair> wanted = pairs();
            if (wanted.stream().anyMatch(RelayEndpoint.Pair::isOnce)) {
                throw new ProgramException("stdin and stdout cannot be added to a relay that runs");
            }
            relay.tellServiceManager("RELOADING=1");
            relay.replace(wanted);
            relay.tellServiceManager("READY=1");
        } catch (ProgramException e) {
            relay.say(e.getMessage() + "\ncomch: the pairs stay as they are");
        }
    }

    /** Until it is to end, which streams may outlast for some time. Returns whether none had to be cut. */
    private boolean serve(Relay relay, Interrupt interrupt) throws InterruptedException {
        if (file != null) {
            Signals.register("HUP", () -> reload(relay));
        }
        try (AutoCloseable _ = relay.showBeans()) {
            interrupt.await();
            relay.tellServiceManager("STOPPING=1");
            return relay.drain();
        } catch (InterruptedException e) {
            throw e;
        } catch (Exception e) {
            throw new IllegalStateException("no beans", e); // their names are this program's alone
        }
    }

    private List<RelayEndpoint.Pair> pairs() {
        if (words.size() % 2 != 0) {
            throw wrong("\"" + words.getLast() + "\" is alone: addresses come in pairs, FROM TO");
        }
        List<RelayEndpoint.Pair> pairs = new ArrayList<>();
        RelayEndpoint.Together together = new RelayEndpoint.Together();
        try {
            for (int i = 0; i < words.size(); i += 2) {
                pairs.add(together.add(RelayEndpoint.pair(words.get(i), words.get(i + 1))));
            }
        } catch (ProgramException e) {
            throw wrong(String.valueOf(e.getMessage()));
        }
        if (file != null) {
            addPairs(file, together, pairs);
        }
        if (pairs.isEmpty()) {
            throw wrong("there is no pair, FROM TO");
        }
        return pairs;
    }

    /** Those of the file, or all that is wrong with it. */
    private static void addPairs(Path file, RelayEndpoint.Together together, List<RelayEndpoint.Pair> pairs) {
        List<String> lines;
        try {
            lines = TextFile.lines(file);
        } catch (NoSuchFileException e) {
            throw new ProgramException("there is no file " + file, e);
        } catch (IOException e) {
            throw new ProgramException(file + " cannot be read: " + e.getMessage(), e);
        }
        List<String> wrong = new ArrayList<>();
        for (int i = 0; i < lines.size(); i++) {
            try {
                RelayEndpoint.Pair pair = RelayEndpoint.ofLine(lines.get(i));
                if (pair != null) {
                    pairs.add(together.add(pair));
                }
            } catch (ProgramException e) {
                wrong.add(file + ":" + (i + 1) + ": " + e.getMessage());
            }
        }
        if (!wrong.isEmpty()) {
            throw new ProgramException(String.join("\ncomch: ", wrong));
        }
    }
}
