package io.github.comch4j.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.comch4j.ChildVm;
import io.github.comch4j.ChildVms;
import io.github.comch4j.Machine;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The tool that looks whether a machine is ready, on the emulated device. */
class ComchIT {
    private static final Map<String, String> HOST = Map.of("DOCA_EMU_SIDE", "host");
    private static final Map<String, String> DPU = Map.of("DOCA_EMU_SIDE", "dpu");

    @RegisterExtension
    private final ChildVms children = new ChildVms();

    private final String name = Machine.uniqueName();

    @TempDir
    private Path folder;

    private ChildVm comch(Map<String, String> environment, String... arguments) throws Exception {
        return children.start(folder, environment, Comch.class, arguments);
    }

    /** The next one is due an interval after the last, and not twenty-five at once. */
    @Test
    void aPingThatWasStoppedDoesNotCatchUp() throws Exception {
        comch(DPU, "serve", "--name", name).awaitOutput("serves");
        ChildVm client = comch(HOST, "ping", "--name", name, "-i", "0.1", "-c", "20");
        client.awaitOutput("seq=2 ");
        String pid = Long.toString(client.handle().pid());
        new ProcessBuilder("kill", "-STOP", pid).start().waitFor();
        Thread.sleep(2500);
        new ProcessBuilder("kill", "-CONT", pid).start().waitFor();
        client.assertSuccess();
        Matcher seconds = Pattern.compile("20 came back, ([\\d.]+) s").matcher(client.out());
        assertThat(seconds.find()).as(client.out()).isTrue();
        // eighteen intervals, and the stop, in one that was no longer
        assertThat(Double.parseDouble(seconds.group(1))).isGreaterThan(18 * 0.1 + 2.4);
    }

    @Test
    void infoTellsWhichLibrariesThereAre() throws Exception {
        ChildVm info = comch(HOST, "info");
        info.assertSuccess();
        assertThat(info.out())
                .contains(
                        "libraries: EMULATED",
                        "Comch:     doca_comch",
                        "chosen:    environment variable COMCH4J_LIBRARY asks for it",
                        "-emulated",
                        "Java:      " + Runtime.version());
    }

    @ParameterizedTest
    @ValueSource(strings = {"2.5", "2.6"})
    void infoAndLimitsOfDocaCc(String version) throws Exception {
        String release =
                Path.of("target", "native", "lib", version).toAbsolutePath().toString();
        assumeTrue(Files.exists(Path.of(release)), "built without the C part");
        ChildVm info = comch(Map.of("COMCH4J_LIBRARY", release), "info");
        info.assertSuccess();
        assertThat(info.out())
                .contains(
                        "libraries: FOLDER, " + release,
                        "Comch:     doca_cc of DOCA " + version,
                        "DOCA:      " + version + ".");
        ChildVm limits = comch(Map.of("COMCH4J_LIBRARY", release, "DOCA_EMU_SIDE", "host"), "devices", "--limits");
        limits.assertSuccess();
        assertThat(limits.out()).contains("control path: ", " and 0 bytes of immediate data");
    }

    @Test
    void eachSideSeesItsOwnDevices() throws Exception {
        ChildVm host = comch(HOST, "devices");
        host.assertSuccess();
        assertThat(host.out())
                .contains("0000:b1:00.0", "0000:b1:00.2", "0000:b1:00.3", "client: a host's function")
                .doesNotContain("0000:03:00.0", "represents", "control path");
        ChildVm dpu = comch(DPU, "devices", "--limits");
        dpu.assertSuccess();
        assertThat(dpu.out())
                .contains(
                        "0000:03:00.0",
                        "server: a DPU's device",
                        "represents 0000:b1:00.0  PF",
                        "represents 0000:b1:00.2  VF",
                        "messages of 4080 bytes",
                        "512 clients",
                        "producers: 64",
                        "consumers: 64");
    }

    @Test
    void messagesComeBack() throws Exception {
        ChildVm server = comch(DPU, "serve", "--name", name, "--clients", "2").awaitOutput(name);
        ChildVm client = comch(HOST, "ping", "--name", name, "-i", "0", "--count", "25", "--size", "4080");
        client.assertSuccess();
        assertThat(client.out())
                .contains(
                        "0000:b1:00.0 is connected",
                        "messages of 4080 bytes ---",
                        "25 sent, 25 came back",
                        "fastest",
                        "p50",
                        "p99.9",
                        "slowest");
        assertThat(client.out().lines().filter(line -> line.startsWith("4080 bytes from " + name + ": seq=")))
                .hasSize(25);
        comch(HOST, "ping", "--name", name, "--count", "1", "--size", "1").assertSuccess();
        server.assertSuccess();
        assertThat(server.out())
                .contains(
                        "0000:03:00.0 serves 0000:b1:00.0 as \"" + name + "\"",
                        "left after 25 messages",
                        "left after 1 messages");
    }

