package io.github.comch4j.rpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.github.comch4j.DocaError;
import io.github.comch4j.Feature;
import io.github.comch4j.Machine;
import io.github.comch4j.Needs;
import io.github.comch4j.TwoLoopsInBothForms;
import io.github.comch4j.comch.LinkState;
import io.github.comch4j.core.ProgressEngine;
import io.github.comch4j.emulator.EmulatedFaults;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Calls whose messages get lost: none waits for its time to be up. */
@Timeout(120)
class CallFaultsTest extends TwoLoopsInBothForms {
    private static final int ECHO = 1;
    private static final int HOLD = 2;
    private static final int THRESHOLD = 1000;
    private static final int PARTS = 15_000; // in four messages of the control path
    private static final int SLOTS = 1_000_000; // in four of the fast path

    /** Longer than the test has. */
    private static final Duration LONG = Duration.ofMinutes(5);

    private final Set<Integer> handled = ConcurrentHashMap.newKeySet();
    private final AtomicInteger arrived = new AtomicInteger();
    private final CountDownLatch held = new CountDownLatch(1);
    private RpcServer server;

    @BeforeEach
    void open() {
        server = serve(-1);
    }

    @AfterEach
    void close() {
        EmulatedFaults.clear();
        held.countDown();
        server.close();
    }

    private RpcServer serve(int largeBodies) {
        RpcServer.Builder settings = RpcServer.builder(dpuLoop, dpu, representor, name)
                .method(ECHO, request -> {
                    handled.add(number(request.segment()));
                    return request.body();
                })
                .blocking(HOLD, request -> {
                    arrived.incrementAndGet();
                    held.await();
                    return request.body();
                });
        return (largeBodies < 0 ? settings : settings.largeBodies(largeBodies)).start();
    }

    private RpcClient connect() {
        RpcClient client = RpcClient.builder(hostLoop, host, name).timeout(LONG).connect(Machine.PATIENCE);
        assertThat(client.call(ECHO, body(0, 4))).hasSize(4); // its first messages have gone
        return client;
    }

    private RpcClient connectWithFastPath() {
        server.close();
        server = serve(THRESHOLD);
        RpcClient client = RpcClient.builder(hostLoop, host, name)
                .timeout(LONG)
                .largeBodies(THRESHOLD)
                .connect(Machine.PATIENCE);
        until("the fast path", () -> {
            long before = messages();
            assertThat(client.call(ECHO, body(0, 100_000))).hasSize(100_000);
            return messages() - before < 4;
        });
        return client;
    }

    private long messages() {
        return dpuLoop.<Long, RuntimeException>call(() -> server.server().connections().stream()
                .mapToLong(connection -> connection.received() + connection.sent())
                .sum());
    }

    /** So many calls that are held. */
    private void awaitReceived(int number) {
        until("the calls are there", () -> arrived.get() == number);
        arrived.set(0);
    }

    private static byte[] body(int number, int length) {
        byte[] body = new byte[length];
        MemorySegment.ofArray(body).set(ValueLayout.JAVA_INT_UNALIGNED, 0, number);
        return body;
    }

    private static int number(MemorySegment body) {
        return body.get(ValueLayout.JAVA_INT_UNALIGNED, 0);
    }

    private static void failSend(int nth) {
        new EmulatedFaults().failSend(nth, DocaError.IO_FAILED).apply();
    }

    private static void until(String what, BooleanSupplier done) {
        Machine.until(what, done, new ProgressEngine[0]);
    }

    /** What the server keeps of requests that have not come to their end. */
    private void awaitNothingKept(RpcClient client) {
        until(
                "the server has forgotten what did not come",
                () -> dpuLoop.<Boolean, RuntimeException>call(() -> server.server().connections().stream()
                        .allMatch(connection -> connection.attachment() instanceof ServerConnection known
                                && known.arrivingBytes() == 0)));
        assertThat(client.inFlight()).isZero();
    }

    @Test
    void aCallWhoseRequestIsLostFailsAtOnce() {
        try (RpcClient client = connect()) {
            for (int length : new int[] {4, PARTS}) {
                for (int nth = 1; nth <= (length == 4 ? 1 : 4); nth++) {
                    int number = 1000 + length + nth;
                    failSend(nth);
                    RpcException lost =
                            catchThrowableOfType(RpcException.class, () -> client.call(ECHO, body(number, length)));
                    EmulatedFaults.clear();
                    assertThat(lost).matches(Ends::isNotSent).hasMessageContaining("IO_FAILED");
                    assertThat(client.call(ECHO, body(1, PARTS))).isEqualTo(body(1, PARTS));
                    assertThat(handled).doesNotContain(number);
                    awaitNothingKept(client);
                    assertThat(client.state()).isEqualTo(LinkState.CONNECTED);
                }
            }
        }
    }

    @Test
    void theOthersOfManyCallsGoOn() {
        try (RpcClient client = connect()) {
            for (int nth : new int[] {1, 2, 3, 7, 20, 60, 100}) {
                handled.clear();
                int failed = lostOf(client, 800, nth, 700);
                assertThat(failed).as("with the message %s", nth).isBetween(1, 6);
                assertThat(lostOf(client, 20, Math.min(nth, 10), PARTS)).isBetween(1, 6);
                awaitNothingKept(client);
            }
        }
    }

