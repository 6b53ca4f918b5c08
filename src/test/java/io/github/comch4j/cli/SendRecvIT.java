package io.github.comch4j.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.comch4j.ChildVm;
import io.github.comch4j.ChildVms;
import io.github.comch4j.Machine;
import io.github.comch4j.comch.ComchClient;
import io.github.comch4j.comch.ComchServer;
import io.github.comch4j.core.ProgressEngine;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** {@code comch send} and {@code comch recv}. */
@Timeout(180)
class SendRecvIT {
    private static final String LEFT = "comch: the other end has left";

    @RegisterExtension
    private final ChildVms children = new ChildVms();

    private final String name = Machine.uniqueName();

    @TempDir
    private Path folder;

    private ChildVm start(String side, String command, String... arguments) throws Exception {
        List<String> all = new ArrayList<>(List.of(command, "--name", name));
        all.addAll(List.of(arguments));
        return children.start(folder, Map.of("DOCA_EMU_SIDE", side), Comch.class, all.toArray(new String[0]));
    }

    private static byte[] random(int length) {
        byte[] bytes = new byte[length];
        new Random(length).nextBytes(bytes);
        return bytes;
    }

    @Test
    void bytesAreTheSameInBothDirections() throws Exception {
        byte[] bytes = random(3_000_001);
        for (String sender : List.of("host", "dpu")) {
            ChildVm receiver = start(sender.equals("host") ? "dpu" : "host", "recv", "-W", "60");
            ChildVm send = start(sender, "send", "-W", "60").input(bytes).endInput();
            send.assertSuccess();
            receiver.assertSuccess();
            assertThat(receiver.bytes()).isEqualTo(bytes);
            assertThat(receiver.complaints()).isEmpty();
            assertThat(send.complaints()).isEmpty();
            assertThat(send.out()).isEmpty();
        }
    }

    @Test
    void whatIsWaitedForIsSaid() throws Exception {
        ChildVm onDpu = start("dpu", "send");
        onDpu.awaitError("comch: waits for a client of \"" + name + "\", such as \"comch recv\" on the host");
        start("host", "recv");
        onDpu.endInput().assertSuccess();
        ChildVm onHost = start("host", "send", "-W", "60");
        onHost.awaitError("comch: waits for \"" + name + "\" to be served by \"comch recv\" on the DPU");
        start("dpu", "recv");
        onHost.endInput().assertSuccess();
        ChildVm ping = start("host", "ping", "-W", "60", "-c", "1");
        ping.awaitError("comch: waits for \"" + name + "\" to be served by \"comch serve\" on the DPU");
        ChildVm service = start("dpu", "serve");
        ping.assertSuccess();
        service.terminate();
    }

