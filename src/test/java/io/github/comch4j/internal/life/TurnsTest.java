package io.github.comch4j.internal.life;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.comch4j.Machine;
import io.github.comch4j.core.EventLoop;
import io.github.comch4j.core.IdleStrategy;
import io.github.comch4j.core.ProgressEngine;
import io.github.comch4j.internal.access.Internals;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Which thread does what is to be done on the engine of a loop. */
@Timeout(60)
class TurnsTest {
    static {
        Machine.useEmulation();
    }

    private final BlockingQueue<Throwable> failures = new LinkedBlockingQueue<>();
    private final BlockingQueue<Thread> failed = new LinkedBlockingQueue<>();
    private EventLoop loop;
    private Engine engine;
    private LoopThread thread;

    private void start(IdleStrategy idle) throws Exception {
        loop = EventLoop.start("turns", idle, failure -> {
            failures.add(failure);
            failed.add(Thread.currentThread());
        });
        engine = Internals.<ProgressEngine, Engine>of(ProgressEngine.class).apply(loop.engine());
        thread = engine.loopThread();
        Machine.untilAsleep(loop.call(Machine::taskOfThisThread));
    }

    @AfterEach
    void close() {
        loop.close();
    }

    /** The thread that has done something that this thread has asked for. */
    private Thread asked() throws Exception {
        CompletableFuture<Thread> by = new CompletableFuture<>();
        thread.doSoon(() -> {
            assertThat(engine.isMine()).isTrue();
            assertThat(loop.isInLoop()).isTrue();
            by.complete(Thread.currentThread());
        });
        return by.get(30, TimeUnit.SECONDS);
    }

    @Test
    void whoAsksDoesItWhereTheLoopSleeps() throws Exception {
        start(IdleStrategy.eventDriven());
        assertThat(asked()).isSameAs(Thread.currentThread());
        assertThat(loop.isInLoop()).isFalse();
        assertThat(engine.isMine()).isFalse();
        assertThat(loop.engine().owner()).isSameAs(thread.thread());
    }

    @Test
    void theLoopDoesItWhereItDoesNotSleep() throws Exception {
        start(IdleStrategy.eventDriven());
        CompletableFuture<Void> begun = new CompletableFuture<>();
        CompletableFuture<Void> goOn = new CompletableFuture<>();
        loop.execute(() -> {
            begun.complete(null);
            goOn.join();
        });
        begun.join();
        CompletableFuture<Thread> by = new CompletableFuture<>();
        thread.doSoon(() -> by.complete(Thread.currentThread()));
        assertThat(by).isNotDone();
        goOn.complete(null);
        assertThat(by.get(30, TimeUnit.SECONDS)).isSameAs(thread.thread());
    }

    @Test
    void theLoopKeepsAnEngineWithHandlersOfTheProgram() throws Exception {
        start(IdleStrategy.eventDriven());
        engine.keep(1);
        assertThat(asked()).isSameAs(thread.thread());
        AtomicBoolean done = new AtomicBoolean();
        Thread here = Thread.currentThread();
        loop.execute(() -> {
            done.set(true);
            thread.wake(here);
        });
        assertThat(thread.await(done::get, System.nanoTime() + 30_000_000_000L, "it"))
                .isTrue();
        engine.keep(-1);
    }

    @Test
    void aLoopThatSharesHandlersKeepsNoEngine() throws Exception {
        start(IdleStrategy.sharedEventDriven());
        engine.keep(1);
        assertThat(asked()).isSameAs(Thread.currentThread());
        engine.keep(-1);
    }

    @Test
    void aLoopThatDoesNotSleepKeepsItsEngine() throws Exception {
        loop = EventLoop.start("turns", IdleStrategy.yielding());
        engine = Internals.<ProgressEngine, Engine>of(ProgressEngine.class).apply(loop.engine());
        thread = engine.loopThread();
        assertThat(asked()).isSameAs(thread.thread());
    }

    @Test
    void virtualThreadsLeaveItToTheLoop() throws Exception {
        start(IdleStrategy.eventDriven());
        CompletableFuture<Thread> by = new CompletableFuture<>();
        Thread.startVirtualThread(() -> thread.doSoon(() -> by.complete(Thread.currentThread())))
                .join();
        assertThat(by.get(30, TimeUnit.SECONDS)).isSameAs(thread.thread());
    }

    @Test
    void whatIsThrownGoesToTheLoop() throws Exception {
        start(IdleStrategy.eventDriven());
        thread.doSoon(() -> {
            throw new IllegalStateException("a callback");
        });
        assertThat(failures.poll(30, TimeUnit.SECONDS)).hasMessage("a callback");
        assertThat(failed.poll(30, TimeUnit.SECONDS)).isSameAs(thread.thread());
    }

    @Test
    void aThreadThatWaitsIsWokenByWhoeverHasTheEngine() throws Exception {
        start(IdleStrategy.eventDriven());
        for (int round = 0; round < 2000; round++) {
            AtomicBoolean done = new AtomicBoolean();
            CompletableFuture<Boolean> waited = new CompletableFuture<>();
            Thread waiter = Thread.ofPlatform()
                    .start(() -> waited.complete(thread.await(done::get, System.nanoTime() + 30_000_000_000L, "it")));
            for (int i = round % 97 * 10; i > 0; i--) {
                Thread.onSpinWait(); // so that the waiter is met at each step of falling asleep
            }
            Runnable finish = () -> {
                done.set(true);
                thread.wake(waiter);
            };
            switch (round % 3) {
                case 0 -> thread.doSoon(finish);
                case 1 -> loop.execute(finish);
                default -> finish.run();
            }
            assertThat(waited.get(30, TimeUnit.SECONDS)).isTrue();
        }
    }

    @Test
    void whoGivesUpLeavesTheEngineToTheLoop() throws Exception {
        start(IdleStrategy.eventDriven());
        assertThat(thread.await(() -> false, System.nanoTime() + 20_000_000, "it"))
                .isFalse();
        Thread.currentThread().interrupt();
        assertThat(thread.await(() -> false, Long.MAX_VALUE / 2 + System.nanoTime(), "it"))
                .isFalse();
        assertThat(Thread.interrupted()).isTrue();
        CompletableFuture<Boolean> waited = new CompletableFuture<>();
        Thread waiter = Thread.ofPlatform()
                .start(() -> waited.complete(thread.await(() -> false, Long.MAX_VALUE / 2 + System.nanoTime(), "it")));
        Machine.until("it waits", () -> Machine.waits(waiter), new ProgressEngine[0]);
        waiter.interrupt();
        assertThat(waited.get(30, TimeUnit.SECONDS)).isFalse();
        assertThat(loop.call(Thread::currentThread)).isSameAs(thread.thread());
    }

    @Test
    void whoWaitsOutlivesTheLoop() throws Exception {
        start(IdleStrategy.eventDriven());
        AtomicBoolean done = new AtomicBoolean();
        CompletableFuture<Boolean> waited = new CompletableFuture<>();
        Thread waiter = Thread.ofPlatform()
                .start(() -> waited.complete(thread.await(done::get, Long.MAX_VALUE / 2 + System.nanoTime(), null)));
        Machine.until("it waits", () -> Machine.waits(waiter), new ProgressEngine[0]);
        loop.close();
        assertThat(waited).isNotDone();
        done.set(true);
        thread.wake(waiter);
        assertThat(waited.get(30, TimeUnit.SECONDS)).isTrue();
    }
}
