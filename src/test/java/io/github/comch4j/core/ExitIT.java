package io.github.comch4j.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.comch4j.Child;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A process that ends while its event loop has something open. */
@Timeout(120)
class ExitIT {

    @ParameterizedTest
    @ValueSource(strings = {"loop", "server", "device", "call"})
    void exitInAHandlerAndAHookThatClosesItsLoop(String closed) {
        try (Child child = Child.start(ExitingLoop.class, List.of(), Map.of(), "exit", closed)) {
            assertThat(child.rest())
                    .contains("its thread has called System.exit")
                    .doesNotContain("closed\n");
            assertThat(child.exitCode()).isEqualTo(7);
        }
    }

    @Test
    void aSignalAndAHookThatClosesTheLoop() {
        try (Child child = Child.start(ExitingLoop.class, List.of(), Map.of(), "signal", "loop")) {
            assertThat(child.line()).isEqualTo("handled");
            child.terminate();
            assertThat(child.rest()).isEqualTo("closed");
            assertThat(child.exitCode()).isEqualTo(128 + 15);
        }
    }
}
