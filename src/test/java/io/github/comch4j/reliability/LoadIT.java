package io.github.comch4j.reliability;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.comch4j.Machine;
import io.github.comch4j.comch.ComchServer;
import io.github.comch4j.core.Device;
import io.github.comch4j.core.ProgressEngine;
import io.github.comch4j.reliability.Ledger.Entry;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * 256 clients in eight processes, every other one in a container where there is a Docker engine, and one server:
 * everything that it can take, in both directions, on both paths. {@code -Dreliability.seconds=600
 * -Dreliability.seed=…}.
 */
@Tag("reliability")
class LoadIT {
    private static final int PROCESSES = Integer.getInteger("reliability.processes", 8);
    /** Of each process. */
    private static final int CLIENTS = 32;

    private static final long SECOND = 1_000_000_000L;

    /** Memory is flat if it grows by less than this from the first to the last quarter of the later part of the run. */
    private static final double FLAT_MIB = 16;

    private static final String SHARED = "shared with the server";
    /** A run of so many seconds shows whether memory is flat. */
    private static final int SETTLED = 40;
    /** In a shorter one the JVMs of a busy machine are still warming up: from 130 to the 156 MiB that they stay at. */
    private static final double WARMING_UP_MIB = 40;

    @TempDir
    Path temporary;

    private final List<Traffic> open = new ArrayList<>();
    private final Map<String, Samples> memory = new TreeMap<>();
    /**
     * The control path has an engine of its own: an engine goes round its contexts, and this server alone has 256
     * connections.
     */
    private ProgressEngine control;

    private ProgressEngine data;

    private void live() {
        boolean worked = control.progress(256) + data.progress(256) > 0;
        for (Traffic traffic : open) {
            if (traffic.isOver()) {
                continue;
            }
            if (!traffic.hasTriedFastPath()) {
                traffic.openFastPath();
            }
            if (traffic.controlTotal == Traffic.UNKNOWN) {
                worked |= traffic.step();
            } else {
                traffic.finish(); // the client is at its end, and waits for this one's totals
            }
        }
        if (!worked) {
            LockSupport.parkNanos(20_000);
        }
    }

    private void until(String what, long seconds, BooleanSupplier condition) {
        long deadline = System.nanoTime() + seconds * SECOND;
        while (!condition.getAsBoolean()) {
            live();
            if (System.nanoTime() - deadline > 0) {
                open.forEach(traffic -> System.out.println("load: " + traffic));
                throw new AssertionError("gave up waiting for " + what);
            }
        }
    }

    private long[] received(Entry entry) {
        return open.stream().mapToLong(traffic -> traffic.ledger.get(entry)).toArray();
    }

    /** Jain's index: 1 if all have the same, 1/n if one has everything. */
    private static String fairness(long[] all, IntPredicate which) {
        long[] counts = IntStream.range(0, all.length)
                .filter(which)
                .mapToLong(index -> all[index])
                .toArray();
        double sum = Arrays.stream(counts).sum();
        double squares = Arrays.stream(counts)
                .mapToDouble(count -> (double) count * count)
                .sum();
        long[] sorted = counts.clone();
        Arrays.sort(sorted);
        return String.format(
                "%d to %d a client, median %d, Jain's index %.3f",
                sorted[0], sorted[sorted.length - 1], sorted[sorted.length / 2], sum * sum / (counts.length * squares));
    }

