package io.github.comch4j.rpc;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.github.comch4j.DocaError;
import io.github.comch4j.DocaException;
import io.github.comch4j.Feature;
import io.github.comch4j.Machine;
import io.github.comch4j.Needs;
import io.github.comch4j.TwoLoopsInBothForms;
import io.github.comch4j.WaitInterruptedException;
import io.github.comch4j.comch.ComchClient;
import io.github.comch4j.comch.LinkState;
import io.github.comch4j.core.Device;
import io.github.comch4j.core.EventLoop;
import io.github.comch4j.core.IdleStrategy;
import io.github.comch4j.core.ProgressEngine;
import io.github.comch4j.internal.life.LiveHandles;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.ref.WeakReference;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Calls and their ends, both sides in one process. */
@Timeout(60)
class RpcTest extends TwoLoopsInBothForms {
    private static final int ECHO = 1;
    private static final int ECHO_LATER = 2;
    private static final int FAIL = 3;
    private static final int HOLD = 4;
    private static final int PROMISE = 5;
    private static final int NOTHING = 6;

    private final ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor();
    private final CountDownLatch held = new CountDownLatch(1);
    private final List<RpcRequest> holding = java.util.Collections.synchronizedList(new ArrayList<>());
    private final List<CompletableFuture<byte[]>> promises = java.util.Collections.synchronizedList(new ArrayList<>());
    private RpcServer server;

    @BeforeEach
    void open() {
        server = start();
    }

    @AfterEach
    void close() {
        held.countDown();
        server.close();
        executor.shutdownNow();
    }

    private RpcServer start() {
        return settings().start();
    }

    private RpcServer.Builder settings() {
        return RpcServer.builder(dpuLoop, dpu, representor, name)
                .method(ECHO, RpcRequest::body)
                .method(ECHO_LATER, executor, RpcRequest::body)
                .method(FAIL, request -> {
                    throw new java.io.IOException("as ordered: " + new String(request.body(), UTF_8));
                })
                .method(HOLD, executor, request -> {
                    holding.add(request);
                    held.await();
                    return request.body();
                })
                .asyncMethod(PROMISE, request -> {
                    CompletableFuture<byte[]> promise = new CompletableFuture<>();
                    promises.add(promise);
                    return promise;
                })
                .method(NOTHING, request -> null);
    }

    private RpcClient connect() {
        return RpcClient.builder(hostLoop, host, name).connect(Machine.PATIENCE);
    }

    private static void await(String what, java.util.function.BooleanSupplier done) throws InterruptedException {
        long deadline = System.nanoTime() + Machine.PATIENCE.toNanos();
        while (!done.getAsBoolean()) {
            assertThat(System.nanoTime() - deadline).as("waiting for " + what).isNegative();
            Thread.sleep(1);
        }
    }

    private static RpcException.Kind kindOf(Runnable call) {
        return catchThrowableOfType(RpcException.class, call::run).kind();
    }

    @Test
    void everyoneOfManyCallersGetsTheirOwnResponse() throws Exception {
        try (RpcClient client = connect()) {
            AtomicInteger right = new AtomicInteger();
            List<Thread> threads = new ArrayList<>();
            for (int i = 0; i < 1000; i++) {
                byte[] mine = ("caller " + i).getBytes(UTF_8);
                int method = i % 2 == 0 ? ECHO : ECHO_LATER;
                threads.add(Thread.startVirtualThread(() -> {
                    for (int j = 0; j < 20; j++) {
                        mine[0] = (byte) j;
                        right.addAndGet(Arrays.equals(client.call(method, mine), mine) ? 1 : 0);
                    }
                }));
            }
            for (Thread thread : threads) {
                thread.join();
            }
            assertThat(right).hasValue(20_000);
            assertThat(client.inFlight()).isZero();
        }
    }

