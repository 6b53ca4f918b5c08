package io.github.comch4j.samples;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.comch4j.ChildVm;
import io.github.comch4j.ChildVms;
import io.github.comch4j.Machine;
import io.github.comch4j.comch.ComchClient;
import io.github.comch4j.comch.ComchConnection;
import io.github.comch4j.comch.ComchConsumer;
import io.github.comch4j.comch.ComchProducer;
import io.github.comch4j.comch.ComchServer;
import io.github.comch4j.comch.ConnectionCounters;
import io.github.comch4j.core.Access;
import io.github.comch4j.core.Buffer;
import io.github.comch4j.core.MemoryMap;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import samples.filetransfer.Dpu;
import samples.filetransfer.Host;
import samples.filetransfer.Protocol;
import samples.filetransfer.Protocol.Chunk;
import samples.filetransfer.Protocol.End;
import samples.filetransfer.Protocol.Failure;
import samples.filetransfer.Protocol.Hello;
import samples.filetransfer.Protocol.Message;
import samples.filetransfer.Protocol.Result;
import samples.filetransfer.Protocol.Verdict;
import samples.filetransfer.Protocol.Welcome;

/** The file service and its client, each in its own VM, and each against a peer that misbehaves. */
class FileTransferIT {
    /** Longer than any test runs: whoever ends in time has noticed something, and not just given up. */
    private static final String NEVER = "86400";

    private static final Map<String, String> NORMAL = Map.of();
    /** Slow enough to be met in the middle: a megabyte in a second. */
    private static final Map<String, String> SLOW = Map.of("DOCA_EMU_FAULTS", "bandwidth=1");

    private static final Map<String, String> NO_DIRECT_WRITE = Map.of("DOCA_EMU_DIRECT_WRITE", "0");

    @RegisterExtension
    private final ChildVms children = new ChildVms();

    private final String name = Machine.uniqueName();

    @TempDir
    private Path folder;

