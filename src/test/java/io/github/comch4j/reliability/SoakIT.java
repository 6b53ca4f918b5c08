package io.github.comch4j.reliability;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.comch4j.Machine;
import io.github.comch4j.comch.ComchConnection;
import io.github.comch4j.comch.ComchServer;
import io.github.comch4j.comch.FastPathProducer;
import io.github.comch4j.core.Device;
import io.github.comch4j.core.ProgressEngine;
import io.github.comch4j.core.Representor;
import io.github.comch4j.internal.access.Internals;
import io.github.comch4j.internal.life.Engine;
import io.github.comch4j.internal.life.Handle;
import io.github.comch4j.reliability.Ledger.Entry;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * One server and its clients in several processes, for as long as one likes: they connect, send on both paths, leave in
 * good order, just close, are sent away, are killed. Now and then all leave, and at the end the server does too; then
 * nothing may be there that was not there at the beginning. {@code -Dsoak.seconds=7200 -Dsoak.clients=64
 * -Dsoak.processes=8 -Dsoak.lap=600 -Dsoak.seed=…}.
 */
@Tag("reliability")
class SoakIT {
    private static final long SECOND = 1_000_000_000L;
    private static final long PATIENCE = SoakClients.PATIENCE.toSeconds();
    private static final int SECONDS = Integer.getInteger("soak.seconds", 20);
    private static final int CLIENTS = Integer.getInteger("soak.clients", 64);
    private static final int PROCESSES = Math.min(CLIENTS, Integer.getInteger("soak.processes", 8));
    /** Until all leave, and what is there is compared. */
    private static final int LAP = Integer.getInteger("soak.lap", Math.clamp(SECONDS / 4, 5, 600));

    private static final int INTERVAL = Math.clamp(LAP / 2, 1, 60);
    /** Of a client, mean. Half of a lap at most, so that a short run sees some end. */
    private static final long LIFE_MILLIS = Long.getLong("soak.life", Math.min(4000, LAP * 200L));
    /** From one process that ends to the next one, mean. */
    private static final long PROCESS_LIFE_MILLIS = Math.min(5000, LAP * 300L);
    /** Of the server's private memory, from the first lap to the end, MiB. */
    private static final long GROWTH = 64;

    @TempDir
    Path folder;

    private final long seed = Long.getLong("soak.seed", new Random().nextLong(1_000_000_000));
    private final Random random = new Random(seed);
    private final String name = Machine.uniqueName();
    private final List<Guest> open = new ArrayList<>();
    private final List<VictimProcess> processes = new ArrayList<>();
    private final List<String> violations = new ArrayList<>();
    private final long began = System.nanoTime();
    private ProgressEngine control;
    private ProgressEngine data;
    private Device dpu;
    private ComchServer server;
    private final Map<ComchConnection, List<FastPathProducer>> subscribers = new HashMap<>(); // that nobody closes
    private int nextProcess = 1;
    private long served;
    private long orderly;
    private long lost;
    private long sentAway;
    private long killed;
    private long ended;
    private long messages;
    private long payloads;
    private long bytes;

    /** A client, as the server sees it. */
    private final class Guest {
        final Traffic traffic;
        long nextStep;
        long overSince;

        Guest(Traffic traffic) {
            this.traffic = traffic;
        }

        private boolean step(long now) {
            if (traffic.isOver() || now - nextStep < 0) {
                return false;
            }
            nextStep = now + SoakClients.PACE;
            if (!traffic.hasTriedFastPath()) {
                traffic.openFastPath();
            }
            if (traffic.controlTotal == Traffic.UNKNOWN) {
                return traffic.step();
            }
            traffic.finish(); // the client is at its end, and waits for this one's totals
            return false;
        }

        /** Whether there is nothing to come any more. */
        private boolean isGone(long now) {
            if (!traffic.isOver()) {
                return false;
            }
            if (overSince == 0) {
                overSince = now;
            }
            if (!traffic.isDrained() && now - overSince > PATIENCE * SECOND) {
                violation("for too long there is something to deliver " + traffic);
                return true;
            }
            return traffic.isDrained();
        }

