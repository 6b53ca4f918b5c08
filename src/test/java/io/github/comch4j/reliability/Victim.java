package io.github.comch4j.reliability;

import io.github.comch4j.Machine;
import io.github.comch4j.comch.ComchClient;
import io.github.comch4j.comch.ComchServer;
import io.github.comch4j.comch.ControlPathEndpoint;
import io.github.comch4j.core.ContextState;
import io.github.comch4j.core.Device;
import io.github.comch4j.core.Doca;
import io.github.comch4j.core.ProgressEngine;
import io.github.comch4j.reliability.Ledger.Entry;
import java.nio.file.Path;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;

/** A process that is going to be killed: {@code LEDGER CLIENTS-NAME SERVERS-NAME}. What it is to do the ledger says. */
public final class Victim {
    private final Ledger ledger;
    private final Random random;
    private final ProgressEngine engine;
    private Traffic traffic;

    private Victim(Ledger ledger, ProgressEngine engine) {
        this.ledger = ledger;
        this.engine = engine;
        this.random = new Random(ledger.get(Entry.SEED));
    }

    public static void main(String[] arguments) {
        Ledger ledger = Ledger.open(Path.of(arguments[0]));
        Machine.useEmulation();
        Doca.library();
        try (ProgressEngine engine = ProgressEngine.create()) {
            ledger.set(Entry.PHASE, Ledger.BOOT);
            long born = System.nanoTime();
            while (ledger.get(Entry.COMMAND) == Ledger.WAIT) {
                LockSupport.parkNanos(200_000);
                if (System.nanoTime() - born > 600_000_000_000L) {
                    return; // whoever started this one has gone
                }
            }
            boolean serves = ledger.get(Entry.ROLE) == Ledger.SERVER;
            Victim victim = new Victim(ledger, engine);
            if (serves) {
                victim.serve(arguments[2]);
            } else {
                victim.connect(arguments[1]);
            }
        } catch (RuntimeException | Error e) {
            e.printStackTrace();
            ledger.increment(Entry.ERRORS);
            System.exit(1);
        }
        ledger.set(Entry.PHASE, Ledger.DONE);
    }

    private <B extends ControlPathEndpoint.Builder<B>> B handlers(B builder, Device device) {
        return builder.onConnected(connection -> traffic = new Traffic(
                        connection,
                        engine,
                        device,
                        (int) ledger.get(Entry.ID),
                        ledger,
                        random,
                        () -> connection.endpoint().inFlight(),
                        6,
                        Traffic.MAX_PAYLOAD))
                .onMessage((connection, message) -> traffic.received(message))
                .onConsumer((connection, id) -> traffic.consumerChanged(id))
                .onConsumerExpired((connection, id) -> traffic.consumerChanged(0))
                .onDisconnected(connection -> {
                    ledger.set(Entry.LOST_AT, System.nanoTime());
                    traffic.ended();
                })
                .onSendFailed((connection, error) -> {});
    }

    @SuppressWarnings("try") // the server is there for its clients
    private void serve(String name) {
        try (Device dpu = Device.openDpu(Machine.DPU)) {
            ledger.set(Entry.PHASE, Ledger.CONNECTING);
            try (ComchServer server = handlers(
                            ComchServer.builder(engine, dpu, dpu.openRepresentor(Machine.HOST), name), dpu)
                    .start()) {
                live(null);
            }
        }
    }

    private void connect(String name) {
        try (Device host = Device.openHost(Machine.HOST)) {
            ledger.set(Entry.PHASE, Ledger.CONNECTING);
            try (ComchClient client =
                    handlers(ComchClient.builder(engine, host, name), host).start()) {
                live(client);
            }
        }
    }

    private void progress(boolean sent) {
        if (engine.progress(16) == 0 && !sent) {
            LockSupport.parkNanos(20_000);
        }
    }

    private void live(ComchClient client) {
        while (traffic == null) {
            progress(false);
            if ((client != null && client.state() == ContextState.IDLE) || ledger.get(Entry.COMMAND) != Ledger.GO) {
                return; // refused
            }
        }
        ledger.set(Entry.PHASE, Ledger.CONTROL);
        long controlOnly = System.nanoTime() + random.nextInt(20_000_000);
        while (!traffic.isOver() && System.nanoTime() - controlOnly < 0) {
            progress(traffic.step());
        }
        if (!traffic.isOver()) {
            traffic.openFastPath();
            ledger.set(Entry.PHASE, Ledger.FAST);
        }
        while (!traffic.isOver() && ledger.get(Entry.COMMAND) == Ledger.GO) {
            progress(traffic.step());
        }
        while (traffic.isOver() && !traffic.isDrained()) {
            progress(false); // what had arrived before the end
        }
        boolean orderly = ledger.get(Entry.COMMAND) == Ledger.FINISH;
        while (!traffic.isOver() && orderly && !traffic.finish()) {
            progress(false);
        }
        if (orderly && !traffic.isOver()) {
            ledger.set(Entry.FINISHED, 1);
        }
        ledger.set(Entry.PHASE, Ledger.CLOSING);
        traffic.printFaults();
        if (random.nextBoolean()) {
            traffic.close();
        } // else: closed with the endpoint and the engine, except what only ends with the process
    }
}
