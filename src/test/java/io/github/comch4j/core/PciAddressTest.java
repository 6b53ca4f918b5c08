package io.github.comch4j.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PciAddressTest {

    @ParameterizedTest
    @CsvSource({
        "0000:b1:00.2, 0, 0xb1, 0, 2",
        "b1:00.2, 0, 0xb1, 0, 2",
        "B1:0A.7, 0, 0xb1, 0x0a, 7",
        "ffff:ff:1f.7, 0xffff, 0xff, 0x1f, 7",
        "0001:00:00.0, 1, 0, 0, 0"
    })
    void readsTheLongAndTheShortForm(String text, String domain, String bus, String device, String function) {
        assertThat(PciAddress.of(text))
                .isEqualTo(new PciAddress(
                        Integer.decode(domain), Integer.decode(bus), Integer.decode(device), Integer.decode(function)));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "b1:00",
                "b1:00.8",
                "b1:20.0",
                "b1.00.0",
                "b1:00.0 ",
                "000:b1:00.0",
                "00000:b1:00.0",
                "g1:00.0",
                "mlx5_0",
                "b1:00.0.0"
            })
    void refusesAnythingElse(String text) {
        assertThatThrownBy(() -> PciAddress.of(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("'" + text + "'");
    }

    @Test
    void refusesPartsOutOfRange() {
        assertThatThrownBy(() -> new PciAddress(0x10000, 0, 0, 0))
                .hasMessageContaining("domain must be 0 to 65535, not 65536");
        assertThatThrownBy(() -> new PciAddress(0, 256, 0, 0)).hasMessageContaining("bus must be 0 to 255, not 256");
        assertThatThrownBy(() -> new PciAddress(0, 0, 32, 0)).hasMessageContaining("device must be 0 to 31, not 32");
        assertThatThrownBy(() -> new PciAddress(0, 0, 0, -1))
                .hasMessageContaining("PCI function must be 0 to 7, not -1");
    }

    @Test
    void writesTheLongFormInLowerCase() {
        assertThat(PciAddress.of("B1:0A.7")).hasToString("0000:b1:0a.7");
        assertThat(PciAddress.of(new PciAddress(0xfffe, 1, 2, 3).toString()))
                .isEqualTo(new PciAddress(0xfffe, 1, 2, 3));
    }

    @Test
    void sortsAsLspciDoes() {
        List<PciAddress> sorted = List.of(
                PciAddress.of("03:00.0"),
                PciAddress.of("b1:00.0"),
                PciAddress.of("b1:00.1"),
                PciAddress.of("b1:01.0"),
                PciAddress.of("0001:00:00.0"),
                PciAddress.of("ffff:00:00.0"));
        assertThat(sorted.reversed().stream().sorted()).containsExactlyElementsOf(sorted);
    }
}
