package io.github.comch4j.rpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.github.comch4j.Feature;
import io.github.comch4j.Machine;
import io.github.comch4j.Needs;
import io.github.comch4j.TwoLoopsInBothForms;
import io.github.comch4j.comch.ComchClient;
import io.github.comch4j.comch.LinkState;
import io.github.comch4j.core.EventLoop;
import io.github.comch4j.core.ProgressEngine;
import io.github.comch4j.internal.life.LiveHandles;
import io.github.comch4j.management.MBeans;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicReference;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.MBeanServerFactory;
import javax.management.ObjectName;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What calls carry, how they fail, and the books that are kept of them. */
@Timeout(60)
class RpcCallTest extends TwoLoopsInBothForms {
    private static final int DIRECT = 1;
    private static final int BLOCKING = 2;
    private static final int LATER = 3;
    private static final int FAIL = 4;
    private static final int HOLD = 5;
    private static final int SLOW = 6;
    private static final int SUM = 7;
    private static final int FAIL_LATER = 8;
    private static final int NESTED = 9;
    private static final int HOLD_INTERRUPTIBLY = 10;
    private static final int JOURNAL = 11;

    private final CountDownLatch held = new CountDownLatch(1);
    private final List<RpcRequest> holding = java.util.Collections.synchronizedList(new ArrayList<>());
    private final AtomicReference<RpcRequest> last = new AtomicReference<>();
    private final CompletableFuture<Boolean> interrupted = new CompletableFuture<>();
    private final CountDownLatch unwanted = new CountDownLatch(1);
    private final CountDownLatch written = new CountDownLatch(1);
    private FileChannel journal;

    @TempDir
    private Path folder;

    private RpcServer server;

    @BeforeEach
    void open() {
        server = settings().start();
    }

    @AfterEach
    void close() {
        held.countDown();
        server.close();
    }

    private RpcServer.Builder settings() {
        return RpcServer.builder(dpuLoop, dpu, representor, name)
                .slowHandler(Duration.ofMillis(20))
                .method(DIRECT, RpcCallTest::answer)
                .blocking(BLOCKING, RpcCallTest::answer)
                .asyncMethod(LATER, request -> CompletableFuture.supplyAsync(() -> answer(request)))
                .method(FAIL, request -> {
                    request.putResponseMetadata("failed", "yes");
                    throw RpcException.failed(-7, "as ordered", request.body());
                })
                .asyncMethod(
                        FAIL_LATER,
                        request -> CompletableFuture.supplyAsync(() -> {
                            throw RpcException.failed(8, "later", new byte[] {1});
                        }))
                .method(NESTED, request -> {
                    throw RpcException.told(RpcException.Delivery.HANDLED, 9, "of another server", new byte[1]);
                })
                .blocking(HOLD, request -> {
                    holding.add(request);
                    try {
                        held.await();
                    } catch (InterruptedException e) {
                        interrupted.complete(true);
                    }
                    return request.body();
                })
                .interruptible(HOLD_INTERRUPTIBLY, Executors.newVirtualThreadPerTaskExecutor(), request -> {
                    holding.add(request);
                    try {
                        held.await();
                    } catch (InterruptedException e) {
                        interrupted.complete(true);
                    }
                    return request.body();
                })
                .blocking(JOURNAL, request -> {
                    holding.add(request);
                    while (request.isWanted()) {
                        Thread.onSpinWait();
                    }
                    unwanted.countDown();
                    held.await();
                    journal.write(ByteBuffer.wrap(request.body()));
                    written.countDown();
                    return request.body();
                })
                .method(SLOW, request -> {
                    Thread.sleep(30);
                    return request.body();
                })
                .method(SUM, request -> {
                    last.set(request);
                    int sum = 0;
                    for (long i = 0; i < request.segment().byteSize(); i++) {
                        sum += request.segment().get(ValueLayout.JAVA_BYTE, i);
                    }
                    return ByteBuffer.allocate(4).putInt(sum).array();
                });
    }

    private static byte[] answer(RpcRequest request) {
        request.metadata().forEach((key, value) -> request.putResponseMetadata(value, key));
        return request.body();
    }

    private RpcClient connect() {
        return RpcClient.builder(hostLoop, host, name).connect(Machine.PATIENCE);
    }

