package io.github.comch4j.interop;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.comch4j.ChildVm;
import io.github.comch4j.cli.Comch;
import java.io.BufferedReader;
import java.io.IOException;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code comch sample} and its counterpart in C, of either generation, which behaves as DOCA's samples do. */
@Timeout(300)
class SamplesInCIT {
    private static final int ROUNDS = 2;
    /** More than queues of 8192 take, so that both ends wait for room. */
    private static final int MESSAGES = 20_000;

    private static final String LIBRARIES_OF_2_5 = "target/native/lib/2.5";

    /** Generation in C and in Java, Java's libraries, the sample in Java, its counterpart in C. */
    @ParameterizedTest
    @CsvSource({
        "3.0, emulated, ctrl-path, ctrl",
        "3.0, emulated, data-path-high-speed, data",
        "2.5, emulated, ctrl-path, ctrl",
        "2.5, emulated, data-path-high-speed, data",
        "2.5, target/native/lib/2.5, ctrl-path, ctrl",
        "2.5, target/native/lib/2.5, data-path-high-speed, data",
        "2.6, emulated, data-path-high-speed, data",
        "2.6, target/native/lib/2.6, ctrl-path, ctrl",
        "2.6, target/native/lib/2.6, data-path-high-speed, data"
    })
    @Retention(RetentionPolicy.RUNTIME)
    private @interface EachPairing {}

    private record Counterpart(Sdk sdk, Path program) {}

    private static final Map<String, Counterpart> BUILT = new ConcurrentHashMap<>();

    private final List<AutoCloseable> children = new ArrayList<>();

    @TempDir
    private Path folder;

    @AfterEach
    void endChildren() throws Exception {
        for (AutoCloseable child : children) {
            child.close();
        }
    }

    @EachPairing
    void aClientInJavaTalksToAServerInC(String generation, String library, String sample, String role)
            throws Exception {
        for (int i = 0; i < ROUNDS; i++) {
            Process server = inC(generation, "dpu", role + "-server", "from C " + i);
            BufferedReader output = server.inputReader();
            assertThat(output.readLine()).isEqualTo("READY");
            ChildVm client = inJava("host", sample + "-client", generation, library, "from Java " + i);
            client.assertSuccess();
            assertThat(output.lines()).contains(received("from Java " + i));
            assertEndsWell(server);
            assertThat(client.out().lines()).contains(received("from C " + i));
        }
    }

    @EachPairing
    void aServerInJavaTalksToAClientInC(String generation, String library, String sample, String role)
            throws Exception {
        for (int i = 0; i < ROUNDS; i++) {
            ChildVm server = inJava("dpu", sample + "-server", generation, library, "from Java " + i)
                    .awaitOutput("serves");
            Process client = inC(generation, "host", role + "-client", "from C " + i);
            assertThat(client.inputReader().lines()).contains(received("from Java " + i));
            assertEndsWell(client);
            server.assertSuccess();
            assertThat(server.out().lines()).contains(received("from C " + i));
        }
    }

    @Test
    void theSamplePairOfTheEndpointApiTalksToItsTwinInC() throws Exception {
        for (int i = 0; i < ROUNDS; i++) {
            Process inC = endpointInC("dpu", "server", "from C " + i);
            BufferedReader output = inC.inputReader();
            assertThat(output.readLine()).isEqualTo("Listening");
            ChildVm inJava =
                    inJava("host", "channel-client", "2.5", LIBRARIES_OF_2_5, "from Java " + i, "-p", "b1:00.0");
            inJava.assertSuccess();
            assertThat(output.lines()).containsExactly("Received message: from Java " + i, "Finished");
            assertEndsWell(inC);
            assertThat(inJava.out().lines()).endsWith("Server response: from C " + i, "Finished");

            inJava = inJava("dpu", "channel-server", "2.5", LIBRARIES_OF_2_5, "from Java " + i, "-r", "b1:00.0")
                    .awaitOutput("serves");
            inC = endpointInC("host", "client", "from C " + i);
            assertThat(inC.inputReader().lines()).containsExactly("Server response: from Java " + i, "Finished");
            assertEndsWell(inC);
            inJava.assertSuccess();
            assertThat(inJava.out().lines()).endsWith("Received message: from C " + i, "Finished");
        }
    }

