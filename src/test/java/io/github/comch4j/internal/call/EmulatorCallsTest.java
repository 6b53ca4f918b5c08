package io.github.comch4j.internal.call;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.comch4j.Machine;
import org.junit.jupiter.api.Test;

class EmulatorCallsTest {

    @Test
    void faultsThatTheDeviceDoesNotKnowAreNamed() {
        Machine.useEmulation();
        assertThatThrownBy(() -> EmulatorCalls.setFaults("nonsense=1"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("nonsense=1")
                .hasMessageContaining("INVALID_VALUE");
    }
}
