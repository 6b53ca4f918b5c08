package io.github.comch4j.reliability;

import io.github.comch4j.Machine;
import io.github.comch4j.comch.ComchClient;
import io.github.comch4j.core.ContextState;
import io.github.comch4j.core.Device;
import io.github.comch4j.core.Doca;
import io.github.comch4j.core.ProgressEngine;
import io.github.comch4j.reliability.Ledger.Entry;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;

/**
 * Clients that come and go: {@code LEDGER NAME COUNT LIFE-MILLISECONDS}. Each place has a client, which lives for a
 * while and ends in good order, or just closes, or is sent away by the server; then the place has another one.
 */
public final class SoakClients {
    /** Buffers of each end, and the size of each. */
    static final int BUFFERS = 4;

    static final int MAX_PAYLOAD = 64 << 10;
    /** Between two steps of one end: there are many of them, and the point is how long it goes, not how fast. */
    static final long PACE = 10_000_000;
    /** For whatever must come to an end: the machine may have better things to do. */
    static final Duration PATIENCE = Duration.ofMinutes(5);

    private final Ledger ledger;
    private final String name;
    private final long meanLife;
    private final ProgressEngine engine;
    private final Device host;
    private final Random random;

    private SoakClients(Ledger ledger, String name, long meanLife, ProgressEngine engine, Device host) {
        this.ledger = ledger;
        this.name = name;
        this.meanLife = meanLife;
        this.engine = engine;
        this.host = host;
        this.random = new Random(ledger.get(Entry.SEED));
    }

    public static void main(String[] arguments) {
        Ledger ledger = Ledger.open(Path.of(arguments[0]));
        Machine.useEmulation();
        Doca.library();
        try (ProgressEngine engine = ProgressEngine.create();
                Device host = Device.openHost(Machine.HOST)) {
            engine.setTimeout(PATIENCE);
            ledger.set(Entry.PHASE, Ledger.BOOT);
            while (ledger.get(Entry.COMMAND) == Ledger.WAIT) {
                LockSupport.parkNanos(1_000_000);
            }
            new SoakClients(ledger, arguments[1], 1_000_000 * Long.parseLong(arguments[3]), engine, host)
                    .live(Integer.parseInt(arguments[2]));
        } catch (RuntimeException | Error e) {
            e.printStackTrace();
            ledger.increment(Entry.ERRORS);
            System.exit(1);
        }
        ledger.set(Entry.PHASE, Ledger.DONE);
    }

    private void live(int count) {
        List<Place> places =
                new ArrayList<>(IntStream.range(0, count).mapToObj(Place::new).toList());
        ledger.set(Entry.PHASE, Ledger.FAST);
        while (!places.isEmpty()) {
            if (ledger.get(Entry.COMMAND) == Ledger.CLOSE) {
                places.forEach(Place::leave);
                return;
            }
            if (engine.progress(64) == 0) {
                LockSupport.parkNanos(1_000_000);
            }
            places.forEach(Place::step);
            places.removeIf(place -> place.client == null && ledger.get(Entry.COMMAND) == Ledger.FINISH);
        }
    }

    /** Where one client is at a time. */
    private final class Place {
        private final int number;
        private ComchClient client;
        private Traffic traffic;
        private boolean orderly;
        private long fastPathAt;
        private long endAt;
        private long nextStep;

        Place(int number) {
            this.number = number;
        }

        private void connect() {
            long now = System.nanoTime();
            orderly = random.nextInt(100) < 60;
            fastPathAt = now + random.nextInt(50_000_000);
            endAt = now + (long) (-Math.log(1 - random.nextDouble()) * meanLife);
            int id = (int) ledger.get(Entry.ID) * 1000 + number;
            client = ComchClient.builder(engine, host, name)
                    .onConnected(connection -> traffic = new Traffic(
                            connection,
                            engine,
                            host,
                            id,
                            Ledger.ofOwn(),
                            random,
                            () -> connection.endpoint().inFlight(),
                            BUFFERS,
                            MAX_PAYLOAD))
                    .onMessage((connection, message) -> traffic.received(message))
                    .onConsumer((connection, consumer) -> traffic.consumerChanged(consumer))
                    .onConsumerExpired((connection, consumer) -> traffic.consumerChanged(0))
                    .onDisconnected(connection -> traffic.ended())
                    .onSendFailed((connection, error) -> {})
                    .start();
        }

        void step() {
            long now = System.nanoTime();
            boolean finishing = ledger.get(Entry.COMMAND) == Ledger.FINISH;
            if (client == null) {
                if (!finishing) {
                    connect();
                }
            } else if (traffic == null) {
                if (client.state() == ContextState.IDLE) {
                    throw new AssertionError("a client was refused");
                }
            } else if (traffic.isOver()) {
                leave(); // sent away
            } else if (!traffic.hasTriedFastPath() && now - fastPathAt > 0) {
                traffic.openFastPath();
            } else if (finishing || now - endAt > 0) {
                end(finishing, now);
            } else if (now - nextStep > 0) {
                nextStep = now + PACE;
                traffic.step();
            }
        }

        private void end(boolean finishing, long now) {
            if (!finishing && !orderly) {
                leave();
            } else if (traffic.finish() && traffic.hasEverything()) {
                ledger.increment(Entry.FINISHED);
                leave();
            } else if (!finishing && now - endAt > PATIENCE.toNanos()) {
                throw new AssertionError("no good end " + traffic);
            }
        }

        /** Ends it as it is. */
        void leave() {
            if (client == null) {
                return;
            }
            if (traffic != null) {
                traffic.accountForFaults(ledger);
            }
            boolean clientFirst = random.nextBoolean();
            if (clientFirst) {
                client.close();
            }
            if (traffic != null) {
                traffic.close();
            }
            client.close();
            client = null;
            traffic = null;
        }
    }
}
