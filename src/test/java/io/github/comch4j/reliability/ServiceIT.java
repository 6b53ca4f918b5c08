package io.github.comch4j.reliability;

import static org.assertj.core.api.Assertions.assertThat;

import examples.service.Client;
import examples.service.Service;
import io.github.comch4j.ChildVm;
import io.github.comch4j.ChildVms;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/**
 * The program of docs/service.md under kills, stops and restarts: what was acknowledged is in the journal, once, and a
 * subscriber sees each change once. {@code -Dservice.seconds=1200} for the long form.
 */
class ServiceIT {
    private static final long SECONDS = Long.getLong("service.seconds", 180);
    private static final long PATIENCE_SECONDS = 120;
    private static final int RECORD = 48;

    @RegisterExtension
    private final ChildVms children = new ChildVms();

    @TempDir
    private Path folder;

    private Path fabric;
    private ChildVm server;
    private ChildVm follower;

    /** By session. */
    private final Map<Long, ChildVm> writers = new HashMap<>();

    @BeforeEach
    void ownFabric() throws IOException {
        fabric = Files.createTempDirectory(Path.of("/dev/shm"), "service");
    }

    @AfterEach
    void removeFabric() throws IOException {
        children.closeAll();
        try (Stream<Path> files = Files.walk(fabric)) {
            for (Path file : files.sorted((a, b) -> b.compareTo(a)).toList()) {
                Files.deleteIfExists(file);
            }
        }
    }

    private ChildVm start(Class<?> program, String... arguments) throws IOException {
        return children.start(folder, Map.of("DOCA_EMU_DIR", fabric.toString()), program, arguments);
    }

    private ChildVm startServer() throws IOException {
        return start(Service.class, folder.toString());
    }

    private void begin() throws Exception {
        server = startServer().awaitOutput("ready");
        follower = start(Client.class, "follow");
        startWriter();
        startWriter();
    }

    private long startWriter() throws IOException {
        long session = writers.size() + 1L;
        writers.put(session, start(Client.class, "add", Long.toString(session)));
        return session;
    }

    private void restartAfterKill() throws Exception {
        server.kill();
        server = startServer().awaitOutput("ready");
    }

    /** The next one is there before this one ends. */
    private void restartAfterTerm() throws Exception {
        ChildVm next = startServer();
        server.terminate();
        server.awaitEnd();
        server = next.awaitOutput("ready");
    }

    private static void signal(ChildVm child, String signal) throws Exception {
        int status = new ProcessBuilder(
                        "kill", "-" + signal, Long.toString(child.handle().pid()))
                .start()
                .waitFor();
        assertThat(status).isZero();
    }

    private void freeze(ChildVm child, long millis) throws Exception {
        signal(child, "STOP");
        Thread.sleep(millis);
        signal(child, "CONT");
    }

    private long records() throws IOException {
        return Files.size(folder.resolve("journal")) / RECORD;
    }

    private void awaitMore(int count) throws Exception {
        long goal = records() + count;
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
        while (records() < goal) {
            assertThat(System.nanoTime()).as("%s of %s", records(), goal).isLessThan(deadline);
            Thread.sleep(5);
        }
    }

    /** Whole lines only: a killed program may have written a part of its last one. */
    private static List<long[]> numbers(String out, String word) {
        return out.substring(0, out.lastIndexOf('\n') + 1)
                .lines()
                .filter(line -> line.startsWith(word))
                .map(line -> Stream.of(line.substring(word.length()).split(" "))
                        .mapToLong(Long::parseLong)
                        .toArray())
                .toList();
    }

