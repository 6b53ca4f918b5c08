package io.github.comch4j.emulator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.comch4j.Machine;
import io.github.comch4j.core.Device;
import io.github.comch4j.core.ProgressEngine;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** What an extension of another test framework has in its hands. */
class EmulatedTestTest {
    @AutoClose
    private final EmulatedTest test =
            EmulatedTest.create(EmulatedMachine.Side.BOTH, List.of("dpu 0000:03:00.0", "host 0000:b1:00.0 pf"));

    @BeforeAll
    static void useEmulation() {
        Machine.useEmulation();
    }

    @Test
    void theThreadMeansTheMachineUntilTheChoiceIsUndone() {
        Runnable undo = test.choose();
        assertThat(Device.list()).hasSize(2);
        undo.run();
        assertThat(Device.list()).hasSizeGreaterThan(2);
    }

    @Test
    void whatIsLentIsNoLeakAndTheRestIsClosed() {
        Runnable undo = test.choose();
        assertThat(test.lend(ProgressEngine.class, null)).isSameAs(test.lend(ProgressEngine.class, null));
        ProgressEngine own = ProgressEngine.create();
        undo.run();
        assertThat(test.closeLeaks())
                .singleElement()
                .satisfies(leak -> assertThat(leak).hasMessageContaining("was not closed"));
        assertThat(own.isClosed()).isTrue();
        assertThat(test.closeLeaks()).isEmpty();
    }

    @Test
    void onlyWhatAMachineHasIsLent() {
        assertThat(test.lend(EmulatedMachine.class, null)).isSameAs(test.machine());
        assertThatThrownBy(() -> test.lend(Device.class, null)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> test.lend(String.class, null))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("java.lang.String");
    }

    @Test
    void faultsAreRefusedByTheDevice() {
        assertThatThrownBy(() -> test.setFaults("again=nonsense")).isInstanceOf(IllegalArgumentException.class);
    }
}
