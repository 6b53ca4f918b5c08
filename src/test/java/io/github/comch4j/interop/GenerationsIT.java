package io.github.comch4j.interop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.comch4j.Child;
import io.github.comch4j.Machine;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Processes with DOCA 2.5 and 2.6 ({@code doca_cc}) and with today's talk to each other, whichever of them serves. */
@Timeout(120)
class GenerationsIT {
    private static final Path LIBRARIES = Path.of("target", "native", "lib").toAbsolutePath();

    private static Child start(String library, boolean batched, String side, String role, String name) {
        return Child.start(
                GenerationEnd.class,
                List.of(
                        "-Dcomch4j.library=" + (library.equals("3.0") ? "emulated" : LIBRARIES.resolve(library)),
                        "-Dcomch4j.batch=" + batched),
                Map.of("DOCA_EMU_SIDE", side),
                role,
                name);
    }

    @ParameterizedTest
    @CsvSource({
        "2.5, true, 3.0, true",
        "3.0, true, 2.5, true",
        "2.5, false, 3.0, true",
        "3.0, false, 2.5, false",
        "2.5, true, 2.7, true",
        "2.5, true, 2.5, false",
        "2.6, true, 3.0, true",
        "3.0, true, 2.6, false",
        "2.6, false, 2.5, true",
        "2.5, true, 2.6, true"
    })
    void theyTalkOnBothPaths(String server, boolean serverBatches, String client, boolean clientBatches) {
        assumeTrue(Files.exists(LIBRARIES.resolve("2.5")), "built without the C part");
        String name = Machine.uniqueName();
        try (Child serving = start(server, serverBatches, "dpu", "serve", name)) {
            assertThat(serving.line()).isEqualTo("READY RUNNING");
            try (Child connecting = start(client, clientBatches, "host", "connect", name)) {
                assertThat(connecting.rest().lines()).containsExactly(seenBy(client), allReceived());
                assertThat(connecting.exitCode()).isZero();
            }
            assertThat(serving.rest().lines()).containsExactly(seenBy(server), allReceived());
            assertThat(serving.exitCode()).isZero();
        }
    }

    /** What an end with a release says; its peer or itself is of 2.5 or 2.6. */
    private static String seenBy(String release) {
        String none = "immediate data: no doca_comch_producer_task_send_set_imm_data";
        return switch (release) {
            case "2.5" -> "CC_2_5, 4 tasks, from [0], " + none;
            case "2.6" -> "CC_2_6, 3 tasks, from [1], " + none;
            // a consumer of doca_cc takes no immediate data, so a Comch producer is refused
            default -> "COMCH, 3 tasks, from [1], immediate data: INVALID_VALUE";
        };
    }

    private static String allReceived() {
        return GenerationEnd.PAYLOADS + " received";
    }
}
