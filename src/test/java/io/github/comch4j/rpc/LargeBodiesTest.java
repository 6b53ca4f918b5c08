package io.github.comch4j.rpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.github.comch4j.Feature;
import io.github.comch4j.Machine;
import io.github.comch4j.Needs;
import io.github.comch4j.SubmitResult;
import io.github.comch4j.TwoLoopsInBothForms;
import io.github.comch4j.comch.ComchClient;
import io.github.comch4j.comch.ComchConnection;
import io.github.comch4j.comch.ComchServer;
import io.github.comch4j.comch.LinkState;
import io.github.comch4j.comch.SlotConsumer;
import io.github.comch4j.comch.SlotProducer;
import io.github.comch4j.core.Access;
import io.github.comch4j.core.ContextState;
import io.github.comch4j.core.EventLoop;
import io.github.comch4j.core.MemoryMap;
import io.github.comch4j.core.ProgressEngine;
import io.github.comch4j.internal.life.LiveHandles;
import java.lang.foreign.MemorySegment;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Bodies on the fast path, both sides in one process. */
@Timeout(60)
class LargeBodiesTest extends TwoLoopsInBothForms {
    private static final int ECHO = 1;
    private static final int ECHO_LATER = 2;
    private static final int LENGTH = 3;
    private static final int LONG = 4;
    private static final int THRESHOLD = 1000;
    private static final int SLOT = (256 << 10) + Frames.HEADER;

    private final ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor();
    private RpcServer server;

    @BeforeEach
    void open() {
        server = settings().largeBodies(THRESHOLD).start();
    }

    @AfterEach
    void close() {
        server.close();
        executor.shutdownNow();
    }

    private RpcServer.Builder settings() {
        return RpcServer.builder(dpuLoop, dpu, representor, name)
                .method(ECHO, RpcRequest::body)
                .method(ECHO_LATER, executor, RpcRequest::body)
                .method(
                        LENGTH,
                        request -> Integer.toString(request.body().length)
                                .getBytes(java.nio.charset.StandardCharsets.UTF_8))
                .method(LONG, request -> new byte[1 << 20]);
    }

    private RpcClient.Builder client() {
        return RpcClient.builder(hostLoop, host, name).largeBodies(THRESHOLD);
    }

    private RpcClient connect() throws Exception {
        RpcClient client = client().connect(Machine.PATIENCE);
        awaitFastPath(client);
        return client;
    }

    /** What the control path has carried of all clients. */
    private long messages() {
        return dpuLoop.<Long, RuntimeException>call(() -> server.server().connections().stream()
                .mapToLong(connection -> connection.received() + connection.sent())
                .sum());
    }

    private boolean usesFastPath(RpcClient client) {
        long before = messages();
        client.call(ECHO, new byte[100_000]); // two times 25 messages of the control path
        return messages() - before < 4;
    }

    private void awaitFastPath(RpcClient client) throws Exception {
        await("the fast path", () -> usesFastPath(client));
    }

    private static void await(String what, BooleanSupplier done) throws InterruptedException {
        long deadline = System.nanoTime() + Machine.PATIENCE.toNanos();
        while (!done.getAsBoolean()) {
            assertThat(System.nanoTime() - deadline).as("waiting for " + what).isNegative();
            Thread.sleep(1);
        }
    }

    private static int fastPaths(EventLoop loop) {
        return loop.<Integer, RuntimeException>call(
                () -> LiveHandles.of(loop.engine()).getOrDefault("FastPathContext", 0));
    }

    private static byte[] random(int length, long seed) {
        byte[] body = new byte[length];
        new Random(seed).nextBytes(body);
        return body;
    }

