package io.github.comch4j.reliability;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.comch4j.Child;
import io.github.comch4j.DocaException;
import io.github.comch4j.Machine;
import io.github.comch4j.WaitInterruptedException;
import io.github.comch4j.core.Device;
import io.github.comch4j.core.EventLoop;
import io.github.comch4j.core.IdleStrategy;
import io.github.comch4j.core.ProgressEngine;
import io.github.comch4j.internal.access.Internals;
import io.github.comch4j.internal.life.Engine;
import io.github.comch4j.internal.life.LoopThread;
import io.github.comch4j.rpc.RpcClient;
import io.github.comch4j.rpc.RpcException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Threads that come, wait, time out, are interrupted and leave in turn over one engine, whose peer is killed now and
 * then. Each wait has an end, and nothing runs beside a callback. {@code -Dwaiters.seconds=600}.
 */
class WaitersIT {
    private static final int THREADS = 8;
    private static final long LATE = 20_000_000_000L;

    private final String name = Machine.uniqueName();
    private final AtomicLong answers = new AtomicLong();
    private final AtomicInteger inside = new AtomicInteger();
    private final Queue<String> wrong = new ConcurrentLinkedQueue<>();
    private volatile boolean over;

    private EventLoop loop;
    private LoopThread thread;
    private RpcClient client;

    @Test
    @Timeout(120)
    void forSomeSeconds() throws Exception {
        run(3, IdleStrategy.eventDriven());
    }

    /** The program has handlers, which the threads that wait may run. */
    @Test
    @Timeout(120)
    void forSomeSecondsWithHandlersThatAreShared() throws Exception {
        run(3, IdleStrategy.sharedEventDriven());
    }

    @Test
    @Tag("reliability")
    @Timeout(3600)
    void asLongAsAsked() throws Exception {
        int seconds = Integer.getInteger("waiters.seconds", 20);
        run(seconds / 2, IdleStrategy.eventDriven());
        over = false;
        run(seconds / 2, IdleStrategy.sharedEventDriven());
        System.out.println("waiters: " + answers + " answers, " + wrong.size() + " wrong");
    }

    /** Nobody else is on the engine. */
    private void alone() {
        if (inside.incrementAndGet() != 1) {
            wrong.add("two threads on one engine");
        }
        for (int i = 0; i < 20; i++) {
            Thread.onSpinWait();
        }
        inside.decrementAndGet();
    }

    private void wait(SplittableRandom random) {
        Duration time = Duration.ofNanos(random.nextLong(1, 1L << random.nextInt(10, 31)));
        long begun = System.nanoTime();
        try {
            switch (random.nextInt(5)) {
                case 0 -> thread.doSoon(this::alone);
                case 1 -> loop.execute(this::alone);
                case 2 ->
                    assertThat(client.callAsync(RestartServer.QUICK, new byte[8], time))
                            .isNotNull();
                default -> {
                    assertThat(client.call(RestartServer.QUICK, new byte[8], time))
                            .hasSize(8);
                    answers.incrementAndGet();
                }
            }
        } catch (RpcException | WaitInterruptedException | DocaException e) {
            // in time, which is all that is asked for
        }
        long late = System.nanoTime() - begun - time.toNanos();
        if (late > LATE) {
            wrong.add("a wait of " + time + " has ended " + late / 1_000_000 + " ms late");
        }
        if (Thread.interrupted()) {
            Thread.onSpinWait(); // for the next one
        }
    }

    private void run(int seconds, IdleStrategy strategy) throws Exception {
        Machine.useEmulation();
        Child server = Child.start(RestartServer.class, List.of(), Map.of(), name);
        assertThat(server.line()).isEqualTo("serving");
        try (EventLoop own = EventLoop.start("waiters", strategy);
                Device host = Device.openHost(Machine.HOST)) {
            loop = own;
            Engine engine =
                    Internals.<ProgressEngine, Engine>of(ProgressEngine.class).apply(loop.engine());
            thread = engine.loopThread();
            if (strategy.toString().equals("shared")) {
                engine.keep(1); // as one handler of the program does
            }
            client = RpcClient.builder(loop, host, name)
                    .reconnect(Duration.ofMillis(1), Duration.ofMillis(20))
                    .maxInFlight(10_000)
                    .connect(Machine.PATIENCE);
            List<Thread> waiters = new ArrayList<>();
            for (int i = 0; i < THREADS; i++) {
                int seed = i;
                Thread.Builder builder = i % 4 == 3 ? Thread.ofVirtual() : Thread.ofPlatform();
                waiters.add(builder.start(() -> {
                    SplittableRandom random = new SplittableRandom(seed);
                    while (!over) {
                        wait(random);
                    }
                }));
            }
            SplittableRandom random = new SplittableRandom(THREADS);
            long end = System.nanoTime() + seconds * 1_000_000_000L;
            for (int round = 1; System.nanoTime() - end < 0; round++) {
                Thread.sleep(random.nextInt(1, 10));
                waiters.get(random.nextInt(THREADS)).interrupt();
                if (round % 200 == 0) {
                    server.kill();
                    server.close();
                    server = Child.start(RestartServer.class, List.of(), Map.of(), name);
                    assertThat(server.line()).isEqualTo("serving");
                }
            }
            over = true;
            for (Thread waiter : waiters) {
                waiter.join(Duration.ofNanos(2 * LATE));
                if (waiter.isAlive()) {
                    wrong.add("a wait without an end: " + List.of(waiter.getStackTrace()));
                }
            }
            client.close();
        } finally {
            server.close();
        }
        assertThat(wrong).isEmpty();
        assertThat(answers.get()).isPositive();
    }
}
