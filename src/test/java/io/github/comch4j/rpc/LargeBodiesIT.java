package io.github.comch4j.rpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.github.comch4j.Child;
import io.github.comch4j.Machine;
import io.github.comch4j.core.Device;
import io.github.comch4j.core.EventLoop;
import io.github.comch4j.internal.life.LiveHandles;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Bodies on the fast path between two processes, one of which is killed in the middle. */
@Timeout(60)
class LargeBodiesIT {
    private static final int CALLERS = 4;

    private static boolean hasFastPath(EventLoop loop) {
        return loop.<Boolean, RuntimeException>call(
                () -> LiveHandles.of(loop.engine()).containsKey("FastPathContext"));
    }

    private static void awaitEnd(EventLoop loop) throws InterruptedException {
        long deadline = System.nanoTime() + Machine.PATIENCE.toNanos();
        while (hasFastPath(loop)) {
            assertThat(System.nanoTime() - deadline).as("waiting for the end").isNegative();
            Thread.sleep(1);
        }
    }

    @Test
    void allCallsFailWhenTheServerIsKilledInTheMiddleOfBodies() throws Exception {
        Machine.useEmulation();
        String name = Machine.uniqueName();
        try (Child child = RpcPeer.start("serve", name);
                EventLoop loop = EventLoop.start("loop");
                Device host = Device.openHost(Machine.HOST)) {
            assertThat(child.line()).isEqualTo("serving");
            RpcClient client = RpcClient.builder(loop, host, name)
                    .timeout(Duration.ofHours(1))
                    .largeBodies(RpcPeer.THRESHOLD)
                    .connect(Machine.PATIENCE);
            AtomicInteger wrong = new AtomicInteger();
            List<Throwable> thrown = Collections.synchronizedList(new ArrayList<>());
            CountDownLatch some = new CountDownLatch(20);
            List<Thread> callers = new ArrayList<>();
            for (int i = 0; i < CALLERS; i++) {
                Random random = new Random(i);
                callers.add(Thread.startVirtualThread(() -> thrown.add(catchThrowable(() -> {
                    while (true) {
                        byte[] body = new byte[random.nextInt(2_000_000)];
                        random.nextBytes(body);
                        wrong.addAndGet(Arrays.equals(client.call(RpcPeer.ECHO, body), body) ? 0 : 1);
                        some.countDown();
                    }
                }))));
            }
            assertThat(some.await(50, TimeUnit.SECONDS)).isTrue();
            assertThat(hasFastPath(loop)).isTrue();
            child.kill();
            for (Thread caller : callers) {
                assertThat(caller.join(Duration.ofSeconds(20))).isTrue();
            }
            assertThat(wrong).hasValue(0);
            assertThat(thrown).hasSize(CALLERS).allMatch(Ends::isUnavailable);
            assertThat(client.inFlight()).isZero();
            awaitEnd(loop);
            client.close();
        }
    }

    @Test
    void nothingIsLeftOfAClientThatIsKilledInTheMiddleOfBodies() throws Exception {
        Machine.useEmulation();
        String name = Machine.uniqueName();
        CountDownLatch some = new CountDownLatch(20);
        try (EventLoop loop = EventLoop.start("loop");
                Device dpu = Device.openDpu(Machine.DPU);
                RpcServer server = RpcServer.builder(loop, dpu, dpu.openRepresentor(Machine.HOST), name)
                        .largeBodies(RpcPeer.THRESHOLD)
                        .method(RpcPeer.ECHO, request -> {
                            some.countDown();
                            return request.body();
                        })
                        .start();
                Child child = RpcPeer.start("stream", name, "1500000")) {
            assertThat(some.await(50, TimeUnit.SECONDS)).isTrue();
            assertThat(hasFastPath(loop)).isTrue();
            child.kill();
            awaitEnd(loop);
            assertThat(loop.<Integer, RuntimeException>call(
                            () -> server.server().connections().size()))
                    .isZero();
        }
    }
}