    @Test
    void linesOfManyClientsStayWhole() throws Exception {
        ChildVm receiver = start("dpu", "recv", "--clients", "3", "--lines");
        List<String> expected = new ArrayList<>();
        List<ChildVm> senders = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            StringBuilder text = new StringBuilder();
            for (int line = 0; line < 500; line++) {
                text.append("client ").append(i).append(" line ").append(line).append('\n');
            }
            text.append("the last of ").append(i); // without an end
            expected.addAll(text.toString().lines().toList());
            senders.add(start("host", "send", "-L", "-W", "60")
                    .input(text.toString().getBytes(UTF_8))
                    .endInput());
        }
        for (ChildVm sender : senders) {
            sender.assertSuccess();
        }
        receiver.assertSuccess();
        assertThat(receiver.out().lines()).containsExactlyInAnyOrderElementsOf(expected);
    }

    @Test
    void oneSendsToMany() throws Exception {
        ChildVm sender = start("dpu", "send", "--clients", "2");
        ChildVm first = start("host", "recv", "-W", "60");
        ChildVm second = start("host", "recv", "-W", "60");
        sender.input("one\ntwo\n".getBytes(UTF_8)).endInput().assertSuccess();
        first.assertSuccess();
        second.assertSuccess();
        assertThat(first.out()).isEqualTo("one\ntwo\n").isEqualTo(second.out());
    }

    @Test
    void aCommandForEachClient() throws Exception {
        ChildVm receiver = start("dpu", "recv", "--keep", "--exec", "echo $COMCH_CLIENT; exec sed -u 's/^/> /'");
        for (int i = 1; i <= 2; i++) {
            ChildVm sender = start("host", "send", "-W", "60");
            sender.input("hello\n".getBytes(UTF_8)).awaitOutput("> hello"); // while the input goes on
            sender.input("again\n\n".getBytes(UTF_8)).endInput().assertSuccess();
            assertThat(sender.out()).isEqualTo(i + "\n> hello\n> again\n> \n");
        }
        receiver.terminate();
        assertThat(receiver.awaitEnd()).isEqualTo(128 + 15);
        assertThat(receiver.err()).matches("comch: received \\d+ messages, 26 bytes in .* MB/s, of 2 clients\n");
    }

    @Test
    void aCommandThatFailsIsTold() throws Exception {
        ChildVm receiver = start("dpu", "recv", "--exec", "cat; exit 3");
        start("host", "send", "-W", "60").endInput().assertSuccess();
        receiver.assertFailure("had a command that ended with 3");
    }

    @Test
    void aCommandThatEndsEndsTheConnection() throws Exception {
        ChildVm receiver = start("dpu", "recv", "--exec", "head -n 1");
        ChildVm sender = start("host", "send", "-W", "60");
        sender.input("first\n".getBytes(UTF_8)); // its input does not end
        sender.assertFailure(LEFT + " before it had everything");
        assertThat(sender.out()).isEqualTo("first\n");
        receiver.assertSuccess();
    }

    @Test
    void whoDiesIsMissed() throws Exception {
        ChildVm receiver = start("dpu", "recv");
        ChildVm sender = start("host", "send", "-W", "60").input(new byte[] {'a'});
        receiver.awaitOutput("a");
        sender.kill();
        receiver.assertFailure(LEFT + " without saying that it had sent everything");
        assertThat(receiver.out()).isEqualTo("a");

        receiver = start("dpu", "recv");
        sender = start("host", "send", "-W", "60").input(new byte[] {'b'});
        receiver.awaitOutput("b");
        receiver.kill();
        sender.assertFailure(LEFT + " before it had everything");
    }

    @Test
    void anInterruptEndsWithTheSummary() throws Exception {
        ChildVm receiver = start("dpu", "recv", "--keep");
        ChildVm sender = start("host", "send", "-W", "60").input(new byte[100]);
        receiver.awaitOutput("\0");
        sender.terminate();
        assertThat(sender.awaitEnd()).isEqualTo(128 + 15);
        assertThat(sender.err()).contains("comch: sent 1 message, 100 bytes in "); // perhaps after "waits for"
        receiver.terminate();
        assertThat(receiver.awaitEnd()).isEqualTo(128 + 15);
        assertThat(receiver.err()).contains("comch: received 1 message, 100 bytes in ");
    }

    /** A program that knows nothing of comch, on the other side. */
    @Test
    void plainPrograms() throws Exception {
        try (Machine machine = new Machine();
                ComchServer server = ComchServer.builder(machine.engine, machine.dpu, machine.representor, name)
                        .onMessage((connection, message) -> connection.enqueue(message))
                        .start()) {
            assertThat(server.name()).isEqualTo(name);
            ChildVm sender = start("host", "send", "--plain", "-L", "--chop", "--linger", "5")
                    .input("Hello\n\nyou\n".getBytes(UTF_8))
                    .endInput();
            Machine.until("the end", () -> !sender.isAlive(), machine.engine);
            sender.assertSuccess();
            assertThat(sender.out()).isEqualTo("Helloyou");
        }
        ChildVm receiver = start("dpu", "recv", "--plain", "--lines", "-v");
        receiver.awaitError("waits for clients");
        try (Machine machine = new Machine()) {
            try (ComchClient client =
                    ComchClient.builder(machine.engine, machine.host, name).connect(Machine.PATIENCE)) {
                client.connection().send("Hello".getBytes(UTF_8));
                Machine.until("it is there", () -> length(receiver) > 0, new ProgressEngine[] {machine.engine});
            }
            receiver.assertSuccess();
        }
        assertThat(receiver.out()).isEqualTo("Hello\n");
    }

    private static int length(ChildVm child) {
        try {
            return child.out().length();
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void whatIsWrongIsSaidInOneSentence() throws Exception {
        start("host", "send", "-W", "3")
                .assertFailure("no server \"" + name + "\" accepts clients of 0000:b1:00.0: client finds no server");
        start("host", "recv", "--listen").assertFailure("a server runs on the DPU");
        ChildVm receiver = start("dpu", "recv");
        start("host", "send", "-L", "-W", "60")
                .input(("short\n" + "x".repeat(5000) + "\n").getBytes(UTF_8))
                .endInput()
                .assertFailure("line 2 is longer than a message, which has 4072 bytes at most here");
        receiver.assertFailure(LEFT);
        assertThat(start("host", "send", "--chop").awaitEnd()).isEqualTo(2);
        assertThat(start("dpu", "recv", "--clients", "0").awaitEnd()).isEqualTo(2);
    }
}
