package io.github.comch4j;

import static org.assertj.core.api.Assertions.assertThat;

import examples.EchoClient;
import examples.EchoServer;
import examples.HelloClient;
import examples.HelloServer;
import examples.KernelInJava;
import examples.Pieces;
import io.github.comch4j.comch.ComchClient;
import io.github.comch4j.comch.ComchConnection;
import io.github.comch4j.comch.ComchProducer;
import io.github.comch4j.comch.ComchServer;
import io.github.comch4j.comch.SlotConsumer;
import io.github.comch4j.comch.SlotProducer;
import io.github.comch4j.core.Access;
import io.github.comch4j.core.Device;
import io.github.comch4j.core.MemoryMap;
import io.github.comch4j.core.ProgressEngine;
import io.github.comch4j.core.Representor;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.lang.foreign.ValueLayout;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import javax.management.ObjectName;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The examples in Javadoc and documents come from files that are compiled, and do what is said of them. */
@Timeout(60)
class ExamplesTest {
    private static final Path EXAMPLES = Path.of("src", "test", "java", "examples");
    private static final Pattern SNIPPET = Pattern.compile("\\{@snippet file=\"(\\w+\\.java)\" region=\"(\\w+)\"}");
    private static final Pattern NAMED_FILE =
            Pattern.compile("(?<![\\w./-])(?:scripts|src|docs|headers|generated)/[\\w./-]*\\w(?![\\w*{$…/])");
    private static final Pattern BLOCK = Pattern.compile("```java\\n(.*?)```", Pattern.DOTALL);

    private static final Set<String> LANGUAGES = Set.of("java", "sh", "console", "c", "xml", "text");

    /** A script and what stands behind it, in fenced or in inline code. */
    private static final Pattern SCRIPT = Pattern.compile("(scripts/[\\w/.-]+\\.(?:sh|py))\\b([^`\\n]*)");

    private static final Pattern OPTION = Pattern.compile("(?<= )--[a-z][a-z-]*");

    @BeforeAll
    static void emulated() {
        Machine.useEmulation();
    }

