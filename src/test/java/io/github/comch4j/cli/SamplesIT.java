package io.github.comch4j.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.comch4j.ChildVm;
import io.github.comch4j.ChildVms;
import io.github.comch4j.Machine;
import io.github.comch4j.comch.ComchClient;
import io.github.comch4j.comch.ComchConnection;
import io.github.comch4j.comch.ComchServer;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The sample programs of DOCA's guides, each in its own VM: with each other, and with peers that misbehave. */
@Timeout(180)
class SamplesIT {
    private static final String CTRL_NAME = "comch_ctrl_path_sample_server";
    private static final String DATA_NAME = "comch_data_path_sample_server";
    private static final String START = "start_data_path_test";
    private static final String STOP = "stop_data_path_test";

    @RegisterExtension
    private final ChildVms children = new ChildVms();

    @TempDir
    private Path folder;

    private ChildVm child(Map<String, String> environment, Class<?> program, String... arguments) throws Exception {
        return children.start(folder, environment, program, arguments);
    }

    private ChildVm sample(String name, Map<String, String> environment, String... options) throws Exception {
        List<String> arguments = new ArrayList<>(List.of("sample", name));
        Collections.addAll(arguments, options);
        Map<String, String> all = new HashMap<>(environment);
        all.put("DOCA_EMU_SIDE", name.endsWith("-server") ? "dpu" : "host");
        return child(all, Comch.class, arguments.toArray(new String[0]));
    }

    private ChildVm sample(String name, String... options) throws Exception {
        return sample(name, Map.of(), options);
    }

    private static String received(String text) {
        return "Message received: '" + text + "'";
    }

    @ParameterizedTest
    @CsvSource({"3.0, comch_, 1", "3.0, comch_, 2", "2.5, cc_, 1", "2.5, cc_, 2"})
    void oneMessageEachWayOverTheControlPath(String generation, String prefix, int round) throws Exception {
        ChildVm server = sample("ctrl-path-server", "--generation", generation, "-t", "DPU " + round)
                .awaitOutput("serves");
        ChildVm client = sample("ctrl-path-client", "--generation", generation, "-t", "host " + round);
        client.assertSuccess();
        server.assertSuccess();
        assertThat(server.out().lines())
                .contains(
                        "0000:03:00.0 serves 0000:b1:00.0 as \"" + prefix + "ctrl_path_sample_server\"",
                        received("host " + round),
                        "Finished");
        assertThat(client.out().lines())
                .containsExactly(
                        "0000:b1:00.0 is connected to \"" + prefix + "ctrl_path_sample_server\"",
                        received("DPU " + round),
                        "Finished");
    }

    /** Over Comch, and where the libraries have the endpoint API over that. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void oneMessageEachWayOfTheEndpointApi(int round) throws Exception {
        ChildVm server = sample("channel-server", "-r", "b1:00.0", "-t", "DPU " + round)
                .awaitOutput("0000:03:00.0 serves 0000:b1:00.0 as \"cc_sample_server\"");
        ChildVm client = sample("channel-client", "-p", "b1:00.0", "-t", "host " + round);
        client.assertSuccess();
        server.assertSuccess();
        assertThat(server.out().lines()).endsWith("Received message: host " + round, "Finished");
        assertThat(client.out().lines())
                .containsExactly(
                        "0000:b1:00.0 is connected to \"cc_sample_server\"",
                        "Server response: DPU " + round,
                        "Finished");
    }

    /** DOCA 2.5's application of two threads for each end, over either carrier. */
    @Test
    void endsThatSendAndReceiveAtOnceEndWhenAllHasArrived() throws Exception {
        String[] effort = {"-s", "4080", "-n", "20000", "--end-after", "20000"};
        ChildVm server = secureChannel("server", "-r", effort).awaitOutput("Started Listening");
        ChildVm client = secureChannel("client", "-p", effort);
        client.assertSuccess();
        server.assertSuccess();
        for (ChildVm end : List.of(server, client)) {
            assertThat(end.out().lines())
                    .contains(
                            "Send thread exiting, total amount of messages sent successfully: 20000",
                            "Receive thread exiting, total amount of messages received successfully: 20000");
        }
    }

    @Test
    void anEndThatIsStoppedSaysHowMuchItHasReceived() throws Exception {
        ChildVm idle = secureChannel("server", "-r").awaitOutput("Started Listening");
        idle.terminate();
        idle.awaitEnd();
        assertThat(idle.out().lines())
                .contains(
                        "Send thread exiting, total amount of messages sent successfully: 0",
                        "Receive thread exiting, total amount of messages received successfully: 0");
        ChildVm server = secureChannel("server", "-r", "-n", "5").awaitOutput("Started Listening");
        ChildVm client = secureChannel("client", "-p", "-n", "7", "--end-after", "5");
        client.assertSuccess();
        server.terminate();
        server.awaitEnd();
        assertThat(server.out()).contains("sent successfully: 5", "received successfully: 7");
    }

