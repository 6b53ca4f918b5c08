package io.github.comch4j.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.comch4j.Machine;
import io.github.comch4j.SubmitResult;
import io.github.comch4j.comch.Capabilities;
import io.github.comch4j.comch.ComchClient;
import io.github.comch4j.comch.ComchServer;
import io.github.comch4j.core.Device;
import io.github.comch4j.core.EventLoop;
import io.github.comch4j.core.ProgressEngine;
import io.github.comch4j.core.Representor;
import io.github.comch4j.emulator.EmulatedFaults;
import io.github.comch4j.emulator.EmulatedMachine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The classes in here are run by these tests, and by nobody else. */
@Timeout(120)
class EmulatedBlueFieldTest {
    /** What tests of the classes below have to tell. */
    private static final Set<String> SEEN = ConcurrentHashMap.newKeySet();

    @BeforeEach
    void emulated() {
        Machine.useEmulation();
        SEEN.clear();
    }

    @Test
    void aMachineByHandHasTheDevicesOfItsSideAndIsClosedOnce() {
        EmulatedMachine machine = EmulatedMachine.create(EmulatedMachine.Side.DPU, List.of());
        machine.openDpu().close();
        assertThatThrownBy(machine::openHost).isInstanceOf(IllegalStateException.class);
        machine.close();
        assertThat(machine.folder()).doesNotExist();
        machine.close();
    }

    private static void assertPasses(Class<?> tests, int count) {
        Outcome.of(tests).assertPassed(count);
    }

    // ---- machines ----

    @EmulatedBlueField
    @Execution(ExecutionMode.CONCURRENT)
    static class SideBySide {
        private static final CyclicBarrier BOTH = new CyclicBarrier(2);

        private static void meetNobody(String greeting) throws Exception {
            try (var engine = ProgressEngine.create();
                    var dpu = Device.openDpu(Machine.DPU);
                    var function = dpu.openRepresentor(Machine.HOST);
                    var _ = Speaking.serve(engine, dpu, function, "same name", greeting);
                    var host = Speaking.openHost()) {
                BOTH.await(60, TimeUnit.SECONDS); // both serve now
                assertThat(Speaking.greetingOf(engine, host, "same name")).isEqualTo(greeting);
                SEEN.add(greeting);
                BOTH.await(60, TimeUnit.SECONDS);
            }
        }

        @Test
        void one() throws Exception {
            meetNobody("from one");
        }

        @Test
        void other() throws Exception {
            meetNobody("from the other");
        }
    }

    @Test
    void testsSideBySideDoNotSeeEachOther() {
        assertPasses(SideBySide.class, 2);
        assertThat(SEEN).containsExactlyInAnyOrder("from one", "from the other");
    }

    @EmulatedBlueField
    @Execution(ExecutionMode.SAME_THREAD)
    static class EachItsOwn {
        private final int devicesInTheConstructor = Device.list().size();

        EachItsOwn(EmulatedMachine machine) {
            SEEN.add("constructor " + machine.folder());
        }

        @BeforeEach
        void before(EmulatedMachine machine) {
            SEEN.add("before " + machine.folder());
        }

        @AfterEach
        void after(EmulatedMachine machine) {
            SEEN.add("after " + machine.folder());
        }

        @Test
        void one(EmulatedMachine machine) {
            assertThat(machine.folder()).isDirectory();
        }

        @ParameterizedTest
        @ValueSource(ints = {1, 2})
        void several(int number, EmulatedMachine machine) {
            assertThat(machine.folder()).isDirectory();
        }

        @Nested
        class Inside {
            @Test
            void inner(EmulatedMachine machine) {
                assertThat(machine.folder()).isDirectory();
            }
        }

        @Test
        @EmulatedBlueField(topology = {"dpu 0000:05:00.0", "host 0000:c1:00.0 pf"})
        void another() {
            SEEN.add(devicesInTheConstructor + " "
                    + Device.list().stream()
                            .map(info -> info.address().toString())
                            .toList());
        }
    }

    @Test
    void eachTestHasItsOwnWithAllAroundIt() {
        assertPasses(EachItsOwn.class, 5);
        Set<Path> folders = new HashSet<>();
        for (String seen : SEEN) {
            if (seen.contains("/")) {
                folders.add(Path.of(seen.substring(seen.indexOf('/'))));
            }
        }
        assertThat(folders).hasSize(5).noneMatch(folder -> folder.toFile().exists());
        assertThat(SEEN).hasSize(3 * 5 + 1).contains("2 [0000:05:00.0, 0000:c1:00.0]");
    }

