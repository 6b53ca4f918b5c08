package io.github.comch4j.internal.life;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.comch4j.Machine;
import io.github.comch4j.comch.ComchClient;
import io.github.comch4j.core.ProgressEngine;
import io.github.comch4j.internal.access.Internals;
import io.github.comch4j.internal.load.NativeLibrary;
import io.github.comch4j.internal.load.Symbols;
import java.io.IOException;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Sleeps that nothing but a wake-up ends: one that is lost is a hang. */
@Timeout(120)
class SleeperTest {
    private static final long FOR_EVER = TimeUnit.HOURS.toNanos(1);
    private static final int ROUNDS = 10_000;

    @BeforeAll
    static void noEngineWakesUpByItself() throws Throwable {
        Machine.useEmulation();
        NativeLibrary.load();
        longestSleep(FOR_EVER);
    }

    @AfterAll
    static void asBefore() throws Throwable {
        longestSleep(50_000_000);
    }

    /** The emulator's own: it ends any sleep after a while. */
    private static void longestSleep(long nanos) throws Throwable {
        MemorySegment function = Symbols.find("emu_pe_set_longest_sleep").orElseThrow();
        Symbols.downcall(function, FunctionDescriptor.ofVoid(ValueLayout.JAVA_LONG))
                .invokeExact(nanos);
    }

    private static Engine engineOf(ProgressEngine engine) {
        return Internals.<ProgressEngine, Engine>of(ProgressEngine.class).apply(engine);
    }

    /** More each time, so that the sleeper is caught at each step of falling asleep. */
    private static void dawdle(int round) {
        for (int i = round % 97 * 10; i > 0; i--) {
            Thread.onSpinWait();
        }
    }

    @Test
    void whatOtherThreadsHandOverWakes() throws Exception {
        AtomicInteger handedOver = new AtomicInteger();
        AtomicInteger taken = new AtomicInteger();
        try (ProgressEngine engine = ProgressEngine.create()) {
            Sleeper sleeper = Sleeper.wakeable(engineOf(engine));
            assertThat(sleeper.isWakeable()).isTrue();
            Thread other = Thread.ofPlatform().start(() -> {
                for (int round = 1; round <= ROUNDS; round++) {
                    handedOver.set(round);
                    sleeper.wake();
                    while (taken.get() < round) {
                        Thread.onSpinWait();
                    }
                    dawdle(round);
                }
            });
            for (int round = 1; round <= ROUNDS; round++) {
                while (handedOver.get() < round) {
                    sleeper.announce();
                    if (handedOver.get() < round) {
                        sleeper.sleep(FOR_EVER);
                    }
                    sleeper.retract();
                }
                taken.set(round);
            }
            other.join();
            sleeper.wake(); // nobody sleeps: no effect
            assertThat(sleeper.sleep(1)).isFalse();
            sleeper.close();
        }
    }

    @Test
    void whatThePeerSendsWakes() throws Exception {
        AtomicReference<Throwable> failure = new AtomicReference<>();
        try (Machine machine = new Machine()) {
            AtomicInteger atServer = new AtomicInteger();
            int[] atClient = new int[1];
            machine.server()
                    .onMessage((connection, message) -> {
                        dawdle(atServer.incrementAndGet());
                        connection.enqueue(new byte[1]);
                    })
                    .start();
            Thread client = Thread.ofPlatform().start(() -> {
                try (ProgressEngine engine = ProgressEngine.create();
                        ComchClient end = ComchClient.builder(engine, machine.host, machine.name)
                                .onMessage((connection, message) -> atClient[0]++)
                                .connect(Machine.PATIENCE)) {
                    Sleeper sleeper = Sleeper.of(engineOf(engine));
                    for (int round = 1; round <= ROUNDS; round++) {
                        dawdle(round * 7);
                        end.connection().send(new byte[1]);
                        while (atClient[0] < round) {
                            if (!engine.progress()) {
                                sleeper.sleep(FOR_EVER);
                            }
                        }
                    }
                } catch (Throwable t) {
                    failure.set(t);
                }
            });
            Sleeper sleeper = Sleeper.of(engineOf(machine.engine));
            while (atServer.get() < ROUNDS && failure.get() == null) {
                if (!machine.engine.progress()) {
                    sleeper.sleep(FOR_EVER);
                }
            }
            while (client.isAlive()) {
                machine.engine.progress();
            }
            assertThat(failure.get()).isNull();
        }
    }