    private ChildVm secureChannel(String role, String addressOption, String... more) throws Exception {
        List<String> options = new ArrayList<>(List.of(addressOption, "b1:00.0"));
        Collections.addAll(options, more);
        return sample("secure-channel-" + role, options.toArray(new String[0]));
    }

    @Test
    void theEndpointApisDefaultsAreThoseOfTheProgramsInC() throws Exception {
        Path topology = Files.writeString(folder.resolve("topology"), "dpu 0002:03:00.0\nhost 0001:3b:00.0 pf\n");
        Map<String, String> machine = Map.of("DOCA_EMU_TOPOLOGY", topology.toString());
        sample("channel-client", machine).assertFailure("no server \"cc_sample_server\"");
        ChildVm server = sample("channel-server", machine).awaitOutput("0002:03:00.0 serves 0001:3b:00.0");
        ChildVm client = sample("channel-client", machine);
        client.assertSuccess();
        server.assertSuccess();
        assertThat(server.out()).contains("Received message: Message from the client");
        assertThat(client.out()).contains("Server response: Message from the server");
    }

    @ParameterizedTest
    @CsvSource({"3.0, comch_, 1", "3.0, comch_, 2", "2.5, cc_, 1", "2.5, cc_, 2"})
    void oneTextEachWayOverTheDataPath(String generation, String prefix, int round) throws Exception {
        ChildVm server = sample("data-path-high-speed-server", "--generation", generation, "-t", "DPU " + round)
                .awaitOutput("serves");
        ChildVm client = sample("data-path-high-speed-client", "--generation", generation, "-t", "host " + round);
        client.assertSuccess();
        server.assertSuccess();
        assertThat(server.out().lines())
                .containsSubsequence(
                        "0000:03:00.0 serves 0000:b1:00.0 as \"" + prefix + "data_path_sample_server\"",
                        received(START),
                        received("host " + round),
                        received(STOP),
                        "Finished")
                .contains("New consumer of the peer, ID 1");
        assertThat(client.out().lines())
                .containsSubsequence(received(START), received("DPU " + round), received(STOP), "Finished")
                .contains("New consumer of the peer, ID 1");
    }

    @Test
    void withoutOptionsTheAddressesAndTheTextAreThoseOfTheSamplesInC() throws Exception {
        ChildVm server = sample("data-path-high-speed-server").awaitOutput("serves");
        ChildVm client = sample("data-path-high-speed-client");
        client.assertSuccess();
        server.assertSuccess();
        assertThat(server.out()).contains(received("Message from the client"), "0000:03:00.0 serves 0000:b1:00.0");
        assertThat(client.out()).contains(received("Message from the client"));
    }

