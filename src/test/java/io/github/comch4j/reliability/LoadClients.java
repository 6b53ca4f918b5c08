package io.github.comch4j.reliability;

import io.github.comch4j.Machine;
import io.github.comch4j.comch.ComchClient;
import io.github.comch4j.core.ContextState;
import io.github.comch4j.core.Device;
import io.github.comch4j.core.Doca;
import io.github.comch4j.core.ProgressEngine;
import io.github.comch4j.reliability.Ledger.Entry;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;

/**
 * Many clients of one server, on one engine: {@code LEDGER NAME COUNT}. They send until the ledger says that it is
 * enough, and tell there now and then how much memory this process has and how often there was no room.
 */
public final class LoadClients {
    /** Buffers of each end, and the size of each. */
    static final int BUFFERS = 4;

    static final int MAX_PAYLOAD = 64 << 10;
    private static final long TELL_INTERVAL = 250_000_000L;

    private LoadClients() {}

    public static void main(String[] arguments) {
        Ledger ledger = Ledger.open(Path.of(arguments[0]));
        Machine.useEmulation();
        Doca.library();
        List<ComchClient> clients = new ArrayList<>();
        List<Traffic> open = new ArrayList<>();
        try (ProgressEngine engine = ProgressEngine.create();
                Device host = Device.openHost(Machine.HOST)) {
            ledger.set(Entry.PHASE, Ledger.BOOT);
            while (ledger.get(Entry.COMMAND) == Ledger.WAIT) {
                LockSupport.parkNanos(1_000_000);
            }
            Random random = new Random(ledger.get(Entry.SEED));
            ledger.set(Entry.PHASE, Ledger.CONNECTING);
            for (int i = 0; i < Integer.parseInt(arguments[2]); i++) {
                int id = (int) ledger.get(Entry.ID) * 1000 + i;
                clients.add(ComchClient.builder(engine, host, arguments[1])
                        .onConnected(connection -> open.add(new Traffic(
                                connection,
                                engine,
                                host,
                                id,
                                Ledger.ofOwn(),
                                random,
                                () -> connection.endpoint().inFlight(),
                                BUFFERS,
                                MAX_PAYLOAD)))
                        .onMessage((connection, message) ->
                                connection.attachment(Traffic.class).received(message))
                        .onConsumer((connection, number) ->
                                connection.attachment(Traffic.class).consumerChanged(number))
                        .onConsumerExpired((connection, number) ->
                                connection.attachment(Traffic.class).consumerChanged(0))
                        .onDisconnected(connection ->
                                connection.attachment(Traffic.class).ended())
                        .start());
            }
            while (open.size() < clients.size()) {
                engine.progress(64);
                if (clients.stream().anyMatch(client -> client.state() == ContextState.IDLE)) {
                    throw new AssertionError("a client was refused");
                }
            }
            open.forEach(Traffic::openFastPath);
            ledger.set(Entry.PHASE, Ledger.FAST);
            boolean finished = false;
            long told = System.nanoTime();
            while (!finished) {
                if (System.nanoTime() - told > TELL_INTERVAL) {
                    told = System.nanoTime();
                    tell(ledger, open);
                }
                boolean worked = engine.progress(64) > 0;
                boolean finishing = ledger.get(Entry.COMMAND) == Ledger.FINISH;
                finished = finishing;
                for (Traffic traffic : open) {
                    if (traffic.isOver()) {
                        throw new AssertionError("a client has lost its server");
                    }
                    // the server says so too, and everything must have come then
                    boolean over = finishing && traffic.finish() && traffic.hasEverything();
                    finished &= over;
                    worked |= !finishing && traffic.step();
                }
                if (!worked) {
                    LockSupport.parkNanos(20_000);
                }
            }
            tell(ledger, open);
            ledger.set(Entry.PHASE, Ledger.CLOSING);
            for (Traffic traffic : open) {
                traffic.accountForFaults(ledger);
                traffic.close();
            }
            clients.forEach(ComchClient::close);
        } catch (RuntimeException | Error e) {
            e.printStackTrace();
            ledger.increment(Entry.ERRORS);
            System.exit(1);
        }
        ledger.set(Entry.PHASE, Ledger.DONE);
    }

    private static void tell(Ledger ledger, List<Traffic> open) {
        ledger.set(Entry.PRIVATE_KIB, Resources.privateKiB());
        ledger.set(
                Entry.REFUSED_MESSAGES,
                open.stream().mapToLong(traffic -> traffic.refusedMessages).sum());
        ledger.set(
                Entry.REFUSED_PAYLOADS,
                open.stream().mapToLong(traffic -> traffic.refusedPayloads).sum());
    }
}
