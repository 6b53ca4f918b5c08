package io.github.comch4j.rpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.github.comch4j.Machine;
import io.github.comch4j.Signals;
import io.github.comch4j.TwoLoopsInBothForms;
import io.github.comch4j.WaitInterruptedException;
import io.github.comch4j.comch.ComchClient;
import io.github.comch4j.comch.ComchServer;
import io.github.comch4j.comch.LinkState;
import io.github.comch4j.core.Device;
import io.github.comch4j.core.EventLoop;
import io.github.comch4j.core.ProgressEngine;
import io.github.comch4j.emulator.EmulatedMachine;
import io.github.comch4j.emulator.PeerProcess;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A server that shuts down, what becomes of the calls meanwhile, and calls that wait for the next server. */
@Timeout(60)
class RpcDrainTest extends TwoLoopsInBothForms {
    private static final int ECHO = 1;
    private static final int HOLD = 2;
    private static final Duration MOMENT = Duration.ofMillis(30);

    private final CountDownLatch held = new CountDownLatch(1);
    private final AtomicInteger holding = new AtomicInteger();
    private final AtomicInteger handled = new AtomicInteger();
    private RpcServer server;

    @BeforeEach
    void open() {
        server = start();
    }

    @AfterEach
    void close() {
        held.countDown();
        server.close();
    }

    private RpcServer start() {
        return RpcServer.builder(dpuLoop, dpu, representor, name)
                .method(ECHO, request -> {
                    handled.incrementAndGet();
                    return request.body();
                })
                .blocking(HOLD, request -> {
                    holding.incrementAndGet();
                    held.await();
                    return request.body();
                })
                .start();
    }

    private RpcClient.Builder clients() {
        return RpcClient.builder(hostLoop, host, name).reconnect(Duration.ofMillis(1), Duration.ofMillis(20));
    }

    private static void await(String what, BooleanSupplier done) {
        Machine.until(what, done, new ProgressEngine[0]);
    }

    @Test
    void whatRunsEndsAndNothingElseBegins() {
        try (RpcClient client = clients().connect(Machine.PATIENCE)) {
            CompletableFuture<byte[]> running = client.callAsync(HOLD, new byte[3]);
            await("the handler", () -> holding.get() == 1);
            server.shutdown();
            server.shutdown();
            await("the goodbye", () -> client.state() == LinkState.DISCONNECTED);
            assertThatThrownBy(() -> client.call(ECHO, new byte[1]))
                    .matches(Ends::isNotSent)
                    .hasMessageContaining("shutting down");
            assertThat(server.awaitTermination(MOMENT)).isFalse();
            assertThat(running).isNotDone();
            held.countDown();
            assertThat(running.join()).hasSize(3);
            assertThat(server.awaitTermination(Machine.PATIENCE)).isTrue();
            assertThat(handled).hasValue(0);
        }
    }

    @Test
    void aClientThatStandsStillIsNotWaitedForAndDelaysNobody(EmulatedMachine machine) throws Exception {
        try (PeerProcess frozen = machine.peer(EmulatedMachine.Side.BOTH, Frozen.class, name)
                        .start();
                RpcClient healthy = clients().connect(Machine.PATIENCE)) {
            frozen.awaitLine("calling");
            await("its calls", () -> holding.get() == Frozen.CALLS);
            CompletableFuture<Void> end = new CompletableFuture<>();
            ComchClient other = hostLoop.call(() -> ComchClient.builder(hostLoop.engine(), host, name)
                    .onMessage((connection, message) -> {})
                    .onDisconnected(connection -> end.complete(null))
                    .connect(Machine.PATIENCE));
            assertThat(healthy.call(ECHO, new byte[2])).hasSize(2);
            Signals.stop(frozen.pid());
            held.countDown(); // more responses than it has room for
            server.shutdown();
            assertThat(server.awaitTermination(Duration.ofHours(1))).isFalse();
            CompletableFuture<Void> closing = CompletableFuture.runAsync(server::close);
            end.join(); // while the other one still stands still
            closing.join();
            other.close();
        }
    }

