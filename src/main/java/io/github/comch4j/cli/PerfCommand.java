package io.github.comch4j.cli;

import io.github.comch4j.cli.perf.MsgqRun;
import io.github.comch4j.cli.perf.PerfClient;
import io.github.comch4j.cli.perf.PerfEndpoint;
import io.github.comch4j.cli.perf.PerfFigures;
import io.github.comch4j.cli.perf.PerfOutcome;
import io.github.comch4j.cli.perf.PerfPath;
import io.github.comch4j.cli.perf.PerfServer;
import io.github.comch4j.cli.perf.Plan;
import io.github.comch4j.cli.perf.Plot;
import io.github.comch4j.cli.perf.Units;
import io.github.comch4j.cli.program.Interrupt;
import io.github.comch4j.cli.program.Json;
import io.github.comch4j.cli.program.ProgramException;
import io.github.comch4j.cli.program.Terminals;
import io.github.comch4j.cli.program.ToolThreads;
import io.github.comch4j.core.PciAddress;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code comch perf}: throughput and latency, of a server and a client. */
@Command(
        name = "perf",
        description = {
            "Measure how fast messages go from a client on the host to a server on the DPU. Start the server"
                    + " first, with --server; the client sends it the settings. Ctrl-C stops and prints the table."
        },
        footer = {
            "  comch perf --server                          on the DPU",
            "  comch perf                                   on the host: slots of 64 bytes",
            "  comch perf buffers -a --svg buffers.svg      each size up to 1M, and a plot",
            "  comch perf control --latency -n 100000       round trips, with percentiles",
            "  DOCA_EMU_SIDE=both comch perf --local        both ends here"
        })
final class PerfCommand extends ToolCommand implements Runnable, UsesDevice {
    private static final String NAME = "comch4j-perf";
    private static final List<String> OF_SERVERS =
            List.of("--server", "--clients", "--device", "--representor", "--name", "--library", "--verbose");
    private static final double MOVED = 1.5; // processors whose distance differs by this factor have moved
    private static final long SHORT_WARMUP = 500_000_000; // what is compiled already

    @Parameters(
            index = "0",
            arity = "0..1",
            paramLabel = "KIND",
            description = "what carries the messages: control (path), buffers, slots, records, calls, sockets, or"
                    + " msgq, which needs a DPA (slots)")
    private @Nullable PerfPath kind;

    @Option(names = "--server", description = "be the server on the DPU, until Ctrl-C")
    private boolean server;

    @Option(names = "--local", description = "run both ends in this process; the emulated BlueField can do this")
    private boolean local;

    @Option(
            names = {"-L", "--latency"},
            description = "measure round trips: each message comes back before the next one is sent")
    private boolean latency;

    @Option(
            names = {"-b", "--bidirectional"},
            description = "the server sends, too")
    private boolean bothWays;

    @Option(
            names = {"-s", "--size"},
            paramLabel = "BYTES",
            split = ",",
            converter = OptionConverters.Size.class,
            description = "the size of each message: 64, 4K, …; separate several by commas (64)")
    private List<Long> sizes = List.of(64L);

    @Option(
            names = {"-a", "--all"},
            description = "all powers of two from 8 to 1M that this kind supports")
    private boolean allSizes;

    @Option(
            names = {"-D", "--duration"},
            paramLabel = "SECONDS",
            defaultValue = "2",
            description = "how long each size is measured (${DEFAULT-VALUE})")
    private Duration duration;

    @Option(
            names = {"-n", "--count"},
            paramLabel = "N",
            description = "instead of --duration: messages of each thread and direction")
    private long count;

    @Option(
            names = {"-w", "--warmup"},
            paramLabel = "SECONDS",
            defaultValue = "2",
            description = "warm-up that is not counted; 0.5 for all sizes but the first (${DEFAULT-VALUE})")
    private Duration warmup;

    @Option(
            names = {"-T", "--threads"},
            paramLabel = "N",
            description = "threads of each end, each with its own connection (${DEFAULT-VALUE})")
    private int threads = 1;

    @Option(
            names = {"-t", "--depth"},
            paramLabel = "N",
            description = "number of tasks and posted buffers, or of callers (256; 32 for latency and for long"
                    + " messages)")
    private int depth;

    @Option(
            names = "--burst",
            paramLabel = "N",
            description = "messages to submit before taking completions (64; records 256)")
    private int burst;

    @Option(
            names = "--pause",
            paramLabel = "SECONDS",
            defaultValue = "0",
            description = "with --latency, for calls and sockets: how long the asking thread pauses after each"
                    + " answer; also prints this process's processor time (${DEFAULT-VALUE})")
    private Duration pause;

    @Option(names = "--no-pin", description = "do not pin each thread to a processor")
    private boolean unbound;