    @Test
    void optionsHaveShortAndLongNames() throws Exception {
        ChildVm server = sample("ctrl-path-server", "-p", "03:00.0", "-r", "0000:b1:00.3", "--text=-p")
                .awaitOutput("serves 0000:b1:00.3");
        sample("ctrl-path-client", "-t", "of another function").assertFailure("no server \"" + CTRL_NAME + "\"");
        ChildVm client = sample("ctrl-path-client", "--pci-addr", "b1:00.3", "-t", "it's me", "-r", "b1:00.0");
        client.assertSuccess();
        server.assertSuccess();
        assertThat(client.out()).contains(received("-p"));
        assertThat(server.out()).contains(received("it's me"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"2.5", "2.6"})
    void aShortAddressIsOfAnyDomainInDocaCcAndOfDomain0Later(String generation) throws Exception {
        Path topology = Files.writeString(folder.resolve("topology"), "dpu 0002:03:00.0\nhost 0001:b1:00.0 pf\n");
        Map<String, String> machine = Map.of("DOCA_EMU_TOPOLOGY", topology.toString());
        ChildVm server = sample("ctrl-path-server", machine, "--generation", generation)
                .awaitOutput("0002:03:00.0 serves 0001:b1:00.0 as \"cc_");
        sample("ctrl-path-client", machine, "--generation", generation).assertSuccess();
        server.assertSuccess();
        sample("ctrl-path-client", machine, "--generation", "3.0").assertFailure("no device 0000:b1:00.0 here");
        sample("ctrl-path-server", machine, "--generation", "3.0").assertFailure("no device 0000:03:00.0 here");
    }

    @Test
    void whatIsMissingIsSaidInOneSentence() throws Exception {
        sample("ctrl-path-client", "-p", "0000:77:00.0")
                .assertFailure("no device 0000:77:00.0 here; there are [0000:b1");
        sample("data-path-high-speed-server", "-p", "77:00.0").assertFailure("no device 0000:77:00.0 here");
        sample("ctrl-path-server", "-r", "b1:00.7").assertFailure("0000:b1:00.7");
        sample("ctrl-path-client")
                .assertFailure("accepts clients of 0000:b1:00.0: client finds no server \"comch_ctrl_path_sample");
        sample("data-path-high-speed-client", "--generation", "2.5")
                .assertFailure("no server \"cc_data_path_sample_server\"");
        child(Map.of("DOCA_EMU_SIDE", "both"), Comch.class, "sample", "ctrl-path-server", "-p", "b1:00.0")
                .assertFailure("cannot have Comch servers");
    }

    @Test
    void aTextThatIsTooLongIsRefusedBeforeAnythingIsSent() throws Exception {
        String most = "x".repeat(4096);
        assertThat(sample("ctrl-path-server", "-t", most + "x").awaitEnd()).isEqualTo(2);
        sample("ctrl-path-server", "-t", most).assertFailure("at most 4080 bytes here, the text has 4096");
        ChildVm server = sample("data-path-high-speed-server", "-t", most).awaitOutput("serves");
        ChildVm client = sample("data-path-high-speed-client", "-t", most);
        client.assertSuccess();
        assertThat(client.out()).contains(received(most));
        server.assertSuccess();
        assertThat(server.out()).contains(received(most));
    }

    @Test
    void aClientThatLeavesWithoutAWordIsNoted() throws Exception {
        ChildVm server = sample("ctrl-path-server", "-t", "answer").awaitOutput("serves");
        try (Machine machine = new Machine();
                ComchClient silent = ComchClient.builder(machine.engine, machine.host, CTRL_NAME)
                        .connect(Machine.PATIENCE)) {
            assertThat(silent.isConnected()).isTrue();
        }
        server.awaitOutput("A client has left");
        ChildVm client = sample("ctrl-path-client");
        client.assertSuccess();
        assertThat(client.out()).contains(received("answer"));
        server.assertSuccess();
    }

    @Test
    void aServerThatLeavesWithoutAnAnswerIsAFailure() throws Exception {
        try (Machine machine = new Machine()) {
            boolean[] asked = new boolean[1];
            ComchServer server = ComchServer.builder(machine.engine, machine.dpu, machine.representor, CTRL_NAME)
                    .onMessage((connection, message) -> asked[0] = true)
                    .start();
            ChildVm client = sample("ctrl-path-client");
            machine.until("the client's message", () -> asked[0]);
            server.close();
            client.assertFailure("the server has gone");
        }
    }

    @Test
    void aServerInTroubleEndsTheDataPathTest() throws Exception {
        try (Machine machine = new Machine();
                ComchServer server = ComchServer.builder(machine.engine, machine.dpu, machine.representor, DATA_NAME)
                        .onMessage((connection, message) -> say(connection, STOP))
                        .start()) {
            ChildVm client = sample("data-path-high-speed-client");
            while (client.isAlive()) {
                machine.engine.progress();
            }
            client.assertFailure("the server gives up");
            assertThat(server.isClosed()).isFalse();
        }
    }

    @Test
    void aServerStopsAClientThatSpeaksOutOfTurn() throws Exception {
        ChildVm server = sample("data-path-high-speed-server").awaitOutput("serves");
        List<String> answers = new ArrayList<>();
        try (Machine machine = new Machine();
                ComchClient client = ComchClient.builder(machine.engine, machine.host, DATA_NAME)
                        .onMessage((connection, message) ->
                                answers.add(new String(message.toArray(ValueLayout.JAVA_BYTE), StandardCharsets.UTF_8)))
                        .connect(Machine.PATIENCE)) {
            say(client.connection(), "hello\u001b[31m");
            machine.until("the server's answer", () -> !answers.isEmpty());
        }
        assertThat(answers).containsExactly(STOP);
        server.assertFailure("the peer speaks out of turn");
        assertThat(server.out()).contains(received("hello?[31m"));
    }

    @Test
    void aServerNoticesThatItsClientWasKilled() throws Exception {
        ChildVm server = sample("data-path-high-speed-server").awaitOutput("serves");
        child(Map.of(), SamplePeer.class, "client", DATA_NAME)
                .awaitOutput("heard")
                .kill();
        server.assertFailure("the client has gone");
    }

    @Test
    void aClientNoticesThatItsServerWasKilled() throws Exception {
        ChildVm server = child(Map.of(), SamplePeer.class, "server", DATA_NAME).awaitOutput("serving");
        ChildVm client = sample("data-path-high-speed-client");
        server.awaitOutput("heard").kill();
        client.assertFailure("the server has gone");
    }

    @Test
    void aSecondClientIsNotAnsweredAndDoesNotDisturbTheFirst() throws Exception {
        ChildVm server = sample("data-path-high-speed-server").awaitOutput("serves");
        ChildVm first = child(Map.of(), SamplePeer.class, "client", DATA_NAME).awaitOutput("heard");
        ChildVm second = sample("data-path-high-speed-client");
        server.awaitOutput("It is of another client");
        second.close();
        server.awaitOutput("A client has left");
        assertThat(server.isAlive()).isTrue();
        first.kill();
        server.assertFailure("the client has gone");
    }

    private static void say(ComchConnection connection, String message) {
        connection.enqueue(message.getBytes(StandardCharsets.US_ASCII));
    }
}
