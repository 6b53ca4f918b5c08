package io.github.comch4j;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Whoever is refused is told why, whatever the program connects with, and at once where waiting changes nothing. */
@Timeout(120)
class RefusalReasonsIT {
    private static final List<String> ALL = List.of("client", "handler", "socket", "call", "channel", "netty");
    private static final String FOR_EVER = "100000000"; // milliseconds, a day

    @TempDir
    Path fabric;

    private List<String> reasons(String millis, String before, List<String> styles, Map<String, String> environment) {
        List<String> arguments = new ArrayList<>(List.of("refuser", millis, before));
        arguments.addAll(styles);
        Map<String, String> all = new java.util.HashMap<>(Map.of("DOCA_EMU_DIR", fabric.toString()));
        all.putAll(environment);
        List<String> options = List.of("-cp", System.getProperty("java.class.path"), "-Dcomch4j.library=emulated");
        try (Child child = Child.start(RefusalReasons.class, options, all, arguments.toArray(new String[0]))) {
            List<String> lines = child.rest().lines().toList();
            assertThat(child.exitCode()).isZero();
            assertThat(lines).hasSameSizeAs(styles);
            return lines;
        }
    }

    @Test
    void thereIsNoSuchServer() {
        assertThat(reasons("2000", "nothing", ALL, Map.of()))
                .allSatisfy(line ->
                        assertThat(line).contains("finds no server \"refuser\"").contains(fabric.toString()));
    }

    @Test
    void theServerRefuses() {
        assertThat(reasons("2000", "serve", ALL, Map.of("DOCA_EMU_FAULTS", "refuse=1000000")))
                .allSatisfy(
                        line -> assertThat(line).contains("server \"refuser\"").contains("a fault on demand"));
    }

    @Test
    void theServerIsFull() {
        assertThat(reasons("2000", "fill", ALL, Map.of("DOCA_EMU_LIMITS", "max_clients=1")))
                .allSatisfy(line -> assertThat(line).contains("the server has as many clients as it takes"));
    }

    @Test
    void theServerIsOfAnotherVersion() {
        assertThat(reasons(FOR_EVER, "other version", ALL, Map.of()))
                .allSatisfy(line -> assertThat(line)
                        .containsPattern("version \\d+ here and in version " + OtherVersion.VERSION)
                        .doesNotContainPattern(" for \\d+ m?s"));
    }

    /** The first attempt is refused, and the deadline falls into the second one, which is not answered. */
    @Test
    void theLastRefusalIsKept() {
        List<String> all = List.of("client", "socket", "call", "channel");
        assertThat(reasons("3600", "nothing", all, Map.of("DOCA_EMU_CONNECT_WAIT", "2000")))
                .allSatisfy(line ->
                        assertThat(line).contains("CONNECTION_ABORTED").contains("finds no server \"refuser\""));
    }

    @Test
    void whatWaitingDoesNotChangeEndsTheAttempt() {
        assertThat(reasons(FOR_EVER, "spoil", ALL, Map.of()))
                .allSatisfy(line -> assertThat(line)
                        .contains("the fabric folder " + fabric + " can be written to by others")
                        .doesNotContainPattern(" for \\d+ m?s"));
    }
}
