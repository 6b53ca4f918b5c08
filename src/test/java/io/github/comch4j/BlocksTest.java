package io.github.comch4j;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import examples.BlockClient;
import examples.BlockServer;
import io.github.comch4j.comch.ComchClient;
import io.github.comch4j.core.Access;
import io.github.comch4j.core.Device;
import io.github.comch4j.core.MemoryMap;
import io.github.comch4j.core.ProgressEngine;
import io.github.comch4j.core.Representor;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The cookbook's block transfer: the server on a thread of its own, clients on that of the test. */
@Timeout(60)
class BlocksTest {
    private static final int SIZE = 1 << 20;

    private final String name = Machine.uniqueName();
    private final CompletableFuture<Void> ready = new CompletableFuture<>();
    private final CompletableFuture<Void> over = new CompletableFuture<>();
    private final AtomicInteger clients = new AtomicInteger();
    private final Map<Long, Boolean> done = new HashMap<>();
    private Path path;
    private Thread server;
    private ProgressEngine engine;
    private Device device;
    private MemoryMap source;
    private MemoryMap target;

    @TempDir
    private Path folder;

    @BeforeEach
    void open() {
        Machine.useEmulation();
        path = folder.resolve("blocks");
        engine = ProgressEngine.create();
        device = Device.openHost(Machine.HOST);
        source = MemoryMap.allocate(device, SIZE, Access.PCI_READ_ONLY);
        target = MemoryMap.allocate(device, SIZE, Access.LOCAL_READ_WRITE, Access.PCI_READ_WRITE);
        byte[] random = new byte[SIZE];
        new Random(1).nextBytes(random);
        source.segment().copyFrom(MemorySegment.ofArray(random));
    }

    @AfterEach
    void close() throws Exception {
        engine.close();
        device.close();
        server.interrupt();
        over.get(20, TimeUnit.SECONDS);
    }

    private void serve(int depth) throws Exception {
        server = new Thread(() -> {
            try (Arena arena = Arena.ofConfined();
                    FileChannel channel = FileChannel.open(
                            path, StandardOpenOption.READ, StandardOpenOption.WRITE, StandardOpenOption.CREATE);
                    ProgressEngine own = ProgressEngine.create();
                    Device dpu = Device.openDpu(Machine.DPU);
                    Representor function = dpu.openRepresentor(Machine.HOST);
                    BlockServer blocks = new BlockServer(
                            own,
                            dpu,
                            function,
                            name,
                            channel.map(FileChannel.MapMode.READ_WRITE, 0, SIZE, arena),
                            depth)) {
                ready.complete(null);
                while (!Thread.interrupted()) {
                    blocks.progress();
                    clients.set(blocks.clients());
                }
                over.complete(null);
            } catch (Throwable t) {
                ready.completeExceptionally(t);
                over.completeExceptionally(t);
            }
        });
        server.start();
        ready.get(20, TimeUnit.SECONDS);
    }

    private BlockClient client(int depth) {
        return new BlockClient(
                engine, device, name, target, depth, (request, intact) -> done.put(request, intact), Machine.PATIENCE);
    }

    private static void finish(BlockClient client) {
        while (client.open() > 0) {
            client.progress();
        }
    }

    private byte[] file() throws Exception {
        return Files.readAllBytes(path);
    }

    private static byte[] bytes(MemoryMap map) {
        return map.segment().toArray(ValueLayout.JAVA_BYTE);
    }

    @ParameterizedTest
    @CsvSource({"1, 1, 65536", "4, 4, 4096", "32, 32, 5000", "32, 2, 100000", "2, 32, 1048576", "16, 16, 1000"})
    void whatIsWrittenIsInTheFileAndComesBack(int clientDepth, int serverDepth, int block) throws Exception {
        serve(serverDepth);
        long requests = 0;
        try (BlockClient client = client(clientDepth)) {
            for (int at = 0; at < SIZE; at += block) {
                while (!client.tryWrite(requests, at, source, at, Math.min(block, SIZE - at))) {
                    client.progress();
                }
                assertThat(client.open()).isLessThanOrEqualTo(clientDepth);
                requests++;
            }
            finish(client);
            assertThat(file()).isEqualTo(bytes(source));
            for (int at = 0; at < SIZE; at += block) {
                while (!client.tryRead(requests, at, at, Math.min(block, SIZE - at))) {
                    client.progress();
                }
                requests++;
            }
            finish(client);
        }
        assertThat(bytes(target)).isEqualTo(bytes(source));
        assertThat(done)
                .hasSize((int) requests)
                .allSatisfy((request, intact) -> assertThat(intact).isTrue());
    }

