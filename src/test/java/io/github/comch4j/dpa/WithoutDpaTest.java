package io.github.comch4j.dpa;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.github.comch4j.DocaError;
import io.github.comch4j.DocaException;
import io.github.comch4j.Feature;
import io.github.comch4j.Needs;
import io.github.comch4j.core.Device;
import io.github.comch4j.testing.EmulatedBlueField;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A machine without a DPA. */
@Timeout(60)
@Needs(Feature.DPA)
@EmulatedBlueField(topology = {"dpu 0000:03:00.0 without=dpa", "host 0000:b1:00.0 pf without=dpa"})
class WithoutDpaTest {
    @Test
    void allIsRefused(@EmulatedBlueField.Host Device host) {
        assertThat(Dpa.isSupported(host)).isFalse();
        refused("doca_dpa_create", Dpa.builder(host)::start);
        refused("doca_comch_msgq_create", () -> MessageQueue.onCpu(host, 1, 1));
    }

    private static void refused(String function, ThrowingCallable call) {
        assertThatExceptionOfType(DocaException.class).isThrownBy(call).satisfies(refused -> {
            assertThat(refused.error()).isEqualTo(DocaError.NOT_SUPPORTED);
            assertThat(refused.function()).isEqualTo(function);
        });
    }
}