    @Test
    void aFileArrives() throws Exception {
        Path file = file(3_000_017);
        ChildVm service = service(NORMAL, "--once");
        ChildVm client = client(NORMAL, file, "--chunk", "64k", "--depth", "8");
        client.assertSuccess();
        service.assertSuccess();
        String sha256 =
                HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(Files.readAllBytes(file)));
        assertThat(received()).hasSameBinaryContentAs(file);
        assertThat(service.out())
                .contains("the client says: hello")
                .contains("received 2.9 MiB in 46 messages, SHA-256 " + sha256);
        assertThat(client.out())
                .contains(
                        "the service says: hello",
                        "46 messages of up to 64 KiB",
                        "MB/s",
                        "messages/s",
                        "SHA-256 on both sides: " + sha256,
                        "client:  2 messages of",
                        "service: 1 messages of");
    }

    @Test
    void aServiceServesFilesOfAnySizeInChunksOfAnySizeOneAfterAnother() throws Exception {
        ChildVm service = service(NORMAL);
        for (String sizeChunkDepth : List.of(
                "0 1m 32",
                "1 1m 32",
                "1000 1 3",
                "100000 64 32",
                "200000 4096 1",
                "3000000 1m 2",
                "70000000 16m 4",
                "65536 64k 1")) {
            String[] s = sizeChunkDepth.split(" ");
            Path file = file(Integer.parseInt(s[0]));
            ChildVm client = client(NORMAL, file, "--chunk", s[1], "--depth", s[2]);
            client.assertSuccess();
            awaitReceived(file, client);
        }
        assertThat(service.isAlive()).isTrue();
    }

    @ParameterizedTest
    @CsvSource({"5000000,1m,4", "100001,64k,1", "20000,100,8"})
    void withoutDirectWritesTheFileArrivesAsWell(int size, String chunk, String depth) throws Exception {
        Path file = file(size);
        ChildVm service = service(NO_DIRECT_WRITE, "--once");
        client(NO_DIRECT_WRITE, file, "--chunk", chunk, "--depth", depth).assertSuccess();
        service.assertSuccess();
        assertThat(received()).hasSameBinaryContentAs(file);
    }

    @Test
    void anotherFileReplacesTheFirstWhenItIsComplete() throws Exception {
        Files.writeString(received(), "what was here before");
        service(NORMAL);
        ChildVm slow = slowClient();
        assertThat(received()).hasContent("what was here before");
        slow.kill();
        ChildVm client = client(NORMAL, file(10));
        client.assertSuccess();
        awaitReceived(file(10), client);
        assertThat(folder.resolve("received.bin.part")).doesNotExist();
    }

    @Test
    void theServiceNoticesThatItsClientWasKilled() throws Exception {
        ChildVm service = service(NORMAL, "--once", "--patience", NEVER);
        slowClient().kill();
        service.assertFailure("the client has gone after ");
        assertThat(received()).doesNotExist();
    }

    @Test
    void aServiceForOneClientDoesNotWaitForTheNext() throws Exception {
        ChildVm service = service(NORMAL, "--once");
        try (Machine machine = new Machine();
                ComchClient client =
                        ComchClient.builder(machine.engine, machine.host, name).connect(Machine.PATIENCE)) {
            assertThat(client.isConnected()).isTrue();
        }
        service.assertFailure("a client came and went without a word");
    }

    @Test
    void theServiceGoesOnAfterItsClientWasKilled() throws Exception {
        ChildVm service = service(NORMAL, "--patience", NEVER);
        slowClient().kill();
        Path file = file(1000);
        ChildVm client = client(NORMAL, file);
        client.assertSuccess();
        awaitReceived(file, client);
        assertThat(service.err()).contains("the client has gone after ");
    }

    @ParameterizedTest
    @CsvSource({"1m,1", "64,1", "1m,0"})
    void theClientNoticesThatItsServiceWasKilled(String chunk, String directWrite) throws Exception {
        ChildVm service = service(Map.of("DOCA_EMU_DIRECT_WRITE", directWrite));
        ChildVm client = client(
                Map.of("DOCA_EMU_FAULTS", "bandwidth=1", "DOCA_EMU_DIRECT_WRITE", directWrite),
                file(20_000_000),
                "--chunk",
                chunk,
                "--depth",
                "2",
                "--timeout",
                NEVER,
                "--patience",
                NEVER);
        client.awaitOutput("MB/s");
        service.kill();
        client.assertFailure("the service has gone after ");
    }

    @Test
    void aSecondClientIsToldThatTheServiceIsBusy() throws Exception {
        ChildVm service = service(NORMAL);
        ChildVm first = slowClient();
        client(NORMAL, file(10)).assertFailure("the service gives up: another client is being served");
        assertThat(first.isAlive()).isTrue();
        assertThat(service.isAlive()).isTrue();
    }

    @Test
    void aServiceThatIsNotThereIsMissed() throws Exception {
        client(NORMAL, file(10), "--timeout", "1")
                .assertFailure("no server \"" + name + "\" accepts clients of 0000:b1:00.0: client finds no server");
    }

    @Test
    void aServiceMayComeLater() throws Exception {
        ChildVm client = client(NORMAL, file(10), "--timeout", NEVER);
        client.awaitLibrary("libdoca_comch"); // it tries from now on
        service(NORMAL, "--once").assertSuccess();
        client.assertSuccess();
    }

    @Test
    void aNameIsServedOnce() throws Exception {
        service(NORMAL).awaitOutput("serves");
        service(NORMAL).assertFailure("already");
    }

    @Test
    void aFullDiskIsReportedOnBothSides() throws Exception {
        ChildVm service = child(NORMAL, Dpu.class, "--name", name, "--output", "/dev/full", "--once");
        ChildVm client = client(NORMAL, file(3_000_000));
        service.assertFailure("the file cannot be written: No space left on device");
        client.assertFailure("the service gives up: the file cannot be written: No space left on device");
    }

    @ParameterizedTest
    @CsvSource({
        "32,chunk 3 was lost: chunk 4 came in its place,chunk 3 was lost",
        "1,IO_FAILED,the client has gone after"
    })
    void aSendThatFailsIsReportedOnBothSides(String depth, String client, String service) throws Exception {
        ChildVm serving = service(NORMAL, "--once");
        client(Map.of("DOCA_EMU_FAULTS", "fail_send=5:IO_FAILED"), file(3_000_000), "--chunk", "64k", "--depth", depth)
                .assertFailure(client);
        serving.assertFailure(service);
    }

    @Test
    void aReceiveThatLosesItsChunkIsReportedOnBothSides() throws Exception {
        ChildVm service = service(Map.of("DOCA_EMU_FAULTS", "lose_recv=5:IO_FAILED"), "--once");
        client(NORMAL, file(3_000_000), "--chunk", "64k").assertFailure("the service gives up: chunk 4 was lost");
        service.assertFailure("chunk 4 was lost");
    }

    @Test
    void thingsThatCannotBeSentAreNamed() throws Exception {
        client(NORMAL, folder.resolve("nowhere")).assertFailure("there is no file " + folder.resolve("nowhere"));
        client(NORMAL, folder).assertFailure(folder + " is not a regular file");
    }

    @Test
    void devicesThatAreNotThereAreNamed() throws Exception {
        client(NORMAL, file(1), "--device", "0000:77:00.0").assertFailure("no device 0000:77:00.0 here; there are [");
        service(NORMAL, "--representor", "0000:77:00.0").assertFailure("no representor for 0000:77:00.0");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "client      |                     | FILE is missing",
                "client      | --chunk             | --chunk needs a value",
                "client      | --chunk=x f         | --chunk x: not understood",
                "client      | --chunk 1g f        | --chunk 1073741824: must be 1 to 67108864",
                "client      | --depth 0 f         | --depth 0: must be 1 to 4096",
                "client      | --device b1 f       | --device b1: not understood",
                "client      | f g                 | one argument too many: g",
                "client      | --once f            | no such option: --once",
                "service     | --patience soon     | --patience soon: not understood",
                "service     | f                   | one argument too many: f",
            })
    void usageErrorsComeWithTheUsage(String program, String arguments, String sentence) throws Exception {
        ChildVm child = child(
                NORMAL,
                program.equals("client") ? Host.class : Dpu.class,
                arguments == null ? new String[0] : arguments.split(" "));
        assertThat(child.awaitEnd()).isEqualTo(2);
        assertThat(child.err()).contains(sentence).contains("Usage: scripts/demo.sh " + program);
    }

    @ParameterizedTest
    @CsvSource({"client", "service"})
    void helpIsNoError(String program) throws Exception {
        ChildVm child = child(NORMAL, program.equals("client") ? Host.class : Dpu.class, "--help");
        child.assertSuccess();
        assertThat(child.out()).startsWith("Usage: scripts/demo.sh " + program);
        assertThat(child.err()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "0:0 1:100 3:300 | chunk 2 was lost: chunk 3 came in its place",
                "0:0 1:100 1:100 | chunk 1 came a second time instead of chunk 2",
                "0:0 1:300       | chunk 1 has 100 bytes for offset 300",
                "0:0 1:100       | the client ended after 200 of 1000 bytes",
            })
    void theServiceToleratesNoGapsAndNoRepetitions(String chunks, String sentence) throws Exception {
        ChildVm service = service(NORMAL, "--once");
        assertThat(reasonForRefusing(chunks.split(" "))).contains(sentence);
        service.assertFailure(sentence);
    }

    @Test
    void theServiceRefusesWhatIsNotItsProtocol() throws Exception {
        ChildVm service = service(NORMAL);
        assertThat(answer("GET / HTTP/1.1"))
                .isEqualTo("the peer does not speak this program's protocol: \"GET / HTTP/1.1\"");
        assertThat(answer("end 3")).isEqualTo("the client speaks out of turn");
        assertThat(answer("hello 999 1 1 1 good day"))
                .isEqualTo("the client speaks version 999 of the protocol, the service 1");
        assertThat(answer("hello 1 1 1000000000000 1 good day")).startsWith("the client asks for the impossible");
        client(NORMAL, file(10)).assertSuccess();
        assertThat(service.isAlive()).isTrue();
    }

    @ParameterizedTest
    @CsvSource({"1000,10,0000,false", "999,10,,false", "1000,9,,false", "1000,10,,true"})
    void theClientAcceptsNothingButItsOwnChecksum(long size, long chunks, String sha256, boolean correct)
            throws Exception {
        Path file = file(1000);
        String hash = sha256 != null
                ? sha256
                : HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(Files.readAllBytes(file)));
        ChildVm client = client(NORMAL, file, "--chunk", "100");
        assertThat(verdictOn(new Result(size, chunks, hash, new ConnectionCounters(0, 0, 0, 0))))
                .isEqualTo(new Verdict(correct));
        if (correct) {
            client.assertSuccess();
        } else {
            client.assertFailure("but the service received " + size);
        }
    }

    /** A client in this VM that sends chunks of 100 bytes, "number:offset", and hears why it may not. */
    private String reasonForRefusing(String[] chunks) {
        List<Message> heard = new ArrayList<>();
        int[] consumer = new int[1];
        try (Machine machine = new Machine();
                ComchClient client = ComchClient.builder(machine.engine, machine.host, name)
                        .onMessage((connection, message) -> heard.add(Protocol.decode(message)))
                        .onConsumer((connection, id) -> consumer[0] = id)
                        .connect(Machine.PATIENCE);
                MemoryMap memory = MemoryMap.allocate(machine.host, 100);
                ComchProducer producer =
                        client.connection().producer(machine.engine).start()) {
            client.connection().send(Protocol.encode(new Hello(1, 1000, 100, 8, "hello")));
            machine.until("a welcome", () -> heard.size() == 1 && consumer[0] != 0);
            assertThat(heard.getFirst()).isInstanceOf(Welcome.class);
            Buffer buffer = producer.acquire(memory, 0, 100);
            MemorySegment immediate = MemorySegment.ofArray(new byte[Chunk.BYTES]);
            for (String chunk : chunks) {
                String[] c = chunk.split(":");
                new Chunk(Long.parseLong(c[0]), Long.parseLong(c[1])).writeTo(immediate);
                machine.until(
                        "room",
                        () -> producer.trySend(buffer, consumer[0], immediate).accepted());
            }
            client.connection().send(Protocol.encode(new End(chunks.length)));
            machine.until("a refusal", () -> heard.size() == 2);
            return ((Failure) heard.getLast()).reason();
        }
    }

    /** A client in this VM that says one thing and hears why it may not. */
    private String answer(String line) {
        List<Message> heard = new ArrayList<>();
        try (Machine machine = new Machine();
                ComchClient client = ComchClient.builder(machine.engine, machine.host, name)
                        .onMessage((connection, message) -> heard.add(Protocol.decode(message)))
                        .connect(Machine.PATIENCE)) {
            client.connection().send(line.getBytes(StandardCharsets.UTF_8));
            machine.until("an answer", () -> !heard.isEmpty());
            return ((Failure) heard.getFirst()).reason();
        }
    }

    /** A service in this VM that reports the result that it is given, and hears what the client thinks of it. */
    private Message verdictOn(Result result) {
        List<Message> heard = new ArrayList<>();
        List<ComchConsumer> consumers = new ArrayList<>();
        try (Machine machine = new Machine();
                MemoryMap memory = MemoryMap.allocate(machine.dpu, 10_000, Access.PCI_READ_WRITE);
                ComchServer server = ComchServer.builder(machine.engine, machine.dpu, machine.representor, name)
                        .onConnected(connection -> consumers.add(connection
                                .consumer(machine.engine, memory)
                                .buffers(10, 1000)
                                .start()))
                        .onMessage(
                                (connection, message) -> heard.add(heard(connection, Protocol.decode(message), result)))
                        .start()) {
            assertThat(server.name()).isEqualTo(name);
            machine.until("a verdict", () -> heard.size() == 3);
            return heard.getLast();
        }
    }

    private static Message heard(ComchConnection connection, Message message, Result result) {
        if (message instanceof Hello) {
            connection.enqueue(Protocol.encode(new Welcome("hello")));
        } else if (message instanceof End) {
            connection.enqueue(Protocol.encode(result));
        }
        return message;
    }

    private ChildVm service(Map<String, String> environment, String... options) throws IOException {
        return child(
                environment,
                Dpu.class,
                with(options, "--name", name, "--output", received().toString()));
    }

    private ChildVm client(Map<String, String> environment, Path file, String... options) throws IOException {
        return child(environment, Host.class, with(options, "--name", name, file.toString()));
    }

    /** A client that is in the middle of sending a large file. */
    private ChildVm slowClient() throws Exception {
        return client(SLOW, file(20_000_000), "--chunk", "64k", "--depth", "2", "--timeout", "60")
                .awaitOutput("MB/s");
    }

    private ChildVm child(Map<String, String> environment, Class<?> program, String... arguments) throws IOException {
        return children.start(folder, environment, program, arguments);
    }

    private static String[] with(String[] options, String... more) {
        List<String> all = new ArrayList<>(List.of(options));
        all.addAll(List.of(more));
        return all.toArray(String[]::new);
    }

    private Path file(int size) throws IOException {
        byte[] bytes = new byte[size];
        new Random(size).nextBytes(bytes);
        return Files.write(folder.resolve(size + ".bin"), bytes);
    }

    private Path received() {
        return folder.resolve("received.bin");
    }

    /** The service puts a file into its place after its client has ended. */
    private void awaitReceived(Path file, ChildVm client) throws Exception {
        long deadline = System.nanoTime() + Machine.PATIENCE.toNanos();
        while (!Files.exists(received()) || Files.mismatch(received(), file) >= 0) {
            assertThat(System.nanoTime())
                    .as("gave up waiting for a file that the client has sent: %s", client.out())
                    .isLessThan(deadline);
            Thread.sleep(10);
        }
    }
}