    /**
     * One of two runs gave up when the send tasks of a server were one pool, with all of them in flight and some
     * clients at 28 messages where others had 984. That the pool was the cause is inferred from these counts, not
     * shown; how often a run gives up where each connection has its share has not been measured.
     */
    @Test
    void aFullServerServesEverybody() throws IOException {
        Machine.useEmulation();
        int seconds = Integer.getInteger("reliability.seconds", 10);
        long seed = Long.getLong("reliability.seed", new Random().nextLong(1_000_000_000));
        Path fabric = System.getenv("DOCA_EMU_DIR") == null ? null : Path.of(System.getenv("DOCA_EMU_DIR"));
        Path folder = Ledger.folder(fabric, temporary);
        boolean containers = VictimProcess.canUseContainers(fabric);
        String name = Machine.uniqueName();
        Random random = new Random(seed);
        System.out.println("load: " + PROCESSES * CLIENTS + " clients for " + seconds + " s, " + CLIENTS + " each in "
                + PROCESSES + " processes, " + (containers ? "every other one in a container" : "no containers")
                + ", seed " + seed);
        List<VictimProcess> processes = new ArrayList<>();
        Resources before = Resources.now();
        try (ProgressEngine controlEngine = ProgressEngine.create();
                ProgressEngine dataEngine = ProgressEngine.create();
                Device dpu = Device.openDpu(Machine.DPU)) {
            control = controlEngine;
            data = dataEngine;
            ComchServer server = ComchServer.builder(controlEngine, dpu, dpu.openRepresentor(Machine.HOST), name)
                    .sendTasks(8192)
                    .onHandlerFailed(Machine::rethrow)
                    .onConnected(connection -> open.add(new Traffic(
                            connection,
                            dataEngine,
                            dpu,
                            0,
                            Ledger.ofOwn(),
                            new Random(random.nextLong()),
                            () -> connection.endpoint().inFlight(),
                            LoadClients.BUFFERS,
                            LoadClients.MAX_PAYLOAD)))
                    .onMessage((connection, message) ->
                            connection.attachment(Traffic.class).received(message))
                    .onConsumer((connection, id) ->
                            connection.attachment(Traffic.class).consumerChanged(id))
                    .onConsumerExpired((connection, id) ->
                            connection.attachment(Traffic.class).consumerChanged(0))
                    .onDisconnected(
                            connection -> connection.attachment(Traffic.class).ended())
                    .onSendFailed((connection, error) -> {})
                    .start();
            for (int i = 1; i <= PROCESSES; i++) {
                String[] arguments = {name, Integer.toString(CLIENTS)};
                processes.add(
                        containers && i % 2 == 0
                                ? VictimProcess.startContainer(
                                        i, folder, fabric, VictimProcess.STEADY_HEAP, LoadClients.class, arguments)
                                : VictimProcess.start(
                                        i, folder, VictimProcess.STEADY_HEAP, LoadClients.class, arguments));
            }
            processes.forEach(process -> process.order(Ledger.CLIENT, random.nextLong()));
            until(
                    "all clients",
                    120,
                    () -> open.size() == PROCESSES * CLIENTS
                            && processes.stream().allMatch(process -> process.phase() == Ledger.FAST));
            until(
                    "the first payload of each",
                    120,
                    () -> Arrays.stream(received(Entry.FAST_RECEIVED)).allMatch(count -> count > 0));
            Figures start = new Figures();
            long began = System.nanoTime();
            long warm = began + Math.min(60, seconds / 2) * SECOND;
            long over = began + seconds * SECOND;
            until("time", seconds + 60, () -> System.nanoTime() - warm > 0);
            long heapBefore = usedHeapKiB();
            while (System.nanoTime() - over < 0) {
                memory("of the server", Resources.privateKiB());
                memory(SHARED, Resources.sharedKiB());
                processes.forEach(process -> memory(process.toString(), process.ledger.get(Entry.PRIVATE_KIB)));
                long next = System.nanoTime() + SECOND / 4;
                until("time", 60, () -> System.nanoTime() - next > 0);
            }
            Figures end = new Figures();
            double took = (System.nanoTime() - began) / 1e9;
            double heapGrowthMiB = (usedHeapKiB() - heapBefore) / 1024.0;
            processes.forEach(process -> process.command(Ledger.FINISH));
            until(
                    "a good end of all clients",
                    120,
                    () -> open.stream().allMatch(traffic -> traffic.isOver() && traffic.isDrained()));
            until("the end of all processes", 60, () -> processes.stream().noneMatch(VictimProcess::isAlive));
            System.out.printf(
                    "load: %.0f messages/s and %.0f payloads/s came in, %.0f and %.0f went out%n",
                    start.messagesTo(end) / took,
                    start.payloadsTo(end) / took,
                    (end.messagesOut - start.messagesOut) / took,
                    (end.payloadsOut - start.payloadsOut) / took);
            System.out.println("load: messages: " + fairness(difference(start.messages, end.messages), index -> true));
            System.out.println("load: payloads: " + fairness(difference(start.payloads, end.payloads), index -> true));
            if (containers) {
                System.out.println("load: payloads of processes: "
                        + fairness(difference(start.payloads, end.payloads), index -> !inContainer(index)));
                System.out.println("load: payloads of containers: "
                        + fairness(difference(start.payloads, end.payloads), this::inContainer));
            }
            System.out.println(
                    "load: the server had no room for a message " + end.refusedMessages + " times, for a payload "
                            + end.refusedPayloads + " times; clients " + sum(processes, Entry.REFUSED_MESSAGES)
                            + " and " + sum(processes, Entry.REFUSED_PAYLOADS) + " times");
            memory.forEach((whose, samples) -> System.out.println("load: memory " + whose + ": " + samples));
            System.out.printf("load: Java heap of the server in use: growth %.1f MiB%n", heapGrowthMiB);
            for (Traffic traffic : open) {
                assertThat(traffic.errors).as("seed " + seed).isEmpty();
                assertThat(traffic.gaps).as("seed " + seed).isEmpty();
                assertThat(traffic.failedReceives()).isZero();
                assertThat(traffic.hasEverything())
                        .as("all that client " + traffic.peer + " has sent")
                        .isTrue();
                traffic.close();
            }
            assertThat(processes).allSatisfy(process -> {
                assertThat(process.ledger.get(Entry.ERRORS)).isZero();
                assertThat(process.exitCode()).isZero();
                assertThat(process.ledger.get(Entry.REFUSED_MESSAGES))
                        .as("back-pressure")
                        .isPositive();
                assertThat(process.ledger.get(Entry.REFUSED_PAYLOADS))
                        .as("back-pressure")
                        .isPositive();
            });
            assertThat(difference(start.payloads, end.payloads))
                    .as("nobody starves")
                    .doesNotContain(0);
            assertThat(difference(start.messages, end.messages))
                    .as("nobody starves")
                    .doesNotContain(0);
            assertThat(end.refusedMessages).as("back-pressure").isPositive();
            assertThat(end.refusedPayloads).as("back-pressure").isPositive();
            if (seconds < SETTLED) {
                memory.remove(SHARED); // pages of message rings are given back after a while
            }
            assertThat(memory)
                    .allSatisfy((whose, samples) -> assertThat(samples.growthMiB())
                            .as("growth of the memory " + whose)
                            .isLessThan(seconds < SETTLED ? WARMING_UP_MIB : FLAT_MIB));
            assertThat(heapGrowthMiB).as("growth of the Java heap in use").isLessThan(FLAT_MIB);
            server.close();
        } finally {
            processes.forEach(VictimProcess::kill);
            processes.forEach(VictimProcess::forget);
        }
        assertThat(Resources.now()).isEqualTo(before);
    }

