package io.github.comch4j.cli.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.comch4j.ChildVm;
import io.github.comch4j.Machine;
import io.github.comch4j.cli.Comch;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The kit of conformance, both halves, on the emulated device. */
@Timeout(300)
class ConformanceIT {
    /** Of these three, in this order, the second takes more than a second. */
    private static final String CRASH = "message.largest,message.stop-while-full,consumer.ids";

    private final List<ChildVm> children = new ArrayList<>();
    private final String name = Machine.uniqueName();

    @TempDir
    private Path folder;

    @AfterEach
    void endChildren() {
        children.forEach(child -> {
            child.handle().descendants().forEach(ProcessHandle::destroyForcibly);
            child.close();
        });
    }

    private ChildVm half(KitSide side, Map<String, String> environment, String... options) throws Exception {
        List<String> arguments = new ArrayList<>(List.of(
                "conformance",
                "--side",
                side.toString(),
                "--name",
                name,
                "--report",
                report(side).toString()));
        Collections.addAll(arguments, options);
        Map<String, String> all = new HashMap<>(environment);
        all.put("DOCA_EMU_SIDE", side.toString());
        ChildVm child = new ChildVm(folder, all, Comch.class, arguments.toArray(new String[0]));
        children.add(child);
        return child;
    }

    /** Its exit status; on a busy machine a run takes its time. */
    private static int end(ChildVm half) throws Exception {
        half.handle().onExit().get(4, TimeUnit.MINUTES);
        return half.awaitEnd();
    }

    private Path report(KitSide side) {
        return folder.resolve("report-" + side);
    }

    private String text(KitSide side) throws Exception {
        return Files.readString(report(side).resolveSibling("report-" + side + ".txt"));
    }

    private String json(KitSide side) throws Exception {
        return Files.readString(report(side).resolveSibling("report-" + side + ".json"));
    }

    private static String verdict(String name, String verdict) {
        return "%-36s %-12s ".formatted(name, verdict);
    }

    @Test
    void theEmulatedDeviceAnswersAsExpected() throws Exception {
        ChildVm dpu = half(KitSide.DPU, Map.of());
        ChildVm host = half(KitSide.HOST, Map.of(), "--quick");
        assertThat(end(host)).as(host.out()).isZero();
        assertThat(end(dpu)).as(dpu.out()).isZero();
        for (KitSide side : KitSide.values()) {
            assertThat(text(side))
                    .contains("-emulated", "quick", " 0 differ, 0 not answered", verdict("death.server", "as expected"))
                    .doesNotContain("transfer.gibibyte");
            assertThat(text(side) + json(side))
                    .as("nothing of whose machine it is")
                    .doesNotContain(
                            "b1:00.", "03:00.", InetAddress.getLocalHost().getHostName(), name)
                    .doesNotContain(folder.toString(), System.getProperty("user.dir"), "emu_");
            assertThat(json(side)).contains("\"quick\": true", "\"verdict\": \"measured\"");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"2.5", "2.6"})
    void anOlderReleaseHasAnswersOfItsOwn(String release) throws Exception {
        Path library = Path.of("target", "native", "lib", release).toAbsolutePath();
        assumeTrue(Files.exists(library), "built without the C part");
        Map<String, String> environment = Map.of("COMCH4J_LIBRARY", library.toString());
        ChildVm dpu = half(KitSide.DPU, environment);
        ChildVm host = half(KitSide.HOST, environment, "--only", "limits,context,immediate,consumer,endpoint");
        assertThat(end(host)).as(host.out()).isZero();
        assertThat(end(dpu)).as(dpu.err()).isZero(); // or it might be killed while it counts lines
        assertThat(text(KitSide.HOST))
                .contains(
                        "doca_cc",
                        verdict("limits.defaults", "as expected"),
                        "2048",
                        "send queue                     128")
                .doesNotContain("immediate.");
    }