    /** Both ends send and receive at once, in two threads each, through queues that are full at times. */
    @ParameterizedTest
    @CsvSource({"C, C", "C, Java", "Java, C", "Java, Java"})
    void endsThatSendAndReceiveInTwoThreadsTalkToEachOther(String dpu, String host) throws Exception {
        for (int i = 0; i < ROUNDS; i++) {
            int bytes = 1 + 4079 * i;
            End service = secure(dpu, "dpu", "server", bytes);
            service.awaitLine("istening");
            End client = secure(host, "host", "client", bytes);
            client.assertAllReceived();
            service.assertAllReceived();
        }
    }

    /** A process that sends {@link #MESSAGES} and ends when it has received as many. */
    private record End(ChildVm inJava, Process inC) {
        void awaitLine(String part) throws Exception {
            if (inJava != null) {
                inJava.awaitOutput(part);
            } else {
                assertThat(inC.inputReader().readLine()).contains(part);
            }
        }

        void assertAllReceived() throws Exception {
            if (inJava != null) {
                inJava.assertSuccess();
                assertThat(inJava.out().lines())
                        .contains(
                                "Send thread exiting, total amount of messages sent successfully: " + MESSAGES,
                                "Receive thread exiting, total amount of messages received successfully: " + MESSAGES);
            } else {
                assertThat(inC.inputReader().lines())
                        .contains("Sent: " + MESSAGES, "Received: " + MESSAGES)
                        .endsWith("Finished");
                assertEndsWell(inC);
            }
        }
    }

    private End secure(String language, String side, String role, int bytes) throws IOException {
        if (language.equals("Java")) {
            List<String> options = List.of(
                    "--library", LIBRARIES_OF_2_5, "-s", "" + bytes, "-n", "" + MESSAGES, "--end-after", "" + MESSAGES);
            List<String> arguments = new ArrayList<>(List.of("sample", "secure-channel-" + role));
            arguments.addAll(options);
            arguments.addAll(side.equals("dpu") ? List.of("-r", "b1:00.0") : List.of("-p", "b1:00.0"));
            return new End(inJava(side, arguments), null);
        }
        Counterpart twin = endpoints("secure");
        return new End(null, inC(twin, side, role, "" + bytes, "" + MESSAGES));
    }

    private static String received(String text) {
        return "Message received: '" + text + "'";
    }

    private static void assertEndsWell(Process process) throws InterruptedException {
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).isZero();
    }

    /** With a folder of libraries, the generation is theirs without being named. */
    private ChildVm inJava(String side, String sample, String generation, String library, String text, String... more)
            throws IOException {
        List<String> arguments = new ArrayList<>(List.of("sample", sample, "--library", library, "-t", text));
        arguments.addAll(List.of(more));
        if (library.equals("emulated")) {
            arguments.addAll(List.of("--generation", generation));
        }
        return inJava(side, arguments);
    }

    private ChildVm inJava(String side, List<String> arguments) throws IOException {
        ChildVm child =
                new ChildVm(folder, Map.of("DOCA_EMU_SIDE", side), Comch.class, arguments.toArray(String[]::new));
        children.add(child);
        return child;
    }

    private Process inC(String generation, String side, String role, String text) throws IOException {
        return inC(
                BUILT.computeIfAbsent(generation, release -> {
                    Sdk sdk = Sdk.install(release);
                    return new Counterpart(sdk, sdk.compile("sample"));
                }),
                side,
                role,
                text);
    }

    private Process endpointInC(String side, String role, String text) throws IOException {
        return inC(endpoints("channel"), side, role, text);
    }

    private static Counterpart endpoints(String name) {
        return BUILT.computeIfAbsent(name, key -> {
            Sdk sdk = Sdk.install("2.5");
            return new Counterpart(sdk, sdk.compileFor("doca_comm_channel", name));
        });
    }

    private Process inC(Counterpart counterpart, String side, String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(counterpart.program().toString()));
        command.addAll(List.of(arguments));
        ProcessBuilder builder = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT);
        builder.environment().put("DOCA_EMU_SIDE", side);
        builder.environment()
                .put("LD_LIBRARY_PATH", counterpart.sdk().libraries().toString());
        Process process = builder.start();
        children.add(process::destroyForcibly);
        return process;
    }
}
