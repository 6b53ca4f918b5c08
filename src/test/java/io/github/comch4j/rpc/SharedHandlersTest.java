package io.github.comch4j.rpc;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.comch4j.Machine;
import io.github.comch4j.comch.ComchClient;
import io.github.comch4j.comch.ComchServer;
import io.github.comch4j.comch.LinkState;
import io.github.comch4j.core.Device;
import io.github.comch4j.core.EventLoop;
import io.github.comch4j.core.IdleStrategy;
import io.github.comch4j.core.ProgressEngine;
import io.github.comch4j.core.Representor;
import io.github.comch4j.io.MessageServerSocket;
import io.github.comch4j.io.MessageSocket;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Which thread runs a handler of the program while another one waits on the same loop. */
@Timeout(120)
class SharedHandlersTest {
    static {
        Machine.useEmulation();
    }

    private static final int ROUNDS = 1_000; // the first ones do, nearly always

    private static final ProgressEngine[] NO_ENGINES = {};

    private final BlockingQueue<Thread> ran = new LinkedBlockingQueue<>();
    private final AtomicInteger running = new AtomicInteger();
    private final AtomicInteger atOnce = new AtomicInteger();

    /** What this thread waits in: it returns after a server on the other loop has been asked to send. */
    private interface Waiting {
        void once(HereAndThere ends) throws Exception;
    }

    /** The loop that this thread waits on, the other one, and what sends to the program's server on the first. */
    private record HereAndThere(
            EventLoop here, EventLoop there, Device host, Device dpu, Representor of, Runnable send) {}

    /** While this thread waits, a message comes for a server of the program on the same loop. */
    private boolean thisThreadRunsAHandler(IdleStrategy strategy, int rounds, Waiting waiting) throws Exception {
        try (Device dpu = Device.openDpu(Machine.DPU);
                Representor representor = dpu.openRepresentor(Machine.HOST);
                Device host = Device.openHost(Machine.HOST);
                EventLoop there = EventLoop.start("there");
                EventLoop here = EventLoop.start("here", strategy)) {
            String program = Machine.uniqueName();
            ComchServer server = here.call(() -> ComchServer.builder(here.engine(), dpu, representor, program)
                    .onMessage((connection, message) -> {
                        atOnce.accumulateAndGet(running.incrementAndGet(), Math::max);
                        assertThat(here.isInLoop()).isTrue();
                        running.decrementAndGet();
                        ran.add(Thread.currentThread());
                    })
                    .start());
            ComchClient sender = there.call(
                    () -> ComchClient.builder(there.engine(), host, program).connect(Machine.PATIENCE));
            Runnable send = () -> there.execute(() -> sender.connection().enqueue(new byte[8]));
            boolean mine = false;
            for (int i = 0; i < rounds && !mine; i++) {
                Machine.untilAsleep(here.call(Machine::taskOfThisThread));
                waiting.once(new HereAndThere(here, there, host, dpu, representor, send));
                Thread by = ran.poll(Machine.PATIENCE.toSeconds(), TimeUnit.SECONDS);
                assertThat(by).isNotNull();
                mine = by == Thread.currentThread();
            }
            assertThat(server.isClosed()).isFalse();
            return mine;
        }
    }

    private static void call(HereAndThere ends) {
        String name = Machine.uniqueName();
        try (RpcServer server = RpcServer.builder(ends.there(), ends.dpu(), ends.of(), name)
                        .method(1, request -> {
                            ends.send().run();
                            return request.body();
                        })
                        .start();
                RpcClient client =
                        RpcClient.builder(ends.here(), ends.host(), name).connect(Machine.PATIENCE)) {
            client.call(1, new byte[8]);
            assertThat(server.server().isClosed()).isFalse();
        }
    }

    /** A thread that has the message sent, waits until a handler has run, and then does what the waiting one needs. */
    private Thread afterTheHandler(HereAndThere ends, Runnable next) {
        return Thread.startVirtualThread(() -> {
            ends.send().run();
            Machine.until("a handler", () -> !ran.isEmpty(), NO_ENGINES);
            next.run();
        });
    }

    private void accept(HereAndThere ends) throws InterruptedException {
        String name = Machine.uniqueName();
        try (MessageServerSocket server = MessageServerSocket.builder(ends.here(), ends.dpu(), ends.of(), name)
                .open()) {
            Thread other = afterTheHandler(
                    ends,
                    () -> MessageSocket.builder(ends.there(), ends.host(), name)
                            .connect(Machine.PATIENCE)
                            .close());
            assertThat(server.accept(Machine.PATIENCE)).isNotNull();
            other.join();
        }
    }

    private void awaitConnected(HereAndThere ends) throws InterruptedException {
        String name = Machine.uniqueName();
        Supplier<RpcServer> servers = () ->
                RpcServer.builder(ends.there(), ends.dpu(), ends.of(), name).start();
        RpcServer first = servers.get();
        try (RpcClient client = RpcClient.builder(ends.here(), ends.host(), name)
                .reconnect(Duration.ofMillis(10), Duration.ofMillis(10))
                .connect(Machine.PATIENCE)) {
            first.close();
            Machine.until("the end", () -> client.state() == LinkState.DISCONNECTED, NO_ENGINES);
            AtomicReference<RpcServer> second = new AtomicReference<>();
            Thread other = afterTheHandler(ends, () -> second.set(servers.get()));
            assertThat(client.awaitConnected(Machine.PATIENCE)).isTrue();
            other.join();
            second.get().close();
        }
    }

    @Test
    void aThreadThatWaitsInACallRunsHandlersOfALoopThatSharesThem() throws Exception {
        assertThat(thisThreadRunsAHandler(IdleStrategy.sharedEventDriven(), ROUNDS, SharedHandlersTest::call))
                .isTrue();
        assertThat(atOnce).hasValue(1);
    }

    @Test
    void soDoesOneThatAccepts() throws Exception {
        assertThat(thisThreadRunsAHandler(IdleStrategy.sharedEventDriven(), ROUNDS, this::accept))
                .isTrue();
        assertThat(atOnce).hasValue(1);
    }

    @Test
    void soDoesOneThatWaitsForTheNextConnection() throws Exception {
        assertThat(thisThreadRunsAHandler(IdleStrategy.sharedEventDriven(), ROUNDS, this::awaitConnected))
                .isTrue();
        assertThat(atOnce).hasValue(1);
    }

    @Test
    void theLoopsThreadRunsThemOtherwise() throws Exception {
        assertThat(thisThreadRunsAHandler(IdleStrategy.eventDriven(), 20, SharedHandlersTest::call))
                .isFalse();
        assertThat(atOnce).hasValue(1);
    }
}
