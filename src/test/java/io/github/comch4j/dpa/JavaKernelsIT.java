package io.github.comch4j.dpa;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.comch4j.Child;
import io.github.comch4j.Feature;
import io.github.comch4j.Machine;
import io.github.comch4j.Needs;
import io.github.comch4j.core.Doca;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Processes with kernels in Java: how they end, and where they cannot be. */
@Needs(Feature.DPA)
@Timeout(120)
class JavaKernelsIT {
    static {
        Machine.useEmulation();
    }

    private static Child start(String what, String library) {
        return Child.start(EndlessKernel.class, List.of("-D" + Doca.LIBRARY_PROPERTY + "=" + library), Map.of(), what);
    }

    @ParameterizedTest
    @CsvSource({"return, 0", "exit, 7"})
    void kernelsThatPollForEverDoNotKeepTheProcess(String how, int code) {
        try (Child child = start(how, "emulated")) {
            assertThat(child.rest()).isEqualTo("begun");
            assertThat(child.exitCode()).isEqualTo(code);
        }
    }

    /** The emulated libraries in a folder, without what the SDK does not have: a real device, as far as can be told. */
    @Test
    void aRealDeviceRefusesThem(@TempDir Path folder) throws IOException {
        Path built = Path.of("target", "native", "lib");
        try (Stream<Path> files = Files.list(built)) {
            for (Path file :
                    files.filter(name -> name.toString().endsWith(".so")).toList()) {
                String bytes = Files.readString(file, StandardCharsets.ISO_8859_1);
                Files.writeString(
                        folder.resolve(file.getFileName()),
                        bytes.replace("doca_emu_dpa_end_on_return", "doca_xxx_dpa_end_on_return"),
                        StandardCharsets.ISO_8859_1);
            }
        }
        try (Child child = start("refused", folder.toString())) {
            assertThat(child.rest())
                    .startsWith("kernels in Java run only on the emulated DPA; the DOCA libraries in " + folder);
            assertThat(child.exitCode()).isZero();
        }
    }
}