    @Test
    void halvesOfTwoGenerationsSaySo() throws Exception {
        Path library = Path.of("target", "native", "lib", "2.6").toAbsolutePath();
        assumeTrue(Files.exists(library), "built without the C part");
        ChildVm dpu = half(KitSide.DPU, Map.of("COMCH4J_LIBRARY", library.toString()));
        ChildVm host = half(KitSide.HOST, Map.of(), "--only", "disconnect.by-server");
        for (ChildVm half : List.of(host, dpu)) {
            assertThat(end(half)).as(half.out()).isEqualTo(2);
            assertThat(half.err())
                    .contains("comch: the other half has libraries of another generation: DOCA ")
                    .contains("doca_comch", "doca_cc");
        }
    }

    @Test
    void aReceiveThatLosesItsMessageIsSeen() throws Exception {
        ChildVm dpu = half(KitSide.DPU, Map.of());
        ChildVm host = half(
                KitSide.HOST,
                Map.of("DOCA_EMU_FAULTS", "lose_recv=1:IO_FAILED"),
                "--only=send.room,consumer.ids,connect.no-server");
        assertThat(end(host)).isEqualTo(1);
        assertThat(end(dpu)).isEqualTo(1);
        for (KitSide side : KitSide.values()) {
            assertThat(text(side))
                    .contains(
                            verdict("send.room", "differs"),
                            "expected: 1024 0",
                            verdict("consumer.ids", "as expected"),
                            verdict("connect.no-server", "as expected"));
        }
    }

    @Test
    void otherLimitsAreSeen() throws Exception {
        Map<String, String> environment = Map.of("DOCA_EMU_LIMITS", "max_msg_size=2000,max_clients=7");
        ChildVm dpu = half(KitSide.DPU, environment);
        ChildVm host = half(KitSide.HOST, environment, "--only", "limits.control,connect.full-server");
        assertThat(end(host)).isEqualTo(1);
        assertThat(end(dpu)).isEqualTo(1);
        assertThat(host.out().lines().map(String::strip).map(line -> line.replaceAll(" +", " ")))
                .contains(
                        "host: bytes of a message 2000 expected: 4080",
                        "dpu: bytes of a message 2000 expected: 4080",
                        "clients 7 expected: 512",
                        "2 probes: 0 as expected, 2 differ, 0 not answered");
    }

    /** A probe in whose middle a process crashes has no answer, and those after it have. */
    @Test
    void aCrashDoesNotEndTheRun() throws Exception {
        ChildVm dpu = half(KitSide.DPU, Map.of());
        ChildVm host = half(KitSide.HOST, Map.of(), "--only", CRASH);
        host.awaitOutput("message.largest");
        host.handle().children().forEach(ProcessHandle::destroyForcibly);
        assertThat(end(host)).isEqualTo(1);
        assertThat(end(dpu)).isEqualTo(1);
        for (KitSide side : KitSide.values()) {
            assertThat(text(side))
                    .contains(
                            verdict("message.stop-while-full", "not answered"),
                            "host: the process has ended with status 137",
                            verdict("consumer.ids", "as expected"));
        }
    }

    @Test
    void aHalfThatGoesIsNoticed() throws Exception {
        ChildVm dpu = half(KitSide.DPU, Map.of());
        ChildVm host = half(KitSide.HOST, Map.of(), "--only", CRASH);
        host.awaitOutput("message.largest");
        dpu.handle().descendants().forEach(ProcessHandle::destroyForcibly);
        dpu.kill();
        assertThat(end(host)).isEqualTo(1);
        assertThat(text(KitSide.HOST))
                .contains("the half on the dpu has gone", verdict("consumer.ids", "not answered"));
    }

    @Test
    void whatCannotRunHasAStatusOfItsOwn() throws Exception {
        ChildVm alone = half(KitSide.HOST, Map.of(), "--timeout", "1");
        assertThat(end(alone)).isEqualTo(2);
        assertThat(alone.err()).contains("is \"comch conformance --side dpu\" running on the DPU");
        ChildVm unknown = half(KitSide.HOST, Map.of(), "--only", "nothing.such");
        assertThat(end(unknown)).isEqualTo(2);
        assertThat(unknown.err()).contains("no probe is called nothing.such");
        ChildVm wrongSide =
                new ChildVm(folder, Map.of("DOCA_EMU_SIDE", "host"), Comch.class, "conformance", "--side", "dpu");
        children.add(wrongSide);
        assertThat(end(wrongSide)).isEqualTo(2);
        assertThat(wrongSide.err()).contains("--side dpu runs on the DPU");
    }
}
