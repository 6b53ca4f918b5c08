package io.github.comch4j.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.comch4j.ChildVm;
import io.github.comch4j.ChildVms;
import io.github.comch4j.Machine;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code comch perf} between two processes, and within one. */
@Timeout(180)
class PerfIT {
    private static final Map<String, String> HOST = Map.of("DOCA_EMU_SIDE", "host");
    private static final Map<String, String> DPU = Map.of("DOCA_EMU_SIDE", "dpu");
    private static final Map<String, String> BOTH = Map.of("DOCA_EMU_SIDE", "both");

    @RegisterExtension
    private final ChildVms children = new ChildVms();

    private final String name = Machine.uniqueName();

    @TempDir
    private Path folder;

    private ChildVm perf(Map<String, String> environment, String... options) throws Exception {
        List<String> arguments = new ArrayList<>(List.of("perf"));
        arguments.addAll(Arrays.asList(options));
        if (!arguments.contains("--name")) {
            arguments.addAll(List.of("--name", name));
        }
        return children.start(folder, environment, Comch.class, arguments.toArray(new String[0]));
    }

    private ChildVm server(String... options) throws Exception {
        List<String> arguments = new ArrayList<>(List.of("--server"));
        arguments.addAll(Arrays.asList(options));
        return perf(DPU, arguments.toArray(new String[0])).awaitOutput("serves 0000:b1:00.0 as \"" + name);
    }

