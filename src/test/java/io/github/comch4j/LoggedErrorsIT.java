package io.github.comch4j;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.comch4j.comch.ComchClient;
import io.github.comch4j.core.Device;
import io.github.comch4j.core.DocaLog;
import io.github.comch4j.core.PciAddress;
import io.github.comch4j.core.ProgressEngine;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Libraries that cannot be asked why they refuse, as those of an SDK: exceptions cite DOCA's log. */
@Timeout(120)
class LoggedErrorsIT {
    private static final Path LIBRARIES = Path.of("target", "native", "lib").toAbsolutePath();
    private static final String QUESTION = "doca_emu_last_error";

    @TempDir
    Path folder;

    /** They log as before, but the function that tells has another name. */
    private void copyLibraries() throws IOException {
        try (Stream<Path> files = Files.list(LIBRARIES)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                String bytes = Files.readString(file, StandardCharsets.ISO_8859_1);
                Files.writeString(
                        folder.resolve(file.getFileName()),
                        bytes.replace(QUESTION, QUESTION.toUpperCase(Locale.ROOT)),
                        StandardCharsets.ISO_8859_1);
            }
        }
    }

    @Test
    void theErrorThatDocaHasLoggedIsTheReason() throws IOException {
        assumeTrue(Files.exists(LIBRARIES), "built without the C part");
        copyLibraries();
        Map<String, String> environment = Map.of("DOCA_EMU_CONNECT_WAIT", "long");
        List<String> options = List.of("-Dcomch4j.library=" + folder);
        try (Child child = Child.start(Program.class, options, environment)) {
            assertThat(child.rest().lines())
                    .satisfiesExactly(
                            line -> assertThat(line)
                                    .startsWith("DOCA's log says")
                                    .contains("ERROR", "DOCA_EMU_CONNECT_WAIT is \"long\""),
                            line -> assertThat(line).isEqualTo("nothing logged: "));
            assertThat(child.exitCode()).isZero();
        }
    }

    /** Runs in a process of its own. */
    static final class Program {
        private Program() {}

        public static void main(String[] arguments) {
            try (ProgressEngine engine = ProgressEngine.create();
                    Device host = Device.openHost(PciAddress.of("0000:b1:00.0"))) {
                System.out.println(refusal(engine, host).reason());
                DocaLog.setSdkLevel(System.Logger.Level.OFF);
                System.out.println("nothing logged: " + refusal(engine, host).reason());
            }
        }

        private static DocaException refusal(ProgressEngine engine, Device host) {
            try {
                ComchClient.builder(engine, host, "nobody").start();
            } catch (DocaException e) {
                return e;
            }
            throw new AssertionError("it has not been refused");
        }
    }
}