    private static void await(String what, java.util.function.BooleanSupplier done) {
        Machine.until(what, done, new ProgressEngine[0]);
    }

    // ---- metadata

    @Test
    void metadataTravelBothWays() {
        try (RpcClient client = connect()) {
            for (int method : new int[] {DIRECT, BLOCKING, LATER}) {
                for (int length : new int[] {0, 10, 3000, 100_000}) {
                    RpcResponse response = client.prepare(method)
                            .metadata("who", "wér")
                            .metadata("trace", "00-4bf92f")
                            .call(new byte[length]);
                    assertThat(response.metadata()).isEqualTo(Map.of("wér", "who", "00-4bf92f", "trace"));
                    assertThat(response.body()).hasSize(length);
                    assertThat(response.segment().byteSize()).isEqualTo(length);
                    assertThat(client.prepare(method).call(new byte[length]).metadata())
                            .as("of the next call")
                            .isEmpty();
                }
            }
            List<CompletableFuture<RpcResponse>> calls = new ArrayList<>();
            for (int i = 0; i < 300; i++) { // among each other, in many messages
                RpcCall call = client.prepare(DIRECT);
                calls.add((i % 3 == 0 ? call : call.metadata("number", "" + i)).callAsync(new byte[i]));
            }
            for (int i = 0; i < 300; i++) {
                assertThat(calls.get(i).join().metadata()).isEqualTo(i % 3 == 0 ? Map.of() : Map.of("" + i, "number"));
                assertThat(calls.get(i).join().body()).hasSize(i);
            }
        }
    }