    @Test
    void bodiesOfAllLengthsArriveAsTheyWere() throws Exception {
        int part = SLOT - Frames.HEADER;
        int[] lengths = {
            0,
            1,
            THRESHOLD - 1,
            THRESHOLD,
            THRESHOLD + 1,
            part - 1,
            part,
            part + 1,
            2 * part - 7,
            2 * part,
            2 * part + 1,
            5_000_000,
            (16 << 20) - 1,
            16 << 20
        };
        try (RpcClient client = connect()) {
            long before = messages();
            for (int method : new int[] {ECHO, ECHO_LATER}) {
                List<byte[]> bodies = new ArrayList<>();
                for (int length : lengths) {
                    byte[] body = random(length, length);
                    bodies.add(body);
                    assertThat(Arrays.equals(client.call(method, body), body))
                            .as("%s bytes", length)
                            .isTrue();
                }
                bodies.removeLast(); // together not more than four times the longest
                List<CompletableFuture<byte[]>> all = bodies.stream()
                        .map(body -> client.callAsync(method, body))
                        .toList(); // mixed with each other
                for (int i = 0; i < all.size(); i++) {
                    assertThat(Arrays.equals(all.get(i).join(), bodies.get(i)))
                            .as("%s bytes", lengths[i])
                            .isTrue();
                }
            }
            assertThat(messages() - before).as("messages of the control path").isLessThan(100);
            assertThat(client.inFlight()).isZero();
        }
        await("the client's end", () -> fastPaths(dpuLoop) == 0);
        assertThat(fastPaths(hostLoop)).isZero();
    }

    @Test
    void eachDirectionMayHaveItsOwnThreshold() throws Exception {
        server.close();
        server = settings().largeBodies(2 << 20).start();
        try (RpcClient client = client().connect(Machine.PATIENCE)) {
            await("the fast path", () -> {
                long before = messages();
                assertThat(client.call(LENGTH, new byte[100_000])).hasSize(6);
                return messages() - before < 4;
            });
            long before = messages();
            assertThat(client.call(LONG, new byte[1])).hasSize(1 << 20);
            assertThat(messages() - before).isGreaterThan(250);
        }
    }

    @Test
    void manyCallersOfAllSizesGetTheirOwnResponses() throws Exception {
        try (RpcClient client = connect()) {
            AtomicInteger right = new AtomicInteger();
            List<Thread> threads = new ArrayList<>();
            for (int i = 0; i < 100; i++) {
                int caller = i;
                threads.add(Thread.startVirtualThread(() -> {
                    Random random = new Random(caller);
                    for (int j = 0; j < 20; j++) {
                        int length = caller % 4 == 0 ? random.nextInt(400_000) : random.nextInt(64);
                        byte[] mine = random(length, random.nextLong());
                        byte[] response = client.call(caller % 2 == 0 ? ECHO : ECHO_LATER, mine);
                        right.addAndGet(Arrays.equals(response, mine) ? 1 : 0);
                    }
                }));
            }
            for (Thread thread : threads) {
                thread.join();
            }
            assertThat(right).hasValue(2000);
        }
    }

    @Test
    void aPeerWithoutTheSettingGetsMessages() {
        try (RpcClient plain = RpcClient.builder(hostLoop, host, name).connect(Machine.PATIENCE)) {
            byte[] body = random(1_000_000, 1);
            assertThat(plain.call(ECHO, body)).isEqualTo(body);
            assertThat(fastPaths(hostLoop)).isZero();
            assertThat(fastPaths(dpuLoop)).isZero();
        }
        server.close();
        server = settings().start();
        try (RpcClient client = client().connect(Machine.PATIENCE)) {
            byte[] body = random(1_000_000, 2);
            for (int i = 0; i < 3; i++) {
                long before = messages();
                assertThat(client.call(ECHO, body)).isEqualTo(body);
                assertThat(messages() - before).isGreaterThan(400);
            }
            assertThat(fastPaths(dpuLoop)).isZero();
        }
    }