    /** A client's process with calls whose answers it does not take. */
    static final class Frozen {
        static final int CALLS = 500;

        private Frozen() {}

        /** The server's name. */
        public static void main(String[] arguments) throws Exception {
            EventLoop loop = EventLoop.start("frozen");
            RpcClient client = RpcClient.builder(loop, Device.openHost(Machine.HOST), arguments[0])
                    .connect(Machine.PATIENCE);
            for (int i = 0; i < CALLS; i++) {
                var _ = client.callAsync(HOLD, new byte[4000], Duration.ofHours(1));
            }
            System.out.println("calling");
            Thread.sleep(Duration.ofHours(1));
        }
    }

    @Test
    void callsThatWaitGoToTheNextServer() {
        try (RpcClient client = clients().waitForReady(true).connect(Machine.PATIENCE)) {
            List<CompletableFuture<byte[]>> calls = new ArrayList<>();
            CountDownLatch busy = Machine.hold(hostLoop);
            server.shutdown();
            dpuLoop.call(() -> null); // it is, from here on
            for (int i = 0; i < 100; i++) {
                calls.add(client.callAsync(ECHO, new byte[i])); // sent before the client learns of the end
            }
            busy.countDown();
            assertThat(server.awaitTermination(Machine.PATIENCE)).isTrue();
            server.close();
            assertThat(calls).noneMatch(CompletableFuture::isDone);
            assertThat(client.inFlight()).isEqualTo(100);
            assertThat(client.awaitConnected(MOMENT)).isFalse();
            server = start();
            assertThat(client.awaitConnected(Machine.PATIENCE)).isTrue();
            for (int i = 0; i < 100; i++) {
                assertThat(calls.get(i).join()).hasSize(i);
            }
            assertThat(handled).as("each once").hasValue(100);
        }
    }

    /** As those are that were on their way when the server shut down. */
    @Test
    void whatTheServerHasRefusedGoesToTheNext() {
        server.close();
        AtomicInteger goodbyes = new AtomicInteger();
        ComchServer refuses = dpuLoop.call(() -> ComchServer.builder(dpuLoop.engine(), dpu, representor, name)
                .onMessage((connection, message) -> Frames.read(message, (whole, at, part, beside) -> {
                    if (Frames.kind(whole, at) == Frames.GOODBYE) {
                        goodbyes.incrementAndGet();
                    } else {
                        int why = RpcException.Kind.UNAVAILABLE.code();
                        connection.enqueue(frame(Frames.FAILURE, Frames.id(whole, at), why, 1));
                    }
                    return true;
                }))
                .start());
        try (RpcClient client = clients().connect(Machine.PATIENCE);
                RpcClient patient = clients().waitForReady(true).connect(Machine.PATIENCE)) {
            assertThatThrownBy(() -> client.call(ECHO, new byte[1]))
                    .matches(Ends::isUnavailable)
                    .isInstanceOfSatisfying(
                            RpcException.class, e -> assertThat(e.delivery()).isEqualTo(RpcException.Delivery.REFUSED));
            CompletableFuture<byte[]> waits = patient.callAsync(ECHO, new byte[3]);
            await("the answers to the goodbye", () -> goodbyes.get() == 2);
            assertThat(waits).isNotDone();
            refuses.close();
            server = start();
            assertThat(waits.join()).hasSize(3);
            assertThat(handled).hasValue(1);
        }
    }

