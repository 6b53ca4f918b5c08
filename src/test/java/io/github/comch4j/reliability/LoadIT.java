package io.github.comch4j.reliability;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.comch4j.Machine;
import io.github.comch4j.comch.ComchServer;
import io.github.comch4j.core.Device;
import io.github.comch4j.core.Devices;
import io.github.comch4j.core.ProgressEngine;
import io.github.comch4j.reliability.Ledger.Entry;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * 256 clients in eight processes, two of them in containers where there is a Docker engine, and one server: everything that it can take, in both
 * directions, on both paths. {@code -Dreliability.seconds=600 -Dreliability.seed=…}.
 */
@Tag("reliability")
class LoadIT {
    private static final int PROCESSES = Integer.getInteger("reliability.processes", 8);
    /** Of each process. */
    private static final int CLIENTS = 32;
    private static final long SECOND = 1_000_000_000L;

    @TempDir
    Path folder;

    private final List<Traffic> open = new ArrayList<>();
    /** The control path has an engine of its own: an engine goes round its contexts, and this server alone has 256 connections. */
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
    private static String fairness(long[] counts) {
        double sum = Arrays.stream(counts).sum();
        double squares = Arrays.stream(counts).mapToDouble(count -> (double) count * count).sum();
        long[] sorted = counts.clone();
        Arrays.sort(sorted);
        return String.format("%d to %d a client, median %d, Jain's index %.3f", sorted[0], sorted[sorted.length - 1], sorted[sorted.length / 2],
                sum * sum / (counts.length * squares));
    }

    @Test
    void aFullServerServesEverybody() {
        Machine.useEmulation();
        int seconds = Integer.getInteger("reliability.seconds", 10);
        long seed = Long.getLong("reliability.seed", new Random().nextLong(1_000_000_000));
        String fabric = System.getenv("DOCA_EMU_DIR");
        boolean containers = fabric != null && !System.getenv().getOrDefault("COMCH4J_TEST_IMAGE", "").isEmpty() && System.getenv("COMCH4J_NO_CONTAINERS") == null;
        String name = Machine.uniqueName();
        Random random = new Random(seed);
        System.out.println("load: " + PROCESSES * CLIENTS + " clients for " + seconds + " s, seed " + seed + (containers ? "" : ", no containers"));
        List<VictimProcess> processes = new ArrayList<>();
        Resources before = Resources.now();
        try (ProgressEngine controlEngine = ProgressEngine.create(); ProgressEngine dataEngine = ProgressEngine.create();
             Device dpu = Devices.openDpu(Machine.DPU)) {
            control = controlEngine;
            data = dataEngine;
            ComchServer server = ComchServer.builder(controlEngine, dpu, dpu.openRepresentor(Machine.HOST), name).sendTasks(8192)
                    .onConnected(connection -> open.add(new Traffic(connection, dataEngine, dpu, 0, Ledger.ofOwn(), new Random(random.nextLong()),
                            () -> connection.endpoint().inFlight(), LoadClients.BUFFERS, LoadClients.MAX_PAYLOAD)))
                    .onMessage((connection, message) -> ((Traffic) connection.attachment()).received(message))
                    .onConsumer((connection, id, state) -> ((Traffic) connection.attachment()).consumerChanged(id, state))
                    .onDisconnected(connection -> ((Traffic) connection.attachment()).ended())
                    .onSendFailed((connection, error) -> { })
                    .start();
            for (int i = 0; i < PROCESSES; i++) {
                String[] arguments = {name, Integer.toString(CLIENTS)};
                processes.add(containers && i < 2 ? VictimProcess.startContainer(i + 1, folder, Path.of(fabric), LoadClients.class, arguments)
                        : VictimProcess.start(i + 1, folder, LoadClients.class, arguments));
            }
            processes.forEach(process -> process.order(Ledger.CLIENT, random.nextLong()));
            until("all clients", 120, () -> open.size() == PROCESSES * CLIENTS && processes.stream().allMatch(process -> process.phase() == Ledger.FAST));
            until("the first payload of each", 120, () -> Arrays.stream(received(Entry.FAST_RECEIVED)).allMatch(count -> count > 0));
            Figures start = new Figures();
            long began = System.nanoTime();
            long warm = began + Math.min(60, seconds / 2) * SECOND;
            until("time", seconds + 60, () -> System.nanoTime() - warm > 0);
            long warmMiB = Resources.anonymousMiB();
            until("time", seconds + 60, () -> System.nanoTime() - began > seconds * SECOND);
            Figures end = new Figures();
            double took = (System.nanoTime() - began) / 1e9;
            long endMiB = Resources.anonymousMiB();
            processes.forEach(process -> process.command(Ledger.FINISH));
            until("a good end of all clients", 120, () -> open.stream().allMatch(traffic -> traffic.isOver() && traffic.isDrained()));
            until("the end of all processes", 60, () -> processes.stream().noneMatch(VictimProcess::isAlive));
            System.out.printf("load: %.0f messages/s and %.0f payloads/s came in, %.0f and %.0f went out%n", start.messagesTo(end) / took,
                    start.payloadsTo(end) / took, (end.messagesOut - start.messagesOut) / took, (end.payloadsOut - start.payloadsOut) / took);
            System.out.println("load: messages: " + fairness(difference(start.messages, end.messages)));
            System.out.println("load: payloads: " + fairness(difference(start.payloads, end.payloads)));
            System.out.println("load: no room for a message " + end.refusedMessages + " times, for a payload " + end.refusedPayloads + " times");
            System.out.println("load: private memory of the server " + warmMiB + " MiB, at the end " + endMiB + " MiB");
            for (Traffic traffic : open) {
                assertThat(traffic.errors).as("seed " + seed).isEmpty();
                assertThat(traffic.failedReceives).isZero();
                assertThat(traffic.hasEverything()).as("all that client " + traffic.peer + " has sent").isTrue();
                traffic.close();
            }
            assertThat(processes).allSatisfy(process -> {
                assertThat(process.ledger.get(Entry.ERRORS)).isZero();
                assertThat(process.exitCode()).isZero();
            });
            assertThat(difference(start.payloads, end.payloads)).as("nobody starves").doesNotContain(0);
            assertThat(difference(start.messages, end.messages)).as("nobody starves").doesNotContain(0);
            assertThat(end.refusedMessages).as("back-pressure").isPositive();
            assertThat(end.refusedPayloads).as("back-pressure").isPositive();
            assertThat(endMiB).as("the server's memory in MiB").isLessThan(warmMiB + 64);
            server.close();
        } finally {
            processes.forEach(VictimProcess::kill);
        }
        assertThat(Resources.now()).isEqualTo(before);
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
        final long refusedMessages = open.stream().mapToLong(traffic -> traffic.refusedMessages).sum();
        final long refusedPayloads = open.stream().mapToLong(traffic -> traffic.refusedPayloads).sum();

        long messagesTo(Figures end) {
            return Arrays.stream(end.messages).sum() - Arrays.stream(messages).sum();
        }

        long payloadsTo(Figures end) {
            return Arrays.stream(end.payloads).sum() - Arrays.stream(payloads).sum();
        }
    }
}