    @Test
    void itSleepsOnTwoEngines() throws Exception {
        try (Machine machine = new Machine();
                ProgressEngine engine = ProgressEngine.create()) {
            int[] messages = new int[2];
            var server = machine.server()
                    .onMessage((connection, message) -> messages[0]++)
                    .start();
            ComchClient client = ComchClient.builder(engine, machine.host, machine.name)
                    .onMessage((connection, message) -> messages[1]++)
                    .start();
            Machine.until(
                    "a connection",
                    () -> client.isConnected() && !server.connections().isEmpty(),
                    engine,
                    machine.engine);
            Sleeper one = Sleeper.of(engineOf(machine.engine));
            Sleeper two = Sleeper.of(engineOf(engine));
            for (int round = 1; round <= 100; round++) {
                client.connection().send(new byte[1]);
                server.connections().iterator().next().send(new byte[1]);
                while (messages[0] < round || messages[1] < round) {
                    boolean worked = machine.engine.progress();
                    worked |= engine.progress();
                    if (!worked) {
                        assertThat(one.sleep(FOR_EVER, two)).isTrue();
                    }
                }
            }
            client.close();
        }
    }

    @Test
    void whoWaitsForRoomIsAskedAgainSoon() {
        try (ProgressEngine engine = ProgressEngine.create()) {
            int[] asked = new int[1];
            engineOf(engine).awaitProgress(new ProgressWaiter() {
                @Override
                public boolean afterProgress() {
                    return ++asked[0] < 3;
                }

                @Override
                public void failed(Throwable thrown) {
                    throw new AssertionError(thrown);
                }
            });
            while (asked[0] < 3) {
                Sleeper.of(engineOf(engine)).sleep(FOR_EVER);
                engine.progress();
            }
            assertThat(engineOf(engine).awaitsProgress()).isFalse();
        }
    }

    @Test
    void aSleepAllocatesNothing() {
        var threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
        try (ProgressEngine engine = ProgressEngine.create()) {
            Sleeper sleeper = Sleeper.wakeable(engineOf(engine));
            for (int i = 0; i < 30_000; i++) {
                sleepShortly(sleeper);
            }
            long before = threads.getCurrentThreadAllocatedBytes();
            for (int i = 0; i < 30_000; i++) {
                sleepShortly(sleeper);
            }
            long allocated = threads.getCurrentThreadAllocatedBytes() - before;
            assertThat(allocated / 30_000.0).as("bytes per sleep").isLessThan(1);
            sleeper.close();
        }
    }

    private static void sleepShortly(Sleeper sleeper) {
        sleeper.announce();
        sleeper.wake();
        sleeper.sleep(1);
        sleeper.retract();
    }

    /** Others in this process may open some meanwhile, but not that many. */
    @Test
    void itsDescriptorIsClosedWithIt() throws IOException {
        try (ProgressEngine engine = ProgressEngine.create()) {
            long before = eventDescriptors();
            for (int i = 0; i < 200; i++) {
                Sleeper.wakeable(engineOf(engine)).close();
            }
            assertThat(eventDescriptors()).isLessThan(before + 100);
        }
    }

    private static long eventDescriptors() throws IOException {
        try (Stream<Path> descriptors = Files.list(Path.of("/proc/self/fd"))) {
            return descriptors.filter(SleeperTest::isEvent).count();
        }
    }

    private static boolean isEvent(Path descriptor) {
        try {
            return Files.readSymbolicLink(descriptor).toString().contains("eventfd");
        } catch (IOException e) {
            return false; // closed meanwhile
        }
    }

    @Test
    void onlyTheOwnerSleeps() throws Exception {
        try (ProgressEngine engine = ProgressEngine.create()) {
            Sleeper sleeper = Sleeper.wakeable(engineOf(engine));
            AtomicReference<Throwable> thrown = new AtomicReference<>();
            Thread other = Thread.ofPlatform().start(() -> {
                try {
                    sleeper.sleep(1);
                } catch (Throwable t) {
                    thrown.set(t);
                }
            });
            other.join();
            assertThat(thrown.get()).isInstanceOf(WrongThreadException.class);
            sleeper.close();
        }
        ProgressEngine closed = ProgressEngine.create();
        closed.close();
        assertThatThrownBy(() -> Sleeper.wakeable(engineOf(closed))).isInstanceOf(IllegalStateException.class);
    }
}
