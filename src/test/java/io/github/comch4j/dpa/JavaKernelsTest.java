package io.github.comch4j.dpa;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.comch4j.Feature;
import io.github.comch4j.Machine;
import io.github.comch4j.Needs;
import io.github.comch4j.core.Device;
import io.github.comch4j.emulator.DpaKernel;
import io.github.comch4j.emulator.JavaKernels;
import io.github.comch4j.emulator.KernelContext;
import io.github.comch4j.emulator.KernelCopy;
import io.github.comch4j.emulator.KernelMemory;
import java.lang.System.Logger.Level;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Functions of the emulated DPA in Java: how they are called, how they end, and what they do wrong. */
@Needs(Feature.DPA)
@Timeout(60)
class JavaKernelsTest {
    static {
        Machine.useEmulation();
    }

    private final Device device = Device.openHost(Machine.HOST);
    private final Logger logger = Logger.getLogger("io.github.comch4j"); // where System.Logger leads
    private final List<LogRecord> records = new ArrayList<>();
    private final Handler keeping = new Handler() {
        @Override
        public void publish(LogRecord line) {
            synchronized (records) {
                records.add(line);
            }
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    };
    private Dpa dpa;
    private JavaKernels kernels;

    @BeforeEach
    void start() {
        logger.addHandler(keeping);
        logger.setUseParentHandlers(false);
        dpa = Dpa.builder(device).start();
        kernels = JavaKernels.of(dpa);
    }

    @AfterEach
    void end() {
        dpa.close();
        device.close();
        logger.setUseParentHandlers(true);
        logger.removeHandler(keeping);
    }

    private List<LogRecord> logged() {
        synchronized (records) {
            return List.copyOf(records);
        }
    }

    @Test
    void aCallGetsItsArgumentsAndReturns() {
        DpaFunction sum = kernels.rpc("sum", (context, arguments) -> {
            assertThat(arguments).hasSize(16);
            return Arrays.stream(arguments).sum();
        });
        assertThat(dpa.rpc(sum)).isZero();
        assertThat(dpa.rpc(sum, 1, -5)).isEqualTo(-4);
        long[] all = new long[16];
        Arrays.setAll(all, i -> 1L << (4 * i));
        assertThat(dpa.rpc(sum, all)).isEqualTo(0x1111111111111111L);
        assertThat(sum).hasToString("sum");
        assertThat(dpa.lastError()).isNull();
    }

    @Test
    void itRunsOnADaemonThreadThatEndsWithTheDpa() {
        AtomicReference<Thread> unit = new AtomicReference<>();
        dpa.rpc(kernels.rpc("who", (context, arguments) -> {
            unit.set(Thread.currentThread());
            return 0;
        }));
        assertThat(unit.get().isDaemon()).isTrue();
        assertThat(unit.get().getName()).startsWith("DPA execution unit ");
        assertThat(unit.get().isAlive()).isTrue();
        dpa.close();
        assertThat(unit.get().isAlive()).isFalse();
    }

    @Test
    void itReadsAndWritesMemoryOfTheDpa() {
        try (DpaMemory memory = dpa.allocate(64)) {
            DpaFunction square = kernels.rpc("square", (context, arguments) -> {
                MemorySegment numbers = context.memory().at(arguments[0], 64);
                for (int i = 0; i < 8; i++) {
                    numbers.setAtIndex(ValueLayout.JAVA_LONG, i, (long) i * i);
                }
                return numbers.byteSize();
            });
            assertThat(dpa.rpc(square, memory.address())).isEqualTo(64);
            DpaFunction read = kernels.rpc(
                    "read",
                    (context, arguments) ->
                            context.memory().at(arguments[0], 64).getAtIndex(ValueLayout.JAVA_LONG, arguments[1]));
            assertThat(dpa.rpc(read, memory.address(), 7)).isEqualTo(49);
        }
    }

    @Test
    void whatACallKnowsOfItself() {
        DpaFunction who = kernels.rpc("who", (context, arguments) -> {
            context.useDevice(arguments[0]);
            return context.numThreads() * 100L + context.rank() * 10L + context.localStorage();
        });
        assertThat(dpa.rpc(who, dpa.handle())).isEqualTo(100);
        assertThat(dpa.lastError()).isNull();
    }

    @Test
    void logsAndTracesAreWritten(@TempDir Path folder) throws Exception {
        Path log = folder.resolve("log");
        Path trace = folder.resolve("trace");
        try (Dpa other = Dpa.builder(device)
                .logLevel(Level.WARNING)
                .logFile(log)
                .traceFile(trace)
                .start()) {
            other.rpc(JavaKernels.of(other).rpc("say", (context, arguments) -> {
                context.log(Level.INFO, "not this");
                context.log(Level.WARNING, "100% s\u00fc\u00df %s");
                context.trace(1, 2, 3, 4, -1);
                context.flushTrace();
                return 0;
            }));
        }
        assertThat(Files.readString(log)).contains("100% s\u00fc\u00df %s").doesNotContain("not this");
        assertThat(Files.readString(trace)).containsPattern("1\\D+2\\D+3\\D+4\\D+");
    }

    /** Recursion, a request for more memory than there can be, and what a program throws. */
    @Test
    @SuppressWarnings("InfiniteRecursion")
    void whateverIsThrownIsTheLastErrorAndTheProcessGoesOn() {
        class Deep {
            long recurse(long depth) {
                return recurse(depth + 1) + 1;
            }
        }
        List<DpaKernel.Rpc> failing = List.of(
                (context, arguments) -> {
                    throw new java.io.IOException("100% broken");
                },
                (context, arguments) -> new Deep().recurse(0),
                (context, arguments) -> new long[Integer.MAX_VALUE].length,
                (context, arguments) -> {
                    throw new IllegalStateException() {
                        @Override
                        public String getMessage() {
                            throw new ArithmeticException("it cannot even be said");
                        }
                    };
                });
        List<Class<?>> thrown = List.of(
                java.io.IOException.class, StackOverflowError.class, OutOfMemoryError.class, ArithmeticException.class);
        for (int i = 0; i < failing.size(); i++) {
            try (Dpa other = Dpa.builder(device).start()) {
                JavaKernels made = JavaKernels.of(other);
                assertThat(other.rpc(made.rpc("failing", failing.get(i)))).isZero();
                assertThat(other.lastError()).as(thrown.get(i).getName()).isNotNull();
                assertThat(other.rpc(made.rpc("next", (context, arguments) -> 5)))
                        .isEqualTo(5);
            }
        }
        assertThat(logged())
                .hasSize(3) // the last of them cannot be written
                .allSatisfy(line -> assertThat(line.getMessage()).isEqualTo("the kernel failing has failed"))
                .extracting(line -> (Object) line.getThrown().getClass())
                .containsExactlyElementsOf(thrown.subList(0, 3));
        assertThat(dpa.lastError()).isNull();
    }

    @Test
    void theContextIsTheKernelsAlone() throws Exception {
        AtomicReference<KernelContext> kept = new AtomicReference<>();
        AtomicReference<KernelMemory> memory = new AtomicReference<>();
        dpa.rpc(kernels.rpc("keep", (context, arguments) -> {
            kept.set(context);
            memory.set(context.memory());
            return Machine.onThread(() -> {
                        assertThatThrownBy(context::rank)
                                .isInstanceOf(IllegalStateException.class)
                                .hasMessageContaining("while it runs");
                        return 0;
                    })
                    .get();
        }));
        assertThat(dpa.lastError()).isNull();
        assertThatThrownBy(kept.get()::rank).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> kept.get().pollConsumer(1)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> memory.get().at(0, 1)).isInstanceOf(IllegalStateException.class);
        assertThat(dpa.lastError()).isNull(); // nothing of it has come to the DPA
    }

