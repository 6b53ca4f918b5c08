package io.github.comch4j.transfer;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.comch4j.DocaError;
import io.github.comch4j.Machine;
import io.github.comch4j.internal.failure.Failures;
import java.util.Optional;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class LimitedSettingTest {
    private final Machine machine = new Machine();

    @AfterEach
    void close() {
        machine.close();
    }

    private ThrowingCallable refused(DocaError error, Optional<Long> limit) {
        return () -> LimitedSetting.set(
                "tasks",
                9,
                value -> {
                    throw Failures.refused(error, "doca_setting", "configuring the context");
                },
                machine.host,
                () -> limit);
    }

    @Test
    void aValueThatIsRefusedIsToldWithWhatTheDeviceTakes() {
        assertThatThrownBy(refused(DocaError.INVALID_VALUE, Optional.of(8L)))
                .hasMessageContaining("configuring the context with tasks 9; " + machine.host + " takes at most 8");
        assertThatThrownBy(refused(DocaError.INVALID_VALUE, Optional.empty()))
                .hasMessageContaining("configuring the context with tasks 9")
                .hasMessageNotContaining("takes at most");
    }

    @Test
    void whatElseFailsIsToldAsItIs() {
        assertThatThrownBy(refused(DocaError.BAD_STATE, Optional.of(8L)))
                .hasMessageContaining("configuring the context")
                .hasMessageNotContaining("tasks 9");
    }
}