    @Test
    void metadataAreSmall() {
        try (RpcClient client = connect()) {
            RpcCall call = client.prepare(DIRECT).metadata("key", "x".repeat(2041));
            assertThat(call.call(new byte[5000]).metadata()).hasSize(1);
            assertThatThrownBy(() -> call.metadata("key", "x".repeat(2042))).hasMessageContaining("2048");
            assertThatThrownBy(() -> call.metadata("another", "")).isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> call.metadata("", "")).isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> call.metadata("key", null)).isInstanceOf(NullPointerException.class);
            assertThat(call.call(new byte[5000]).metadata()).as("as before").hasSize(1);
        }
    }

    @Test
    @Needs(Feature.DISCONNECT)
    void metadataThatAreNoneEndTheConnection() {
        List<byte[]> wrong = List.of(
                new byte[] {1}, new byte[] {0, 0, 1, 0, 'x', 0, 0, 0}, new byte[] {5, 0, 0, 0, 'x'}, new byte[2056]);
        for (byte[] body : wrong) {
            try (ProgressEngine engine = ProgressEngine.create()) {
                ComchClient raw = ComchClient.builder(engine, host, name)
                        .maxMessageSize(Frames.messageSize(host))
                        .connect(Machine.PATIENCE);
                byte[] frame = Arrays.copyOf(new byte[0], Frames.size(body.length));
                MemorySegment message = MemorySegment.ofArray(frame);
                Frames.write(message, 0, body.length, Frames.METADATA, 1, 0, body.length, 0);
                MemorySegment.copy(MemorySegment.ofArray(body), 0, message, Frames.HEADER, body.length);
                raw.connection().send(frame);
                Machine.until("the end", () -> !raw.connection().isOpen(), engine);
            }
        }
    }

    // ---- failures

    @Test
    void failuresCarryACodeAndBytes() {
        try (RpcClient client = connect()) {
            for (int length : new int[] {0, 5, 10_000}) {
                byte[] detail = new byte[length];
                Arrays.fill(detail, (byte) 9);
                RpcException failure = catchThrowableOfType(RpcException.class, () -> client.call(FAIL, detail));
                assertThat(failure).hasMessage("as ordered");
                assertThat(failure.code()).isEqualTo(-7);
                assertThat(failure.detail()).isEqualTo(detail);
                assertThat(failure.kind()).isEqualTo(RpcException.Kind.FAILED);
                assertThat(failure.delivery()).isEqualTo(RpcException.Delivery.HANDLED);
                assertThat(failure.isSafeToRepeat()).isFalse();
            }
            RpcException later = catchThrowableOfType(RpcException.class, () -> client.call(FAIL_LATER, new byte[1]));
            assertThat(later.code()).isEqualTo(8);
            assertThat(later.detail()).containsExactly(1);
            RpcException nested = catchThrowableOfType(RpcException.class, () -> client.call(NESTED, new byte[1]));
            assertThat(nested.code()).as("of a server that this one has called").isZero();
            assertThat(nested).hasMessageContaining("of another server");
            assertThatThrownBy(() -> RpcException.failed(0, "", new byte[0]))
                    .isInstanceOf(IllegalArgumentException.class);
        }
    }

    private static RpcException.Delivery delivery(Runnable call) {
        return catchThrowableOfType(RpcException.class, call::run).delivery();
    }

    @Test
    void eachFailureTellsHowFarItHasCome() throws Exception {
        server.close();
        server = settings()
                .maxBody(1000)
                .maxInFlight(1)
                .method(99, request -> new byte[1001])
                .start();
        try (RpcClient client =
                RpcClient.builder(hostLoop, host, name).maxInFlight(2).connect(Machine.PATIENCE)) {
            assertThat(delivery(() -> client.call(77, new byte[1]))).isEqualTo(RpcException.Delivery.REFUSED);
            assertThat(delivery(() -> client.call(DIRECT, new byte[1001]))).isEqualTo(RpcException.Delivery.REFUSED);
            assertThat(delivery(() -> client.call(99, new byte[1]))).isEqualTo(RpcException.Delivery.HANDLED);
            CountDownLatch busy = Machine.hold(hostLoop);
            assertThat(delivery(() -> client.call(DIRECT, new byte[1], Duration.ofMillis(20))))
                    .as("the loop has not come to it")
                    .isEqualTo(RpcException.Delivery.NOT_SENT);
            busy.countDown();
            CompletableFuture<byte[]> holds = client.callAsync(HOLD, new byte[1]);
            await("the handler", () -> holding.size() == 1);
            assertThat(delivery(() -> client.call(DIRECT, new byte[1])))
                    .as("the server has enough")
                    .isEqualTo(RpcException.Delivery.REFUSED);
            assertThat(delivery(() -> {
                        try (RpcClient other =
                                RpcClient.builder(hostLoop, host, name).connect(Machine.PATIENCE)) {
                            other.call(HOLD, new byte[1], Duration.ofSeconds(1));
                        }
                    }))
                    .isEqualTo(RpcException.Delivery.SENT);
            held.countDown();
            holds.join();
        }
    }

    // ---- memory

    @Test
    void bodiesAreReadAndSentWhereTheyAre() {
        try (RpcClient client = connect();
                Arena arena = Arena.ofShared()) {
            for (int length : new int[] {0, 1, 3000, 100_000}) {
                MemorySegment request = arena.allocate(length);
                request.fill((byte) 1);
                int sum = client.prepare(SUM)
                        .callAsync(request, response -> {
                            assertThat(response.segment().isReadOnly()).isTrue();
                            return response.segment()
                                    .get(ValueLayout.JAVA_INT_UNALIGNED.withOrder(java.nio.ByteOrder.BIG_ENDIAN), 0);
                        })
                        .join();
                assertThat(sum).isEqualTo(length);
                assertThat(client.prepare(DIRECT).call(request).segment().mismatch(request))
                        .isEqualTo(-1);
            }
            assertThatThrownBy(() -> client.prepare(SUM)
                            .callAsync(arena.allocate(1), response -> {
                                throw new IllegalStateException("as ordered");
                            })
                            .join())
                    .hasRootCauseMessage("as ordered");
            RpcResponse kept = client.prepare(DIRECT)
                    .callAsync(MemorySegment.ofArray(new byte[3]), response -> response)
                    .join();
            assertThatThrownBy(kept::segment).isInstanceOf(IllegalStateException.class);
            assertThatThrownBy(kept::body).isInstanceOf(IllegalStateException.class);
            assertThatThrownBy(() -> last.get().segment())
                    .as("of a request of 0 or more bytes in one message")
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("has returned");
        }
    }

    @Test
    void memoryThatCannotBeReadFailsTheCallAlone() throws Exception {
        try (RpcClient client = connect();
                Arena confined = Arena.ofConfined()) {
            Machine.untilAsleep(hostLoop.call(Machine::taskOfThisThread)); // then nobody has the engine
            assertThatThrownBy(() -> client.prepare(DIRECT).call(confined.allocate(1)))
                    .isInstanceOf(IllegalArgumentException.class);
            CountDownLatch busy = Machine.hold(hostLoop);
            CompletableFuture<RpcResponse> closed;
            try (Arena arena = Arena.ofShared()) {
                closed = client.prepare(DIRECT).callAsync(arena.allocate(8), response -> null);
            }
            CompletableFuture<byte[]> other = client.callAsync(DIRECT, new byte[8]);
            busy.countDown();
            assertThat(catchThrowable(closed::join)).hasCauseInstanceOf(IllegalStateException.class);
            assertThat(other.join()).hasSize(8);
            assertThat(client.inFlight()).isZero();
        }
    }

    // ---- handlers that block

    @Test
    void aHandlerIsInterruptedWhenNobodyWaitsIfItIsToBe() {
        try (RpcClient client = connect()) {
            CompletableFuture<byte[]> call = client.callAsync(HOLD_INTERRUPTIBLY, new byte[1]);
            await("the handler", () -> holding.size() == 1);
            call.cancel(false);
            assertThat(interrupted.join()).isTrue();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aHandlerAsksWhetherItIsWantedAndIsNotInterrupted(boolean cancels) throws Exception {
        journal = FileChannel.open(folder.resolve("journal"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        try (FileChannel shared = journal;
                RpcClient client = connect()) {
            if (cancels) {
                CompletableFuture<byte[]> call = client.callAsync(JOURNAL, new byte[3], Machine.PATIENCE);
                await("the handler", () -> holding.size() == 1);
                assertThat(holding.get(0).isWanted()).isTrue();
                call.cancel(false);
            } else {
                while (holding.isEmpty()) { // one that is late already has no handler
                    assertThat(catchThrowable(() -> client.call(JOURNAL, new byte[3], Duration.ofMillis(50))))
                            .isNotNull();
                }
            }
            unwanted.await();
            await("the end", () -> server.toString().contains("0 in flight"));
            dpuLoop.call(() -> null);
            held.countDown();
            written.await(); // never, after an interrupt
            assertThat(shared.size()).isPositive();
            assertThat(shared.isOpen()).isTrue();
        }
    }

    @Test
    void aHandlerIsNotInterruptedByDefault() {
        RpcRequest request = RpcRequest.of(1, new byte[0], null, System.nanoTime(), Long.MAX_VALUE / 4);
        assertThat(request.isWanted()).isTrue();
        assertThat(request.beginHandling(false)).isTrue();
        request.cancel();
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
        assertThat(request.isWanted()).isFalse();
        Thread.currentThread().interrupt();
        request.endHandling();
        assertThat(Thread.interrupted()).as("somebody else's interrupt is kept").isTrue();
    }

    @Test
    void anInterruptDoesNotOutliveItsCall() throws Exception {
        RpcRequest request = RpcRequest.of(1, new byte[0], null, System.nanoTime(), Long.MAX_VALUE / 4);
        assertThat(request.beginHandling(true)).isTrue();
        request.cancel();
        assertThat(Thread.currentThread().isInterrupted()).isTrue();
        request.endHandling();
        assertThat(Thread.currentThread().isInterrupted())
                .as("the thread of a pool")
                .isFalse();
        request.cancel();
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
        assertThat(request.beginHandling(true)).as("nobody waits").isFalse();
    }

    @Test
    void aHandlerThatHoldsTheLoopIsNamedOnce() {
        List<String> warnings = java.util.Collections.synchronizedList(new ArrayList<>());
        Logger logger = Logger.getLogger("io.github.comch4j.rpc");
        Handler handler = new Handler() {
            @Override
            public void publish(LogRecord record) {
                warnings.add(record.getMessage());
            }

            @Override
            public void flush() {}

            @Override
            public void close() {}
        };
        logger.addHandler(handler);
        logger.setUseParentHandlers(false);
        try (RpcClient client = connect()) {
            for (int i = 0; i < 3; i++) {
                client.call(SLOW, new byte[1]);
            }
            assertThat(warnings)
                    .filteredOn(warning -> warning.contains("method " + SLOW))
                    .singleElement()
                    .asString()
                    .contains(name, "ms", "blocking");
        } finally {
            logger.removeHandler(handler);
            logger.setUseParentHandlers(true);
        }
    }

    // ---- the books

    @Test
    void aServerThatHadTooManyRequestsThatWereGivenUpServesTheNext() {
        server.close();
        server = settings().maxInFlight(2).start();
        try (RpcClient client = connect()) {
            for (int i = 1; i <= 5; i++) {
                CompletableFuture<byte[]> call = client.callAsync(HOLD, new byte[1]);
                int number = i;
                await("the handler", () -> holding.size() == number);
                call.cancel(false);
                await("the end", () -> holding.get(number - 1).isCancelled());
            }
            assertThat(client.call(DIRECT, new byte[3])).hasSize(3);
        }
    }

    @Test
    void requestsThatWereCancelledBeforeTheyWereWholeDoNotCount() {
        server.close();
        server = settings().maxInFlight(2).start();
        try (ProgressEngine engine = ProgressEngine.create()) {
            List<Integer> kinds = new ArrayList<>();
            ComchClient raw = ComchClient.builder(engine, host, name)
                    .onMessage((connection, message) ->
                            Frames.read(message, (whole, at, part, beside) -> kinds.add(Frames.kind(whole, at))))
                    .connect(Machine.PATIENCE);
            for (int id = 1; id <= 5; id++) {
                raw.connection().send(frame(Frames.REQUEST, id, 100));
                raw.connection().send(frame(Frames.CANCEL, id, 0));
            }
            raw.connection().send(frame(Frames.REQUEST, 9, 0));
            Machine.until("the answer", () -> !kinds.isEmpty(), engine);
            assertThat(kinds).containsExactly(Frames.RESPONSE);
        }
    }

    /** What has come of bodies counts until they are whole, cancelled or refused. */
    @Test
    void bytesOfRequestsThatAreNotWholeCountAsLongAsTheyArrive() {
        server.close();
        server = settings().maxBody(1000).maxInFlight(9).start(); // and of one client, 4,000 bytes may be arriving
        try (ProgressEngine engine = ProgressEngine.create()) {
            Map<Long, Integer> kinds = new HashMap<>();
            ComchClient raw = ComchClient.builder(engine, host, name)
                    .maxMessageSize(Frames.messageSize(host))
                    .onMessage((connection, message) -> Frames.read(
                            message,
                            (whole, at, part, beside) ->
                                    kinds.put(Frames.id(whole, at), Frames.kind(whole, at)) == null))
                    .connect(Machine.PATIENCE);
            for (int round = 1; round <= 5; round++) {
                kinds.clear();
                for (int id = 0; id < 8; id++) {
                    raw.connection().send(frame(Frames.REQUEST, 100 * round + id, 1000, 500));
                }
                raw.connection().send(frame(Frames.REQUEST, 100 * round + 8, 1000, 1)); // one too many
                for (int id = 0; id < 4; id++) {
                    raw.connection().send(frame(Frames.CANCEL, 100 * round + id, 0));
                }
                for (int id = 4; id < 8; id++) {
                    raw.connection().send(frame(Frames.MORE, 100 * round + id, 0, 500));
                }
                Machine.until("the answers", () -> kinds.size() == 5, engine);
                assertThat(kinds)
                        .as("in round %s", round)
                        .containsEntry(100L * round + 8, Frames.FAILURE)
                        .containsEntry(100L * round + 4, Frames.RESPONSE)
                        .containsEntry(100L * round + 7, Frames.RESPONSE);
            }
            kinds.clear();
            for (int id = 1; id <= 9; id++) {
                raw.connection().send(frame(Frames.REQUEST, id, 1000, 440));
            }
            for (int id = 1; id <= 9; id++) {
                raw.connection().send(frame(Frames.MORE, id, 0, 560));
            }
            Machine.until("the answers", () -> kinds.size() == 9, engine);
            assertThat(kinds.values()).as("all of the room").containsOnly(Frames.RESPONSE);
            raw.close();
        }
    }

    private static byte[] frame(int kind, long id, int length) {
        return frame(kind, id, length, 0);
    }

    private static byte[] frame(int kind, long id, int length, int part) {
        byte[] bytes = new byte[Frames.HEADER + part];
        Frames.write(MemorySegment.ofArray(bytes), 0, part, kind, id, DIRECT, length, Long.MAX_VALUE / 4);
        return bytes;
    }

    @Test
    void aClientWhoseCallsWereGivenUpHasRoomForAsMany() {
        try (RpcClient client =
                RpcClient.builder(hostLoop, host, name).maxInFlight(2).connect(Machine.PATIENCE)) {
            for (int i = 0; i < 3; i++) {
                client.callAsync(HOLD, new byte[1]).cancel(false);
                assertThat(catchThrowable(() -> client.call(HOLD, new byte[1], Duration.ofMillis(1))))
                        .isInstanceOf(RpcException.class);
                assertThat(catchThrowable(() -> client.call(FAIL, new byte[1]))).isInstanceOf(RpcException.class);
                assertThat(catchThrowable(() -> client.call(77, new byte[1]))).isInstanceOf(RpcException.class);
            }
            List<CompletableFuture<byte[]>> two =
                    List.of(client.callAsync(HOLD, new byte[1]), client.callAsync(HOLD, new byte[1]));
            for (int i = 0; i < 3; i++) {
                assertThat(client.callAsync(DIRECT, new byte[1])).isCompletedExceptionally();
            }
            held.countDown();
            two.forEach(CompletableFuture::join);
            assertThat(client.call(DIRECT, new byte[3])).hasSize(3);
            assertThat(client.inFlight()).isZero();
        }
    }

    /** Not only when the client is closed. */
    @Test
    void aConnectionThatWasTheLastLeavesNothingOnItsLoop() {
        try (RpcClient client = connect()) {
            assertThat(client.call(DIRECT, new byte[1])).hasSize(1);
            server.close();
            await(
                    "the end of its endpoint",
                    () -> !hostLoop.<Boolean, RuntimeException>call(
                            () -> LiveHandles.of(hostLoop.engine()).containsKey("EndpointContext")));
            assertThat(client.state()).isEqualTo(LinkState.DISCONNECTED);
            assertThatThrownBy(() -> client.call(DIRECT, new byte[1]))
                    .as("not closed by its program")
                    .hasMessageContaining("there is no connection");
        }
    }

    @Test
    void aClientIsClosedAlsoWhenItsLoopWasBefore() {
        EventLoop loop = EventLoop.start("ends first");
        RpcClient client = RpcClient.builder(loop, host, name).connect(Machine.PATIENCE);
        loop.close();
        assertThat(client.state()).isEqualTo(LinkState.DISCONNECTED);
        client.close();
        assertThat(client.state()).isEqualTo(LinkState.CLOSED);
    }

    /** They do not wait for the look that is made for the long ones. */
    @Test
    void shortDeadlinesHoldAmongLongOnes() {
        try (RpcClient client = connect()) {
            CompletableFuture<byte[]> longOne = client.callAsync(HOLD, new byte[1], Duration.ofHours(1));
            List<Long> took = new ArrayList<>();
            for (int i = 0; i < 21; i++) {
                long begin = System.nanoTime();
                assertThat(catchThrowable(() -> client.call(HOLD, new byte[1], Duration.ofMillis(1))))
                        .isInstanceOf(RpcException.class);
                took.add(System.nanoTime() - begin);
            }
            // each but the first begins when the one before has ended: at a look, if it has waited for that
            assertThat(took.subList(1, took.size()).stream().min(Long::compare).orElseThrow())
                    .as("the fastest; looks are made every 50 ms")
                    .isLessThan(40_000_000);
            longOne.cancel(false);
        }
    }

    @Test
    void bothSidesCountTheirCalls() {
        try (RpcClient client = connect()) {
            for (int i = 0; i < 5; i++) {
                client.call(DIRECT, new byte[1]);
            }
            client.call(BLOCKING, new byte[1]);
            assertThat(catchThrowable(() -> client.call(FAIL, new byte[1]))).isNotNull();
            assertThat(catchThrowable(() -> client.call(77, new byte[1]))).isNotNull();
            CompletableFuture<byte[]> cancelled = client.callAsync(HOLD, new byte[1]);
            await("the handler", () -> holding.size() == 1);
            assertThat(client.toString()).contains(name, "9 calls, 1 in flight, 6 answered, 1 failed, 1 rejected");
            assertThat(server.toString()).contains(name, "9 calls, 1 in flight, 6 answered, 1 failed, 1 rejected");
            cancelled.cancel(false);
            await("the end", () -> server.toString().contains("0 in flight"));
            assertThat(client.toString())
                    .endsWith("9 calls, 0 in flight, 6 answered, 1 failed, 1 rejected, 0 late, 1 lost");
            assertThat(server.toString())
                    .endsWith("9 calls, 0 in flight, 6 answered, 1 failed, 1 rejected, 0 late, 1 lost");
            assertThat(catchThrowable(() -> client.call(HOLD, new byte[1], Duration.ofMillis(1))))
                    .isNotNull();
            assertThat(client.toString()).contains("1 late");
        }
    }

    @Test
    void bothAreShownByManagement() throws Exception {
        MBeanServer beans = MBeanServerFactory.newMBeanServer();
        try (MBeans management = MBeans.register(beans)) {
            RpcClient client = connect();
            for (int i = 0; i < 3; i++) {
                client.call(DIRECT, new byte[1]);
            }
            assertThat(catchThrowable(() -> client.call(FAIL, new byte[1]))).isNotNull();
            assertThat(catchThrowable(() -> client.call(77, new byte[1]))).isNotNull();
            for (String role : List.of("RpcClient", "RpcServer")) {
                ObjectName bean = only(beans, role);
                assertThat(beans.getAttribute(bean, "Calls")).as(role).isEqualTo(5L);
                assertThat(beans.getAttribute(bean, "Answered")).isEqualTo(3L);
                assertThat(beans.getAttribute(bean, "Failed")).isEqualTo(1L);
                assertThat(beans.getAttribute(bean, "Rejected")).isEqualTo(1L);
                assertThat(beans.getAttribute(bean, "Late")).isEqualTo(0L);
                assertThat(beans.getAttribute(bean, "Lost")).isEqualTo(0L);
                assertThat(beans.getAttribute(bean, "InFlight")).isEqualTo(0);
                assertThat((long) beans.getAttribute(bean, "LongestNanos"))
                        .isPositive()
                        .isLessThanOrEqualTo((long) beans.getAttribute(bean, "AnsweredNanos"));
            }
            client.close();
            server.close();
            assertThat(beans.queryNames(new ObjectName("io.github.comch4j:type=Rpc*,*"), null))
                    .noneMatch(bean -> bean.toString().contains(name));
            assertThat(management).isNotNull();
        }
    }

    private ObjectName only(MBeanServer beans, String role) throws JMException {
        List<ObjectName> mine = beans.queryNames(new ObjectName("io.github.comch4j:type=" + role + ",*"), null).stream()
                .filter(bean -> bean.toString().contains(name + "\\\""))
                .toList();
        assertThat(mine).hasSize(1);
        return mine.getFirst();
    }

    @Test
    void bothAreInAFlightRecording(@TempDir Path folder) throws Exception {
        Path file = folder.resolve("recording.jfr");
        try (Recording recording = new Recording();
                RpcClient client = connect()) {
            recording.start();
            client.call(DIRECT, new byte[1]);
            client.call(SLOW, new byte[1]);
            recording.stop();
            recording.dump(file);
        }
        List<RecordedEvent> events = RecordingFile.readAllEvents(file);
        assertThat(events)
                .filteredOn(event -> event.getEventType().getName().equals("comch4j.SlowHandler")
                        && event.getString("server").contains(name))
                .last()
                .satisfies(event -> {
                    assertThat(event.getInt("method")).isEqualTo(SLOW);
                    assertThat(event.getDuration("held")).isGreaterThan(Duration.ofMillis(20));
                });
        for (String role : List.of("calls to", "calls at")) {
            assertThat(events)
                    .filteredOn(event -> event.getEventType().getName().equals("comch4j.Calls")
                            && event.getString("of").startsWith(role + " \"" + name))
                    .last()
                    .satisfies(event -> assertThat(event.getLong("answered")).isEqualTo(2));
        }
    }

    @Test
    void aHandlerSetTwiceIsRefused() {
        RpcClient.Builder clients = RpcClient.builder(hostLoop, host, name).onState((client, state) -> {});
        assertThatThrownBy(() -> clients.onState((client, state) -> {}))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("onState");
        RpcServer.Builder servers =
                RpcServer.builder(dpuLoop, dpu, representor, name).method(1, RpcRequest::body);
        assertThatThrownBy(() -> servers.blocking(1, RpcRequest::body)).hasMessageContaining("method 1");
    }
}