    @Test
    void soAreItsEventsAndItsMemory() {
        AtomicReference<KernelContext> keptContext = new AtomicReference<>();
        AtomicReference<KernelMemory> keptMemory = new AtomicReference<>();
        dpa.rpc(kernels.rpc("keep", (context, arguments) -> {
            keptContext.set(context);
            keptMemory.set(context.memory());
            return 0;
        }));
        KernelContext after = keptContext.get();
        KernelMemory memory = keptMemory.get();
        List<ThrowingCallable> calls = List.of(
                () -> after.eventValue(0),
                () -> after.addToEvent(0, 1),
                () -> after.setEvent(0, 1),
                () -> after.awaitEventGreater(0, 1, 1),
                () -> after.postAwaitEventGreater(0, 0, 1),
                () -> after.postAwaitEventUnequal(0, 0, 1),
                () -> memory.at(0, 1),
                () -> memory.ofMap(0, 0),
                () -> memory.copy(0, new KernelCopy(0, 0, 0, 0, 1), 0),
                () -> memory.tableAdd(0, 0, 0),
                () -> memory.tableRemove(0, 0),
                () -> memory.tableFind(0, 0));
        assertThat(calls)
                .allSatisfy(call -> assertThatThrownBy(call)
                        .isInstanceOf(IllegalStateException.class)
                        .hasMessageContaining("while it runs"));
        assertThat(dpa.lastError()).isNull();
    }