    /** The cells of the last row: of the largest size. */
    private static List<String> lastRow(ChildVm client) throws Exception {
        List<String> rows = client.out()
                .lines()
                .filter(line -> line.matches("[ \\dKM]+ .*\\d"))
                .toList();
        return List.of(rows.getLast().strip().split(" +"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"control", "buffers", "slots", "records", "sockets"})
    void eachMessageThatWasSentArrives(String kind) throws Exception {
        ChildVm server = server("--clients", "1");
        ChildVm client = perf(HOST, kind, "-n", "20000", "-w", "0", "-s", "64,1K");
        client.assertSuccess();
        assertThat(client.out())
                .contains(
                        "is connected to \"" + name + "\" on the same machine",
                        kind + " of 64 to 1K bytes, throughput, 1 thread, depth ",
                        "size  messages",
                        "Mmsg/s");
        assertThat(lastRow(client)).startsWith("1K", "20000").hasSize(6);
        server.assertSuccess();
        assertThat(server.out()).contains("a client has connected", kind + " of 1K bytes, ", "1 client has measured");
    }

    @ParameterizedTest
    @ValueSource(strings = {"control", "buffers", "slots", "sockets", "calls"})
    void roundTripsHavePercentiles(String kind) throws Exception {
        ChildVm server = server("--clients", "1");
        ChildVm client = perf(HOST, kind, "--latency", "-n", "2000", "-w", "0");
        client.assertSuccess();
        assertThat(client.out()).contains(kind + " of 64 bytes, latency", "half", "p99.9", "there and back");
        assertThat(Long.parseLong(lastRow(client).get(1))).isEqualTo(2000);
        server.assertSuccess();
    }

    @ParameterizedTest
    @ValueSource(strings = {"sockets", "calls"})
    void aThreadMayPauseBetweenRoundTrips(String kind) throws Exception {
        ChildVm client = perf(BOTH, "--local", kind, "--latency", "--pause", "0.001", "-n", "300", "-w", "0.2");
        client.assertSuccess();
        assertThat(client.out()).contains("CPU: ");
        List<String> row = lastRow(client);
        assertThat(row.get(1)).isEqualTo("300");
        assertThat(Double.parseDouble(row.getLast())).isPositive();
    }

    @ParameterizedTest
    @ValueSource(strings = {"control", "buffers", "slots", "records"})
    void bothWaysAndSeveralThreads(String kind) throws Exception {
        ChildVm client = perf(BOTH, "--local", kind, "-b", "-T", "2", "-n", "3000", "-w", "0", "-s", "256");
        client.assertSuccess();
        assertThat(client.out()).contains("throughput both ways, 2 threads");
        assertThat(lastRow(client)).startsWith("256", "12000");
    }

    @Test
    void forATimeAfterAWarmUp() throws Exception {
        Path csv = folder.resolve("figures.csv");
        Path svg = folder.resolve("figures.svg");
        ChildVm client = perf(
                BOTH,
                "--local",
                "buffers",
                "-D",
                "0.3",
                "-w",
                "0.1",
                "-s",
                "7,64K",
                "--plot",
                "--csv",
                csv.toString(),
                "--svg",
                svg.toString());
        client.assertSuccess();
        assertThat(client.out()).contains("buffers, throughput by the size, MB/s", "processors: ", " ns apart before");
        List<String> lines = Files.readAllLines(csv);
        assertThat(lines).hasSize(3);
        List<String> names = List.of(lines.get(0).split(","));
        String[] cells = lines.get(2).split(",", -1);
        assertThat(cells).hasSize(names.size());
        assertThat(cells[names.indexOf("size")]).isEqualTo("65536");
        assertThat(Double.parseDouble(cells[names.indexOf("seconds")])).isPositive();
        assertThat(cells[names.indexOf("p50_ns")]).isEmpty();
        assertThat(Files.readString(svg))
                .startsWith("<svg ")
                .contains(">64K</text>")
                .endsWith("</svg>\n");
    }

    /** One line that is written again and again, and is gone in the end; none without a terminal. */
    @Test
    void oneLineGoesOnInATerminal() throws Exception {
        String[] options = {"perf", "--name", name, "--local", "-D", "1", "-w", "0.3", "-s", "4K"};
        String shown = Pty.run(folder, BOTH, options);
        assertThat(shown).containsPattern("\\r4K: \\d+\\.\\d{3} Mmsg/s, \\d+ MB/s, (warm-up|1 s left)\033\\[K");
        assertThat(shown.substring(shown.lastIndexOf('\033')))
                .startsWith("\033[Kslots of 4K")
                .contains("Mmsg/s");
        ChildVm piped = perf(BOTH, "--local", "-D", "0.5", "-w", "0");
        piped.assertSuccess();
        assertThat(piped.out()).doesNotContain("\r", "left");
    }

    @Test
    void forPrograms() throws Exception {
        ChildVm client = perf(BOTH, "--local", "calls", "-t", "8", "-D", "0.3", "-w", "0", "--json", "-");
        client.assertSuccess();
        assertThat(client.out())
                .startsWith("{\n  \"one_machine\": true,")
                .contains(
                        "\"kind\": \"calls\"",
                        "\"measure\": \"throughput\"",
                        "\"depth\": 8",
                        "\"messages_per_s\": ",
                        "\"p99_9_ns\": ")
                .endsWith("}\n")
                .doesNotContain("half_ns");
    }

    @Test
    void allSizesAsFarAsTheKindGoes() throws Exception {
        ChildVm client = perf(BOTH, "--local", "control", "-a", "-n", "100", "-w", "0");
        client.assertSuccess();
        assertThat(client.out().lines().filter(line -> line.matches(" *(8|16|32|64|128|256|512|1K|2K) +100 .*")))
                .hasSize(9);
        assertThat(lastRow(client)).startsWith("2K"); // messages have at most 4080 bytes
    }

    /** The one that is on the way is counted until then, and those that were to follow are left out. */
    @Test
    void anInterruptEndsWithTheTable() throws Exception {
        ChildVm server = server();
        ChildVm client = perf(HOST, "-s", "64,128", "-D", "1000", "-w", "0");
        server.awaitOutput("slots of 64 bytes, throughput");
        Thread.sleep(300); // there may be nothing to count before
        client.terminate();
        assertThat(client.awaitEnd()).isEqualTo(128 + 15);
        assertThat(client.err()).isEmpty();
        assertThat(lastRow(client)).startsWith("64").hasSize(6);
        server.terminate();
        assertThat(server.awaitEnd()).isEqualTo(128 + 15);
        assertThat(server.out()).contains("1 client has measured").doesNotContain("failed");
    }

    @Test
    void anEndThatIsKilledIsNoticed() throws Exception {
        ChildVm server = server();
        ChildVm client = perf(HOST, "-D", "1000", "-w", "0");
        server.awaitOutput("slots of 64");
        client.kill();
        ChildVm another = perf(HOST, "-D", "1000", "-w", "0");
        another.awaitOutput("is connected");
        while (server.out().lines().filter(line -> line.startsWith("slots of")).count() < 2) {
            assertThat(server.isAlive()).isTrue();
            Thread.sleep(10);
        }
        server.kill();
        assertThat(another.awaitEnd()).isEqualTo(1);
        assertThat(another.err().lines()).singleElement().asString().contains("has gone");
    }

    @Test
    void oneClientAtATime() throws Exception {
        ChildVm server = server();
        perf(HOST, "-D", "1000", "-w", "0");
        server.awaitOutput("slots of 64");
        perf(HOST).assertFailure("the server says: another client measures at the moment");
    }

    @Test
    void whatCannotBeMeasuredIsSaid() throws Exception {
        server();
        perf(HOST, "control", "-s", "5000", "-n", "1", "-w", "0")
                .assertFailure("the control path has messages of at most 4080 bytes here");
        perf(HOST, "-t", "60000", "-n", "1", "-w", "0").assertFailure("60000");
        perf(DPU).assertFailure("a client runs on the host");
        perf(HOST, "--server").assertFailure("a server runs on the DPU");
        perf(HOST, "--name", name + "-none").assertFailure("\"" + name + "-none\"");
        ChildVm serve = children.start(folder, DPU, Comch.class, "serve", "--name", name + "-ping");
        serve.awaitOutput("serves");
        perf(HOST, "--name", name + "-ping").assertFailure("is no server of comch perf");
    }

    @Test
    void aWrongCommandLineIsTold() throws Exception {
        assertUsageError("comch: records have no latency", "records", "-L");
        assertUsageError("comch: latency is not measured in both directions", "-L", "-b");
        assertUsageError("comch: the number of threads 65 is not from 1 to 64", "-T", "65");
        assertUsageError("comch: --server: its settings come from the client", "--server", "slots");
        assertUsageError("comch: --size: a server has its settings from the client", "--server", "-s", "4K");
        assertUsageError("comch: --clients: is for --server", "slots", "--clients", "1");
        assertUsageError("comch: records here have at most 4096 bytes", "records", "-s", "64K");
        assertUsageError(
                "comch: Invalid value for positional parameter at index 0 (KIND): 'pigeons' is not one of control,",
                "pigeons");
    }

    private void assertUsageError(String sentence, String... options) throws Exception {
        ChildVm child = perf(HOST, options);
        assertThat(child.awaitEnd()).as(child.err()).isEqualTo(2);
        assertThat(child.err()).startsWith(sentence);
    }

    /** With the emulated DPACC, and a C compiler. */
    @Test
    void roundTripsToADpa() throws Exception {
        assumeTrue(Files.exists(Path.of("target", "native", "lib", "libdoca_dpa.so")), "built without the C part");
        String path = Path.of("scripts").toAbsolutePath() + ":" + System.getenv("PATH");
        ChildVm client =
                perf(Map.of("DOCA_EMU_SIDE", "host", "PATH", path), "msgq", "-n", "500", "-w", "0", "-s", "32");
        client.assertSuccess();
        assertThat(lastRow(client)).startsWith("32", "500");
        perf(Map.of("DOCA_EMU_SIDE", "host", "PATH", "/nowhere"), "msgq", "-n", "1")
                .assertFailure("there is no dpacc to compile it with");
        perf(HOST, "msgq", "--kernel", "/nowhere/kernel.so").assertFailure("there is no library /nowhere/kernel.so");
        Path topology =
                Files.writeString(folder.resolve("topology"), "dpu 0000:03:00.0\nhost 0000:b1:00.0 pf without=dpa\n");
        perf(Map.of("DOCA_EMU_SIDE", "host", "DOCA_EMU_TOPOLOGY", topology.toString()), "msgq")
                .assertFailure("0000:b1:00.0 has no DPA, which msgq is about");
    }
}
