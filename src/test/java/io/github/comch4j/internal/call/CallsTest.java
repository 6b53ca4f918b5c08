package io.github.comch4j.internal.call;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.comch4j.Machine;
import io.github.comch4j.MissingFunctionException;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CallsTest {

    @BeforeAll
    static void emulated() {
        Machine.useEmulation();
    }

    /** As DOCA 2.6 says it, and as 3.0 does. */
    @ParameterizedTest
    @ValueSource(doubles = {0.1, 1, 2.5, 100, 200, 1600})
    void aRateIsOfBitsInASecondHoweverItIsSaid(double gigabits) {
        long bits = Math.round(gigabits * 1e9);
        assertThat(DeviceCalls.bitsPerSecond(Double.doubleToRawLongBits(gigabits)))
                .isEqualTo(bits);
        assertThat(DeviceCalls.bitsPerSecond(bits)).isEqualTo(bits);
        assertThat(DeviceCalls.bitsPerSecond(0)).isZero();
    }

    @Test
    void aMissingFunctionOfTheGeneratedBindingsIsExplained() {
        assertThatThrownBy(() -> Calls.code("doca_not_there", () -> {
                    throw new UnsatisfiedLinkError("unresolved symbol: doca_not_there");
                }))
                .isInstanceOf(MissingFunctionException.class)
                .hasMessageContaining("doca_not_there");
        assertThatThrownBy(() -> Calls.code("doca_pe_create", () -> {
                    throw new UnsatisfiedLinkError("something else");
                }))
                .isInstanceOf(UnsatisfiedLinkError.class)
                .hasMessage("something else");
    }
}