    private static List<Path> files(Path folder, String ending) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            return files.filter(file -> file.toString().endsWith(ending)).toList();
        }
    }

    @Test
    void javadocTakesItsExamplesFromThere() throws IOException {
        List<String> wrong = new ArrayList<>();
        int count = 0;
        for (Path file : files(Path.of("src", "main", "java"), ".java")) {
            String source = Files.readString(file);
            if (source.contains("* <pre>{@code")) {
                wrong.add(file + " has code of its own in a comment");
            }
            for (MatchResult snippet : SNIPPET.matcher(source).results().toList()) {
                count++;
                Path example = EXAMPLES.resolve(snippet.group(1));
                if (!Files.exists(example)
                        || !Files.readString(example).contains("@start region=\"" + snippet.group(2) + "\"")) {
                    wrong.add(file + ": " + snippet.group());
                }
            }
        }
        assertThat(wrong).isEmpty();
        assertThat(count).isGreaterThan(8);
    }

    @Test
    void documentsHaveNoOtherJavaThanCompiledJava() throws IOException {
        StringBuilder compiled = new StringBuilder();
        for (Path file : files(Path.of("src", "test", "java"), ".java")) {
            compiled.append(squeezed(Files.readString(file))).append('\n');
        }
        List<Path> documents = new ArrayList<>(files(Path.of("docs"), ".md"));
        documents.add(Path.of("README.md"));
        List<String> wrong = new ArrayList<>();
        int count = 0;
        for (Path document : documents) {
            Matcher blocks = BLOCK.matcher(Files.readString(document));
            while (blocks.find()) {
                count++;
                if (compiled.indexOf(squeezed(blocks.group(1))) < 0) {
                    wrong.add(document + ":\n" + blocks.group(1));
                }
            }
        }
        assertThat(wrong).isEmpty();
        assertThat(count).isGreaterThan(1);
    }

    @Test
    void documentsNameFilesThatAreThere() throws IOException {
        List<Path> documents = new ArrayList<>(files(Path.of("docs"), ".md"));
        documents.addAll(List.of(Path.of("README.md"), Path.of("CONTRIBUTING.md"), Path.of("SECURITY.md")));
        List<String> missing = new ArrayList<>();
        for (Path document : documents) {
            NAMED_FILE
                    .matcher(Files.readString(document))
                    .results()
                    .map(MatchResult::group)
                    .filter(name -> !Files.exists(Path.of(name)))
                    .forEach(name -> missing.add(document + ": " + name));
        }
        assertThat(missing).isEmpty();
    }

    /** All that a reader may find fenced code in. */
    private static List<Path> documents() throws IOException {
        List<Path> documents = new ArrayList<>(files(Path.of("docs"), ".md"));
        documents.addAll(files(Path.of("src", "test", "java", "samples"), ".md"));
        documents.addAll(List.of(Path.of("README.md"), Path.of("CONTRIBUTING.md")));
        return documents;
    }

    /** Without it the site shows the code in one pale colour, and cannot tell commands from what they print. */
    @Test
    void fencedCodeNamesItsLanguage() throws IOException {
        List<String> wrong = new ArrayList<>();
        for (Path document : documents()) {
            boolean inside = false;
            for (String line : Files.readAllLines(document)) {
                if (line.strip().startsWith("```")) {
                    if (!inside && !LANGUAGES.contains(line.strip().substring(3))) {
                        wrong.add(document + ": " + line);
                    }
                    inside = !inside;
                }
            }
        }
        assertThat(wrong).isEmpty();
    }

    /** The scripts that documents call are there, and their descriptions know the options. */
    @Test
    void scriptsTakeTheOptionsOfTheDocuments() throws IOException {
        List<String> wrong = new ArrayList<>();
        int count = 0;
        for (Path document : documents()) {
            for (MatchResult call :
                    SCRIPT.matcher(Files.readString(document)).results().toList()) {
                Path script = Path.of(call.group(1));
                count++;
                if (!Files.isExecutable(script)) {
                    wrong.add(document + ": " + script + " is no program");
                    continue;
                }
                String text = Files.readString(script);
                OPTION.matcher(call.group(2).replaceFirst(" (--|#) .*", ""))
                        .results()
                        .map(MatchResult::group)
                        .filter(option -> !text.contains(option))
                        .forEach(option -> wrong.add(document + ": " + script + " has no option " + option));
            }
        }
        assertThat(wrong).isEmpty();
        assertThat(count).isGreaterThan(40);
    }

    private static String squeezed(String text) {
        return text.lines()
                .map(String::strip)
                .filter(line -> !line.isEmpty())
                .reduce("", (all, line) -> all + line + "\n");
    }

    /** Runs until it is interrupted. */
    private static CompletableFuture<Void> start(List<Thread> threads, Runnable work) {
        CompletableFuture<Void> over = new CompletableFuture<>();
        Thread thread = new Thread(() -> {
            try {
                work.run();
                over.complete(null);
            } catch (Throwable t) {
                over.completeExceptionally(t);
            }
        });
        threads.add(thread);
        thread.start();
        return over;
    }

    @Test
    void theServerAndTheClientOfThePackageDescription() throws Exception {
        assertThat(twoClientsOneAfterTheOther(EchoServer::main, EchoClient::main))
                .containsExactly("hello", "4096 bytes", "hello", "4096 bytes");
    }

    @Test
    void theServerAndTheClientOfTheReadme() throws Exception {
        assertThat(twoClientsOneAfterTheOther(HelloServer::main, HelloClient::main))
                .containsExactly("the DPU answers: hello", "the DPU answers: hello");
    }

    /** What the clients print. */
    private static List<String> twoClientsOneAfterTheOther(Consumer<String[]> serverMain, Consumer<String[]> clientMain)
            throws Exception {
        String name = Machine.uniqueName();
        List<Thread> threads = new ArrayList<>();
        CompletableFuture<Void> server = start(threads, () -> serverMain.accept(new String[] {name}));
        PrintStream out = System.out;
        ByteArrayOutputStream printed = new ByteArrayOutputStream();
        System.setOut(new PrintStream(printed, true, StandardCharsets.UTF_8));
        try {
            clientMain.accept(new String[] {name});
            clientMain.accept(new String[] {name}); // the server goes on
        } finally {
            System.setOut(out);
            threads.getFirst().interrupt();
        }
        server.get(20, TimeUnit.SECONDS);
        return printed.toString(StandardCharsets.UTF_8)
                .lines()
                .filter(line -> !line.contains("ready"))
                .toList();
    }

    @Test
    @Needs(Feature.DPA)
    void theKernelInJava() {
        PrintStream out = System.out;
        ByteArrayOutputStream printed = new ByteArrayOutputStream();
        System.setOut(new PrintStream(printed, true, StandardCharsets.UTF_8));
        try {
            KernelInJava.main(new String[] {"1000"});
        } finally {
            System.setOut(out);
        }
        assertThat(printed.toString(StandardCharsets.UTF_8)).isEqualToIgnoringNewLines("1000 answers");
    }

    @Test
    void serverLoopAndSocket() throws Exception {
        Pieces pieces = new Pieces();
        List<Thread> threads = new ArrayList<>();
        CompletableFuture<Void> server = start(threads, pieces::server);
        try (Device host = Device.openHost(Machine.HOST)) {
            assertThat(pieces.socket(host, new byte[] {1, 2})).containsExactly(1, 2);
            assertThat(pieces.eventLoop(host, new byte[] {3})).isTrue();
        } finally {
            pieces.running = false;
        }
        server.get(20, TimeUnit.SECONDS);
    }

    @Test
    void serverSocketAndProgress() throws Exception {
        Pieces pieces = new Pieces();
        List<Thread> threads = new ArrayList<>();
        try (Device host = Device.openHost(Machine.HOST);
                Device dpu = Device.openDpu(Machine.DPU);
                Representor representor = dpu.openRepresentor(Machine.HOST)) {
            CompletableFuture<Void> server = start(threads, () -> pieces.serverSocket(dpu, representor));
            assertThat(pieces.socket(host, new byte[] {5})).containsExactly(5);
            server.get(20, TimeUnit.SECONDS);
        }
        CompletableFuture<Void> loop = start(threads, () -> {
            try (ProgressEngine engine = ProgressEngine.create()) {
                pieces.progress(engine);
            }
        });
        CompletableFuture<Void> idling = start(threads, () -> {
            try (ProgressEngine engine = ProgressEngine.create()) {
                pieces.idle(engine);
            }
        });
        pieces.running = false;
        loop.get(20, TimeUnit.SECONDS);
        idling.get(20, TimeUnit.SECONDS);
    }

    @Test
    void streams() throws Exception {
        Pieces pieces = new Pieces();
        List<Thread> threads = new ArrayList<>();
        String name = Machine.uniqueName();
        int[] count = new int[1];
        CompletableFuture<Void> reader = start(threads, () -> {
            ComchConnection[] connected = new ComchConnection[1];
            try (ProgressEngine engine = ProgressEngine.create();
                    Device dpu = Device.openDpu(Machine.DPU);
                    Representor representor = dpu.openRepresentor(Machine.HOST);
                    ComchServer server = ComchServer.builder(engine, dpu, representor, name)
                            .onConnected(connection -> connected[0] = connection)
                            .start()) {
                Machine.until("a client of " + server, () -> connected[0] != null, engine);
                count[0] = pieces.input(connected[0], engine, ByteBuffer.allocate(1000));
            } catch (IOException e) {
                throw new java.io.UncheckedIOException(e);
            }
        });
        int[] consumer = new int[1];
        try (ProgressEngine engine = ProgressEngine.create();
                Device host = Device.openHost(Machine.HOST);
                ComchClient client = ComchClient.builder(engine, host, name)
                        .onConsumer((connection, id) -> consumer[0] = id)
                        .connect(Machine.PATIENCE)) {
            Machine.until("the reader", () -> consumer[0] != 0, engine);
            pieces.output(client.connection(), engine, consumer[0], ByteBuffer.allocate(300_000));
            reader.get(20, TimeUnit.SECONDS);
        }
        assertThat(count[0]).isEqualTo(300_000);
    }

    @Test
    @Needs(Feature.DMA)
    void dma() {
        try (Machine machine = new Machine();
                MemoryMap theirs = MemoryMap.allocate(machine.host, 4096, Access.PCI_READ_WRITE);
                MemoryMap mine = MemoryMap.allocate(machine.dpu, 4096, Access.LOCAL_READ_WRITE)) {
            theirs.segment().set(ValueLayout.JAVA_BYTE, 4095, (byte) 7);
            byte[] descriptor = theirs.exportPci(machine.host);
            assertThat(new Pieces().dma(machine.engine, machine.dpu, descriptor, mine))
                    .isEqualTo(2);
            assertThat(mine.segment().get(ValueLayout.JAVA_BYTE, 4095)).isEqualTo((byte) 7);
        }
    }

    @Test
    void poolFaultsAndManagement() throws Exception {
        Pieces pieces = new Pieces();
        ObjectName beans = new ObjectName("io.github.comch4j:*");
        try (Machine machine = new Machine()) {
            ComchServer server = machine.server().start();
            ComchClient client = machine.client().connect(Machine.PATIENCE);
            machine.until("the connection", () -> !server.connections().isEmpty());
            MemoryMap memory = MemoryMap.allocate(machine.host, 64 * 4096, Access.PCI_READ_WRITE);
            MemoryMap target = MemoryMap.allocate(machine.dpu, 4096, Access.PCI_READ_WRITE);
            int id = server.connections()
                    .iterator()
                    .next()
                    .consumer(machine.engine, target)
                    .buffers(1, 4096)
                    .start(Machine.PATIENCE)
                    .id();
            machine.until("the consumer is known", () -> client.connection().remoteConsumers().length == 1);
            ComchProducer producer =
                    client.connection().producer(machine.engine).releaseSent().start();
            assertThat(pieces.pool(memory, producer, id, "text")).isTrue();
            boolean[] done = new boolean[1];
            pieces.management(() -> done[0] = !ManagementFactory.getPlatformMBeanServer()
                    .queryNames(beans, null)
                    .isEmpty());
            assertThat(done[0]).isTrue();
            assertThat(ManagementFactory.getPlatformMBeanServer().queryNames(beans, null))
                    .isEmpty();
            MeterRegistry registry = new SimpleMeterRegistry();
            pieces.metrics(registry);
            assertThat(registry.getMeters()).as("when it is closed").isEmpty();
            pieces.faults(() -> client.connection().send(new byte[1]));
        }
    }

    @Test
    void labels() throws Exception {
        Pieces pieces = new Pieces();
        String name = Machine.uniqueName();
        CompletableFuture<Integer> told = new CompletableFuture<>();
        CompletableFuture<Void> found = new CompletableFuture<>();
        List<Thread> threads = new ArrayList<>();
        CompletableFuture<Void> server = start(threads, () -> {
            try (ProgressEngine engine = ProgressEngine.create();
                    Device dpu = Device.openDpu(Machine.DPU);
                    Representor representor = dpu.openRepresentor(Machine.HOST);
                    ComchServer running = ComchServer.builder(engine, dpu, representor, name)
                            .onConnected(connection -> told.complete(pieces.label(connection, engine)))
                            .start()) {
                Machine.until("the client of " + running, found::isDone, engine);
            }
        });
        try (ProgressEngine engine = ProgressEngine.create();
                Device host = Device.openHost(Machine.HOST)) {
            assertThat(pieces.labelled(engine, host, name)).isEqualTo(told.get(20, TimeUnit.SECONDS));
        } finally {
            found.complete(null);
        }
        server.get(20, TimeUnit.SECONDS);
    }

    @Test
    void slotsAndRecords() throws Exception {
        Pieces pieces = new Pieces();
        List<Thread> threads = new ArrayList<>();
        String name = Machine.uniqueName();
        long[] prices = LongStream.rangeClosed(1, 1000).toArray();
        long[] sums = new long[3];
        CompletableFuture<Void> reader = start(threads, () -> {
            ComchConnection[] connected = new ComchConnection[1];
            try (ProgressEngine engine = ProgressEngine.create();
                    Device dpu = Device.openDpu(Machine.DPU);
                    Representor representor = dpu.openRepresentor(Machine.HOST);
                    ComchServer server = ComchServer.builder(engine, dpu, representor, name)
                            .onMessage((connection, message) -> pieces.running = false)
                            .onConnected(connection -> connected[0] = connection)
                            .start()) {
                Machine.until("a client of " + server, () -> connected[0] != null, engine);
                sums[0] = pieces.poll(connected[0], engine, Machine.PATIENCE);
                pieces.running = true;
                try (SlotConsumer consumer =
                        connected[0].slotConsumer(engine, 4096).tasks(4).start(Machine.PATIENCE)) {
                    sums[1] = pieces.recordsRead(consumer);
                }
                pieces.running = true;
                try (SlotConsumer consumer =
                        connected[0].slotConsumer(engine, 64).tasks(64).start(Machine.PATIENCE)) {
                    sums[2] = pieces.pollRows(consumer);
                }
            }
        });
        List<Integer> consumers = new ArrayList<>();
        try (ProgressEngine engine = ProgressEngine.create();
                Device host = Device.openHost(Machine.HOST);
                ComchClient client = ComchClient.builder(engine, host, name)
                        .onConsumer((connection, id) -> consumers.add(id))
                        .connect(Machine.PATIENCE)) {
            Machine.until("the slots", () -> consumers.size() == 1, engine);
            assertThat(pieces.slots(client.connection(), engine, consumers.get(0), prices))
                    .isEqualTo(1000);
            client.connection().send(new byte[1]);
            Machine.until("the slots for records", () -> consumers.size() == 2, engine);
            try (SlotProducer producer =
                    client.connection().slotProducer(engine, 4096).tasks(4).start()) {
                assertThat(pieces.recordsWrite(producer, consumers.get(1), prices))
                        .isEqualTo(1000);
                Machine.until("all are sent", () -> producer.inFlight() == 0, engine);
            }
            client.connection().send(new byte[1]);
            Machine.until("the slots for rows", () -> consumers.size() == 3, engine);
            try (SlotProducer producer = client.connection()
                    .slotProducer(engine, 64)
                    .tasks(32)
                    .roundRobin()
                    .start()) {
                assertThat(pieces.slotsMany(producer, engine, consumers.get(2), prices))
                        .isEqualTo(1000);
                Machine.until("all are sent", () -> producer.flush() && producer.inFlight() == 0, engine);
            }
            client.connection().send(new byte[1]);
            reader.get(20, TimeUnit.SECONDS);
        }
        assertThat(sums).containsExactly(500_500, 500_500, 500_500);
    }
}
