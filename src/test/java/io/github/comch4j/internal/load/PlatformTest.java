package io.github.comch4j.internal.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.comch4j.NativeLibraryException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
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
                .isInstanceOf(NativeLibraryException.class)
                .hasMessageContaining(system + " on " + processor);
    }

    @Test
    void refusesMuslWithARemedy() {
        assertThatThrownBy(() -> Platform.of("Linux", "amd64", true))
                .isInstanceOf(NativeLibraryException.class)
                .hasMessageContaining("musl")
                .hasMessageContaining("Debian");
    }

    /** As Alpine 3 and Debian 12 write them. */
    @Test
    void knowsMuslByItsLoader(@TempDir Path folder) throws IOException {
        Path maps = folder.resolve("maps");
        assertThat(Platform.usesMusl(maps)).as("no /proc").isFalse();
        Files.writeString(maps, "7f0c2f3d1000-7f0c2f3e5000 r--p 00000000 08:01 1311   /lib/ld-musl-x86_64.so.1\n");
        assertThat(Platform.usesMusl(maps)).isTrue();
        Files.writeString(
                maps,
                "7f0c2f3d1000-7f0c2f3e5000 r-xp 00000000 08:01 1311   "
                        + "/usr/lib/x86_64-linux-gnu/ld-linux-x86-64.so.2\n");
        assertThat(Platform.usesMusl(maps)).isFalse();
        assertThat(Platform.usesMusl(Path.of("/proc/self/maps")))
                .as("the tests need the GNU C library")
                .isFalse();
    }
}