    @Test
    @SuppressWarnings("try") // closed on purpose
    void whoWaitsInVainIsToldThatNothingWasSent() {
        try (RpcClient client = clients().waitForReady(true).connect(Machine.PATIENCE)) {
            server.close();
            await("the end", () -> client.state() == LinkState.DISCONNECTED);
            assertThatThrownBy(() -> client.call(ECHO, new byte[1], MOMENT))
                    .isInstanceOfSatisfying(RpcException.class, e -> {
                        assertThat(e.kind()).isEqualTo(RpcException.Kind.TIME_OUT);
                        assertThat(e.delivery()).isEqualTo(RpcException.Delivery.NOT_SENT);
                    });
            assertThatThrownBy(() -> client.prepare(ECHO).waitForReady(false).call(new byte[1]))
                    .matches(Ends::isNotSent)
                    .hasMessageContaining("no connection");
            CompletableFuture<byte[]> cancelled = client.callAsync(ECHO, new byte[1]);
            cancelled.cancel(false);
            CompletableFuture<byte[]> waits = client.callAsync(ECHO, new byte[1]);
            client.close();
            assertThat(catchThrowable(waits::join).getCause())
                    .matches(Ends::isNotSent)
                    .hasMessageContaining("closed");
            assertThatThrownBy(() -> client.call(ECHO, new byte[1]))
                    .matches(Ends::isNotSent)
                    .hasMessageContaining("closed");
            assertThat(client.awaitConnected(Machine.PATIENCE)).isFalse();
            assertThat(client.inFlight()).isZero();
        }
    }

    @Test
    void whoDoesNotReconnectDoesNotWait() {
        try (RpcClient client =
                RpcClient.builder(hostLoop, host, name).waitForReady(true).connect(Machine.PATIENCE)) {
            server.close();
            await("the end", () -> client.state() == LinkState.DISCONNECTED);
            assertThat(client.awaitConnected(Machine.PATIENCE)).isFalse();
            assertThatThrownBy(() -> client.call(ECHO, new byte[1])).matches(Ends::isNotSent);
        }
    }

    @Test
    void aCallThatWasSentIsNotSentAgain() {
        try (RpcClient client = clients().waitForReady(true).connect(Machine.PATIENCE)) {
            CompletableFuture<byte[]> running = client.callAsync(HOLD, new byte[3]);
            await("the handler", () -> holding.get() == 1);
            server.close();
            assertThat(catchThrowable(running::join).getCause()).matches(Ends::isLost);
            server = start();
            assertThat(client.call(ECHO, new byte[1])).hasSize(1);
            assertThat(holding).hasValue(1);
        }
    }

    @Test
    void whoConnectsToAServerThatShutsDownIsToldAtOnce() {
        server.shutdown();
        assertThat(server.awaitTermination(Machine.PATIENCE))
                .as("nobody is there")
                .isTrue();
        try (RpcClient client = clients().connect(Machine.PATIENCE)) {
            await("the goodbye", () -> client.state() == LinkState.DISCONNECTED);
            assertThatThrownBy(() -> client.call(ECHO, new byte[1])).matches(Ends::isNotSent);
        }
    }