    @Test
    void manyCallsTravelInOneMessage() {
        try (RpcClient client = connect()) {
            CompletableFuture<?>[] calls = new CompletableFuture<?>[1000];
            hostLoop.call(
                    () -> { // none goes out before all are made
                        for (int i = 0; i < calls.length; i++) {
                            calls[i] = client.callAsync(ECHO, new byte[8]);
                        }
                        return null;
                    });
            CompletableFuture.allOf(calls).join();
            long messages = dpuLoop.call(
                    () -> server.server().connections().iterator().next().received());
            assertThat(messages).isLessThan(20);
        }
    }

    @Test
    void callsOfManyVirtualThreadsTravelTogether() throws Exception {
        try (RpcClient client = connect()) {
            CountDownLatch ready = new CountDownLatch(1);
            List<Thread> threads = new ArrayList<>();
            for (int i = 0; i < 500; i++) {
                threads.add(Thread.startVirtualThread(() -> {
                    try {
                        ready.await();
                    } catch (InterruptedException e) {
                        throw new AssertionError(e);
                    }
                    for (int j = 0; j < 100; j++) {
                        client.call(ECHO, new byte[8]);
                    }
                }));
            }
            ready.countDown();
            for (Thread thread : threads) {
                thread.join();
            }
            long messages = dpuLoop.call(
                    () -> server.server().connections().iterator().next().received());
            assertThat(messages).as("of 50000 calls").isLessThan(50_000 / 4);
            assertThat(client.inFlight()).isZero();
        }
    }

    @Test
    void aCallAmongManyThatWaitIsSentWithoutOthers() throws Exception {
        ExecutorService caller = Executors.newVirtualThreadPerTaskExecutor();
        try (RpcClient client = connect()) {
            List<CompletableFuture<byte[]>> many = new ArrayList<>();
            for (int i = 0; i < 100; i++) {
                many.add(client.callAsync(HOLD, new byte[1])); // so many that a virtual thread gathers
            }
            await("the handlers", () -> holding.size() == 100);
            assertThat(caller.submit(() -> client.call(ECHO, new byte[3])).get())
                    .hasSize(3);
            held.countDown();
            many.forEach(CompletableFuture::join);
        } finally {
            caller.shutdownNow();
        }
    }

    @Test
    void requestsThatWereGivenUpAreNotKeptForAServerThatDoesNotRead() throws Exception {
        try (RpcClient client = connect()) {
            CountDownLatch stopped = Machine.hold(dpuLoop);
            List<WeakReference<byte[]>> bodies = new ArrayList<>();
            for (int round = 0; round < 10; round++) {
                List<CompletableFuture<byte[]>> calls = new ArrayList<>();
                for (int i = 0; i < 500; i++) {
                    byte[] body = new byte[8192];
                    bodies.add(new WeakReference<>(body));
                    calls.add(client.callAsync(ECHO, body, Duration.ofMillis(5)));
                }
                calls.forEach(call -> assertThat(catchThrowable(call::join)).hasCauseInstanceOf(RpcException.class));
            }
            await("requests to be gone", () -> {
                System.gc();
                return bodies.stream().filter(body -> body.get() != null).count() < 10;
            });
            stopped.countDown();
            assertThat(client.call(ECHO, new byte[3])).hasSize(3);
        }
    }

    @Test
    void bodiesMayBeOfAnyLength() {
        try (RpcClient client = connect()) {
            Random random = new Random(1);
            List<byte[]> bodies = new ArrayList<>();
            for (int length : new int[] {0, 1, 7, 8, 4047, 4048, 4049, 4080, 8192, 100_000, 5_000_000}) {
                byte[] body = new byte[length];
                random.nextBytes(body);
                bodies.add(body);
            }
            for (int method : new int[] {ECHO, ECHO_LATER}) {
                for (byte[] body : bodies) {
                    assertThat(client.call(method, body)).isEqualTo(body);
                }
                List<CompletableFuture<byte[]>> all = bodies.stream()
                        .map(body -> client.callAsync(method, body))
                        .toList(); // mixed with each other
                for (int i = 0; i < all.size(); i++) {
                    assertThat(all.get(i).join()).isEqualTo(bodies.get(i));
                }
            }
        }
    }