    private void memory(String whose, long kib) {
        memory.computeIfAbsent(whose, key -> new Samples()).add(kib);
    }

    /** Whether the client with this index is one of a container's. */
    private boolean inContainer(int index) {
        return open.get(index).peer / 1000 % 2 == 0;
    }

    private static long sum(List<VictimProcess> processes, Entry entry) {
        return processes.stream()
                .mapToLong(process -> process.ledger.get(entry))
                .sum();
    }

    /** What remains of the Java heap after a collection: the heap itself has its full size from the beginning. */
    private static long usedHeapKiB() {
        System.gc();
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed() / 1024;
    }

    private static long[] difference(long[] from, long[] to) {
        long[] difference = new long[from.length];
        Arrays.setAll(difference, i -> to[i] - from[i]);
        return difference;
    }

    /** A look at all counters. */
    private final class Figures {
        final long[] messages = received(Entry.CONTROL_RECEIVED);
        final long[] payloads = received(Entry.FAST_RECEIVED);
        final long messagesOut = Arrays.stream(received(Entry.CONTROL_ACCEPTED)).sum();
        final long payloadsOut = Arrays.stream(received(Entry.FAST_SUBMITTED)).sum();
        final long refusedMessages =
                open.stream().mapToLong(traffic -> traffic.refusedMessages).sum();
        final long refusedPayloads =
                open.stream().mapToLong(traffic -> traffic.refusedPayloads).sum();

        long messagesTo(Figures end) {
            return Arrays.stream(end.messages).sum() - Arrays.stream(messages).sum();
        }

        long payloadsTo(Figures end) {
            return Arrays.stream(end.payloads).sum() - Arrays.stream(payloads).sum();
        }
    }
}
