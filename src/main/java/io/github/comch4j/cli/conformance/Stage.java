package io.github.comch4j.cli.conformance;

import io.github.comch4j.DocaError;
import io.github.comch4j.cli.program.ProgressWait;
import io.github.comch4j.cli.program.ToolThreads;
import io.github.comch4j.comch.ComchClient;
import io.github.comch4j.comch.ComchConnection;
import io.github.comch4j.comch.ComchConsumer;
import io.github.comch4j.comch.ComchProducer;
import io.github.comch4j.comch.ComchServer;
import io.github.comch4j.comch.ControlPathEndpoint;
import io.github.comch4j.comch.ReceiveHandler;
import io.github.comch4j.core.Access;
import io.github.comch4j.core.Device;
import io.github.comch4j.core.MemoryMap;
import io.github.comch4j.core.ProgressEngine;
import io.github.comch4j.core.Representor;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** What a half of a probe has: an engine of its own, the device, the other half. Its objects end with it. */
final class Stage implements AutoCloseable {
    /** What a half says last. */
    static final String END = "end";

    private static final Duration CONNECT = Duration.ofSeconds(10);

    /** The probe cannot go on: the other half has given up, or nothing happens any more. */
    static final class Over extends RuntimeException {
        private static final long serialVersionUID = 1L;

        Over(String message) {
            super(message);
        }
    }

    final KitSide side;
    final Device device;
    final boolean quick;
    final ProgressEngine engine = ProgressEngine.create();
    private final ProgressWait patience = new ProgressWait(engine, CONNECT);
    private final @Nullable Representor function;
    private final Worker worker;
    private final String run;
    private final int number;
    private final long deadline;
    private final Deque<AutoCloseable> things = new ArrayDeque<>();

    /** {@code order} says which probe of which run it is. */
    Stage(KitSide side, Device device, @Nullable Representor function, Worker worker, Worker.Order order) {
        this.side = side;
        this.device = device;
        this.function = function;
        this.worker = worker;
        this.run = order.run();
        this.number = order.number();
        this.quick = order.quick();
        this.deadline =
                System.nanoTime() + Duration.ofSeconds(order.probe().seconds()).toNanos();
    }

    boolean isHost() {
        return side == KitSide.HOST;
    }

    void answer(String question, Object value) {
        worker.answer(question, String.valueOf(value));
    }

    /** Answers how a call ends. */
    void attempt(String question, Callable<?> call) {
        answer(question, CallOutcome.of(call));
    }

    /** Answers how a call ends. */
    void attempt(String question, Runnable call) {
        answer(question, CallOutcome.of(call));
    }

    /** How a call ends that is made again, for a while, as long as it ends in the way of before. */
    String outcomeAfter(String before, Duration time, Callable<?> call) {
        String[] outcome = {before};
        boolean _ = await(
                () -> {
                    outcome[0] = CallOutcome.of(call);
                    return !outcome[0].equals(before);
                },
                time);
        return outcome[0];
    }

    /** Says a word to the other half, which must {@link #hear} it. */
    void tell(String text) {
        worker.tell(text);
    }

    /** The next word of the other half. Progresses the engine meanwhile. */
    String hear() {
        String[] word = {null};
        await(() -> (word[0] = worker.poll()) != null);
        return word[0];
    }

    /** As {@link #hear}, without progress. */
    String hearStill() {
        String word = worker.poll();
        while (word == null && !isInVain()) {
            ToolThreads.pause();
            word = worker.poll();
        }
        return word;
    }

    /** Waits for a word of the other half for a while, whether it says one or not. */
    void hear(Duration time) {
        boolean _ = await(() -> worker.poll() != null, time);
    }

    void hear(String word) {
        if (!hear().equals(word)) {
            throw new Over("heard another word than " + word);
        }
    }

    /** At the end of a half: the other one may still need what this one has. */
    void awaitOther() {
        tell(END);
        await(() -> worker.isOver() || END.equals(worker.poll()));
    }

    /** Throws, if there is nothing to wait for any more. */
    private boolean isInVain() {
        if (worker.isOver()) {
            throw new Over("the other half has given up");
        }
        if (System.nanoTime() - deadline > 0) {
            throw new Over("waited in vain");
        }
        return false;
    }