    @EmulatedBlueField(scope = EmulatedBlueField.Scope.CLASS)
    @Execution(ExecutionMode.CONCURRENT)
    static class OneForAll {
        private static Path folder;
        private static EventLoop loop;

        @BeforeAll
        static void before(EmulatedMachine machine, @EmulatedBlueField.Dpu EventLoop dpuLoop) {
            folder = machine.folder();
            loop = dpuLoop;
        }

        @AfterAll
        static void after() {
            SEEN.add("after all, devices: " + Device.list().size());
        }

        @Test
        void one(EmulatedMachine machine) {
            assertThat(machine.folder()).isEqualTo(folder);
        }

        @Test
        void other(EmulatedMachine machine, @EmulatedBlueField.Dpu EventLoop same) {
            assertThat(machine.folder()).isEqualTo(folder);
            assertThat(same).isSameAs(loop);
        }

        @Nested
        class Inside {
            @Test
            void inner(EmulatedMachine machine) {
                assertThat(machine.folder()).isEqualTo(folder);
            }
        }
    }

    @Test
    void aClassMayHaveOne() {
        assertPasses(OneForAll.class, 3);
        assertThat(SEEN).containsExactly("after all, devices: 4");
        assertThat(OneForAll.folder).doesNotExist();
        assertThat(OneForAll.loop.isClosed()).isTrue();
    }

    @EmulatedBlueField(
            side = EmulatedMachine.Side.HOST,
            limits = {"max_msg_size 100", "max_clients=1"})
    @Execution(ExecutionMode.SAME_THREAD)
    static class OneSide {
        @Test
        void aHost(Device device, EmulatedMachine machine) {
            assertThat(device.supportsClients()).isTrue();
            assertThat(Capabilities.of(device).maxMessageSize()).isEqualTo(100);
            assertThat(Device.list()).hasSize(3);
            assertThat(machine.environment(EmulatedMachine.Side.DPU))
                    .containsEntry("DOCA_EMU_SIDE", "dpu")
                    .containsEntry("DOCA_EMU_DIR", machine.folder().toString());
            assertThatThrownBy(machine::openDpu)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessage("there is no device of the DPU on the side host");
        }
    }

    @Test
    void sidesAndLimits() {
        assertPasses(OneSide.class, 1);
    }

    @EmulatedBlueField(strict = true, limits = "max_clients=7")
    @Execution(ExecutionMode.SAME_THREAD)
    static class Strict {
        @Test
        void machine(@EmulatedBlueField.Dpu Device device, EmulatedMachine machine) throws IOException {
            assertThat(Files.readAllLines(machine.folder().resolve("topology")))
                    .containsExactly("limit max_clients 7", "strict");
            assertThat(Capabilities.of(device).maxClients()).isEqualTo(7);
        }
    }

    @Test
    void aMachineMayBeStrict() {
        assertPasses(Strict.class, 1);
    }

    // ---- parameters ----

    @EmulatedBlueField
    @Execution(ExecutionMode.SAME_THREAD)
    static class Injected {
        @Test
        void all(
                @EmulatedBlueField.Host Device host,
                @EmulatedBlueField.Dpu Device dpu,
                Representor function,
                ProgressEngine engine,
                @EmulatedBlueField.Dpu ProgressEngine otherEngine,
                EventLoop loop,
                @EmulatedBlueField.Host EventLoop hostLoop) {
            assertThat(engine).isNotSameAs(otherEngine);
            assertThat(engine.owner()).isSameAs(Thread.currentThread());
            assertThat(loop).isNotSameAs(hostLoop);
            try (var _ = Speaking.serve(engine, dpu, function, "injected", "hello")) {
                assertThat(Speaking.greetingOf(engine, host, "injected")).isEqualTo("hello");
            }
        }
    }

    @Test
    void devicesEnginesAndLoopsAreInjected() {
        assertPasses(Injected.class, 1);
    }

    @EmulatedBlueField
    @Execution(ExecutionMode.SAME_THREAD)
    static class Ambiguous {
        @Test
        void whichSide(Device device) {
            assertThat(device).isNull();
        }
    }

    @Test
    void aDeviceHasASide() {
        assertThat(Outcome.of(Ambiguous.class).texts().getFirst())
                .contains("a parameter of type Device needs @EmulatedBlueField.Host or @EmulatedBlueField.Dpu");
    }