    @Option(names = "--plot", description = "also print bars in the terminal")
    private boolean plot;

    @Option(names = "--svg", paramLabel = "FILE", description = "also write a plot")
    private @Nullable Path svg;

    @Option(
            names = "--csv",
            paramLabel = "FILE",
            description = "also write CSV; \"-\": to stdout, and print nothing else there")
    private @Nullable String csv;

    @Option(
            names = "--json",
            paramLabel = "FILE",
            description = "also write JSON; \"-\": to stdout, and print nothing else there")
    private @Nullable String json;

    @Mixin
    private DeviceChoice choice;

    @Mixin
    private final ServerName named = new ServerName(NAME);

    @Option(names = "--clients", paramLabel = "N", description = "server only: end after N clients")
    private int clients = Integer.MAX_VALUE;

    @Option(names = "--kernel", paramLabel = "FILE", description = "msgq only: the kernel's library, as made by dpacc")
    private @Nullable Path kernel;

    @Option(
            names = {"-W", "--timeout"},
            paramLabel = "SECONDS",
            defaultValue = "10",
            description = "how long to wait for the server (${DEFAULT-VALUE})")
    private Duration timeout;

    private final List<PerfOutcome> outcomes = new ArrayList<>();
    private final List<Double> distances = new ArrayList<>();
    private String name;
    private boolean drawn;

