package io.github.comch4j.cli.relay;

import io.github.comch4j.cli.program.ProgramException;
import io.github.comch4j.cli.program.ToolThreads;
import io.github.comch4j.core.PciAddress;
import io.github.comch4j.management.MBeans;
import io.github.comch4j.streams.BlockingStream;
import io.github.comch4j.streams.ConnectionWatch;
import io.github.comch4j.streams.IncomingStream;
import io.github.comch4j.streams.PeerLimits;
import io.github.comch4j.streams.Splice;
import io.github.comch4j.streams.StreamOpener;
import io.github.comch4j.streams.StreamRefusedException;
import io.github.comch4j.streams.StreamServing;
import io.netty.channel.Channel;
import io.netty.channel.socket.DuplexChannel;
import io.netty.handler.codec.http2.Http2StreamChannel;
import io.netty.util.concurrent.Future;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import org.jspecify.annotations.Nullable;

/** The pairs of a command line, at work. */
@SuppressWarnings("FutureReturnValueIgnored") // what fails is told where it ends
public final class Relay implements AutoCloseable {
    /** The peer of a stream that comes over Comch. */
    private static final String OTHER_SIDE = "the other side";

    private static final long LOOK_NANOS = 10_000_000;

    private final PeerLimits limits;
    private final Duration patience;
    private final RelayReport report;
    private final RelaySide side;
    private final LocalSockets sockets;
    private final Map<String, StreamOpener> openers = new HashMap<>();
    private final Map<String, StreamServing> servings = new HashMap<>();
    private final Map<RelayEndpoint.Pair, List<AutoCloseable>> pairs =
            new LinkedHashMap<>(); // with what is listened at
    private @Nullable Foreground foreground;
    private boolean draining;

    /**
     * Has no pairs yet.
     *
     * @param device this side's
     * @param function on the DPU, the host's function that is served; null on the host
     * @param patience how long who connects waits for the other side
     * @param verbose whether each stream is told
     */
    public Relay(
            PciAddress device, @Nullable PciAddress function, PeerLimits limits, Duration patience, boolean verbose) {
        this.limits = limits;
        this.patience = patience;
        this.report = new RelayReport(verbose);
        this.side = new RelaySide(device, function);
        this.sockets = new LocalSockets(side.loop());
    }

    /** Begins with these, which are {@linkplain RelayEndpoint.Together together}. */
    public void start(List<RelayEndpoint.Pair> begun) {
        List<String> serves = new ArrayList<>();
        if (begun.stream().noneMatch(RelayEndpoint.Pair::isOnce)) {
            WarmUp.run(limits);
        }
        begun.forEach(pair -> serves.add(start(pair)));
        if (!endsByItself()) {
            report.addTimes();
            serves.forEach(report::say);
        }
    }

    /** Returns what is to be said of it. */
    private String start(RelayEndpoint.Pair pair) {
        String name = pair.service().name();
        String said = "serves " + pair;
        List<AutoCloseable> parts = List.of();
        if (pair.isOnce()) {
            foreground = new Foreground(pair);
        }
        if (pair.serves()) {
            serve(name, pair);
        } else {
            StreamOpener opener = openers.computeIfAbsent(name, this::opener);
            if (!pair.isOnce()) {
                LocalSockets.Listening listening = sockets.listen(pair.from(), socket -> dial(pair, opener, socket));
                parts = listening.parts();
                said += ": listens at " + listening.at();
            }
        }
        pairs.put(pair, parts);
        return said;
    }

    /**
     * Goes on with these pairs, {@linkplain RelayEndpoint.Together together}: ends those that are no longer there,
     * whose streams may finish within the limit for draining, and begins those that are new. A new one that cannot be
     * begun is told and left out. None of them may be one that ends by itself.
     */
    public synchronized void replace(List<RelayEndpoint.Pair> wanted) {
        if (draining) {
            return;
        }
        List<RelayEndpoint.Pair> ended =
                pairs.keySet().stream().filter(pair -> !wanted.contains(pair)).toList();
        ended.forEach(this::end);
        for (RelayEndpoint.Pair pair : wanted) {
            if (!pairs.containsKey(pair)) {
                try {
                    report.say(start(pair));
                } catch (ProgramException e) {
                    report.say(String.valueOf(e.getMessage()));
                }
            }
        }
    }

    private void end(RelayEndpoint.Pair pair) {
        String name = pair.service().name();
        LocalSockets.stop(pairs.getOrDefault(pair, List.of()));
        pairs.remove(pair);
        if (pairs.keySet().stream().noneMatch(other -> other.service().name().equals(name))) {
            side.stop(name);
            StreamServing serving = servings.remove(name);
            if (serving != null) {
                serving.drain();
            }
            StreamOpener opener = openers.remove(name);
            if (opener != null) {
                opener.drain();
            }
        }
        report.say("no longer serves " + pair);
    }