    @Test
    void aServerServesTheFunctionThatItWasAskedFor() throws Exception {
        comch(DPU, "serve", "--name", name, "--representor", "0000:b1:00.3").awaitOutput("serves 0000:b1:00.3");
        comch(HOST, "ping", "--name", name, "--device", "0000:b1:00.3", "-c", "1")
                .assertSuccess();
        comch(HOST, "ping", "--name", name, "--device", "0000:b1:00.2", "--timeout", "1")
                .assertFailure("no server \"" + name + "\" accepts clients of 0000:b1:00.2: client finds no server");
    }

    @Test
    void whatIsWrongIsSaidInOneSentence() throws Exception {
        comch(HOST, "serve", "--name", name).assertFailure("a server runs on the DPU");
        comch(HOST, "ping", "--name", name, "--timeout", "0.1")
                .assertFailure("; is \"comch serve\" running on the DPU, for this function?");
        comch(DPU, "ping", "--name", name).assertFailure("a client runs on the host");
        comch(DPU, "serve", "--name", name, "--representor", "0000:b1:00.7").assertFailure("0000:b1:00.7");
        comch(HOST, "ping", "--name", name, "--device", "0000:77:00.0").assertFailure("0000:b1:00.0");
        comch(Map.of("DOCA_EMU_SIDE", "dpu", "DOCA_EMU_DIR", "/proc/none/here"), "serve", "--name", name)
                .assertFailure("cannot make the fabric folder /proc/none/here");
        ChildVm server = comch(DPU, "serve", "--name", name).awaitOutput(name);
        comch(DPU, "serve", "--name", name).assertFailure("there is a server \"" + name + "\" on 0000:b1:00.0 already");
        comch(HOST, "ping", "--name", name, "--size", "5000").assertFailure("at most 4080 bytes");
        assertThat(server.isAlive()).isTrue();
        comch(Map.of("COMCH4J_LIBRARY", "system"), "info").assertFailure("no DOCA SDK found");
        assertThat(comch(HOST, "pong").awaitEnd()).isEqualTo(2);
        assertThat(comch(HOST).awaitEnd()).isEqualTo(2);
    }

    @Test
    void aMachineWithoutDevicesIsNotTakenForTheWrongSide() throws Exception {
        Path topology = Files.writeString(folder.resolve("topology"), "dpu 0000:03:00.0\n");
        Map<String, String> without = Map.of("DOCA_EMU_TOPOLOGY", topology.toString(), "DOCA_EMU_SIDE", "host");
        String told = "comch: DOCA finds no device at all; DOCA_EMU_SIDE and the topology decide";
        comch(without, "devices").assertFailure(told);
        comch(without, "ping", "--name", name).assertFailure(told);
        comch(without, "serve", "--name", name).assertFailure(told);
    }

    @Test
    void aWrongCommandLineIsTold() throws Exception {
        assertUsageError("comch: --name: must not be empty", "comch ping", "ping", "--name", "");
        assertUsageError("comch: --name: must not be empty", "comch serve", "serve", "--name=");
        assertUsageError("comch: --size 0: must be 1 to 1048576", "comch ping", "ping", "-s", "0");
        assertUsageError("comch: --clients 0: must be 1 to 2147483647", "comch serve", "serve", "--clients", "0");
        assertUsageError(
                "comch: Invalid value for option '--size': '4Q' is not a number of bytes, such as 64, 4K or 1M",
                "comch ping",
                "ping",
                "-s",
                "4Q");
        assertUsageError("comch: Unmatched argument at index 1: 'nope'", "comch sample", "sample", "nope");
        assertUsageError("comch: the sample is missing", "comch sample", "sample");
        assertUsageError("comch: the command is missing", "comch");
        ChildVm pong = assertUsageError("comch: Unmatched argument at index 0: 'pong'", "comch", "pong");
        assertThat(pong.err()).contains("Did you mean: comch ping");
    }

    /** The first line says what is wrong, the last one where to look. */
    private ChildVm assertUsageError(String sentence, String command, String... arguments) throws Exception {
        ChildVm child = comch(HOST, arguments);
        assertThat(child.awaitEnd()).isEqualTo(2);
        assertThat(child.err().lines().toList())
                .startsWith(sentence)
                .endsWith("See \"" + command + " --help\".")
                .hasSizeLessThan(4);
        return child;
    }