    /** Ends the writers, waits for the subscriber, and compares what all have seen with the journal. */
    private long check() throws Exception {
        for (ChildVm writer : writers.values()) {
            writer.kill();
        }
        server.terminate();
        server.awaitEnd();
        server = startServer().awaitOutput("ready"); // with what the last calls have left, and nothing to come
        long last = records();
        follower.awaitOutput("change " + last + " ");

        ByteBuffer journal = ByteBuffer.wrap(Files.readAllBytes(folder.resolve("journal")));
        Map<Long, List<Long>> sequences = new HashMap<>(); // of each session, by its numbers
        List<long[]> changes = new ArrayList<>();
        for (int i = 0; i < last; i++) {
            long session = journal.getLong(i * RECORD + 8);
            List<Long> own = sequences.computeIfAbsent(session, _ -> new ArrayList<>());
            own.add(i + 1L);
            assertThat(journal.getLong(i * RECORD)).isEqualTo(i + 1L);
            assertThat(journal.getLong(i * RECORD + 16))
                    .as("of session %s", session)
                    .isEqualTo(own.size());
            changes.add(new long[] {i + 1L, session, own.size()});
        }
        long acknowledged = 0;
        for (Map.Entry<Long, ChildVm> writer : writers.entrySet()) {
            List<Long> own = sequences.getOrDefault(writer.getKey(), List.of());
            for (long[] answer : numbers(writer.getValue().out(), "")) {
                assertThat(answer[0]).as("acknowledged to %s", writer.getKey()).isLessThanOrEqualTo(own.size());
                assertThat(answer[1]).isEqualTo(own.get((int) answer[0] - 1));
                acknowledged++;
            }
        }
        String seen = follower.out();
        long at = -1;
        for (String line : seen.substring(0, seen.lastIndexOf('\n')).lines().toList()) {
            if (line.startsWith("snapshot ")) {
                long[] snapshot = numbers(line + "\n", "snapshot ").getFirst();
                assertThat(snapshot[0]).as("a later state").isGreaterThanOrEqualTo(at);
                assertThat(snapshot[1]).as("each change of 1 once").isEqualTo(snapshot[0]);
                at = snapshot[0];
            } else {
                long[] change = numbers(line + "\n", "change ").getFirst();
                assertThat(change[0]).as("neither gap nor double").isEqualTo(at + 1);
                assertThat(change).isEqualTo(changes.get((int) at));
                at++;
            }
        }
        assertThat(at).isEqualTo(last);
        assertThat(acknowledged).isPositive();
        return acknowledged;
    }

    @Test
    @Timeout(300)
    void nothingIsLostAndNothingComesTwice() throws Exception {
        begin();
        awaitMore(200);
        restartAfterKill();
        awaitMore(200);
        freeze(follower, 300);
        restartAfterTerm();
        awaitMore(200);
        ChildVm health = start(Client.class, "health");
        health.assertSuccess();
        assertThat(health.out()).contains("healthy, ", " fsyncs");
        assertThat(folder.resolve("ready"))
                .hasContent(Long.toString(server.handle().pid()));
        check();
    }

    @Test
    @Tag("reliability")
    @Timeout(3000)
    void killedAndFrozenAgainAndAgain() throws Exception {
        begin();
        awaitMore(100);
        long files = files();
        long seed = System.nanoTime();
        Random random = new Random(seed);
        int[] count = new int[5];
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS);
        long writer = 1;
        while (System.nanoTime() < end) {
            int what = random.nextInt(count.length);
            count[what]++;
            switch (what) {
                case 0 -> restartAfterKill();
                case 1 -> restartAfterTerm();
                case 2 -> freeze(server, random.nextInt(3000));
                case 3 -> freeze(follower, random.nextInt(6000));
                default -> {
                    writers.get(writer).kill();
                    writer = startWriter();
                }
            }
            awaitMore(50 + random.nextInt(200));
        }
        assertThat(files()).as("open files of the subscriber").isLessThanOrEqualTo(files + 8);
        System.out.printf(
                "service: %d acknowledged, %d kills, %d restarts, %d frozen servers, %d frozen subscribers,"
                        + " %d killed writers, seed %d%n",
                check(), count[0], count[1], count[2], count[3], count[4], seed);
    }

    private long files() throws IOException {
        try (Stream<Path> open =
                Files.list(Path.of("/proc", Long.toString(follower.handle().pid()), "fd"))) {
            return open.count();
        }
    }
}