    @Override
    public void run() {
        name = named.get();
        within("--clients", clients, 1, Integer.MAX_VALUE);
        for (long size : sizes) {
            within("--size", size, 1, 1 << 30);
        }
        if (server && kind != null) {
            throw wrong("--server: its settings come from the client");
        }
        if (server) {
            only("a server has its settings from the client", OF_SERVERS);
        } else {
            without("is for --server", "--clients");
        }
        if (!server && !local) {
            without("is for --server", "--representor");
        }
        if (kind == PerfPath.MSGQ) {
            latency = true;
        }
        if (!server) {
            check();
        }
        try (Interrupt interrupt = new Interrupt()) {
            run(interrupt);
        } catch (IOException e) {
            throw new ProgramException("input or output failed: " + e.getMessage(), e);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e); // nobody interrupts the main thread
        }
    }

    /** Before anybody is connected to. */
    private void check() {
        try {
            for (long size : sizes) {
                plan((int) size, 0, null);
            }
        } catch (ProgramException e) {
            throw wrong(String.valueOf(e.getMessage()));
        }
    }

    private void run(Interrupt interrupt) throws IOException, InterruptedException {
        if (server) {
            serve(place(true), clients, interrupt, System.out::println, () -> {});
        } else if (kind == PerfPath.MSGQ) {
            measure(interrupt, null);
        } else if (local) {
            both(interrupt);
        } else {
            client(interrupt);
        }
    }

    private PerfEndpoint place(boolean ofServer) {
        PciAddress device = local ? DeviceChoice.first(ofServer) : choice.device(ofServer);
        DeviceChoice.DeviceAndFunction place = choice.place(device, ofServer);
        return new PerfEndpoint(device, place.function(), name);
    }

    private static void serve(
            PerfEndpoint place,
            int clients,
            Interrupt interrupt,
            java.util.function.Consumer<String> say,
            Runnable begun) {
        int served = new PerfServer(place, interrupt::stopped, say).run(clients, begun);
        say.accept(served + (served == 1 ? " client has" : " clients have") + " measured");
    }

    /** The server is a thread of this process. */
    private void both(Interrupt interrupt) throws IOException, InterruptedException {
        CompletableFuture<@Nullable Void> begun = new CompletableFuture<>();
        PerfEndpoint place = place(true);
        Thread thread = ToolThreads.start("perf-server", () -> {
            try {
                serve(place, 1, interrupt, line -> {}, () -> begun.complete(null));
            } catch (RuntimeException e) {
                begun.completeExceptionally(e);
            }
        });
        try {
            begun.join();
        } catch (CompletionException e) {
            throw e.getCause() instanceof RuntimeException cause ? cause : e;
        }
        client(interrupt);
        thread.join();
    }

    private void client(Interrupt interrupt) throws IOException, InterruptedException {
        PerfEndpoint place = place(false);
        try (PerfClient client = new PerfClient(place, timeout, interrupt::stopped)) {
            if (!quiet()) {
                System.out.println(place.device() + " is connected to \"" + name + "\" on "
                        + (client.isOneMachine() ? "the same machine" : client.server("host")) + " (DOCA "
                        + client.server("doca") + " there)");
            }
            measure(interrupt, client);
        }
    }

    /** With what was measured until then also after a failure. */
    private void measure(Interrupt interrupt, @Nullable PerfClient client) throws IOException, InterruptedException {
        PerfClient.Live live =
                Terminals.isTerminal(Terminals.STDOUT) && !quiet() ? this::draw : (plan, ns, moved, rate) -> {};
        try {
            look(client);
            long warm = warmup.toNanos();
            for (int size : sizes(client)) {
                if (interrupt.stopped()) {
                    break;
                }
                Plan plan = plan(size, warm, client);
                outcomes.add(
                        client != null
                                ? client.run(plan, live)
                                : new MsgqRun(choice.device(false), kernel).run(plan, interrupt::stopped, live));
                warm = Math.min(warm, SHORT_WARMUP);
            }
            look(client);
        } finally {
            tell(client);
        }
    }

    private void look(@Nullable PerfClient client) throws InterruptedException {
        if (client != null && !unbound && chosen().isBound()) {
            OptionalDouble distance = client.distance();
            distance.ifPresent(distances::add);
        }
    }

    private PerfPath chosen() {
        return kind == null ? PerfPath.SLOTS : kind;
    }

    private List<Integer> sizes(@Nullable PerfClient client) {
        if (!allSizes) {
            return sizes.stream().map(Long::intValue).toList();
        }
        long most = chosen().longest(client == null ? 64 : client.longestMessage());
        List<Integer> all = new ArrayList<>();
        for (int size = 8; size <= most && size <= 1 << 20; size *= 2) {
            all.add(size);
        }
        return all;
    }

    private Plan plan(int size, long warm, @Nullable PerfClient client) {
        PerfPath carrier = chosen();
        Plan.Binding binding = unbound || !carrier.isBound()
                ? Plan.Binding.NONE
                : client != null && client.isOneMachine() ? Plan.Binding.SHARED : Plan.Binding.OWN;
        return new Plan(
                carrier,
                latency,
                bothWays,
                size,
                depth > 0 ? depth : carrier.depth(latency, size),
                burst > 0 ? burst : carrier.burst(),
                threads,
                warm,
                duration.toNanos(),
                count,
                pause.toNanos(),
                binding);
    }

    // ---- what is said

    private boolean quiet() {
        return "-".equals(csv) || "-".equals(json);
    }

    private void draw(Plan plan, long nanos, long moved, double rate) {
        long left = plan.warmup() + (plan.latency() ? plan.length() * 3 / 2 : plan.length()) - nanos;
        String phase = nanos < plan.warmup()
                ? "warm-up"
                : plan.count() > 0 ? moved + " so far" : "%.0f s left".formatted(Math.max(0, left) / 1e9);
        System.out.print("\r%s: %.3f %s, %.0f MB/s, %s\033[K"
                .formatted(
                        Units.size(plan.size()),
                        rate / 1e6,
                        plan.latency() ? "Mround/s" : "Mmsg/s",
                        rate * plan.size() / 1e6,
                        phase));
        System.out.flush();
        drawn = true;
    }

    private void tell(@Nullable PerfClient client) throws IOException {
        if (drawn) {
            System.out.print("\r\033[K");
            drawn = false;
        }
        if (outcomes.isEmpty()) {
            return;
        }
        if (!quiet()) {
            print(System.out);
        }
        write(csv, PerfFigures.csv(outcomes));
        write(json, Json.of(map(client)));
        if (svg != null) {
            Files.writeString(svg, Plot.of(outcomes).svg());
        }
    }

    private void print(PrintStream out) {
        Plan plan = outcomes.getFirst().plan();
        String first = Units.size(plan.size());
        String last = Units.size(outcomes.getLast().plan().size());
        out.println(plan.described(first.equals(last) ? first : first + " to " + last));
        if (!distances.isEmpty()) {
            double least =
                    distances.stream().mapToDouble(Double::doubleValue).min().orElseThrow();
            double most =
                    distances.stream().mapToDouble(Double::doubleValue).max().orElseThrow();
            out.println("processors: %.0f ns apart before, %.0f ns after, a word there and back%s"
                    .formatted(
                            distances.getFirst(),
                            distances.getLast(),
                            most > MOVED * least ? ": it has changed, do not compare these figures with others" : ""));
        }
        PerfFigures.table(outcomes, out);
        if (plot) {
            Plot.of(outcomes).print(out);
        }
    }

    private static void write(@Nullable String file, String text) throws IOException {
        if (file == null) {
            return;
        }
        if (file.equals("-")) {
            System.out.print(text);
        } else {
            Files.writeString(Path.of(file), text);
        }
    }

    private Map<String, Object> map(@Nullable PerfClient client) {
        Map<String, Object> map = new LinkedHashMap<>();
        if (client != null) {
            map.put("one_machine", client.isOneMachine());
            map.put("server_host", client.server("host"));
            map.put("server_doca", client.server("doca"));
        }
        map.put("processors_ns", distances);
        map.put("runs", outcomes.stream().map(PerfFigures::json).toList());
        return map;
    }
}