        private void account(boolean bySelf) {
            if (traffic.controlTotal != Traffic.UNKNOWN) {
                orderly++;
                if (!traffic.hasEverything() && !bySelf) {
                    violation("something is missing " + traffic);
                }
            } else if (bySelf) {
                sentAway++;
            } else {
                lost++;
            }
            if (traffic.failedReceives() > 0 && traffic.controlTotal != Traffic.UNKNOWN) {
                violation(traffic.failedReceives() + " receives have failed before a good end " + traffic);
            }
            traffic.errors.forEach(error -> violation(error + " " + traffic));
            if (traffic.controlTotal != Traffic.UNKNOWN) {
                traffic.gaps.forEach(gap -> violation(gap + " before a good end " + traffic));
            }
            messages += traffic.ledger.get(Entry.CONTROL_RECEIVED);
            payloads += traffic.ledger.get(Entry.FAST_RECEIVED);
            bytes += traffic.ledger.get(Entry.BYTES_RECEIVED);
            traffic.close();
        }
    }

    private void violation(String text) {
        violations.add(text);
        System.out.println("soak: VIOLATION: " + text);
    }

    private void live() {
        boolean worked = control.progress(256) + data.progress(256) > 0;
        long now = System.nanoTime();
        for (Guest guest : List.copyOf(open)) {
            worked |= guest.step(now);
            if (guest.isGone(now)) {
                open.remove(guest);
                guest.account(false);
            }
        }
        if (!worked) {
            LockSupport.parkNanos(1_000_000);
        }
    }

    private void until(String what, BooleanSupplier condition) {
        long deadline = System.nanoTime() + PATIENCE * SECOND;
        while (!condition.getAsBoolean()) {
            live();
            if (System.nanoTime() - deadline > 0) {
                open.forEach(guest -> System.out.println("soak: " + guest.traffic));
                throw new AssertionError("gave up waiting for " + what);
            }
        }
    }

    private void startServer(Representor representor) {
        server = ComchServer.builder(control, dpu, representor, name)
                .sendTasks(8192)
                .onConnected(connection -> {
                    served++;
                    Traffic traffic = new Traffic(
                            connection,
                            data,
                            dpu,
                            0,
                            Ledger.ofOwn(),
                            new Random(random.nextLong()),
                            () -> connection.endpoint().inFlight(),
                            SoakClients.BUFFERS,
                            SoakClients.MAX_PAYLOAD);
                    open.add(new Guest(traffic));
                    subscribers.put(
                            connection,
                            List.of(
                                    connection
                                            .producer(data)
                                            .releaseSent()
                                            .onCompletion((self, buffer, status) -> {})
                                            .start(),
                                    connection.slotProducer(data, 64).start()));
                })
                .onHandlerFailed(Machine::rethrow)
                .onMessage((connection, message) ->
                        connection.attachment(Traffic.class).received(message))
                .onConsumer(
                        (connection, id) -> connection.attachment(Traffic.class).consumerChanged(id))
                .onConsumerExpired(
                        (connection, id) -> connection.attachment(Traffic.class).consumerChanged(0))
                .onDisconnected(connection -> {
                    subscribers.remove(connection); // their producers end with them
                    connection.attachment(Traffic.class).ended();
                })
                .onSendFailed((connection, error) -> {})
                .start();
    }

    private void startProcess(int clients) {
        VictimProcess process = VictimProcess.start(
                nextProcess++,
                folder,
                VictimProcess.SMALL_HEAP,
                SoakClients.class,
                name,
                Integer.toString(clients),
                Long.toString(LIFE_MILLIS));
        process.order(Ledger.CLIENT, random.nextLong());
        processes.add(process);
    }

