package io.github.comch4j.rpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.github.comch4j.Child;
import io.github.comch4j.Machine;
import io.github.comch4j.comch.LinkState;
import io.github.comch4j.core.Device;
import io.github.comch4j.core.EventLoop;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Either process of a thousand outstanding calls is killed: the other one learns of all of them from the end of the
 * connection, long before any call's own time is up.
 */
@Timeout(60)
class RpcKillsIT {
    private static final int CALLS = 1000;

    @Test
    void whenTheServerIsKilledAllCallsFail() throws Exception {
        Machine.useEmulation();
        String name = Machine.uniqueName();
        try (Child child = RpcPeer.start("serve", name);
                EventLoop loop = EventLoop.start("loop");
                Device host = Device.openHost(Machine.HOST)) {
            assertThat(child.line()).isEqualTo("serving");
            RpcClient client = RpcClient.builder(loop, host, name)
                    .timeout(Duration.ofHours(1))
                    .connect(Machine.PATIENCE);
            List<CompletableFuture<byte[]>> futures = new ArrayList<>();
            List<Throwable> thrown = Collections.synchronizedList(new ArrayList<>());
            CountDownLatch threads = new CountDownLatch(CALLS / 2);
            for (int i = 0; i < CALLS / 2; i++) {
                futures.add(client.callAsync(RpcPeer.HOLD, new byte[64]));
                Thread.startVirtualThread(() -> {
                    thrown.add(catchThrowable(() -> client.call(RpcPeer.HOLD, new byte[64])));
                    threads.countDown();
                });
            }
            while (!child.line().equals("request " + CALLS)) {
                assertThat(client.inFlight()).isPositive();
            }
            child.kill();
            assertThat(threads.await(20, TimeUnit.SECONDS)).isTrue();
            for (CompletableFuture<byte[]> future : futures) {
                thrown.add(
                        catchThrowable(() -> future.get(20, TimeUnit.SECONDS)).getCause());
            }
            assertThat(thrown).hasSize(CALLS).allMatch(Ends::isLost);
            assertThat(client.inFlight()).isZero();
            client.close();
        }
    }

    @Test
    void whenTheClientIsKilledAllRequestsAreCancelled() throws Exception {
        Machine.useEmulation();
        String name = Machine.uniqueName();
        CountDownLatch begun = new CountDownLatch(CALLS);
        CountDownLatch cancelled = new CountDownLatch(CALLS);
        try (EventLoop loop = EventLoop.start("loop");
                Device dpu = Device.openDpu(Machine.DPU);
                RpcServer server = RpcServer.builder(loop, dpu, dpu.openRepresentor(Machine.HOST), name)
                        .asyncMethod(RpcPeer.HOLD, request -> {
                            request.onCancelled(cancelled::countDown);
                            begun.countDown();
                            return new CompletableFuture<>();
                        })
                        .start();
                Child child = RpcPeer.start("call", name, Integer.toString(CALLS))) {
            assertThat(child.line()).isEqualTo("calling");
            assertThat(begun.await(20, TimeUnit.SECONDS)).isTrue();
            child.kill();
            assertThat(cancelled.await(20, TimeUnit.SECONDS)).isTrue();
            assertThat(loop.<Integer, RuntimeException>call(
                            () -> server.server().connections().size()))
                    .isZero();
        }
    }

    @Test
    void aClientGoesOnWithTheNextServerAndRepeatsNothing() throws Exception {
        Machine.useEmulation();
        String name = Machine.uniqueName();
        List<LinkState> states = Collections.synchronizedList(new ArrayList<>());
        CountDownLatch connected = new CountDownLatch(2);
        try (EventLoop loop = EventLoop.start("loop");
                Device host = Device.openHost(Machine.HOST)) {
            RpcClient client;
            CompletableFuture<byte[]> lost;
            try (Child first = RpcPeer.start("serve", name)) {
                assertThat(first.line()).isEqualTo("serving");
                client = RpcClient.builder(loop, host, name)
                        .timeout(Duration.ofHours(1))
                        .reconnect(Duration.ofMillis(1), Duration.ofMillis(50))
                        .onState((self, state) -> {
                            states.add(state);
                            if (state == LinkState.CONNECTED) {
                                connected.countDown();
                            }
                        })
                        .connect(Machine.PATIENCE);
                lost = client.callAsync(RpcPeer.HOLD, new byte[64]);
                assertThat(first.line()).isEqualTo("request 1");
                first.kill();
            }
            assertThat(catchThrowable(lost::join).getCause()).matches(Ends::isLost);
            try (Child second = RpcPeer.start("serve", name)) {
                assertThat(second.line()).isEqualTo("serving");
                assertThat(connected.await(20, TimeUnit.SECONDS)).isTrue();
                var _ = client.callAsync(RpcPeer.HOLD, new byte[64]);
                assertThat(second.line()).isEqualTo("request 1");
                client.close();
                second.terminate();
                assertThat(second.rest()).as("other requests").isEmpty();
            }
            assertThat(states)
                    .containsExactly(
                            LinkState.CONNECTED, LinkState.DISCONNECTED, LinkState.CONNECTED, LinkState.CLOSED);
        }
    }
}