    /** Says something, with the time where the lines have it. */
    public void say(String sentence) {
        report.say(sentence);
    }

    /** Tells the service manager, if there is one: {@code READY=1}, {@code STOPPING=1}. */
    public void tellServiceManager(String state) {
        ServiceManager.tell(state);
    }

    /** Shows the relay, its engine and its connections over JMX, until the result is closed. */
    public AutoCloseable showBeans() throws JMException {
        MBeanServer server = ManagementFactory.getPlatformMBeanServer();
        ObjectName own = new ObjectName("io.github.comch4j:type=Relay");
        server.registerMBean(report, own);
        MBeans others = MBeans.register(server);
        return () -> {
            others.close();
            server.unregisterMBean(own);
        };
    }

    /** Whether there is one that ends by itself: of stdin and stdout, or of one command. */
    public boolean endsByItself() {
        return foreground != null;
    }

    /** Does that. */
    public void runForeground() throws IOException, InterruptedException {
        if (foreground != null) {
            foreground.run();
        }
    }

    /** Ends that early, as one that is to be given up. */
    public void resetForeground() {
        if (foreground != null) {
            foreground.reset();
        }
    }

    private ConnectionWatch watch(String name) {
        return new ConnectionWatch() {
            @Override
            public void ready(Channel connection) {
                report.detail("comch:" + name + ": connected with the other side");
            }

            @Override
            public void ended(Channel connection, @Nullable Throwable why) {
                if (why == null) {
                    report.detail("comch:" + name + ": a connection has ended");
                } else {
                    report.say("comch:" + name + ": a connection has ended: " + why.getMessage());
                }
            }
        };
    }

    // Streams that come from the other side.

    private void serve(String name, RelayEndpoint.Pair pair) {
        Consumer<IncomingStream> target = target(pair);
        StreamServing serving = new StreamServing(limits, watch(name), incoming -> {
            if (incoming.service().equals(name)) {
                target.accept(incoming);
            } else {
                refuse(
                        incoming,
                        pair,
                        StreamRefusedException.NO_SERVICE,
                        "there is no service \"" + incoming.service() + "\" here");
            }
        });
        servings.put(name, serving);
        if (side.isDpu()) {
            side.serve(name, serving);
        } else {
            side.stayConnected(name, serving);
        }
    }

    private Consumer<IncomingStream> target(RelayEndpoint.Pair pair) {
        return switch (pair.to()) {
            case RelayEndpoint.Exec exec ->
                incoming -> incoming.accept(stream -> execute(pair, exec, BlockingStream.of(stream)));
            case RelayEndpoint.Standard standard ->
                incoming -> {
                    Foreground single = foreground;
                    if (single == null || !single.offer(incoming)) {
                        refuse(
                                incoming,
                                pair,
                                StreamRefusedException.BUSY,
                                "stdin and stdout are somebody else's already");
                    }
                };
            default -> incoming -> connect(pair, incoming);
        };
    }

    private void refuse(IncomingStream incoming, RelayEndpoint.Pair pair, int status, String reason) {
        report.refused(pair + ": a stream was refused: " + reason);
        incoming.refuse(new StreamRefusedException(status, reason));
    }

    private void connect(RelayEndpoint.Pair pair, IncomingStream incoming) {
        sockets.connect(pair.to(), (socket, failure) -> {
            if (socket == null) {
                refuse(incoming, pair, StreamRefusedException.UNREACHABLE, reason(failure));
            } else if (!incoming.isOpen()) {
                Splice.resetSocket(socket);
            } else {
                incoming.accept(stream -> splice(pair, OTHER_SIDE, stream, socket));
            }
        });
    }

    private static String reason(@Nullable Throwable cause) {
        String message = cause == null ? "no reason is known" : String.valueOf(cause.getMessage());
        return cause instanceof UnknownHostException ? "its host is not known: " + message : message;
    }

    private void splice(RelayEndpoint.Pair pair, String peer, Http2StreamChannel stream, DuplexChannel socket) {
        RelayReport.Stream told = report.begins(pair, peer);
        Splice.join(stream, socket, ended -> report.ends(told, ended));
    }

