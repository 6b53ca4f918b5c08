package io.github.comch4j.testing;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.comch4j.Machine;
import io.github.comch4j.comch.ComchServer;
import io.github.comch4j.core.Access;
import io.github.comch4j.core.BufferInventory;
import io.github.comch4j.core.Device;
import io.github.comch4j.core.EventLoop;
import io.github.comch4j.core.MemoryMap;
import io.github.comch4j.core.ProgressEngine;
import io.github.comch4j.core.Representor;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** What a test leaves open fails it. The classes in here are run by these tests, and by nobody else. */
@Timeout(120)
class LeaksTest {
    @BeforeEach
    void emulated() {
        Machine.useEmulation();
    }

    @EmulatedBlueField
    @Execution(ExecutionMode.SAME_THREAD)
    static class LeavesAnEngine {
        @Test
        void leaves() {
            ProgressEngine.create();
        }
    }

    @Test
    void anEngineIsNamedWithWhereItWasMade() {
        assertThat(Outcome.of(LeavesAnEngine.class).failures()).singleElement().satisfies(failure -> {
            assertThat(failure).isInstanceOf(AssertionError.class).hasMessage("the progress engine was not closed");
            assertThat(failure.getCause()).hasMessageStartingWith("created here, by ");
            assertThat(List.of(failure.getCause().getStackTrace()))
                    .anyMatch(frame -> frame.getClassName().equals(LeavesAnEngine.class.getName()));
        });
    }

    @EmulatedBlueField
    @Execution(ExecutionMode.SAME_THREAD)
    static class LeavesMuch {
        @Test
        void leaves(
                @EmulatedBlueField.Host Device host,
                @EmulatedBlueField.Dpu Device dpu,
                Representor function,
                ProgressEngine engine) {
            ComchServer.builder(engine, dpu, function, "left").start();
            MemoryMap.allocate(host, 4096, Access.LOCAL_READ_WRITE);
            BufferInventory.create(1);
            Speaking.openHost();
            EventLoop.start("left loop");
        }
    }

    @Test
    void eachIsNamedAndClosed() {
        assertThat(Outcome.of(LeavesMuch.class).texts())
                .allMatch(text -> text.endsWith(" was not closed"))
                .anyMatch(text -> text.startsWith("device 0000:b1:00.0"))
                .anyMatch(text -> text.startsWith("event loop \"left loop\""))
                .anyMatch(text -> text.contains("server \"left\""))
                .anyMatch(text -> text.contains("inventory"))
                .anyMatch(text -> text.contains("memory map"))
                .hasSize(5);
        assertThat(Thread.getAllStackTraces().keySet())
                .extracting(Thread::getName)
                .doesNotContain("left loop");
    }

    @EmulatedBlueField(scope = EmulatedBlueField.Scope.CLASS)
    @Execution(ExecutionMode.SAME_THREAD)
    static class LeavesAtTheEnd {
        private static Device device;

        @Test
        void one() {
            device = Speaking.openHost();
        }

        @Test
        void other() {
            assertThat(device == null || !device.isClosed()).isTrue();
        }
    }

    @Test
    void aClassIsAskedAfterItsLastTest() {
        Outcome outcome = Outcome.of(LeavesAtTheEnd.class);
        assertThat(outcome.passed()).isEqualTo(2);
        assertThat(outcome.texts()).containsExactly("device 0000:b1:00.0 was not closed");
        assertThat(LeavesAtTheEnd.device.isClosed()).isTrue();
    }

    @EmulatedBlueField(failOnLeaks = false)
    @Execution(ExecutionMode.SAME_THREAD)
    static class MayLeave {
        private static Device device;

        @Test
        void leaves() {
            device = Speaking.openHost();
        }
    }

    @Test
    void leaksMayBeAllowed() {
        Outcome.of(MayLeave.class).assertPassed(1);
        assertThat(MayLeave.device.isClosed()).isTrue();
    }

    @EmulatedBlueField
    @Execution(ExecutionMode.SAME_THREAD)
    static class FailsAndLeaves {
        @Test
        void fails() {
            ProgressEngine.create();
            throw new AssertionError("the test's own failure");
        }
    }

    @Test
    void aFailureOfTheTestStaysTheFirst() {
        assertThat(Outcome.of(FailsAndLeaves.class).texts())
                .containsExactly("the test's own failure", "the progress engine was not closed");
    }
}