    /** Progresses until it is so; the probe has no answer if it never is. */
    void await(BooleanSupplier condition) {
        patience.awaitForever(() -> condition.getAsBoolean() || isInVain());
    }

    /** Progresses until it is so, or the time is up; asks no more once it is so. */
    boolean await(BooleanSupplier condition, Duration time) {
        long end = System.nanoTime() + time.toNanos();
        boolean[] so = {false};
        await(() -> (so[0] = condition.getAsBoolean()) || System.nanoTime() - end > 0);
        return so[0];
    }

    /** Progresses for a while, whatever happens. */
    void settle(long millis) {
        await(() -> false, Duration.ofMillis(millis));
    }

    /** Ends this process as a crash would; its parent knows, tells the other half {@code dead}, and goes on. */
    void die() {
        worker.die();
    }

    /** Closed with the probe, before what was made earlier. */
    <T extends AutoCloseable> T own(T thing) {
        things.push(thing);
        return thing;
    }

    /** A server's name that only this probe of this run uses. */
    String name() {
        return name(Integer.toString(number));
    }

    /** A server's name that this run uses. */
    String name(String part) {
        return "comch4j-probe-" + run + "-" + part;
    }

    ComchServer.Builder server() {
        return server(name());
    }

    ComchServer.Builder server(String serverName) {
        if (function == null) {
            throw new IllegalStateException("servers are on the DPU");
        }
        return ComchServer.builder(engine, device, function, serverName);
    }

    ComchClient.Builder client() {
        return ComchClient.builder(engine, device, name());
    }

    Representor function() {
        if (function == null) {
            throw new IllegalStateException("representors are on the DPU");
        }
        return function;
    }

    /** On the DPU: starts the server, and tells the host. */
    ComchServer serve(ComchServer.Builder settings) {
        ComchServer server = settings.start();
        tell("up");
        return server;
    }

    /** On the host: waits until the server is there, and connects. */
    ComchClient connect(ComchClient.Builder settings) {
        hear("up");
        return settings.connect(CONNECT);
    }

    /** On the DPU: the first client. */
    ComchConnection accept(ComchServer server) {
        await(() -> !server.connections().isEmpty());
        return server.connections().iterator().next();
    }

    /** A connection of a server and a client with nothing special; called by both halves. */
    ComchConnection link() {
        return link(settings -> {});
    }

    /** The same with settings. */
    ComchConnection link(Consumer<ControlPathEndpoint.Builder<?>> set) {
        if (isHost()) {
            ComchClient.Builder client = client();
            set.accept(client);
            return connect(client).connection();
        }
        ComchServer.Builder server = server();
        set.accept(server);
        return accept(serve(server));
    }

    /** Memory that producers send from and consumers receive into. */
    MemoryMap memory(long bytes) {
        return own(MemoryMap.allocate(device, bytes, Access.LOCAL_READ_WRITE, Access.PCI_READ_WRITE));
    }

    /** A producer; how its sends end does not matter. */
    ComchProducer producer(ComchConnection connection) {
        return producer(connection, new ArrayList<>());
    }

    /** A producer, and how its sends end. */
    ComchProducer producer(ComchConnection connection, List<DocaError> ended) {
        return connection
                .producer(engine)
                .onCompletion((self, buffer, status) -> ended.add(status))
                .start();
    }

    /** The settings of a consumer; receives that fail, as when it is closed, do not matter. */
    ComchConsumer.Builder consumer(ComchConnection connection, MemoryMap memory) {
        return connection.consumer(engine, memory).onReceiveFailed((self, buffer, error) -> {});
    }

    /** A consumer that runs, with its receives posted; it posts them again. */
    ComchConsumer receiver(ComchConnection connection, int buffers, long size, ReceiveHandler handler) {
        return running(consumer(connection, memory(buffers * size))
                .buffers(buffers, size)
                .onReceive(handler)
                .start());
    }

    /** A consumer that runs. */
    ComchConsumer running(ComchConsumer consumer) {
        await(consumer::isRunning);
        return consumer;
    }

    /** The ids of the peer's consumers, when there are so many. */
    int[] consumers(ComchConnection connection, int count) {
        await(() -> connection.remoteConsumers().length >= count);
        return connection.remoteConsumers();
    }

    @Override
    public void close() {
        engine.close(); // servers, clients, producers and consumers
        while (!things.isEmpty()) {
            try {
                things.pop().close();
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        }
    }
}