    @Test
    void callsEndInTheMiddleOfTheirBodies() throws Exception {
        try (RpcClient client = connect()) {
            for (int i = 0; i < 6; i++) { // more than four bodies: what is given up does not count for ever
                CountDownLatch held = Machine.hold(dpuLoop);
                CompletableFuture<byte[]> late = client.callAsync(LENGTH, new byte[16 << 20], Duration.ofMillis(30));
                CompletableFuture<byte[]> cancelled = client.callAsync(LENGTH, new byte[16 << 20]);
                assertThat(catchThrowable(late::join).getCause())
                        .isInstanceOfSatisfying(
                                RpcException.class, e -> assertThat(e.kind()).isEqualTo(RpcException.Kind.TIME_OUT));
                assertThat(cancelled.cancel(false)).isTrue();
                held.countDown();
                assertThat(client.inFlight()).isZero();
                byte[] body = random(1_000_000, i);
                assertThat(client.call(ECHO, body)).isEqualTo(body);
            }
            assertThat(dpuLoop.<Long, RuntimeException>call(() -> server.server().connections().stream()
                            .mapToLong(connection -> ((ServerConnection) connection.attachment()).arrivingBytes())
                            .sum()))
                    .isZero();
            assertThat(usesFastPath(client)).isTrue();
        }
    }