    @EmulatedBlueField
    @Execution(ExecutionMode.SAME_THREAD)
    static class TooEarly {
        @BeforeAll
        static void before(EmulatedMachine machine) {
            assertThat(machine).isNull();
        }

        @Test
        void neverRun() {
            SEEN.add("run");
        }
    }

    @Test
    void eachTestsOwnMachineIsNotThereForAll() {
        assertThat(Outcome.of(TooEarly.class).texts().getFirst())
                .contains("each test has its own machine", "set scope = CLASS");
        assertThat(SEEN).isEmpty();
    }

    // ---- threads ----

    private static final CyclicBarrier OVER = new CyclicBarrier(2);

    @EmulatedBlueField(topology = {"dpu 0000:05:00.0", "host 0000:c1:00.0 pf"})
    @Execution(ExecutionMode.SAME_THREAD)
    static class Threads {
        private static Thread late;

        private static int devices() {
            return Device.list().size();
        }

        @Test
        void meanWhatTheTestMeans() throws Exception {
            assertThat(devices()).isEqualTo(2);
            assertThat(Machine.onThread(Threads::devices).get(60, TimeUnit.SECONDS))
                    .isEqualTo(2);
            try (ForkJoinPool pool = new ForkJoinPool(1)) {
                assertThat(pool.submit(Threads::devices).get(60, TimeUnit.SECONDS))
                        .as("in a thread that may run another test's work next")
                        .isEqualTo(4);
            }
            late = new Thread(() -> {
                try {
                    OVER.await(60, TimeUnit.SECONDS);
                    SEEN.add("afterwards " + devices());
                } catch (Exception e) {
                    SEEN.add(e.toString());
                }
            });
            late.start();
        }
    }

    @Test
    void threadsMeanTheMachineUntilTheTestEnds() throws Exception {
        assertPasses(Threads.class, 1);
        OVER.await(60, TimeUnit.SECONDS);
        Threads.late.join();
        assertThat(SEEN).containsExactly("afterwards 4");
    }

    // ---- faults ----

    @EmulatedBlueField(scope = EmulatedBlueField.Scope.CLASS)
    @TestMethodOrder(MethodOrderer.OrderAnnotation.class)
    @Execution(ExecutionMode.SAME_THREAD)
    static class Faulty {
        private static ComchServer server;
        private static ComchClient client;

        private static SubmitResult tryOnce() {
            return client.connection().trySend(new byte[1]);
        }

        @BeforeAll
        static void connect(
                @EmulatedBlueField.Host Device host,
                @EmulatedBlueField.Dpu Device dpu,
                Representor function,
                ProgressEngine engine) {
            server = ComchServer.builder(engine, dpu, function, "faulty").start();
            client = ComchClient.builder(engine, host, "faulty").connect(Machine.PATIENCE);
        }

        @AfterAll
        static void close() {
            client.close();
            server.close();
        }

        @Test
        @Order(1)
        void applied() {
            assertThat(tryOnce().accepted()).isTrue();
            new EmulatedFaults().again(1000).apply();
            assertThat(tryOnce()).isEqualTo(SubmitResult.NO_RECEIVE);
        }

        @Test
        @Order(2)
        void withdrawnAfterTheTest() {
            assertThat(tryOnce().accepted()).isTrue();
        }

        @Test
        @Order(3)
        void withdrawnInTheTest() {
            new EmulatedFaults().again(1000).apply();
            assertThat(tryOnce()).isEqualTo(SubmitResult.NO_RECEIVE);
            EmulatedFaults.clear();
            assertThat(tryOnce().accepted()).isTrue();
        }

        @Test
        @Order(4)
        @EmulatedBlueField(faults = "again=1000")
        void thoseOfAnotherMachineDoNotConcernThis(
                @EmulatedBlueField.Host Device host,
                @EmulatedBlueField.Dpu Device dpu,
                Representor function,
                @EmulatedBlueField.Dpu ProgressEngine engine) {
            assertThat(tryOnce().accepted()).isTrue();
            try (var _ = ComchServer.builder(engine, dpu, function, "own").start();
                    var own = ComchClient.builder(engine, host, "own").connect(Machine.PATIENCE)) {
                assertThat(own.connection().trySend(new byte[1])).isEqualTo(SubmitResult.NO_RECEIVE);
                SEEN.add("injected");
            }
        }
    }

    @Test
    void aFaultIsInjectedAndWithdrawn() {
        assertPasses(Faulty.class, 4);
        assertThat(SEEN).containsExactly("injected");
    }
}
