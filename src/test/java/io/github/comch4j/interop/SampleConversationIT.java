package io.github.comch4j.interop;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.comch4j.Child;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Timeout;

/**
 * The conversations of the vendor's samples, with Java at both ends; with the C samples at either end they are tried by
 * hand.
 */
@Timeout(120)
class SampleConversationIT {
    private static final List<String> EMULATED = List.of("-Dcomch4j.library=emulated");

    @RepeatedTest(3)
    void overTheControlPath() {
        converse("control", "comch_ctrl_path_sample_server");
    }

    @RepeatedTest(3)
    void overTheDataPath() {
        converse("data", "comch_data_path_sample_server");
    }

    private static void converse(String path, String name) {
        try (Child server = Child.start(
                SampleEnd.class, EMULATED, Map.of("DOCA_EMU_SIDE", "dpu"), path + "-server", "from the DPU")) {
            assertThat(server.line()).isEqualTo("serving " + name);
            try (Child client = Child.start(
                    SampleEnd.class, EMULATED, Map.of("DOCA_EMU_SIDE", "host"), path + "-client", "from the host")) {
                assertThat(client.rest()).isEqualTo("Message received: 'from the DPU'");
                assertThat(client.exitCode()).isZero();
            }
            assertThat(server.rest()).isEqualTo("Message received: 'from the host'");
            assertThat(server.exitCode()).isZero();
        }
    }
}