    @Test
    void theEndOfTheConnectionEndsCallsInTheMiddleOfTheirBodies() throws Exception {
        RpcClient client =
                client().reconnect(Duration.ofMillis(1), Duration.ofMillis(20)).connect(Machine.PATIENCE);
        for (int round = 0; round < 3; round++) {
            awaitFastPath(client);
            CountDownLatch held = Machine.hold(dpuLoop);
            List<CompletableFuture<byte[]>> calls = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                calls.add(client.callAsync(ECHO, new byte[16 << 20]));
            }
            hostLoop.call(() -> null); // they are on their way
            Thread closing = new Thread(server::close);
            closing.start();
            held.countDown();
            closing.join();
            for (CompletableFuture<byte[]> call : calls) {
                assertThat(catchThrowable(call::join).getCause()).matches(Ends::isUnavailable);
            }
            await("the state", () -> client.state() == LinkState.DISCONNECTED);
            await("the fast path's end", () -> fastPaths(hostLoop) == 0);
            server = settings().largeBodies(THRESHOLD).start();
            await("the next connection", () -> client.state() == LinkState.CONNECTED);
        }
        awaitFastPath(client);
        assertThat(fastPaths(hostLoop)).isEqualTo(2);
        CountDownLatch held = Machine.hold(dpuLoop);
        CompletableFuture<byte[]> call = client.callAsync(ECHO, new byte[16 << 20]);
        Thread closing = new Thread(client::close);
        closing.start();
        assertThat(catchThrowable(call::join).getCause()).matches(Ends::isUnavailable);
        held.countDown();
        closing.join();
        assertThat(fastPaths(hostLoop)).isZero();
        await("the client's end", () -> fastPaths(dpuLoop) == 0);
    }

    @Test
    void clientsComeAndGoAtOnce() throws Exception {
        for (int i = 0; i < 20; i++) {
            client().connect(Machine.PATIENCE).close(); // before the fast path is there
            RpcClient client = client().connect(Machine.PATIENCE);
            CompletableFuture<byte[]> call = client.callAsync(LONG, new byte[1 << 20]);
            client.close();
            Throwable thrown = catchThrowable(call::join);
            if (thrown != null) {
                assertThat(thrown.getCause()).matches(Ends::isUnavailable);
            }
        }
        assertThat(fastPaths(hostLoop)).isZero();
        await("the clients' end", () -> fastPaths(dpuLoop) == 0);
    }

    @Test
    void whatIsTooLongIsRefusedOnTheFastPathToo() throws Exception {
        server.close();
        server = settings().largeBodies(THRESHOLD).maxBody(500_000).start();
        try (RpcClient client = connect()) {
            assertThat(kindOf(() -> client.call(ECHO, new byte[10_000_000]))).isEqualTo(RpcException.Kind.TOO_LONG);
            assertThat(kindOf(() -> client.call(LONG, new byte[1]))).isEqualTo(RpcException.Kind.TOO_LONG);
            assertThat(client.call(ECHO, new byte[500_000])).hasSize(500_000);
            assertThat(usesFastPath(client)).isTrue();
        }
    }

    private static RpcException.Kind kindOf(Runnable call) {
        return org.assertj.core.api.Assertions.catchThrowableOfType(RpcException.class, call::run)
                .kind();
    }

    // ---- peers that do not follow the format

    private static byte[] frame(int kind, long id, int part, int value, int length, long extra) {
        byte[] bytes = new byte[Frames.size(Math.clamp(part, 0, 4000))];
        Frames.write(MemorySegment.ofArray(bytes), 0, part, kind, id, value, length, extra);
        return bytes;
    }

    private static byte[] announcement(int consumer, long slotSize) {
        return frame(Frames.CONSUMER, 0, 0, consumer, 0, slotSize);
    }

    @Test
    @Needs(Feature.DISCONNECT)
    void impossibleAnnouncementsEndTheConnection() {
        List<List<byte[]>> wrong = List.of(
                List.of(announcement(0, SLOT)),
                List.of(announcement(1, 0)),
                List.of(announcement(1, Frames.HEADER)),
                List.of(announcement(1, -1)),
                List.of(announcement(1, SLOT), announcement(1, SLOT)));
        for (List<byte[]> messages : wrong) {
            try (ProgressEngine engine = ProgressEngine.create()) {
                ComchClient raw = ComchClient.builder(engine, host, name).connect(Machine.PATIENCE);
                messages.forEach(raw.connection()::send);
                Machine.until("the end", () -> !raw.connection().isOpen(), engine);
            }
        }
    }

    @Test
    void unknownConsumersGetMessages() {
        try (ProgressEngine engine = ProgressEngine.create()) {
            long[] bytes = new long[1];
            ComchClient raw = ComchClient.builder(engine, host, name)
                    .maxMessageSize(Frames.messageSize(host))
                    .onMessage((connection, message) -> bytes[0] += message.byteSize())
                    .connect(Machine.PATIENCE);
            raw.connection().send(announcement(1000, SLOT));
            raw.connection().send(frame(Frames.REQUEST, 7, 0, LONG, 0, Long.MAX_VALUE / 4));
            Machine.until("the response", () -> bytes[0] > 1 << 20, engine);
        }
    }

    /** A client that is not of this library, with a fast path. */
    private final class RawClient implements AutoCloseable {
        final ProgressEngine engine = ProgressEngine.create();
        final List<String> frames = new ArrayList<>();
        final ComchClient client = ComchClient.builder(engine, host, name)
                .onMessage((connection, message) -> read(message))
                .connect(Machine.PATIENCE);
        final ComchConnection connection = client.connection();
        final SlotConsumer consumer;
        SlotProducer producer;
        private int serversConsumer;

        /** {@code slotSize} is what it has, {@code announced} what it says. */
        RawClient(int slotSize, int announced) {
            consumer = connection
                    .slotConsumer(engine, slotSize)
                    .tasks(4)
                    .onMessage((memory, offset, length, from) -> {
                        frames.add("fast");
                        read(memory.asSlice(offset, length));
                    })
                    .start(Machine.PATIENCE);
            connection.send(announcement(consumer.id(), announced));
            Machine.until(
                    "the server's consumer",
                    () -> serversConsumer != 0 && connection.remoteConsumers().length > 0,
                    engine);
            producer = connection
                    .slotProducer(engine, SLOT)
                    .onSendFailed((from, offset, length, status) -> {})
                    .start();
        }

        private void read(MemorySegment message) {
            assertThat(Frames.read(message, (whole, at, part, beside) -> {
                        if (Frames.kind(whole, at) == Frames.CONSUMER) {
                            assertThat(Frames.extra(whole, at)).isEqualTo(SLOT);
                            serversConsumer = Frames.value(whole, at);
                        } else {
                            frames.add(Frames.kind(whole, at) + " " + Frames.id(whole, at) + " " + part);
                        }
                        return true;
                    }))
                    .isTrue();
        }

        void send(byte[] message) {
            assertThat(producer.offer(MemorySegment.ofArray(message), serversConsumer))
                    .isEqualTo(SubmitResult.ACCEPTED);
        }

        void until(String what, BooleanSupplier done) {
            Machine.until(what, done, engine);
        }

        @Override
        public void close() {
            engine.close();
        }
    }

    @Test
    void aPeerWithItsOwnSlotsIsServed() {
        try (RawClient raw = new RawClient(10_000, 10_000)) {
            raw.send(frame(Frames.REQUEST, 7, 4000, ECHO, 5000, Long.MAX_VALUE / 4));
            raw.send(frame(Frames.MORE, 99, 4000, ECHO, 5000, 0)); // of nothing
            raw.send(frame(Frames.MORE, 7, 1000, 0, 0, 0));
            raw.until("the response", () -> raw.frames.size() >= 2);
            assertThat(raw.frames).containsExactly("fast", Frames.RESPONSE + " 7 5000");
            raw.frames.clear();
            raw.send(frame(Frames.REQUEST, 8, 4000, ECHO, 100_000, Long.MAX_VALUE / 4));
            for (int sent = 4000; sent < 100_000; sent += 4000) {
                raw.send(frame(Frames.MORE, 8, 4000, 0, 0, 0));
            }
            raw.until("the response", () -> raw.frames.size() >= 22);
            assertThat(raw.frames).startsWith("fast", Frames.RESPONSE + " 8 9968", "fast", Frames.MORE + " 8 9968");
        }
    }

    @Test
    @Needs(Feature.DISCONNECT)
    void whoSendsSomethingElseOnTheFastPathIsDisconnected() throws Exception {
        byte[] begun = frame(Frames.REQUEST, 7, 8, ECHO, 100, 0);
        List<List<byte[]>> wrong = List.of(
                List.of(new byte[] {1, 2, 3}),
                List.of(frame(Frames.REQUEST, 7, 4001, ECHO, 5000, 0)), // a part longer than the message
                List.of(frame(Frames.REQUEST, 7, -1, ECHO, 5000, 0)),
                List.of(frame(Frames.REQUEST, 7, 8, ECHO, -5, 0)),
                List.of(frame(77, 7, 0, 0, 0, 0)), // no such kind
                List.of(frame(Frames.REQUEST, 7, 8, ECHO, 4, 0)), // a part longer than its body
                List.of(begun, begun), // the same number twice
                List.of(begun, frame(Frames.MORE, 7, 93, 0, 0, 0)), // longer than the body
                List.of(announcement(1, SLOT))); // a second time
        for (List<byte[]> messages : wrong) {
            try (RawClient raw = new RawClient(SLOT, SLOT)) {
                messages.forEach(raw::send);
                raw.until("the end", () -> !raw.connection.isOpen());
            }
        }
        try (RawClient raw = new RawClient(1000, 100_000)) { // slots shorter than it said
            raw.send(frame(Frames.REQUEST, 7, 0, LONG, 0, Long.MAX_VALUE / 4));
            raw.until("the end", () -> !raw.connection.isOpen());
        }
        try (RawClient raw = new RawClient(SLOT, SLOT)) { // its consumer goes
            raw.consumer.close();
            raw.send(frame(Frames.REQUEST, 7, 0, LONG, 0, Long.MAX_VALUE / 4));
            raw.until("the end", () -> !raw.connection.isOpen());
        }
        await("their end", () -> fastPaths(dpuLoop) == 0);
    }

    @Test
    void bodiesOfAPeerThatBeginsOnlyAreBounded() {
        server.close();
        server = settings().largeBodies(THRESHOLD).maxBody(4000).start();
        try (RawClient raw = new RawClient(SLOT, SLOT)) {
            for (int id = 100; id < 130; id++) {
                raw.send(frame(Frames.REQUEST, id, 3992, ECHO, 4000, 0)); // the rest never comes
            }
            raw.until("all but four to be refused", () -> raw.frames.size() == 26);
            assertThat(raw.frames).allMatch(frame -> frame.startsWith(Frames.FAILURE + " "));
        }
    }

    @Test
    void responsesForAPeerThatDoesNotReadAreBounded() throws Exception {
        server.close();
        AtomicInteger handled = new AtomicInteger();
        server = RpcServer.builder(dpuLoop, dpu, representor, name)
                .largeBodies(THRESHOLD)
                .maxBody(1_000_000)
                .method(LONG, request -> {
                    handled.incrementAndGet();
                    return new byte[1_000_000];
                })
                .start();
        try (RawClient raw = new RawClient(SLOT, SLOT)) {
            long before = messages();
            for (int id = 0; id < 50; id++) {
                raw.connection.send(frame(Frames.REQUEST, 100 + id, 0, LONG, 0, Long.MAX_VALUE / 4));
            } // and no progress, which would read
            await("all requests", () -> messages() - before >= 50);
            assertThat(handled.get()).isBetween(4, 12);
        }
    }

    /** A server that is not of this library. */
    @Test
    void aServerThatDoesNotFollowTheFormatLosesItsClient() {
        List<List<byte[]>> wrong = List.of(
                List.of(announcement(0, SLOT)),
                List.of(announcement(1, Frames.HEADER)),
                List.of(announcement(1, SLOT), announcement(1, SLOT)));
        for (List<byte[]> messages : wrong) {
            String other = Machine.uniqueName();
            try (ProgressEngine engine = ProgressEngine.create()) {
                List<byte[]> got = new ArrayList<>();
                ComchServer raw = ComchServer.builder(engine, dpu, representor, other)
                        .onMessage((connection, message) -> {
                            got.add(message.toArray(java.lang.foreign.ValueLayout.JAVA_BYTE));
                            if (got.size() == 1) {
                                messages.forEach(connection::enqueue);
                            }
                        })
                        .start();
                CompletableFuture<RpcClient> connecting =
                        Machine.onThread(() -> RpcClient.builder(hostLoop, host, other)
                                .largeBodies(THRESHOLD)
                                .connect(Machine.PATIENCE));
                Machine.until("the client", connecting::isDone, engine);
                Machine.until("its announcement", () -> !got.isEmpty(), engine);
                RpcClient client = connecting.join();
                Machine.until("the end", () -> client.state() == LinkState.DISCONNECTED, engine);
                assertThatThrownBy(() -> client.call(ECHO, new byte[1])).matches(Ends::isUnavailable);
                Machine.until("its end here", () -> raw.connections().isEmpty(), engine);
            }
        }
    }

    @Test
    void nothingIsKeptForAServerThatNeverReceives() throws Exception {
        String other = Machine.uniqueName();
        try (ProgressEngine engine = ProgressEngine.create();
                MemoryMap memory = MemoryMap.allocate(dpu, 4096, Access.PCI_READ_WRITE)) {
            ComchServer raw = ComchServer.builder(engine, dpu, representor, other)
                    .onMessage((connection, message) -> {
                        if (connection.attachment() == null) { // the announcement
                            connection.attach(connection
                                    .consumer(engine, memory)
                                    .onStateChanged((consumer, now) -> {
                                        if (now == ContextState.RUNNING) {
                                            connection.enqueue(announcement(consumer.id(), SLOT));
                                        }
                                    })
                                    .start());
                        }
                    })
                    .start();
            CompletableFuture<RpcClient> connecting = Machine.onThread(() -> RpcClient.builder(hostLoop, host, other)
                    .largeBodies(THRESHOLD)
                    .connect(Machine.PATIENCE));
            Machine.until("the client", connecting::isDone, engine);
            RpcClient client = connecting.join();
            Machine.until("the fast path", () -> fastPaths(hostLoop) == 2, engine);
            List<WeakReference<byte[]>> bodies = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                bodies.add(callInVain(client));
            }
            await("the bodies to be forgotten", () -> {
                System.gc();
                return bodies.stream().allMatch(body -> body.get() == null);
            });
            CompletableFuture<Void> closing = Machine.onThread(() -> {
                client.close();
                return null;
            });
            Machine.until("the end", closing::isDone, engine);
            assertThat(raw.isClosed()).isFalse();
        }
    }

    private static WeakReference<byte[]> callInVain(RpcClient client) {
        byte[] body = new byte[4 << 20];
        assertThat(kindOf(() -> client.call(ECHO, body, Duration.ofMillis(20)))).isEqualTo(RpcException.Kind.TIME_OUT);
        return new WeakReference<>(body);
    }
}
