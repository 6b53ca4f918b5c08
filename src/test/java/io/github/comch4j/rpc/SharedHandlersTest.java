package io.github.comch4j.rpc;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.comch4j.Machine;
import io.github.comch4j.comch.ComchClient;
import io.github.comch4j.comch.ComchServer;
import io.github.comch4j.core.Device;
import io.github.comch4j.core.Devices;
import io.github.comch4j.core.EventLoop;
import io.github.comch4j.core.IdleStrategy;
import io.github.comch4j.core.Representor;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Which thread runs a handler of the program while another one waits in a call on the same loop. */
@Timeout(120)
class SharedHandlersTest {
    static {
        Machine.useEmulation();
    }

    private final BlockingQueue<Thread> ran = new LinkedBlockingQueue<>();
    private final AtomicInteger running = new AtomicInteger();
    private final AtomicInteger atOnce = new AtomicInteger();

    /** While this thread waits in a call, a message comes for a server of the program on the same loop. */
    private boolean thisThreadRunsAHandler(IdleStrategy strategy, int calls) throws Exception {
        try (Device dpu = Devices.openDpu(Machine.DPU);
                Representor representor = dpu.openRepresentor(Machine.HOST);
                Device host = Devices.openHost(Machine.HOST);
                EventLoop there = EventLoop.start("there");
                EventLoop here = EventLoop.start("here", strategy)) {
            String program = Machine.uniqueName();
            here.call(() -> ComchServer.builder(here.engine(), dpu, representor, program)
                    .onMessage((connection, message) -> {
                        atOnce.accumulateAndGet(running.incrementAndGet(), Math::max);
                        assertThat(here.isInLoop()).isTrue();
                        running.decrementAndGet();
                        ran.add(Thread.currentThread());
                    })
                    .start());
            ComchClient sender = there.call(
                    () -> ComchClient.builder(there.engine(), host, program).connect(Machine.PATIENCE));
            String calledName = Machine.uniqueName();
            try (RpcServer server = RpcServer.builder(there, dpu, representor, calledName)
                            .method(1, request -> {
                                sender.connection().enqueue(new byte[8]);
                                return request.body();
                            })
                            .start();
                    RpcClient client = RpcClient.builder(here, host, calledName).connect(Machine.PATIENCE)) {
                boolean mine = false;
                for (int i = 0; i < calls && !mine; i++) {
                    Machine.untilAsleep(here.call(Machine::taskOfThisThread));
                    client.call(1, new byte[8]);
                    Thread by = ran.poll(Machine.PATIENCE.toSeconds(), TimeUnit.SECONDS);
                    assertThat(by).isNotNull();
                    mine = by == Thread.currentThread();
                }
                assertThat(server.server().isClosed()).isFalse();
                return mine;
            }
        }
    }

    @Test
    void aThreadThatWaitsRunsHandlersOfALoopThatSharesThem() throws Exception {
        assertThat(thisThreadRunsAHandler(IdleStrategy.sharedEventDriven(), 10_000))
                .isTrue();
        assertThat(atOnce).hasValue(1);
    }

    @Test
    void theLoopsThreadRunsThemOtherwise() throws Exception {
        assertThat(thisThreadRunsAHandler(IdleStrategy.eventDriven(), 20)).isFalse();
        assertThat(atOnce).hasValue(1);
    }
}
