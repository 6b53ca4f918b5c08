package io.github.comch4j.bench;

import io.github.comch4j.cli.program.Cores;
import io.github.comch4j.cli.program.Spin;
import io.github.comch4j.core.ProgressEngine;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/** The works. The hot loops are those of {@code src/jmh/c}, turn by turn. */
final class Works {
    private static final int MASK = Window.TURNS_PER_LOOK - 1;
    private static final int SIGNALS = 8;
    private static final int CALLS_PER_LOOK = 1000;

    private Works() {}

    // ---- throughput

    static void receive(Options options, Carrier carrier) {
        Arrivals arrivals = new Arrivals(options);
        try (Inlet inlet = carrier.inlet(options, arrivals)) {
            Cores.bind(0); // only now: threads that the carrier starts run where they like
            while (arrivals.received() == 0) {
                inlet.poll();
            }
            Window window = new Window(options);
            Spin spin = new Spin();
            long empty = 0;
            for (int turn = 1; ; turn++) {
                int count = inlet.poll();
                if (count == 0) {
                    empty++;
                }
                spin.turned(count > 0);
                if ((turn & MASK) == 0 && window.look(arrivals.received(), empty)) {
                    break;
                }
            }
            inlet.stop();
            window.report(options, options.work(), arrivals.checked());
        }
    }

    static void send(Options options, Carrier carrier) {
        long sent = 0;
        Outlet outlet = carrier.outlet(options);
        Cores.bind(1);
        Spin spin = new Spin();
        long warm = System.nanoTime() + (long) (options.warmup() * 1e9);
        long sentBefore = 0;
        long sentAfter = 0;
        long allocatedBefore = -1; // not warm yet
        long allocated = 0;
        for (int turn = 1; ; turn++) {
            long before = sent;
            sent = sendTurn(outlet, sent);
            spin.turned(sent != before);
            if ((turn & MASK) == 0) {
                if (allocatedBefore >= 0) { // the end of the run is not its steady state
                    allocated = Allocation.bytes() - allocatedBefore;
                    sentAfter = sent;
                }
                if (outlet.isStopped()) {
                    break;
                }
                if (allocatedBefore < 0 && System.nanoTime() - warm >= 0) {
                    allocatedBefore = Allocation.bytes();
                    sentBefore = sent;
                }
            }
        }
        outlet.close();
        reportSender(options, sent, outlet.again(), (double) allocated / Math.max(1, sentAfter - sentBefore));
    }

    /** As many as there is room for, a turn's at most, then everything that completes. */
    private static long sendTurn(Outlet outlet, long sent) {
        int offered = outlet.offer(sent, outlet.turn());
        outlet.progress();
        return sent + offered;
    }

    private static void reportSender(Options options, long sent, long again, double allocated) {
        new Report(options, options.work() + "-sender")
                .value(sent == 0 ? 0 : (double) again / sent, "again/msg")
                .count("sent", sent)
                .count("again", again)
                .number("allocated_per_msg", allocated)
                .print();
    }

    static void throughputAlone(Options options) {
        Arrivals arrivals = new Arrivals(options);
        Loop loop = new Loop();
        boolean flat = options.isFlat();
        boolean fast = options.work().equals("fast") || flat;
        int depth = fast ? SIGNALS : options.depth();
        Endpoint server =
                Endpoint.server(options, loop, depth, fast ? Endpoint.noMessages() : ControlInlet.into(arrivals));
        Endpoint client = Endpoint.client(options, loop, depth, Endpoint.noMessages());
        Inlet inlet = flat
                ? new FlatInlet(options, server, loop.newEngine(), arrivals)
                : fast ? new FastInlet(options, server, loop.newEngine(), arrivals) : new ControlInlet(server);
        Outlet outlet = flat
                ? new FlatOutlet(options, client, loop.newEngine())
                : fast ? new FastOutlet(options, client, loop.newEngine()) : new ControlOutlet(options, client);
        Window window = new Window(options);
        long sent = 0;
        long empty = 0;
        for (int turn = 1; ; turn++) {
            sent = sendTurn(outlet, sent);
            if (inlet.poll() == 0) {
                empty++;
            }
            if ((turn & MASK) == 0 && window.look(arrivals.received(), empty)) {
                break;
            }
        }
        window.report(options, options.work(), arrivals.checked());
        reportSender(options, sent, outlet.again(), 0); // its thread is the receiver's
        loop.close();
    }

    // ---- ping-pong

    static void answer(Options options, Carrier carrier) {
        try (Table table = carrier.answering(options)) {
            Cores.bind(0);
            Spin spin = new Spin();
            long served = 0;
            for (int turn = 1; ; turn++) {
                long before = served;
                served = table.turn();
                spin.turned(served != before);
                if ((turn & MASK) == 0 && table.isOver()) {
                    break;
                }
            }
        }
    }

    static void ask(Options options, Carrier carrier) {
        try (Table table = carrier.asking(options)) {
            Cores.bind(1);
            Rounds rounds = new Rounds(options);
            Spin spin = new Spin();
            long number = 0;
            do {
                table.serve(number++);
                while (table.turn() < number) {
                    spin.turned(false);
                }
                spin.turned(true);
            } while (rounds.record());
            rounds.report(options, options.work());
        }
    }