    /** But for an emulated device that nobody has named; {@code -v} tells of the libraries on stderr. */
    @Test
    void onlyWhatWasAskedForIsSaid() throws Exception {
        Map<String, String> noneNamed = Map.of("DOCA_EMU_SIDE", "host", "COMCH4J_LIBRARY", "");
        String nobodyAsked = "comch: using the emulated BlueField, ";
        ChildVm plain = comch(noneNamed, "devices");
        plain.assertSuccess();
        assertThat(plain.err().lines()).singleElement().asString().startsWith(nobodyAsked);
        assertThat(plain.out()).startsWith("DEVICE ");
        for (String[] words : List.of(new String[] {"-v", "devices"}, new String[] {"devices", "--verbose"})) {
            ChildVm verbose = comch(noneNamed, words);
            verbose.assertSuccess();
            assertThat(verbose.err().lines().filter(line -> !line.startsWith(nobodyAsked)))
                    .singleElement()
                    .asString()
                    .startsWith("comch: DOCA ")
                    .contains("-emulated (EMULATED, ", "because ");
            assertThat(verbose.out()).isEqualTo(plain.out());
        }
    }

    /** As on a disk that is full, or when head has enough. */
    @Test
    void outputThatNobodyTakesIsAFailure() throws Exception {
        List<String> full = List.of("sh", "-c", "exec \"$@\" >/dev/full", "sh");
        for (String command : List.of("devices", "--version")) {
            children.start(full, folder, HOST, Comch.class, command)
                    .assertFailure("stdout cannot be written to: not all of the output has arrived");
        }
        comch(DPU, "serve", "--name", name).awaitOutput(name);
        List<String> some = List.of("sh", "-c", "\"$@\" | head -n 1", "sh");
        for (String[] endless :
                new String[][] {{"top", "-i", "0.01"}, {"ping", "--name", name, "-c", "0", "-i", "0.01"}}) {
            ChildVm ended = children.start(some, folder, HOST, Comch.class, endless);
            ended.awaitEnd();
            assertThat(ended.out()).hasLineCount(1);
            assertThat(ended.err()).contains("comch: stdout cannot be written to: ");
        }
    }

    @Test
    void aStackTraceIsShownToWhoAsksForIt() throws Exception {
        comch(HOST, "serve").assertFailure("comch: no device here can serve: a server runs on the DPU");
        ChildVm verbose = comch(HOST, "serve", "-vv");
        assertThat(verbose.awaitEnd()).isEqualTo(1);
        assertThat(verbose.err()).contains("comch: no device here can serve", "\tat io.github.comch4j.cli.");
    }

    @Test
    void devicesForPrograms() throws Exception {
        ChildVm host = comch(HOST, "devices", "--json");
        host.assertSuccess();
        assertThat(host.out())
                .startsWith("[\n  {\n    \"address\": \"0000:b1:00.0\",")
                .contains("\"client\": true", "\"server\": false", "\"represents\": []")
                .doesNotContain("limits", "DEVICE");
        ChildVm dpu = comch(DPU, "devices", "--json", "--limits");
        dpu.assertSuccess();
        assertThat(dpu.out())
                .contains("\"server\": true", "\"type\": \"VF\"", "\"maxMessageSize\": 4080", "\"maxClients\": 512");
    }

    /** Both ends: as by Ctrl-C, which the shell sends to both. */
    @Test
    void anInterruptEndsWithTheSummary() throws Exception {
        ChildVm server = comch(DPU, "serve", "--name", name).awaitOutput(name);
        ChildVm client =
                comch(HOST, "ping", "--name", name, "-c", "0", "-i", "0.01").awaitOutput("seq=3 time=");
        client.terminate();
        assertThat(client.awaitEnd()).isEqualTo(128 + 15);
        assertThat(client.out())
                .containsPattern("\\n\\d+ sent, \\d+ came back, ")
                .contains("there and back: fastest");
        assertThat(client.complaints()).isEmpty();
        server.awaitOutput("a client has left");
        server.terminate();
        assertThat(server.awaitEnd()).isEqualTo(128 + 15);
        assertThat(server.out()).containsPattern("\n\\d+ messages answered, of 1 clients that have left");
    }

    @Test
    void aFloodHasNoLineForEachMessage() throws Exception {
        comch(DPU, "serve", "--name", name).awaitOutput(name);
        ChildVm client = comch(HOST, "ping", "--name", name, "-f", "-c", "1000", "-s", "1K");
        client.assertSuccess();
        assertThat(client.out())
                .contains("messages of 1024 bytes", "1000 sent, 1000 came back")
                .doesNotContain("seq=");
    }

    @Test
    void aClientThatSendsNothingIsCounted() throws Exception {
        ChildVm server = comch(DPU, "serve", "--name", name, "--clients", "1").awaitOutput(name);
        comch(HOST, "ping", "--name", name, "--size", "5000").assertFailure("at most 4080 bytes");
        server.assertSuccess();
        assertThat(server.out()).contains("a client has left after 0 messages");
    }

    @Test
    void aServerThatIsKilledIsNoticed() throws Exception {
        ChildVm server = comch(DPU, "serve", "--name", name).awaitOutput(name);
        ChildVm client =
                comch(HOST, "ping", "--name", name, "--count", "1000000").awaitOutput("is connected");
        server.kill();
        client.assertFailure("the server has gone");
    }
}