    @Test
    void aShortCallDoesNotWaitForALongOne() {
        try (RpcClient client = connect()) {
            CompletableFuture<byte[]> longOne = client.callAsync(ECHO, new byte[16 << 20]);
            CompletableFuture<byte[]> shortOne = client.callAsync(ECHO, new byte[1]);
            List<String> order = java.util.Collections.synchronizedList(new ArrayList<>());
            CompletableFuture.allOf(
                            longOne.thenRun(() -> order.add("long")), shortOne.thenRun(() -> order.add("short")))
                    .join();
            assertThat(order).containsExactly("short", "long");
        }
    }

    @Test
    void failuresAreToldWithTheirReasons() {
        try (RpcClient client = connect()) {
            assertThatThrownBy(() -> client.call(FAIL, "x".getBytes(UTF_8)))
                    .isInstanceOfSatisfying(
                            RpcException.class, e -> assertThat(e.kind()).isEqualTo(RpcException.Kind.FAILED))
                    .hasMessage("java.io.IOException: as ordered: x")
                    .satisfies(e -> assertThat(e.getSuppressed()[0]).hasMessageContaining("handed to"));
            assertThatThrownBy(() -> client.call(99, new byte[0]))
                    .isInstanceOfSatisfying(
                            RpcException.class, e -> assertThat(e.kind()).isEqualTo(RpcException.Kind.NO_METHOD))
                    .hasMessageContaining("99");
            assertThatThrownBy(() -> client.call(NOTHING, new byte[0])).hasMessageContaining("the handler's response");
            CompletableFuture<byte[]> promised = client.callAsync(PROMISE, new byte[0]);
            try {
                await("the handler", () -> !promises.isEmpty());
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
            promises.getFirst().completeExceptionally(new IllegalStateException("broken promise"));
            assertThat(catchThrowable(promised::join).getCause()).hasMessageContaining("broken promise");
            assertThat(client.call(ECHO, new byte[3])).as("afterwards").hasSize(3);
        }
    }

    @Test
    void whatIsTooLongIsRefusedWhereItIsTooLong() {
        String small = Machine.uniqueName();
        try (RpcServer other = RpcServer.builder(dpuLoop, dpu, representor, small)
                        .maxBody(10_000)
                        .method(ECHO, RpcRequest::body)
                        .method(FAIL, request -> new byte[10_001])
                        .method(NOTHING, request -> new byte[9000])
                        .start();
                RpcClient client =
                        RpcClient.builder(hostLoop, host, small).maxBody(20_000).connect(Machine.PATIENCE);
                RpcClient narrow =
                        RpcClient.builder(hostLoop, host, small).maxBody(8000).connect(Machine.PATIENCE)) {
            assertThat(other.toString()).contains(small);
            assertThatThrownBy(() -> client.call(ECHO, new byte[20_001])).isInstanceOf(IllegalArgumentException.class);
            assertThat(kindOf(() -> client.call(ECHO, new byte[20_000]))).isEqualTo(RpcException.Kind.TOO_LONG);
            assertThat(kindOf(() -> client.call(FAIL, new byte[1]))).isEqualTo(RpcException.Kind.TOO_LONG);
            assertThat(kindOf(() -> narrow.call(NOTHING, new byte[1]))).isEqualTo(RpcException.Kind.TOO_LONG);
            assertThat(client.call(ECHO, new byte[10_000])).hasSize(10_000);
            assertThat(narrow.call(ECHO, new byte[8000])).hasSize(8000);
        }
    }

    @Test
    void aCallThatTakesTooLongIsGivenUpByBothSides() throws Exception {
        try (RpcClient client = connect()) {
            assertThat(kindOf(() -> client.call(HOLD, new byte[1], Duration.ofMillis(500))))
                    .isEqualTo(RpcException.Kind.TIME_OUT);
            CompletableFuture<byte[]> future = client.callAsync(HOLD, new byte[1], Duration.ofMillis(500));
            assertThat(catchThrowable(future::join).getCause())
                    .isInstanceOfSatisfying(
                            RpcException.class, e -> assertThat(e.kind()).isEqualTo(RpcException.Kind.TIME_OUT));
            await("both handlers", () -> holding.size() == 2);
            await("the cancellation", () -> holding.stream().allMatch(RpcRequest::isCancelled));
            assertThat(holding.getFirst().remaining()).isLessThanOrEqualTo(Duration.ZERO);
            held.countDown(); // the answers are not wanted any more
            assertThat(client.call(ECHO, new byte[5])).hasSize(5);
            assertThat(client.inFlight()).isZero();
        }
    }

    @Test
    void anInterruptDoesNotCutClosingShort() throws Exception {
        RpcClient client = connect();
        CompletableFuture<byte[]> future = client.callAsync(HOLD, new byte[1]);
        Thread.currentThread().interrupt();
        client.close();
        assertThat(Thread.interrupted()).as("the interrupt is kept").isTrue();
        assertThat(catchThrowable(future::join)).hasCauseInstanceOf(RpcException.class);
        await("the end", () -> client.state() == LinkState.CLOSED);
    }

    @Test
    void deadlinesHoldWhileTheLoopIsBusy() throws Exception {
        try (RpcClient client = connect()) {
            CountDownLatch busy = Machine.hold(hostLoop);
            assertThat(kindOf(() -> client.call(ECHO, new byte[1], Duration.ofMillis(30))))
                    .isEqualTo(RpcException.Kind.TIME_OUT);
            busy.countDown();
            assertThat(client.call(ECHO, new byte[2])).hasSize(2);
        }
    }

    @Test
    void aCancelledCallIsCancelledAtTheServer() throws Exception {
        try (RpcClient client = connect()) {
            CompletableFuture<byte[]> future = client.callAsync(HOLD, new byte[1]);
            await("the handler", () -> holding.size() == 1);
            CountDownLatch told = new CountDownLatch(2);
            holding.getFirst().onCancelled(told::countDown);
            assertThatThrownBy(() -> holding.getFirst().onCancelled(told::countDown))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("onCancelled");
            assertThat(future.cancel(false)).isTrue();
            await("the cancellation", () -> told.getCount() == 1);
            assertThat(holding.getFirst().isCancelled()).isTrue();
            holding.getFirst().onCancelled(told::countDown); // at once
            assertThat(told.getCount()).isZero();
            Thread waiting = new Thread(() -> assertThat(catchThrowable(() -> client.call(HOLD, new byte[1])))
                    .isInstanceOf(WaitInterruptedException.class)
                    .hasMessageContaining("interrupted"));
            waiting.start();
            await("the second handler", () -> holding.size() == 2);
            waiting.interrupt();
            waiting.join();
            await("the second cancellation", () -> holding.get(1).isCancelled());
            assertThat(client.inFlight()).isZero();
        }
    }

    @Test
    void noMoreCallsAreInFlightThanAllowed() throws Exception {
        try (RpcClient client =
                RpcClient.builder(hostLoop, host, name).maxInFlight(2).connect(Machine.PATIENCE)) {
            List<CompletableFuture<byte[]>> two =
                    List.of(client.callAsync(HOLD, new byte[1]), client.callAsync(HOLD, new byte[1]));
            assertThat(client.inFlight()).isEqualTo(2);
            assertThat(catchThrowable(() -> client.callAsync(ECHO, new byte[1]).join())
                            .getCause())
                    .isInstanceOfSatisfying(
                            RpcException.class, e -> assertThat(e.kind()).isEqualTo(RpcException.Kind.BUSY));
            assertThat(kindOf(() -> client.call(ECHO, new byte[1], Duration.ofMillis(20))))
                    .isEqualTo(RpcException.Kind.TIME_OUT);
            Thread waiting = Thread.startVirtualThread(() -> client.call(ECHO, new byte[1]));
            await("the handlers", () -> holding.size() == 2);
            held.countDown();
            waiting.join();
            two.forEach(CompletableFuture::join);
        }
    }

    @Test
    void aServerThatHasTooManyRequestsSaysSo() throws Exception {
        server.close();
        server = settings().maxInFlight(3).start();
        try (RpcClient client = connect()) {
            List<CompletableFuture<byte[]>> calls = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                calls.add(client.callAsync(HOLD, new byte[1]));
            }
            await("the handlers", () -> holding.size() == 3);
            assertThat(kindOf(() -> client.call(ECHO, new byte[1]))).isEqualTo(RpcException.Kind.BUSY);
            held.countDown();
            calls.forEach(CompletableFuture::join);
            assertThat(client.call(ECHO, new byte[1])).hasSize(1);
        }
    }

