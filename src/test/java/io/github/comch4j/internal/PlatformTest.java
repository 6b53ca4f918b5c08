package io.github.comch4j.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.comch4j.NativeLibraryException;
import io.github.comch4j.NativeLibraryException.Reason;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PlatformTest {

    @ParameterizedTest
    @CsvSource({"amd64, linux-x86_64", "x86_64, linux-x86_64", "aarch64, linux-aarch64", "arm64, linux-aarch64"})
    void knowsLinuxOnBothProcessors(String processor, String folder) {
        assertThat(Platform.of("Linux", processor, false).folder()).isEqualTo(folder);
    }

    @ParameterizedTest
    @CsvSource({"Windows 11, amd64", "Mac OS X, aarch64", "Linux, riscv64"})
    void refusesOthersByName(String system, String processor) {
        assertThatThrownBy(() -> Platform.of(system, processor, false))
                .isInstanceOfSatisfying(NativeLibraryException.class, e -> assertThat(e.reason()).isEqualTo(Reason.UNSUPPORTED_PLATFORM))
                .hasMessageContaining(system + " on " + processor);
    }

    @Test
    void refusesMuslWithARemedy() {
        assertThatThrownBy(() -> Platform.of("Linux", "amd64", true)).isInstanceOf(NativeLibraryException.class)
                .hasMessageContaining("musl").hasMessageContaining("Debian");
    }
}