    /** Has said good-bye, or not; nothing of it is there any more but what the server has not noticed yet. */
    private void bury(VictimProcess process) {
        if (!process.struck) {
            ended++;
            if (process.exitCode() != 0 || process.ledger.get(Entry.ERRORS) != 0) {
                violation("process " + process.id + " failed by itself, exit code " + process.exitCode());
            }
        } else if (process.ledger.get(Entry.ERRORS) != 0) {
            violation("process " + process.id + ", which was killed, had found an error");
        }
        process.forget();
        processes.remove(process);
    }

    /** One of them ends, in one way or another. */
    private void endOne() {
        VictimProcess process = processes.get(random.nextInt(processes.size()));
        int lot = random.nextInt(100);
        if (process.ledger.get(Entry.COMMAND) != Ledger.GO) {
            return; // about to end
        } else if (lot < 50) {
            killed++;
            process.kill();
        } else if (lot < 65) {
            killed++;
            process.freeze();
            long until = System.nanoTime() + random.nextInt(500_000_000);
            until("a moment", () -> System.nanoTime() - until > 0);
            process.kill();
        } else {
            process.command(lot < 85 ? Ledger.FINISH : Ledger.CLOSE);
        }
    }

    private void sendOneAway() {
        List<Guest> candidates = open.stream()
                .filter(guest -> !guest.traffic.isOver() && guest.traffic.controlTotal == Traffic.UNKNOWN)
                .toList();
        if (!candidates.isEmpty()) {
            Guest guest = candidates.get(random.nextInt(candidates.size()));
            open.remove(guest);
            guest.traffic.connection.disconnect();
            subscribers.remove(guest.traffic.connection);
            guest.account(true);
        }
    }

    private long after(long meanMillis) {
        return System.nanoTime() + (long) (-Math.log(1 - random.nextDouble()) * meanMillis * 1_000_000);
    }

    /** Clients come and go for a while, and leave. */
    private void lap(long nanos, boolean silent) {
        for (int i = 0; i < PROCESSES; i++) {
            startProcess(CLIENTS / PROCESSES + (i < CLIENTS % PROCESSES ? 1 : 0));
        }
        until("the clients", () -> processes.stream().allMatch(process -> process.phase() == Ledger.FAST));
        long end = System.nanoTime() + nanos;
        long nextEnd = after(PROCESS_LIFE_MILLIS);
        long nextFarewell = after(LIFE_MILLIS);
        long nextRow = System.nanoTime() + INTERVAL * SECOND;
        while (System.nanoTime() - end < 0) {
            live();
            long now = System.nanoTime();
            if (now - nextEnd > 0) {
                nextEnd = after(PROCESS_LIFE_MILLIS);
                endOne();
            }
            if (now - nextFarewell > 0) {
                nextFarewell = after(LIFE_MILLIS);
                sendOneAway();
            }
            if (now - nextRow > 0 && !silent) {
                nextRow += INTERVAL * SECOND;
                row("", census());
            }
            for (VictimProcess process : List.copyOf(processes)) {
                if (!process.isAlive()) {
                    bury(process);
                    startProcess(CLIENTS / PROCESSES);
                }
            }
        }
        killed++;
        processes.getFirst().kill();
        processes.forEach(process -> process.command(Ledger.FINISH));
        until("the end of all processes", () -> processes.stream().noneMatch(VictimProcess::isAlive));
        List.copyOf(processes).forEach(this::bury);
        until("the end of all connections", open::isEmpty);
        if (!subscribers.isEmpty()) {
            violation("subscribers are left: " + subscribers.keySet());
        }
    }

    private static final String[] HEADINGS = {
        "time/s",
        "clients",
        "served",
        "orderly",
        "lost",
        "sent away",
        "killed",
        "ended",
        "messages",
        "payloads",
        "MB",
        "fds",
        "maps",
        "handles",
        "heap/kB",
        "malloc/kB",
        "RSS/MiB",
        "private/MiB",
        ""
    };