    // ---- single operations

    private enum Op {
        SUBMIT,
        SEND_COMPLETION,
        RECEIVE_AND_POST,
        PROGRESS_EMPTY,
        MESSAGE_SEND,
        MESSAGE_COMPLETION,
        MESSAGE_RECEIVE;

        long ns;
        long count;

        long spend(long since, int num) {
            long now = System.nanoTime();
            ns += now - since;
            count += num;
            return now;
        }
    }

    static void operations(Options given) {
        Options options = given.with("--form", "one");
        Loop loop = new Loop();
        Arrivals messages = new Arrivals(options);
        Arrivals arrivals = new Arrivals(options);
        Endpoint server = Endpoint.server(options, loop, options.depth(), ControlInlet.into(messages));
        Endpoint client = Endpoint.client(options, loop, options.depth(), Endpoint.noMessages());
        ProgressEngine receiving = loop.newEngine();
        ProgressEngine sending = loop.newEngine();
        FastInlet inlet = new FastInlet(options, server, receiving, arrivals);
        FastOutlet outlet = new FastOutlet(options, client, sending);
        ControlOutlet control = new ControlOutlet(options, client);
        long warm = System.nanoTime() + (long) (options.warmup() * 1e9);
        long end = warm + (long) (options.seconds() * 1e9);
        boolean counting = false;
        for (long now = System.nanoTime(); now - end < 0; now = System.nanoTime()) {
            if (!counting && now - warm >= 0) {
                counting = true;
                for (Op op : Op.values()) {
                    op.ns = 0;
                    op.count = 0;
                }
            }
            fastRound(outlet, arrivals, sending, receiving);
            messageRound(control, messages, client, server, options.depth());
        }
        for (Op op : Op.values()) {
            new Report(options, "ops")
                    .text("op", op.name().toLowerCase(java.util.Locale.ROOT).replace('_', '-'))
                    .value((double) op.ns / op.count, "ns/op")
                    .count("operations", op.count)
                    .print();
        }
        outlet.closeProducer();
        inlet.closeConsumer();
        loop.close();
    }

    private static void fastRound(
            FastOutlet outlet, Arrivals arrivals, ProgressEngine sending, ProgressEngine receiving) {
        long before = arrivals.received();
        int num = 0;
        long since = System.nanoTime();
        while (outlet.trySend(before + num)) {
            num++;
        }
        since = Op.SUBMIT.spend(since, num);
        progress(sending, num);
        since = Op.SEND_COMPLETION.spend(since, num);
        progress(receiving, num);
        since = Op.RECEIVE_AND_POST.spend(since, num);
        progress(receiving, num);
        Op.PROGRESS_EMPTY.spend(since, num);
        if (arrivals.received() != before + num || !outlet.isIdle()) {
            throw new IllegalStateException("a round of " + num + " sends brought " + (arrivals.received() - before));
        }
    }

    private static void messageRound(
            ControlOutlet control, Arrivals messages, Endpoint client, Endpoint server, int depth) {
        long before = messages.received();
        int num = 0;
        long since = System.nanoTime();
        while (num < depth && control.trySend(before + num)) {
            num++;
        }
        since = Op.MESSAGE_SEND.spend(since, num);
        progress(client.engine, num);
        since = Op.MESSAGE_COMPLETION.spend(since, num);
        progress(server.engine, num);
        Op.MESSAGE_RECEIVE.spend(since, num);
        if (messages.received() != before + num || !client.isIdle()) {
            throw new IllegalStateException(
                    "a round of " + num + " messages brought " + (messages.received() - before));
        }
    }

    private static void progress(ProgressEngine engine, int num) {
        for (int i = 0; i < num; i++) {
            engine.progress();
        }
    }

    // ---- connections

    static void idle(Options given) {
        Options options = given.with("--form", "one");
        Loop loop = new Loop();
        Endpoint server = Endpoint.server(options, loop, SIGNALS, Endpoint.noMessages());
        ProgressEngine engine = loop.newEngine();
        List<Endpoint> clients = new ArrayList<>();
        for (int i = 0; i < options.connections(); i++) {
            clients.add(Endpoint.client(options, loop, engine, SIGNALS, Endpoint.noMessages()));
        }
        loop.waitFor("the connections", () -> server.connections == options.connections());
        long warm = System.nanoTime() + (long) (options.warmup() * 1e9);
        long end = warm + (long) (options.seconds() * 1e9);
        Histogram histogram = new Histogram(3);
        long calls = 0;
        long worked = 0;
        long measured = 0;
        long after;
        for (long before = System.nanoTime(); before - end < 0; before = after) {
            for (int i = 0; i < CALLS_PER_LOOK; i++) {
                worked += server.engine.progress() ? 1 : 0;
            }
            after = System.nanoTime();
            if (before - warm >= 0) {
                calls += CALLS_PER_LOOK;
                measured += after - before;
                histogram.recordValue(after - before);
            }
        }
        // the median of blocks: what else runs on the machine must not count
        new Report(options, "idle")
                .count("connections", options.connections())
                .value((double) histogram.getValueAtPercentile(50) / CALLS_PER_LOOK, "ns/op")
                .number("mean", (double) measured / calls)
                .count("operations", calls)
                .count("worked", worked)
                .print();
        clients.forEach(Endpoint::close);
        loop.close();
    }

