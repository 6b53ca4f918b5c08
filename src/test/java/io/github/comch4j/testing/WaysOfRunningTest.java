package io.github.comch4j.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.DynamicContainer.dynamicContainer;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import io.github.comch4j.Machine;
import io.github.comch4j.core.Device;
import io.github.comch4j.emulator.EmulatedMachine;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DynamicNode;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Each way in which JUnit runs a test: on the test's own machine, and a leak fails it. The classes in here are run by
 * these tests, and by nobody else.
 */
@Timeout(120)
class WaysOfRunningTest {
    private static final String LEAK = "device 0000:b1:00.0 was not closed";

    @BeforeEach
    void emulated() {
        Machine.useEmulation();
    }

    /** The process's own machine has four devices. */
    private static void assertOwnMachine() {
        assertThat(Device.list()).hasSize(2);
    }

    @EmulatedBlueField(topology = {"dpu 0000:03:00.0", "host 0000:b1:00.0 pf"})
    @Execution(ExecutionMode.SAME_THREAD)
    abstract static class OnTwoDevices {}

    // ---- dynamic tests

    static class Factories extends OnTwoDevices {
        @BeforeEach
        void before() {
            assertOwnMachine();
        }

        private static DynamicNode each(int number) {
            assertOwnMachine(); // bit by bit, when JUnit asks
            return dynamicTest("number " + number, WaysOfRunningTest::assertOwnMachine);
        }

        @TestFactory
        Stream<DynamicNode> stream() {
            assertOwnMachine();
            return Stream.of(1, 2)
                    .map(number ->
                            dynamicContainer("container", Stream.of(number).map(Factories::each)));
        }

        @TestFactory
        List<DynamicNode> list() {
            return List.of(each(1), each(2));
        }

        @TestFactory
        DynamicNode[] array() {
            return new DynamicNode[] {each(1)};
        }

        @TestFactory
        java.util.Iterator<DynamicNode> iterator() {
            return Stream.of(1).map(Factories::each).iterator();
        }

        @TestFactory
        DynamicNode single() {
            return dynamicContainer("single", Stream.of(1).map(Factories::each));
        }
    }

    @Test
    void dynamicTestsAreOnTheMachineOfTheirFactory() {
        Outcome.of(Factories.class).assertPassed(7);
    }

    static class LeavesInADynamicTest extends OnTwoDevices {
        @TestFactory
        Stream<DynamicNode> leaves() {
            return Stream.of(dynamicTest("leaves", Speaking::openHost));
        }
    }

    @Test
    void aLeakInADynamicTestFailsItsFactory() {
        assertThat(Outcome.of(LeavesInADynamicTest.class).texts()).containsExactly(LEAK);
    }

    static class LeavesWhileItMakesThem extends OnTwoDevices {
        @TestFactory
        Stream<DynamicNode> leaves() {
            return Stream.of(1).map(number -> {
                Speaking.openHost();
                return dynamicTest("nothing", () -> {});
            });
        }
    }

    @Test
    void aLeakWhileTestsAreMadeFailsTheirFactory() {
        assertThat(Outcome.of(LeavesWhileItMakesThem.class).texts()).containsExactly(LEAK);
    }

    // ---- @AutoClose

    static class ClosesItself extends OnTwoDevices {
        @AutoClose
        @SuppressWarnings("UnusedVariable") // JUnit reads it
        private Device device;

        @Test
        void opens() {
            device = Speaking.openHost();
        }
    }

    @EmulatedBlueField(scope = EmulatedBlueField.Scope.CLASS)
    @Execution(ExecutionMode.SAME_THREAD)
    static class ClosesItselfAtTheEnd {
        @AutoClose
        private static Device device;

        @Test
        void opens() {
            device = Speaking.openHost();
        }
    }

    @Test
    void whatClosesItselfIsNoLeak() {
        Outcome.of(ClosesItself.class).assertPassed(1);
        Outcome.of(ClosesItselfAtTheEnd.class).assertPassed(1);
        assertThat(ClosesItselfAtTheEnd.device.isClosed()).isTrue();
    }

    // ---- several times, and nested

    @ParameterizedClass
    @ValueSource(strings = {"one", "two"})
    static class Parameterized extends OnTwoDevices {
        static final Set<String> FOLDERS = ConcurrentHashMap.newKeySet();

        Parameterized(String which, EmulatedMachine machine) {
            assertOwnMachine();
            assertThat(which).isNotEmpty();
            FOLDERS.add(machine.folder().toString());
        }

        @Test
        void first() {
            assertOwnMachine();
        }

        @RepeatedTest(2)
        void repeated() {
            assertOwnMachine();
        }

        @Nested
        class Inner {
            @Test
            void inner() {
                assertOwnMachine();
            }
        }
    }

    @Test
    void eachInvocationHasItsOwn() {
        Outcome.of(Parameterized.class).assertPassed(8);
        assertThat(Parameterized.FOLDERS).hasSize(8);
    }

    @ParameterizedClass
    @ValueSource(ints = {1})
    static class LeavesInAParameterizedClass extends OnTwoDevices {
        LeavesInAParameterizedClass(int number) {
            assertThat(number).isEqualTo(1);
        }

        @Nested
        class Inner {
            @Test
            void leaves() {
                Speaking.openHost();
            }
        }
    }

    @Test
    void aLeakInANestedClassOfAParameterizedOneIsFound() {
        assertThat(Outcome.of(LeavesInAParameterizedClass.class).texts()).containsExactly(LEAK);
    }

    // ---- threads that JUnit makes

    static class InOtherThreads extends OnTwoDevices {
        @Test
        void preemptively() {
            assertTimeoutPreemptively(Duration.ofSeconds(60), WaysOfRunningTest::assertOwnMachine);
        }

        @Test
        @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
        void separately() {
            assertThat(Thread.currentThread().getName()).contains("junit");
            assertOwnMachine();
        }
    }

    @Test
    void threadsOfTimeoutsAreOnTheMachine() {
        Outcome.of(InOtherThreads.class).assertPassed(2);
    }

    static class LeavesPreemptively extends OnTwoDevices {
        @Test
        void leaves() {
            assertTimeoutPreemptively(Duration.ofSeconds(60), () -> Speaking.openHost());
        }
    }

    static class LeavesSeparately extends OnTwoDevices {
        @Test
        @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
        void leaves() {
            Speaking.openHost();
        }
    }

    @Test
    void leaksOfThreadsOfTimeoutsAreFound() {
        assertThat(Outcome.of(LeavesPreemptively.class).texts()).containsExactly(LEAK);
        assertThat(Outcome.of(LeavesSeparately.class).texts()).containsExactly(LEAK);
    }
}