    @Test
    void readsAndWritesMixAndRangesThatAreNoneFailAlone() throws Exception {
        serve(4);
        try (BlockClient client = client(8)) {
            assertThat(client.tryWrite(1, 0, source, 0, 1000)).isTrue();
            assertThat(client.tryRead(2, SIZE - 10, 0, 11)).isTrue(); // ends behind the file
            assertThat(client.tryRead(3, -1, 0, 10)).isTrue();
            assertThat(client.tryWrite(4, SIZE, source, 0, 1)).isTrue();
            assertThat(client.tryWrite(5, Long.MAX_VALUE, source, 0, 10)).isTrue();
            assertThat(client.tryWrite(6, SIZE - 24, source, 1000, 24)).isTrue();
            assertThat(client.tryRead(7, SIZE - 100, 100, 50)).isTrue();
            finish(client);
            assertThat(client.tryRead(8, SIZE - 24, 200, 24)).isTrue();
            assertThat(client.tryRead(9, 0, 1000, 1000)).isTrue();
            finish(client);
        }
        assertThat(done)
                .containsExactlyInAnyOrderEntriesOf(Map.of(
                        1L, true, 2L, false, 3L, false, 4L, false, 5L, false, 6L, true, 7L, true, 8L, true, 9L, true));
        assertThat(target.segment().asSlice(200, 24).mismatch(source.segment().asSlice(1000, 24)))
                .isEqualTo(-1);
        assertThat(target.segment()
                        .asSlice(1000, 1000)
                        .mismatch(source.segment().asSlice(0, 1000)))
                .isEqualTo(-1);
    }

    @Test
    void dataThatAreNotWhatTheChecksumSaysAreReported() throws Exception {
        serve(4);
        try (BlockClient client = client(4)) {
            assertThat(client.tryWrite(1, 0, source, 0, 4096)).isTrue();
            source.segment()
                    .set(ValueLayout.JAVA_BYTE, 17, (byte) ~source.segment().get(ValueLayout.JAVA_BYTE, 17));
            assertThat(client.tryWrite(2, 4096, source, 4096, 4096)).isTrue();
            finish(client);
        }
        assertThat(done).containsExactlyInAnyOrderEntriesOf(Map.of(1L, false, 2L, true));
    }

    /** A message of another length, one of no kind, and a grant, which is the server's to give. */
    @ParameterizedTest
    @CsvSource({"3, 0", "32, 99", "32, 0", "32, 3"})
    void aPeerThatSpeaksSomethingElseLosesItsConnectionAndNobodyElseDoes(int length, int kind) throws Exception {
        byte[] message = new byte[length];
        message[0] = (byte) kind;
        serve(4);
        boolean[] gone = new boolean[1];
        try (BlockClient client = client(4);
                ComchClient stranger = ComchClient.builder(engine, device, name)
                        .onDisconnected(connection -> gone[0] = true)
                        .connect(Machine.PATIENCE)) {
            stranger.connection().send(message);
            Machine.until("the end of the stranger", () -> gone[0], engine);
            assertThat(client.tryWrite(1, 0, source, 0, SIZE)).isTrue();
            finish(client);
            assertThat(file()).isEqualTo(bytes(source));
            assertThat(clients).hasValue(1);
        }
    }

    @Test
    void aClientLearnsThatItsServerHasGone() throws Exception {
        serve(4);
        try (BlockClient client = client(4)) {
            server.interrupt();
            over.get(20, TimeUnit.SECONDS);
            assertThatThrownBy(() -> {
                        client.tryRead(1, 0, 0, 1000);
                        finish(client);
                    })
                    .hasMessageMatching("(?s).*(has gone|has ended|closed).*");
        }
    }
}
