package io.github.comch4j.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.comch4j.Machine;
import io.github.comch4j.core.Device;
import io.github.comch4j.core.ProgressEngine;
import io.github.comch4j.emulator.EmulatedMachine;
import io.github.comch4j.emulator.PeerProcess;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** The other side as a JVM of its own. The classes in here are run by these tests, and by nobody else. */
@Timeout(240)
class PeerProcessIT {
    @BeforeEach
    void emulated() {
        Machine.useEmulation();
    }

    private static PeerProcess.Builder greeting(EmulatedMachine machine) {
        return machine.peer(EmulatedMachine.Side.DPU, GreetingPeer.class, "peer", "hello from there")
                .options("-Xmx64m")
                .environment("SAYS", "this");
    }

    @EmulatedBlueField
    @Execution(ExecutionMode.SAME_THREAD)
    static class Talks {
        private static PeerProcess peer;

        @Test
        void ends(EmulatedMachine machine, @EmulatedBlueField.Host Device host, ProgressEngine engine) {
            peer = greeting(machine).start();
            assertThat(peer.awaitLine("devices")).isEqualTo("devices: 1");
            peer.awaitLine("serving, and says this");
            assertThat(Speaking.greetingOf(engine, host, "peer")).isEqualTo("hello from there");
            peer.writeLine("end");
            peer.awaitLine("read end");
            assertThat(peer.exitStatus()).isZero();
            assertThatThrownBy(() -> peer.awaitLine("read end")) // each line is found once
                    .isInstanceOf(AssertionError.class)
                    .hasMessageContaining("has ended without writing a line with \"read end\"; its output:")
                    .hasMessageContaining("serving, and says this");
        }
    }

    @Test
    void aPeerIsOnTheMachineAndItsOutputInTheReport() {
        Outcome outcome = Outcome.of(Talks.class);
        outcome.assertPassed(1);
        assertThat(outcome.reported())
                .singleElement()
                .asString()
                .startsWith("GreetingPeer (process " + Talks.peer.pid() + "): ")
                .contains("serving, and says this", "read end");
    }

    @EmulatedBlueField
    @Execution(ExecutionMode.SAME_THREAD)
    static class IsSilent {
        @Test
        void ends(EmulatedMachine machine) {
            machine.peer(EmulatedMachine.Side.HOST, GreetingPeer.class, "serve", "peer")
                    .start()
                    .kill();
        }
    }

    @Test
    void onePeerThatHasSaidNothingIsInTheReport() {
        Outcome outcome = Outcome.of(IsSilent.class);
        outcome.assertPassed(1);
        assertThat(outcome.reported()).singleElement().asString().endsWith(": (no output)");
    }

    @EmulatedBlueField
    @Execution(ExecutionMode.SAME_THREAD)
    static class LeavesItRunning {
        private static long pid;

        @Test
        void runs(EmulatedMachine machine) {
            PeerProcess peer = greeting(machine).start();
            peer.awaitLine("serving");
            pid = peer.pid();
        }
    }

    @Test
    void onePeerThatRunsIsEnded() {
        Outcome.of(LeavesItRunning.class).assertPassed(1);
        assertThat(ProcessHandle.of(LeavesItRunning.pid).filter(ProcessHandle::isAlive))
                .isEmpty();
    }

    @EmulatedBlueField
    @Execution(ExecutionMode.SAME_THREAD)
    static class EndsBadly {
        @Test
        void unnoticed(EmulatedMachine machine) {
            PeerProcess peer = machine.peer(EmulatedMachine.Side.HOST, GreetingPeer.class, "exit", "3")
                    .start();
            peer.awaitLine("cannot go on");
            while (peer.unexpectedEnd() == null) {
                Thread.onSpinWait();
            }
            assertThat(peer.unexpectedEnd()).as("asking changes nothing").isNotNull();
        }
    }

    @Test
    void onePeerThatEndsBadlyFailsTheTest() {
        assertThat(Outcome.of(EndsBadly.class).texts())
                .singleElement()
                .asString()
                .contains("GreetingPeer (process ", ") has ended with status 3; its output:", "cannot go on");
    }

    @EmulatedBlueField
    @Execution(ExecutionMode.SAME_THREAD)
    static class ExpectsIt {
        @Test
        void badEnd(EmulatedMachine machine) {
            assertThat(machine.peer(EmulatedMachine.Side.HOST, GreetingPeer.class, "exit", "3")
                            .start()
                            .exitStatus())
                    .isEqualTo(3);
        }

        @Test
        void crash(EmulatedMachine machine) {
            PeerProcess peer = greeting(machine).start();
            peer.awaitLine("serving");
            peer.kill();
            assertThat(peer.exitStatus()).isEqualTo(128 + 9);
        }

        @Test
        void sigterm(EmulatedMachine machine) {
            PeerProcess peer = greeting(machine).start();
            peer.awaitLine("serving");
            peer.terminate();
            assertThat(peer.exitStatus()).isEqualTo(128 + 15);
        }
    }

    @Test
    void aBadEndThatIsAskedForIsNone() {
        Outcome.of(ExpectsIt.class).assertPassed(3);
    }

    @EmulatedBlueField
    @Execution(ExecutionMode.SAME_THREAD)
    static class Fails {
        @Test
        void fails(EmulatedMachine machine) {
            greeting(machine).start().awaitLine("serving");
            throw new AssertionError("the test's own failure");
        }
    }

    @Test
    void aFailureHasWhatThePeerHasWritten() {
        List<String> texts = Outcome.of(Fails.class).texts();
        assertThat(texts).hasSize(2);
        assertThat(texts.get(0)).isEqualTo("the test's own failure");
        assertThat(texts.get(1)).contains("output of ", ":\n", "serving, and says this");
    }
}