    @Test
    void anExecutorThatRejectsMakesTheServerBusy() {
        executor.shutdownNow();
        try (RpcClient client = connect()) {
            assertThat(kindOf(() -> client.call(ECHO_LATER, new byte[1]))).isEqualTo(RpcException.Kind.BUSY);
        }
    }

    @Test
    void whatIsInFlightFailsWhenEitherSideEndsTheConnection() throws Exception {
        RpcClient client = connect();
        List<CompletableFuture<byte[]>> calls = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            calls.add(client.callAsync(HOLD, new byte[1]));
        }
        await("the handlers", () -> holding.size() == 100);
        server.close();
        for (CompletableFuture<byte[]> call : calls) {
            assertThat(catchThrowable(call::join).getCause()).matches(Ends::isLost);
        }
        assertThat(holding).allMatch(RpcRequest::isCancelled);
        assertThatThrownBy(() -> client.call(ECHO, new byte[1])).matches(Ends::isNotSent);
        await("the state", () -> client.state() == LinkState.DISCONNECTED);
        client.close();
        assertThat(client.state()).isEqualTo(LinkState.CLOSED);
        holding.clear();
        server = start();
        RpcClient other = connect();
        CompletableFuture<byte[]> call = other.callAsync(HOLD, new byte[1]);
        await("the handler", () -> holding.size() == 1);
        other.close();
        other.close();
        assertThat(catchThrowable(call::join).getCause()).matches(Ends::isLost);
        await("the cancellation", () -> holding.getFirst().isCancelled());
    }

    @Test
    void callsFailWhenTheLoopIsClosed() throws Exception {
        RpcClient client = connect();
        CompletableFuture<byte[]> call = client.callAsync(HOLD, new byte[1]);
        await("the handler", () -> holding.size() == 1);
        hostLoop.close();
        assertThat(catchThrowable(call::join).getCause()).matches(Ends::isLost);
        assertThatThrownBy(() -> client.call(ECHO, new byte[1]))
                .matches(Ends::isNotSent)
                .hasCauseInstanceOf(RejectedExecutionException.class);
        client.close();
    }

    @Test
    void waitingInTheLoopIsRefused() {
        try (RpcClient client = connect()) {
            assertThatThrownBy(() -> hostLoop.call(() -> client.call(ECHO, new byte[1])))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("in the loop");
            assertThatThrownBy(() -> hostLoop.call(
                            () -> RpcClient.builder(hostLoop, host, name).connect(Machine.PATIENCE)))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("in the loop");
        }
    }

    @Test
    void connectingInVainEndsInTime() throws Exception {
        assertThatThrownBy(() -> RpcClient.builder(hostLoop, host, "nobody").connect(Duration.ofMillis(50)))
                .isInstanceOfSatisfying(
                        DocaException.class,
                        e -> assertThat(e.error()).isIn(DocaError.CONNECTION_ABORTED, DocaError.TIME_OUT));
        assertThatThrownBy(() -> RpcClient.builder(hostLoop, dpu, name).connect(Machine.PATIENCE))
                .isInstanceOf(DocaException.class);
        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> RpcClient.builder(hostLoop, host, "nobody").connect(Machine.PATIENCE))
                .isInstanceOf(WaitInterruptedException.class)
                .hasMessageContaining("interrupted");
        assertThat(Thread.interrupted()).isTrue();
        await(
                "nothing to be left",
                () -> hostLoop.<Boolean, RuntimeException>call(
                        () -> !io.github.comch4j.internal.life.LiveHandles.of(hostLoop.engine())
                                .containsKey("EndpointContext")));
    }

    @Test
    void connectingWithAClosedDeviceFailsAtOnce() {
        Device gone = Device.openHost(Machine.HOST);
        gone.close();
        assertThatThrownBy(() -> RpcClient.builder(hostLoop, gone, name).connect(Machine.PATIENCE))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("closed");
    }

    /** What a peer that does not follow the format sends. */
    @Test
    @Needs(Feature.DISCONNECT)
    void whoSendsSomethingElseIsDisconnectedAndNobodyElse() {
        try (RpcClient client = connect()) {
            List<byte[]> wrong = new ArrayList<>();
            wrong.add(new byte[] {1, 2, 3});
            wrong.add(frame(Frames.REQUEST, 100, 100)); // a part longer than the message
            wrong.add(frame(Frames.REQUEST, -1, 100));
            wrong.add(frame(77, 0, 0)); // no such kind
            wrong.add(body(frame(Frames.REQUEST, 8, 4), 8)); // a part longer than its body
            byte[] begun = body(frame(Frames.REQUEST, 8, 100), 8);
            wrong.add(
                    ByteBuffer.allocate(2 * begun.length).put(begun).put(begun).array()); // the same number twice
            for (byte[] message : wrong) {
                try (ProgressEngine engine = ProgressEngine.create()) {
                    ComchClient raw = ComchClient.builder(engine, host, name).connect(Machine.PATIENCE);
                    raw.connection().send(message);
                    Machine.until("the end", () -> !raw.connection().isOpen(), engine);
                }
            }
            assertThat(client.call(ECHO, new byte[9])).hasSize(9);
        }
    }

    @Test
    void bodiesOfARawPeerAreBounded() {
        server.close();
        server = settings().maxBody(1000).start();
        try (ProgressEngine engine = ProgressEngine.create()) {
            List<Integer> answers = new ArrayList<>();
            List<String> texts = new ArrayList<>();
            ComchClient raw = ComchClient.builder(engine, host, name)
                    .onMessage((connection, message) -> Frames.read(message, (whole, at, part, beside) -> {
                        answers.add(Frames.value(whole, at));
                        texts.add(new String(
                                whole.asSlice(at + Frames.HEADER, part).toArray(ValueLayout.JAVA_BYTE), UTF_8));
                        return true;
                    }))
                    .connect(Machine.PATIENCE);
            for (int id = 0; id < 30; id++) {
                raw.connection().send(body(frame(Frames.REQUEST, 992, 1000, id), 992)); // the rest never comes
            }
            Machine.until("all but four to be refused", () -> answers.size() == 26, engine);
            assertThat(answers).containsOnly(RpcException.Kind.BUSY.code());
            assertThat(texts).allSatisfy(text -> assertThat(text).contains("requests of 4960 bytes are arriving"));
            raw.connection().send(frame(Frames.MORE, 0, 0, 99)); // of nothing
            raw.connection().send(frame(Frames.CANCEL, 0, 0, 99));
            raw.connection().send(frame(Frames.CANCEL, 0, 0, 1));
            answers.clear();
            raw.connection().send(body(frame(Frames.REQUEST, 8, 8, 100, ECHO), 8));
            Machine.until("an answer", () -> !answers.isEmpty(), engine);
            assertThat(answers).containsExactly(0);
        }
    }

    @Test
    void responsesOfARawPeerThatDoesNotReadAreBounded() throws Exception {
        server.close();
        AtomicInteger handled = new AtomicInteger();
        server = RpcServer.builder(dpuLoop, dpu, representor, name)
                .maxBody(100_000)
                .sendTasks(8) // few messages on their way
                .method(ECHO, request -> {
                    handled.incrementAndGet();
                    return new byte[100_000];
                })
                .start();
        try (ProgressEngine engine = ProgressEngine.create()) {
            ComchClient raw = ComchClient.builder(engine, host, name)
                    .maxMessageSize(Frames.messageSize(host))
                    .sendTasks(1000)
                    .connect(Machine.PATIENCE);
            for (int id = 0; id < 50; id++) {
                while (!raw.connection()
                        .trySend(frame(Frames.REQUEST, 0, 0, id, ECHO))
                        .accepted()) {
                    Thread.onSpinWait(); // not progress, which would read
                }
            }
            await(
                    "all requests",
                    () -> dpuLoop.<Long, RuntimeException>call(() -> server.server().connections().stream()
                                    .mapToLong(connection -> connection.received())
                                    .sum())
                            == 50);
            assertThat(handled.get()).isBetween(4, 12);
        }
    }

    private static byte[] frame(int kind, int part, int length) {
        return frame(kind, part, length, 1);
    }

    private static byte[] frame(int kind, int part, int length, long id) {
        return frame(kind, part, length, id, HOLD);
    }

    private static byte[] frame(int kind, int part, int length, long id, int method) {
        byte[] bytes = new byte[Frames.HEADER];
        Frames.write(MemorySegment.ofArray(bytes), 0, part, kind, id, method, length, Long.MAX_VALUE / 4);
        return bytes;
    }

    private static byte[] body(byte[] header, int length) {
        return ByteBuffer.allocate(header.length + length).put(header).array();
    }

    @Test
    void eachBuilderMakesOneObject() {
        RpcClient.Builder clients = RpcClient.builder(hostLoop, host, name);
        clients.connect(Machine.PATIENCE).close();
        RpcServer.Builder servers = RpcServer.builder(dpuLoop, dpu, representor, Machine.uniqueName());
        servers.start().close();
        List<Runnable> calls = List.of(
                () -> clients.connect(Machine.PATIENCE),
                () -> clients.timeout(Duration.ofSeconds(1)),
                () -> clients.maxInFlight(1),
                () -> clients.maxBody(1),
                () -> clients.sendTasks(1),
                () -> clients.largeBodies(1),
                () -> clients.reconnect(Duration.ofSeconds(1), Duration.ofSeconds(1)),
                () -> clients.onState((client, state) -> {}),
                servers::start,
                () -> servers.method(1, RpcRequest::body),
                () -> servers.method(1, executor, RpcRequest::body),
                () -> servers.asyncMethod(1, request -> null),
                () -> servers.maxInFlight(1),
                () -> servers.maxBody(1),
                () -> servers.sendTasks(1),
                () -> servers.largeBodies(1));
        assertThat(calls)
                .allSatisfy(call -> assertThatThrownBy(call::run)
                        .isExactlyInstanceOf(IllegalStateException.class)
                        .hasMessageContaining("has been used"));
    }

    @Test
    void impossibleSettingsAreRefused() {
        RpcClient.Builder clients = RpcClient.builder(hostLoop, host, name);
        RpcServer.Builder servers =
                RpcServer.builder(dpuLoop, dpu, representor, name).method(1, RpcRequest::body);
        List<Runnable> calls = List.of(
                () -> clients.maxInFlight(0),
                () -> clients.maxInFlight(Integer.MAX_VALUE),
                () -> clients.maxBody(0),
                () -> clients.sendTasks(0),
                () -> clients.largeBodies(-1),
                () -> clients.reconnect(Duration.ZERO, Duration.ofSeconds(1)),
                () -> clients.reconnect(Duration.ofSeconds(2), Duration.ofSeconds(1)),
                () -> servers.method(1, RpcRequest::body),
                () -> servers.maxInFlight(-1),
                () -> servers.maxBody(-1),
                () -> servers.sendTasks(-1),
                () -> servers.largeBodies(-1));
        assertThat(calls)
                .allSatisfy(call -> assertThatThrownBy(call::run).isInstanceOf(IllegalArgumentException.class));
    }

    // ---- reconnecting

    @Test
    void aClientConnectsAgainWhenTheServerIsBack() throws Exception {
        List<LinkState> states = java.util.Collections.synchronizedList(new ArrayList<>());
        RpcClient client = RpcClient.builder(hostLoop, host, name)
                .reconnect(Duration.ofMillis(1), Duration.ofMillis(20))
                .onState((self, state) -> states.add(state))
                .connect(Machine.PATIENCE);
        for (int round = 1; round <= 3; round++) {
            holding.clear();
            CompletableFuture<byte[]> call = client.callAsync(HOLD, new byte[1]);
            await("the handler", () -> holding.size() == 1);
            server.close();
            assertThat(catchThrowable(call::join).getCause()).matches(Ends::isLost);
            await("the state", () -> client.state() == LinkState.DISCONNECTED);
            assertThatThrownBy(() -> client.call(ECHO, new byte[1])).matches(Ends::isNotSent);
            awaitAttempts(3);
            assertThat(client.refusal())
                    .satisfies(why -> assertThat(why.reason()).contains("finds no server \"" + name + "\""));
            assertThatThrownBy(() -> client.call(ECHO, new byte[1]))
                    .matches(Ends::isNotSent)
                    .hasMessageContaining("there is no connection: client finds no server")
                    .hasCauseInstanceOf(DocaException.class);
            server = start();
            await("the next connection", () -> client.state() == LinkState.CONNECTED);
            assertThat(client.refusal()).isNull();
            assertThat(client.call(ECHO, new byte[round])).hasSize(round);
            assertThat(holding).as("what had failed is not sent again").hasSize(1);
        }
        client.close();
        client.close();
        assertThat(states)
                .containsExactly(
                        LinkState.CONNECTED,
                        LinkState.DISCONNECTED,
                        LinkState.CONNECTED,
                        LinkState.DISCONNECTED,
                        LinkState.CONNECTED,
                        LinkState.DISCONNECTED,
                        LinkState.CONNECTED,
                        LinkState.CLOSED);
    }

    /** Waits until the client on the host's loop has tried so many times more, or a few times more often, in vain. */
    private void awaitAttempts(int count) throws InterruptedException {
        for (int i = 0; i < count; i++) {
            await("an attempt", () -> hasEndpoint());
            await("its end", () -> !hasEndpoint());
        }
    }

    private boolean hasEndpoint() {
        return hostLoop.<Boolean, RuntimeException>call(
                () -> LiveHandles.of(hostLoop.engine()).containsKey("EndpointContext"));
    }

    @Test
    void aClientThatIsClosedWhileItTriesGivesUp() throws Exception {
        RpcClient client = RpcClient.builder(hostLoop, host, name)
                .reconnect(Duration.ofMillis(1), Duration.ofMillis(1))
                .connect(Machine.PATIENCE);
        server.close();
        await("the state", () -> client.state() == LinkState.DISCONNECTED);
        client.close();
        server = start();
        for (int i = 0; i < 10; i++) { // what was due in a millisecond comes before
            CompletableFuture.runAsync(() -> {}, CompletableFuture.delayedExecutor(2, TimeUnit.MILLISECONDS, hostLoop))
                    .join();
        }
        assertThat(dpuLoop.<Integer, RuntimeException>call(
                        () -> server.server().connections().size()))
                .isZero();
        assertThatThrownBy(() -> client.call(ECHO, new byte[1])).matches(Ends::isNotSent);
    }

    @Test
    void attemptsEndWithTheDevice() throws Exception {
        List<Throwable> failures = java.util.Collections.synchronizedList(new ArrayList<>());
        Device mine = Device.openHost(Machine.HOST);
        try (EventLoop loop = EventLoop.start("own", IdleStrategy.eventDriven(), failures::add)) {
            RpcClient client = RpcClient.builder(loop, mine, name)
                    .reconnect(Duration.ofMillis(1), Duration.ofMillis(1))
                    .connect(Machine.PATIENCE);
            server.close();
            await("the state", () -> client.state() == LinkState.DISCONNECTED);
            mine.close();
            assertThat(client.awaitConnected(Machine.PATIENCE))
                    .as("after an attempt without it")
                    .isFalse();
            assertThatThrownBy(() -> client.call(ECHO, new byte[1])).matches(Ends::isNotSent);
            client.close();
            assertThat(client.state()).isEqualTo(LinkState.CLOSED);
        }
        assertThat(failures).isEmpty();
    }
}
