package io.github.comch4j.internal.call;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.comch4j.DocaError;
import io.github.comch4j.DocaException;
import io.github.comch4j.Feature;
import io.github.comch4j.Machine;
import io.github.comch4j.MissingFunctionException;
import io.github.comch4j.ffi.doca_h;
import io.github.comch4j.internal.load.DocaAnswer;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
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

    /** The first time, when the function is looked up, as well as later. */
    @Test
    void aMissingFunctionOfTheGeneratedBindingsIsExplained() {
        boolean isComch = Feature.DISCONNECT.isThere();
        String missing = isComch ? "doca_cc_client_set_max_msg_size" : "doca_comch_server_disconnect";
        for (int i = 0; i < 2; i++) {
            assertThatThrownBy(() -> {
                        if (isComch) {
                            DocaFunction.present(missing);
                        } else {
                            ServerCalls.disconnect(MemorySegment.NULL, 0);
                        }
                    })
                    .isInstanceOf(MissingFunctionException.class)
                    .hasMessageContaining(missing);
        }
    }

    @Test
    void whatACallThrowsArrivesAsItWasThrown() {
        MemorySegment gone;
        try (Arena arena = Arena.ofConfined()) {
            gone = arena.allocate(8);
        }
        DocaFunction.present("doca_pe_create");
        assertThatThrownBy(() -> doca_h.doca_pe_create(gone)).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void anAnswerKnowsWhatRefused() {
        DocaAnswer answer = DocaFunction.present("doca_pe_create").answer(doca_h.doca_pe_create(MemorySegment.NULL));
        assertThat(answer.isSuccess()).isFalse();
        assertThat(answer.is(DocaError.INVALID_VALUE)).isTrue();
        assertThatThrownBy(() -> answer.check("trying it"))
                .isInstanceOf(DocaException.class)
                .hasMessageContaining("doca_pe_create: INVALID_VALUE")
                .hasMessageContaining("while trying it");
    }
}