    @Test
    void aFunctionIsOfOneDpaAndEndsWithIt() {
        DpaFunction here = kernels.rpc("here", (context, arguments) -> 5);
        try (Dpa other = Dpa.builder(device).start()) {
            assertThatThrownBy(() -> other.rpc(here))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("here belongs to another DPA");
            assertThatThrownBy(() -> other.thread(here).start()).isInstanceOf(IllegalArgumentException.class);
        }
        assertThat(dpa.rpc(here)).isEqualTo(5);
        dpa.close();
        assertThat(here.address().scope().isAlive()).isFalse();
        assertThatThrownBy(() -> kernels.rpc("late", (context, arguments) -> 5))
                .isInstanceOf(IllegalStateException.class);
        dpa = Dpa.builder(device).start();
        assertThatThrownBy(() -> dpa.rpc(here)).isInstanceOf(IllegalArgumentException.class);
    }

    /** A call that has been given up runs on, and its function must be there. */
    @Test
    void aDpaWhoseKernelDoesNotEndStaysOpen() throws Exception {
        AtomicBoolean stop = new AtomicBoolean();
        CountDownLatch begun = new CountDownLatch(1);
        DpaFunction forEver = kernels.rpc("for ever", (context, arguments) -> {
            begun.countDown();
            while (!stop.get()) {
                Thread.onSpinWait();
            }
            return 0;
        });
        assertThatThrownBy(() -> dpa.rpc(forEver)).hasMessageContaining("DRIVER");
        begun.await();
        assertThat(dpa.lastError()).isNotNull();
        assertThatThrownBy(dpa::close).hasMessageContaining("DRIVER");
        assertThat(forEver.address().scope().isAlive()).isTrue();
        stop.set(true);
        dpa.close();
        assertThat(forEver.address().scope().isAlive()).isFalse();
    }

    @Test
    void callsOfManyThreadsRunSideBySide() throws Exception {
        Set<KernelContext> contexts = ConcurrentHashMap.newKeySet();
        CountDownLatch all = new CountDownLatch(4);
        DpaFunction meet = kernels.rpc("meet", (context, arguments) -> {
            contexts.add(context);
            all.countDown();
            all.await();
            return arguments[0];
        });
        List<java.util.concurrent.CompletableFuture<Long>> results = new ArrayList<>();
        for (long i = 0; i < 4; i++) {
            long number = i;
            results.add(Machine.onThread(() -> dpa.rpc(meet, number)));
        }
        for (int i = 0; i < 4; i++) {
            assertThat(results.get(i).get()).isEqualTo(i);
        }
        assertThat(contexts).hasSize(4);
    }
}