    /**
     * Of so many calls a message is lost while the server does not read; so those behind it have to wait in the device.
     * Returns how many have failed: these have not been handled, and the others have.
     */
    private int lostOf(RpcClient client, int number, int nth, int length) {
        handled.clear();
        CountDownLatch pause = Machine.hold(dpuLoop);
        List<CompletableFuture<byte[]>> calls = new ArrayList<>();
        CountDownLatch together = Machine.hold(hostLoop);
        for (int i = 0; i < number; i++) {
            calls.add(client.callAsync(ECHO, body(i, length)));
        }
        failSend(nth);
        together.countDown();
        until("the calls that are lost", () -> calls.stream().anyMatch(CompletableFuture::isCompletedExceptionally));
        EmulatedFaults.clear();
        pause.countDown();
        int failed = 0;
        for (int i = 0; i < number; i++) {
            Throwable thrown = catchThrowable(calls.get(i)::join);
            assertThat(handled.contains(i)).as("call %s", i).isEqualTo(thrown == null);
            if (thrown != null) {
                assertThat(thrown.getCause()).matches(Ends::isNotSent);
                failed++;
            }
        }
        return failed;
    }

    @Test
    void aCallThatWaitsForAConnectionIsSentAgain() {
        try (RpcClient client = connect()) {
            for (int length : new int[] {4, PARTS}) {
                failSend(1);
                assertThat(client.prepare(ECHO)
                                .waitForReady(true)
                                .call(body(length, length))
                                .body())
                        .hasSize(length);
                assertThat(handled).contains(length);
            }
            awaitNothingKept(client);
        }
    }

    @Test
    void aLongBodyThatIsLostFailsAtOnce() {
        try (RpcClient client = connectWithFastPath()) {
            for (int nth = 1; nth <= 4; nth++) {
                int number = 1000 + nth;
                failSend(nth);
                RpcException lost =
                        catchThrowableOfType(RpcException.class, () -> client.call(ECHO, body(number, SLOTS)));
                EmulatedFaults.clear();
                assertThat(lost).matches(Ends::isNotSent).hasMessageContaining("IO_FAILED");
                assertThat(client.call(ECHO, body(1, SLOTS))).isEqualTo(body(1, SLOTS));
                assertThat(handled).doesNotContain(number);
                awaitNothingKept(client);
            }
            for (int nth = 1; nth <= 4; nth++) { // there is no room for more
                assertThat(lostOf(client, 6, nth, SLOTS / 2)).isEqualTo(1);
            }
            awaitNothingKept(client);
            assertThat(client.state()).isEqualTo(LinkState.CONNECTED);
        }
    }

    @Test
    @Needs(Feature.DISCONNECT)
    void aResponseThatIsLostEndsTheConnection() {
        for (int length : new int[] {4, PARTS}) {
            try (RpcClient client = connect()) {
                int requests = length == 4 ? 1 : 4;
                CompletableFuture<byte[]> other = client.callAsync(HOLD, body(1, 4));
                awaitReceived(1);
                failSend(requests + 1);
                Throwable lost = catchThrowable(() -> client.call(ECHO, body(7, length)));
                EmulatedFaults.clear();
                assertThat(lost).matches(Ends::isLost);
                assertThat(catchThrowable(other::join).getCause()).matches(Ends::isLost);
            }
        }
    }

    @Test
    void aLongResponseThatIsLostEndsTheConnection() {
        try (RpcClient client = connectWithFastPath()) {
            failSend(5);
            assertThat(catchThrowable(() -> client.call(ECHO, body(7, SLOTS)))).matches(Ends::isLost);
        }
    }

    @Test
    @Needs(Feature.DISCONNECT)
    void aReceiveThatFailsOnTheFastPathEndsTheConnection() {
        for (int nth : new int[] {1, 4, 5, 8}) { // four of the server's, and as many of the client's
            try (RpcClient client = connectWithFastPath()) {
                new EmulatedFaults().loseReceive(nth, DocaError.IO_FAILED).apply();
                assertThat(catchThrowable(() -> client.call(ECHO, body(7, SLOTS))))
                        .matches(Ends::isUnavailable); // before or after all of it was sent
                EmulatedFaults.clear();
            }
        }
    }

    @Test
    void theEndOfACallThatIsLostEndsTheConnection() {
        try (RpcClient client = connect()) {
            CompletableFuture<byte[]> unwanted = client.callAsync(HOLD, body(1, 4));
            CompletableFuture<byte[]> other = client.callAsync(HOLD, body(2, 4));
            awaitReceived(2);
            failSend(1);
            assertThat(unwanted.cancel(false)).isTrue();
            assertThat(catchThrowable(other::join).getCause()).matches(Ends::isUnavailable);
        }
    }

    @Test
    void aClientWhoseAnnouncementIsLostConnectsAgain() {
        failSend(1);
        Queue<LinkState> states = new ConcurrentLinkedQueue<>();
        try (RpcClient client = RpcClient.builder(hostLoop, host, name)
                .largeBodies(0)
                .timeout(LONG)
                .reconnect(Duration.ofMillis(1), Duration.ofMillis(10))
                .onState((any, now) -> states.add(now))
                .connect(Machine.PATIENCE)) {
            until("the next connection", () -> states.size() >= 3);
            assertThat(states).startsWith(LinkState.CONNECTED, LinkState.DISCONNECTED, LinkState.CONNECTED);
            assertThat(client.call(ECHO, body(5, 4))).hasSize(4);
        }
    }
}