    @Test
    void waitingForTheEndCanBeInterruptedAndIsRefusedInTheLoop() {
        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> server.awaitTermination(Machine.PATIENCE))
                .isInstanceOf(WaitInterruptedException.class);
        assertThat(Thread.interrupted()).isTrue();
        assertThatThrownBy(() -> dpuLoop.call(() -> server.awaitTermination(Machine.PATIENCE)))
                .isInstanceOf(IllegalStateException.class);
        try (RpcClient client = clients().connect(Machine.PATIENCE)) {
            server.close();
            await("the end", () -> client.state() == LinkState.DISCONNECTED);
            Thread.currentThread().interrupt();
            assertThatThrownBy(() -> client.awaitConnected(Machine.PATIENCE))
                    .isInstanceOf(WaitInterruptedException.class);
            assertThat(Thread.interrupted()).isTrue();
        }
        assertThat(server.awaitTermination(Machine.PATIENCE)).as("closed").isTrue();
    }

    // ---- the frames

    private static byte[] frame(int kind, long id, int method, long extra) {
        byte[] bytes = new byte[Frames.HEADER];
        Frames.write(MemorySegment.ofArray(bytes), 0, 0, kind, id, method, 0, extra);
        return bytes;
    }

    @Test
    void aClientIsWaitedForUntilItAnswersTheGoodbye() {
        List<String> frames = new ArrayList<>();
        try (ProgressEngine engine = ProgressEngine.create()) {
            ComchClient raw = raw(engine, frames);
            raw.connection().send(frame(Frames.REQUEST, 1, ECHO, Long.MAX_VALUE / 4));
            Machine.until("the answer", () -> frames.size() == 1, engine);
            server.shutdown();
            Machine.until("the goodbye", () -> frames.size() == 2, engine);
            raw.connection().send(frame(Frames.REQUEST, 2, ECHO, Long.MAX_VALUE / 4));
            Machine.until("the refusal", () -> frames.size() == 3, engine);
            assertThat(server.awaitTermination(MOMENT)).isFalse();
            raw.connection().send(frame(Frames.GOODBYE, 0, 0, 0));
            assertThat(server.awaitTermination(Machine.PATIENCE)).isTrue();
            assertThat(frames)
                    .containsExactly(
                            Frames.RESPONSE + " 1 0",
                            Frames.GOODBYE + " 0 0",
                            Frames.FAILURE + " 2 " + RpcException.Kind.UNAVAILABLE.code());
            assertThat(handled).hasValue(1);
        }
    }

    /** Its first calls may be on their way: they would be lost with a server that closes. */
    @Test
    void aClientThatHasSaidNothingYetIsWaitedFor() {
        List<String> frames = new ArrayList<>();
        try (ProgressEngine engine = ProgressEngine.create()) {
            ComchClient raw = raw(engine, frames);
            server.shutdown();
            Machine.until("the goodbye", () -> frames.size() == 1, engine);
            assertThat(server.awaitTermination(MOMENT)).isFalse();
            raw.connection().send(frame(Frames.REQUEST, 1, ECHO, Long.MAX_VALUE / 4));
            Machine.until("the refusal", () -> frames.size() == 2, engine);
            assertThat(frames.getLast()).isEqualTo(Frames.FAILURE + " 1 " + RpcException.Kind.UNAVAILABLE.code());
            assertThat(server.awaitTermination(MOMENT)).isFalse();
            raw.close();
            assertThat(server.awaitTermination(Machine.PATIENCE)).isTrue();
        }
    }

    private ComchClient raw(ProgressEngine engine, List<String> frames) {
        return ComchClient.builder(engine, host, name)
                .onMessage((connection, message) -> Frames.read(
                        message,
                        (whole, at, part, beside) -> frames.add(
                                Frames.kind(whole, at) + " " + Frames.id(whole, at) + " " + Frames.value(whole, at))))
                .connect(Machine.PATIENCE);
    }

    /** A server in C need do no more to answer calls. */
    @Test
    void aServerThatAnswersRequestsAloneServes() {
        String other = Machine.uniqueName();
        List<String> frames = java.util.Collections.synchronizedList(new ArrayList<>());
        ComchServer raw = dpuLoop.call(() -> ComchServer.builder(dpuLoop.engine(), dpu, representor, other)
                .onMessage((connection, message) -> Frames.read(message, (whole, at, part, beside) -> {
                    long id = Frames.id(whole, at);
                    int kind = Frames.kind(whole, at);
                    frames.add(kind + " " + beside);
                    if (kind == Frames.REQUEST) {
                        connection.enqueue(frame(Frames.RESPONSE, id, 0, 0));
                    }
                    return true;
                }))
                .start());
        try (RpcClient client = RpcClient.builder(hostLoop, host, other).connect(Machine.PATIENCE)) {
            assertThat(client.call(ECHO, new byte[8])).isEmpty();
            assertThat(client.prepare(ECHO)
                            .metadata("key", "value")
                            .call(new byte[0])
                            .metadata())
                    .isEmpty();
            assertThat(frames).containsExactly(Frames.REQUEST + " null", Frames.REQUEST + " {key=value}");
        }
        raw.close();
    }
}
