package io.github.comch4j;

import static org.assertj.core.api.Assertions.assertThat;

import examples.HelloClient;
import examples.HelloServer;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * What a JVM loads until its first message has been answered. Classes, and those that the JVM makes for lambdas and
 * native calls, are what a start costs; time is not asserted.
 */
@Timeout(120)
class FirstMessageIT {
    /** It was 180 when this was written; 30 are the bindings of one function each. */
    private static final int MOST_OF_OURS = 200;
    /** Seven of the bindings, one of the C library's functions, and of progress and messages, which are hot. */
    private static final int SHAPES_OF_CALLS = 10;

    private static final Pattern LOADED = Pattern.compile("\\[class,load *] (\\S+) source:");

    @Test
    void aClientLoadsLittle() {
        Map<String, String> both = Map.of("DOCA_EMU_SIDE", "both");
        List<String> emulated = List.of("-Dcomch4j.library=emulated");
        List<String> log = List.of("-Dcomch4j.library=emulated", "-Xlog:class+load:stdout");
        try (Child server = Child.start(HelloServer.class, emulated, both, "first-message")) {
            assertThat(server.line()).endsWith("is ready");
            try (Child client = Child.start(HelloClient.class, log, both, "first-message")) {
                String output = client.rest();
                assertThat(client.exitCode()).isZero();
                assertThat(output).contains("the DPU answers: hello");
                check(loadedUntilTheAnswer(output));
            }
        }
    }

    private static List<String> loadedUntilTheAnswer(String output) {
        String ours = output.substring(
                output.indexOf(HelloClient.class.getName() + " source:"), output.indexOf("the DPU answers"));
        return LOADED.matcher(ours).results().map(found -> found.group(1)).toList();
    }

    private static void check(List<String> loaded) {
        assertThat(count(loaded, name -> name.startsWith("io.github.comch4j.")))
                .as("classes of this library, with those of lambdas")
                .isBetween(50L, (long) MOST_OF_OURS);
        assertThat(count(loaded, name -> name.contains("foreign.abi.DowncallStub")))
                .as("shapes of native calls")
                .isEqualTo(SHAPES_OF_CALLS);
        assertThat(count(loaded, name -> name.contains("foreign.abi.UpcallStub/")))
                .as("shapes of callbacks")
                .isEqualTo(1);
        assertThat(loaded)
                .as("what takes long to load and is not needed")
                .noneMatch(name -> name.startsWith("java.util.regex.")
                        || name.startsWith("java.util.logging.")
                        || name.startsWith("java.util.Formatter")
                        || name.startsWith("javax.management."));
    }

    private static long count(List<String> names, Predicate<String> which) {
        return names.stream().filter(which).count();
    }
}