    static void setup(Options given) {
        Options options = given.with("--form", "one");
        Loop loop = new Loop();
        Endpoint server = Endpoint.server(options, loop, SIGNALS, Endpoint.noMessages());
        ProgressEngine engine = loop.newEngine();
        Histogram histogram = new Histogram(3);
        long warm = System.nanoTime() + (long) (options.warmup() * 1e9);
        long end = warm + (long) (options.seconds() * 1e9);
        long from = 0;
        long cycles = 0;
        long now;
        while ((now = System.nanoTime()) - end < 0) {
            if (from == 0 && now - warm >= 0) {
                from = now;
            }
            Endpoint client = Endpoint.client(options, loop, engine, SIGNALS, Endpoint.noMessages());
            loop.waitFor("the connection", () -> server.connections == 1);
            if (from != 0) {
                histogram.recordValue(System.nanoTime() - now);
            }
            client.close();
            loop.waitFor("its end", () -> server.connections == 0);
            cycles += from == 0 ? 0 : 1;
        }
        new Report(options, "setup")
                .value(cycles * 1e9 / (now - from), "connections/s")
                .count("connections", cycles)
                .percentiles("connect_", histogram)
                .print();
        loop.close();
    }

    // ---- the first message of a process

    static void first(Options options) throws Exception {
        if (options.form() == Options.Form.CLIENT) {
            firstClient(options);
            return;
        }
        long[] arrived = new long[2]; // when the child was started, when its message came
        Loop loop = new Loop();
        Endpoint server = Endpoint.server(options, loop, SIGNALS, (from, message) -> {
            arrived[0] = message.get(ValueLayout.JAVA_LONG, 0);
            arrived[1] = System.nanoTime();
        });
        Process child = Bench.child(options, "--since", Long.toString(System.nanoTime()));
        loop.waitFor("the message", () -> arrived[1] != 0);
        Arrivals arrivals = new Arrivals(options);
        FastInlet inlet = new FastInlet(options, server, loop.newEngine(), arrivals);
        loop.waitFor("the fast-path message", () -> arrivals.received() > 0);
        long fast = System.nanoTime();
        loop.waitFor("the child's end", () -> server.signal == Endpoint.DONE);
        new Report(options.with("--form", "processes"), "first")
                .value((arrived[1] - arrived[0]) / 1e6, "ms")
                .number("fast_ms", (fast - arrived[0]) / 1e6)
                .print();
        inlet.close();
        Bench.join(child);
        loop.close();
    }

    private static void firstClient(Options options) {
        Loop loop = new Loop();
        Endpoint client = Endpoint.client(options, loop, SIGNALS, Endpoint.noMessages());
        MemorySegment message = Arena.ofAuto().allocate(ValueLayout.JAVA_LONG);
        message.set(ValueLayout.JAVA_LONG, 0, options.since());
        loop.waitFor("room", () -> client.connection.trySend(message).accepted());
        FastOutlet outlet = new FastOutlet(options, client, loop.newEngine());
        loop.waitFor("room", () -> outlet.trySend(0));
        outlet.close();
        loop.close();
    }

    /** The same over a Unix-domain socket: what a JVM takes in any case. */
    static void firstOverUnix(Options options) throws Exception {
        ByteBuffer message = ByteBuffer.allocate(Long.BYTES);
        if (options.form() == Options.Form.CLIENT) {
            try (SocketChannel socket = UnixSockets.connect(options)) {
                socket.write(message.putLong(options.since()).flip());
            }
            return;
        }
        ServerSocketChannel server = UnixSockets.serve(options);
        Process child = Bench.child(options, "--since", Long.toString(System.nanoTime()));
        try (SocketChannel socket = server.accept()) {
            while (message.hasRemaining() && socket.read(message) >= 0) {
                Thread.onSpinWait();
            }
            long now = System.nanoTime();
            new Report(options.with("--form", "processes"), "first")
                    .value((now - message.flip().getLong()) / 1e6, "ms")
                    .print();
        }
        UnixSockets.close(server, options);
        Bench.join(child);
    }

    /** Runs one side in a thread and the other one in this thread. */
    static void threads(Runnable server, Runnable client) throws InterruptedException {
        Thread thread = new Thread(client, "client");
        thread.setDaemon(true);
        thread.setUncaughtExceptionHandler((self, thrown) -> {
            thrown.printStackTrace();
            Runtime.getRuntime().halt(1); // the peer would wait for ever
        });
        thread.start();
        server.run();
        thread.join(TimeUnit.SECONDS.toMillis(30));
        if (thread.isAlive()) {
            throw new IllegalStateException("the client's thread does not end");
        }
    }
}
