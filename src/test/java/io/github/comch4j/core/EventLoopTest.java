package io.github.comch4j.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.comch4j.Machine;
import io.github.comch4j.WaitInterruptedException;
import io.github.comch4j.comch.ComchClient;
import io.github.comch4j.comch.ComchServer;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class EventLoopTest {

    @BeforeAll
    static void emulated() {
        Machine.useEmulation();
    }

    @ParameterizedTest
    @ValueSource(strings = {"spin", "yield", "backoff", "event", "shared", "park"})
    void twoLoopsTalkWithEachStrategy(String alias) throws Exception {
        BlockingQueue<Long> answers = new LinkedBlockingQueue<>();
        EventLoop one = EventLoop.start("one", IdleStrategy.of(alias));
        try (Device dpu = Device.openDpu(Machine.DPU);
                Representor representor = dpu.openRepresentor(Machine.HOST);
                Device host = Device.openHost(Machine.HOST);
                EventLoop two = EventLoop.start("two", IdleStrategy.of(alias))) {
            String name = Machine.uniqueName();
            ComchServer server = one.call(() -> ComchServer.builder(one.engine(), dpu, representor, name)
                    .onMessage((connection, message) -> connection.enqueue(message))
                    .start());
            ComchClient client = two.call(() -> ComchClient.builder(two.engine(), host, name)
                    .onMessage((connection, message) -> answers.add(message.byteSize()))
                    .connect(Machine.PATIENCE));
            two.execute(() -> client.connection().send(new byte[42]));
            assertThat(answers.poll(Machine.PATIENCE.toSeconds(), TimeUnit.SECONDS))
                    .isEqualTo(42);
            assertThat(one.toString()).contains("one").contains(alias);
            assertThat(server.isClosed()).isFalse();
            one.close();
            assertThat(server.isClosed())
                    .as("the loop closes what runs on its engine")
                    .isTrue();
        }
    }

    @Test
    void tasksRunInOrderInTheLoopAndTheirResultsComeBack() throws Exception {
        try (EventLoop loop = EventLoop.start("loop")) {
            List<Integer> order = new ArrayList<>();
            for (int i = 0; i < 100; i++) {
                int number = i;
                loop.execute(() -> order.add(number));
            }
            assertThat(loop.call(() -> List.copyOf(order))).hasSize(100).isSorted();
            assertThat(loop.call(loop::isInLoop)).isTrue();
            assertThat(loop.isInLoop()).isFalse();
            assertThat(loop.<Boolean, RuntimeException>call(() -> loop.call(loop::isInLoop)))
                    .as("a call in the loop runs at once")
                    .isTrue();
            assertThat(loop.engine().owner().getName()).isEqualTo("loop");
            assertThatThrownBy(() -> loop.call(() -> {
                        throw new IOException("checked");
                    }))
                    .isInstanceOf(IOException.class);
            assertThatThrownBy(loop.engine()::progress).isInstanceOf(WrongThreadException.class);
        }
    }

    @Test
    void virtualThreadsMayCall() throws Exception {
        AtomicInteger sum = new AtomicInteger();
        try (EventLoop loop = EventLoop.start("loop")) {
            List<Thread> threads = new ArrayList<>();
            for (int i = 0; i < 200; i++) {
                threads.add(Thread.startVirtualThread(() -> sum.addAndGet(loop.call(() -> 1))));
            }
            for (Thread thread : threads) {
                thread.join();
            }
        }
        assertThat(sum).hasValue(200);
    }

    @Test
    void aFailureDoesNotEndTheLoop() throws Exception {
        BlockingQueue<Throwable> failures = new LinkedBlockingQueue<>();
        try (EventLoop loop = EventLoop.start("loop", IdleStrategy.yielding(), failure -> {
            failures.add(failure);
            throw new IllegalStateException("the failure handler fails too");
        })) {
            loop.execute(() -> {
                throw new IllegalArgumentException("task");
            });
            assertThat(failures.take()).hasMessage("task");
            assertThat(loop.call(() -> 1)).isEqualTo(1);
        }
        assertThat(failures).isEmpty();
    }

    @Test
    void aCallThatTakesTooLong() throws Exception {
        AtomicInteger begun = new AtomicInteger();
        try (EventLoop loop = EventLoop.start("loop")) {
            CountDownLatch release = Machine.hold(loop);
            assertThatThrownBy(() -> loop.call(begun::incrementAndGet, Duration.ofMillis(5)))
                    .isInstanceOf(TimeoutException.class);
            release.countDown();
            loop.call(() -> null);
            assertThat(begun).as("what has not begun in time is left out").hasValue(0);
        }
    }

    @Test
    void whatAHandlerThrowsIsAFailureToo() throws Exception {
        BlockingQueue<Throwable> failures = new LinkedBlockingQueue<>();
        try (Device dpu = Device.openDpu(Machine.DPU);
                Representor representor = dpu.openRepresentor(Machine.HOST);
                Device host = Device.openHost(Machine.HOST);
                EventLoop loop = EventLoop.start("loop", IdleStrategy.backOff(), failures::add)) {
            String name = Machine.uniqueName();
            loop.call(() -> ComchServer.builder(loop.engine(), dpu, representor, name)
                    .onMessage((connection, message) -> {
                        throw new IllegalArgumentException("handler");
                    })
                    .onHandlerFailed(Machine::rethrow)
                    .start());
            ComchClient client = loop.call(
                    () -> ComchClient.builder(loop.engine(), host, name).start());
            while (!client.isConnected()) {
                Thread.onSpinWait();
            }
            loop.execute(() -> client.connection().send(new byte[1]));
            assertThat(failures.take()).hasMessage("handler");
            assertThat(loop.engine().toString()).contains("loop");
        }
        assertThat(failures).isEmpty();
    }

    @Test
    void whatATaskOfTheLoopThrowsComesOutThere() {
        try (EventLoop loop = EventLoop.start("loop")) {
            assertThatThrownBy(() -> loop.<Integer, IOException>call(() -> loop.call(() -> {
                        throw new IOException("inner");
                    })))
                    .isInstanceOf(IOException.class)
                    .hasMessage("inner");
        }
    }

    private static void fromHere(ThrowingCallable call, Class<? extends Throwable> type, String message) {
        assertThatThrownBy(call).isExactlyInstanceOf(type).hasMessage(message).satisfies(thrown -> {
            assertThat(thrown.getStackTrace())
                    .as("where in the loop")
                    .anyMatch(frame -> frame.getClassName().startsWith(EventLoop.class.getName()));
            assertThat(thrown.getSuppressed()).as("who asked").hasSize(1).allSatisfy(caller -> {
                assertThat(caller)
                        .hasMessageContaining(Thread.currentThread().getName())
                        .hasMessageContaining("loop \"loop\"");
                assertThat(caller.getStackTrace())
                        .anyMatch(frame -> frame.getMethodName().contains("whatACallThrowsTellsWhoAsked"));
            });
        });
    }

    private static <X extends Exception> int raise(X exception) throws X {
        throw exception;
    }

    @Test
    void whatACallThrowsTellsWhoAsked() {
        try (EventLoop loop = EventLoop.start("loop")) {
            fromHere(() -> loop.call(() -> raise(new IOException("checked"))), IOException.class, "checked");
            fromHere(
                    () -> loop.call(() -> raise(new TimeoutException("the task's"))),
                    TimeoutException.class,
                    "the task's");
            fromHere(
                    () -> loop.call(() -> raise(new TimeoutException("the task's")), Machine.PATIENCE),
                    TimeoutException.class,
                    "the task's");
            fromHere(
                    () -> loop.call(() -> raise(new IllegalArgumentException("unchecked"))),
                    IllegalArgumentException.class,
                    "unchecked");
            int sum = loop.call(() -> 1)
                    + loop.call(() -> loop.call(() -> 2)); // tasks that throw nothing checked need no handler here
            assertThat(sum).isEqualTo(3);
        }
    }

    @Test
    void interruptsEndAWaitButNotTheLoop() throws Exception {
        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> EventLoop.start("never waited for"))
                .isInstanceOf(WaitInterruptedException.class)
                .hasMessageContaining("to start");
        assertThat(Thread.interrupted()).isTrue();
        CountDownLatch release = new CountDownLatch(1);
        EventLoop loop = EventLoop.start("loop");
        var _ = loop.submit(() -> {
            release.await();
            return null;
        });
        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> loop.call(() -> 1))
                .isInstanceOf(WaitInterruptedException.class)
                .hasMessageContaining("interrupted");
        assertThat(Thread.currentThread().isInterrupted()).isTrue();
        Thread helper = Thread.startVirtualThread(release::countDown);
        loop.close(); // interrupted still
        assertThat(Thread.interrupted())
                .as("close() waits all the same, and passes the interrupt on")
                .isTrue();
        assertThat(loop.engine().isClosed()).isTrue();
        helper.join();
    }

    @Test
    void whatCannotBeClosedInTimeIsToldByClose() throws Exception {
        EventLoop loop = EventLoop.start("loop");
        ProgressEngine[] other = new ProgressEngine[1];
        try (Device dpu = Device.openDpu(Machine.DPU);
                Representor representor = dpu.openRepresentor(Machine.HOST);
                Device host = Device.openHost(Machine.HOST)) {
            String name = Machine.uniqueName();
            loop.call(() ->
                    ComchServer.builder(loop.engine(), dpu, representor, name).start());
            ComchClient client = loop.call(
                    () -> ComchClient.builder(loop.engine(), host, name).start());
            while (!client.isConnected()) {
                Thread.onSpinWait();
            }
            other[0] = ProgressEngine.create();
            var producer = client.connection().producer(other[0]).start();
            assertThatThrownBy(loop::close)
                    .isInstanceOf(WrongThreadException.class)
                    .hasMessageContaining("cannot use it")
                    .hasMessageContaining("loop");
            assertThatThrownBy(() -> loop.execute(() -> {})).isInstanceOf(RejectedExecutionException.class);
            producer.close();
            other[0].close();
            loop.engine().close(); // its thread has ended: whoever closes it may
            assertThat(client.isClosed()).isTrue();
        }
    }

    @Test
    void closingRunsWhatWasHandedOverAndRefusesMore() throws Exception {
        AtomicInteger done = new AtomicInteger();
        EventLoop loop = EventLoop.start("loop");
        for (int i = 0; i < 50; i++) {
            loop.execute(done::incrementAndGet);
        }
        loop.close();
        loop.close();
        assertThat(done).hasValue(50);
        assertThat(loop.isClosed()).isTrue();
        assertThat(loop.engine().isClosed()).isTrue();
        assertThatThrownBy(() -> loop.execute(done::incrementAndGet))
                .isInstanceOf(RejectedExecutionException.class)
                .hasMessageContaining("loop");
        EventLoop itself = EventLoop.start("itself");
        itself.execute(itself::close);
        while (!itself.engine().isClosed()) {
            Thread.onSpinWait();
        }
        itself.close();
    }

    @Test
    void strategiesHaveNamesAndLimits() {
        assertThat(List.of("spin", "yield", "backoff", "event", "shared", "park"))
                .allSatisfy(
                        alias -> assertThat(IdleStrategy.of(alias)).asString().startsWith(alias));
        assertThat(IdleStrategy.of("BackOff"))
                .hasToString(IdleStrategy.backOff().toString());
        assertThat(IdleStrategy.backOff(1, 2, Duration.ofNanos(3), Duration.ofMillis(4))
                        .toString())
                .contains("spins=1", "yields=2", "PT0.000000003S", "PT0.004S");
        assertThat(IdleStrategy.parking(Duration.ofMillis(5)).toString()).contains("PT0.005S");
        assertThatThrownBy(() -> IdleStrategy.of("sleep"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("backoff");
        assertThatThrownBy(() -> IdleStrategy.parking(Duration.ZERO)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> IdleStrategy.backOff(-1, 0, Duration.ofNanos(1), Duration.ofNanos(1)))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> IdleStrategy.backOff(1, 0, Duration.ofNanos(2), Duration.ofNanos(1)))
                .isInstanceOf(IllegalArgumentException.class);
        IdleStrategy inOtherLoops = IdleStrategy.eventDriven();
        for (int i = 0; i < 2000; i++) {
            inOtherLoops.idle(i % 500 == 0 ? 1 : 0);
        }
        assertThat(inOtherLoops).hasToString("event");
        IdleStrategy backOff = IdleStrategy.backOff(2, 2, Duration.ofNanos(1), Duration.ofNanos(4));
        for (int i = 0; i < 20; i++) {
            backOff.idle(i % 10 == 9 ? 1 : 0);
        }
    }

    @Test
    void tasksAreDoneWhileTheLoopSleeps() throws Exception {
        try (EventLoop loop = EventLoop.start("loop", IdleStrategy.eventDriven())) {
            Path task = loop.call(Machine::taskOfThisThread);
            for (int i = 0; i < 2000; i++) {
                int number = i;
                assertThat(loop.call(() -> number)).isEqualTo(i);
                if (i % 100 == 0) {
                    Machine.untilAsleep(task);
                }
            }
        }
    }

    @Test
    void itsEngineIsNotForOthersToCloseOrRelease() throws Exception {
        BlockingQueue<Throwable> failures = new LinkedBlockingQueue<>();
        try (EventLoop loop = EventLoop.start("loop", IdleStrategy.yielding(), failures::add)) {
            loop.execute(loop.engine()::close);
            loop.execute(loop.engine()::release);
            for (int i = 0; i < 2; i++) {
                assertThat(failures.take())
                        .isInstanceOf(IllegalStateException.class)
                        .hasMessageContaining("belongs to the event loop \"loop\"");
            }
            assertThatThrownBy(loop.engine()::close).isInstanceOf(WrongThreadException.class);
            assertThatThrownBy(loop.engine()::release).isInstanceOf(WrongThreadException.class);
            assertThat(loop.<Boolean, RuntimeException>call(() -> loop.engine().isClosed()))
                    .isFalse();
        }
        assertThat(failures).isEmpty();
    }

    @Test
    void anIdleStrategyThatFailsDoesNotEndTheLoop() throws Exception {
        BlockingQueue<Throwable> failures = new LinkedBlockingQueue<>();
        IdleStrategy failing = new IdleStrategy() {
            private boolean failed;

            @Override
            public void idle(int work) {
                if (!failed) {
                    failed = true;
                    throw new IllegalArgumentException("idle");
                }
            }
        };
        try (EventLoop loop = EventLoop.start("loop", failing, failures::add)) {
            assertThat(failures.take()).hasMessage("idle");
            assertThat(loop.call(() -> 1)).isEqualTo(1);
        }
    }
}
