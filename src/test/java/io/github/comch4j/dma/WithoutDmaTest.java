package io.github.comch4j.dma;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.github.comch4j.DocaError;
import io.github.comch4j.DocaException;
import io.github.comch4j.Feature;
import io.github.comch4j.Needs;
import io.github.comch4j.core.Device;
import io.github.comch4j.core.ProgressEngine;
import io.github.comch4j.testing.EmulatedBlueField;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A machine whose DPU has no DMA. */
@Timeout(60)
@Needs(Feature.DMA)
@EmulatedBlueField(topology = {"dpu 0000:03:00.0 without=dma", "host 0000:b1:00.0 pf"})
class WithoutDmaTest {
    @Test
    void theDeviceWithoutRefusesAll(@EmulatedBlueField.Dpu Device dpu, ProgressEngine engine) {
        assertThat(DmaContext.isSupported(dpu)).isFalse();
        assertThat(DmaCapabilities.of(dpu)).isEmpty();
        assertThatExceptionOfType(DocaException.class)
                .isThrownBy(DmaContext.builder(dpu, engine)::start)
                .satisfies(refused -> {
                    assertThat(refused.error()).isEqualTo(DocaError.NOT_SUPPORTED);
                    assertThat(refused.function()).isEqualTo("doca_dma_create");
                });
    }

    @Test
    void theOtherDeviceHasIt(@EmulatedBlueField.Host Device host, ProgressEngine engine) {
        assertThat(DmaContext.isSupported(host)).isTrue();
        try (DmaContext dma = DmaContext.builder(host, engine).start()) {
            assertThat(dma.inFlight()).isZero();
        }
    }
}