    private static void print(Object... columns) {
        StringBuilder line = new StringBuilder("soak:");
        for (int i = 0; i < columns.length; i++) {
            line.append(' ')
                    .append(String.format(
                            "%" + (i == columns.length - 1 ? "" : Math.max(7, HEADINGS[i].length())) + "s",
                            columns[i]));
        }
        System.out.println(line.toString().stripTrailing());
    }

    private void row(String remark, Census census) {
        long[] live = new long[3];
        for (Guest guest : open) {
            live[0] += guest.traffic.ledger.get(Entry.CONTROL_RECEIVED);
            live[1] += guest.traffic.ledger.get(Entry.FAST_RECEIVED);
            live[2] += guest.traffic.ledger.get(Entry.BYTES_RECEIVED);
        }
        print(
                (System.nanoTime() - began) / SECOND,
                open.size(),
                served,
                orderly,
                lost,
                sentAway,
                killed,
                ended,
                messages + live[0],
                payloads + live[1],
                (bytes + live[2]) / 1_000_000,
                census.descriptors(),
                census.mapLines(),
                census.handles(),
                census.heap() / 1000,
                census.malloc() / 1000,
                census.residentMiB(),
                census.anonymousMiB(),
                remark);
    }

    private Census census() {
        Function<Device, Handle> devices = Internals.of(Device.class);
        Function<ProgressEngine, Engine> engines = Internals.of(ProgressEngine.class);
        return Census.now(devices.apply(dpu), engines.apply(control), engines.apply(data));
    }

    /**
     * What is there more than at the start. Some things end a moment later: what the garbage collector or another
     * process's death takes away.
     */
    private Census compare(String moment, Census start) {
        Census now = census();
        for (int i = 0; i < 50 && !now.over(start).isEmpty(); i++) {
            for (int j = 0; j < 100; j++) {
                live();
            }
            LockSupport.parkNanos(100_000_000);
            now = census();
        }
        Map<String, String> over = now.over(start);
        row(moment + (over.isEmpty() ? ": nothing over the start" : ": OVER THE START: " + over), now);
        if (!over.isEmpty()) {
            violation(moment + ": over the start: " + over);
        }
        return now;
    }

    @Test
    void nothingIsLeftBehind() {
        Machine.useEmulation();
        System.out.println("soak: " + CLIENTS + " clients in " + PROCESSES + " processes, " + SECONDS + " s in laps of "
                + LAP + " s, seed " + seed);
        try (ProgressEngine controlEngine = ProgressEngine.create();
                ProgressEngine dataEngine = ProgressEngine.create();
                Device device = Device.openDpu(Machine.DPU)) {
            control = controlEngine;
            data = dataEngine;
            dpu = device;
            control.setTimeout(SoakClients.PATIENCE);
            data.setTimeout(SoakClients.PATIENCE);
            Representor representor = device.openRepresentor(Machine.HOST);
            // a short life of everything, so that what is made once and stays is there before the start
            startServer(representor);
            lap(Math.min(LAP, 15) * SECOND / 2, true);
            server.close();
            print((Object[]) HEADINGS);
            Census start = census();
            row("start, without the server", start);
            startServer(representor);
            Census withServer = census();
            row("start", withServer);
            long end = System.nanoTime() + SECONDS * SECOND;
            Census afterOne = null;
            for (int i = 1; System.nanoTime() - end < 0; i++) {
                lap(Math.clamp(end - System.nanoTime(), SECOND, LAP * SECOND), false);
                Census census = compare("lap " + i + " is over", withServer);
                afterOne = afterOne == null ? census : afterOne;
            }
            server.close();
            Census last = compare("end, without the server", start);
            assertThat(violations).as("seed " + seed).isEmpty();
            assertThat(last.anonymousMiB())
                    .as("the server's private memory, MiB")
                    .isLessThan(afterOne.anonymousMiB() + GROWTH);
            assertThat(orderly).as("clients that came to a good end").isPositive();
            System.out.println("soak: nothing is over the start");
        } finally {
            processes.forEach(VictimProcess::kill);
        }
    }
}