    private void execute(RelayEndpoint.Pair pair, RelayEndpoint.Exec exec, BlockingStream stream) {
        RelayReport.Stream told = report.begins(pair, OTHER_SIDE);
        ToolThreads.start("comch-relay-command", () -> {
            try {
                int status = Pump.command(stream, exec.command());
                report.ends(told, "the command has ended with " + status);
            } catch (IOException e) {
                stream.reset();
                report.ends(told, "reset: " + e.getMessage());
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
    }

    // Streams that go to the other side.

    private void dial(RelayEndpoint.Pair pair, StreamOpener opener, DuplexChannel socket) {
        String peer = LocalSockets.peer(socket);
        opener.open(pair.service().name(), patience, stream -> {
                    splice(pair, peer, stream, socket);
                    return stream;
                })
                .addListener(opened -> {
                    if (!opened.isSuccess()) {
                        report.refused(pair + ", " + peer + ": a client was turned away: " + reason(opened.cause()));
                        Splice.resetSocket(socket);
                    }
                });
    }

    private StreamOpener opener(String name) {
        if (!side.isDpu()) {
            return StreamOpener.connecting(side.loop(), side.address(name), limits, watch(name));
        }
        StreamOpener opener = StreamOpener.accepting(side.loop(), limits, watch(name));
        side.serve(name, opener.connections());
        return opener;
    }

    /** What there is once: this process's stdin and stdout, or a command that is started here. */
    private final class Foreground {
        private final RelayEndpoint.Pair pair;
        private final AtomicBoolean claimed = new AtomicBoolean();
        private final BlockingQueue<BlockingStream> incoming = new ArrayBlockingQueue<>(1);
        private volatile @Nullable BlockingStream opened;

        Foreground(RelayEndpoint.Pair pair) {
            this.pair = pair;
        }

        /** Returns false if there was one already. */
        boolean offer(IncomingStream asks) {
            if (!claimed.compareAndSet(false, true)) {
                return false;
            }
            asks.accept(stream -> incoming.add(BlockingStream.of(stream)));
            return true;
        }

        void run() throws IOException, InterruptedException {
            BlockingStream stream = pair.serves() ? incoming.take() : dial();
            opened = stream;
            RelayReport.Stream told =
                    report.begins(pair, pair.serves() ? OTHER_SIDE : pair.from().toString());
            if (pair.local() instanceof RelayEndpoint.Exec exec) {
                int status = Pump.command(stream, exec.command());
                report.ends(told, "the command has ended with " + status);
            } else {
                // System.out does not tell that nobody reads any more
                new Pump(stream, System.in, new FileOutputStream(FileDescriptor.out)).run();
                stream.close();
                report.ends(told, "ended");
            }
        }

        void reset() {
            BlockingStream stream = opened;
            if (stream != null) {
                stream.reset();
            }
        }

        private BlockingStream dial() throws IOException, InterruptedException {
            String name = pair.service().name();
            StreamOpener opener = openers.computeIfAbsent(name, Relay.this::opener);
            Future<BlockingStream> opening = opener.open(name, patience, BlockingStream::of);
            opening.await();
            if (!opening.isSuccess()) {
                boolean answered = opening.cause() instanceof StreamRefusedException refusal
                        && refusal.status() == StreamRefusedException.UNREACHABLE;
                String hint = answered
                        ? "what the relay on the other side leads to"
                        : "is \"comch relay " + pair.to() + " …\" running on the other side?";
                throw new ProgramException(
                        pair.to() + ": " + reason(opening.cause()) + " (" + hint + ")", opening.cause());
            }
            return opening.getNow();
        }
    }

    /**
     * No new streams; those that there are may finish, within the limit.
     *
     * @return whether all have
     */
    public synchronized boolean drain() {
        draining = true;
        stopListening();
        side.stop();
        long limit = System.nanoTime() + limits.drain().toNanos();
        report.cutsFrom(limit);
        List<Future<Void>> all = new ArrayList<>();
        openers.values().forEach(opener -> all.add(opener.drain()));
        servings.values().forEach(serving -> all.add(serving.drain()));
        long deadline = limit + TimeUnit.SECONDS.toNanos(1);
        for (Future<Void> each : all) {
            each.awaitUninterruptibly(Math.max(1, deadline - System.nanoTime()), TimeUnit.NANOSECONDS);
        }
        while (!endsByItself() && report.getOpenStreams() > 0 && System.nanoTime() - deadline < 0) {
            LockSupport.parkNanos(LOOK_NANOS); // their sockets still write
        }
        return report.getOpenStreams() == 0 && !report.hasCut();
    }

    /** Nobody can connect any more. */
    private synchronized void stopListening() {
        pairs.values().forEach(LocalSockets::stop);
        pairs.clear();
    }

    @Override
    public void close() {
        stopListening();
        side.close();
        report.tellLeftOut();
    }
}
