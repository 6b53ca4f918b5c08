package io.github.comch4j.reliability;

import io.github.comch4j.Machine;
import io.github.comch4j.comch.ComchClient;
import io.github.comch4j.comch.ComchServer;
import io.github.comch4j.core.ContextState;
import io.github.comch4j.core.Device;
import io.github.comch4j.core.ProgressEngine;
import io.github.comch4j.core.Representor;
import io.github.comch4j.reliability.Ledger.Entry;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * Kills, stops and restarts the victim, one process of a connection, at random points, again and again, while this
 * process survives: it is a server that lives through all rounds, or clients on an engine that does. After each round
 * the books must balance.
 */
final class Kills implements AutoCloseable {
    /** What happens to a victim. */
    enum Fate {
        KILLED,
        STOPPED_AND_KILLED,
        STOPPED_AND_KILLED_LATER,
        STOPPED_AND_FINISHED,
        FINISHED,
        LEFT
    }

    private static final long SECOND = 1_000_000_000L;
    /** Within this time the survivor must report the loss. */
    private static final long PROMPT = 2 * SECOND;

    private static final long PATIENCE = 30 * SECOND;
    private static final int BYSTANDER = 1_000_000;
    private static final int SELF = 0;

    private final Random random;
    private final Path folder;
    private final Path fabric;
    private final int containerPercent;
    private final int onlyPhase;
    private final String hostsName = Machine.uniqueName() + "-hosts";
    private final String dpusName = Machine.uniqueName() + "-dpus";
    private final ProgressEngine engine = ProgressEngine.create();
    private final Device host = Device.openHost(Machine.HOST);
    private final Device dpu = Device.openDpu(Machine.DPU);
    private final Representor representor = dpu.openRepresentor(Machine.HOST);
    private final List<Traffic> open = new ArrayList<>();
    private final ComchServer server;
    private final List<Round> unsettled = new ArrayList<>();
    private final VictimProcess bystander;
    private VictimProcess spare;
    /** A container whose process has ended; a new process in it is another victim. */
    private VictimProcess resting;

    private int nextId = 1;
    private long bystanderTurn;

    final List<String> violations = new ArrayList<>();
    final Map<String, Integer> tally = new TreeMap<>();
    final List<Long> noticed = new ArrayList<>();
    long messages;
    long payloads;
    int orderly;
    int leaves;
    private Resources quiet;

    /**
     * @param folder for ledgers
     * @param fabric the emulated machine
     * @param containerPercent how many of a hundred victims are containers
     * @param onlyPhase the phase in which all rounds end, one of {@link Ledger}; 0: any
     */
    Kills(long seed, Path folder, Path fabric, int containerPercent, int onlyPhase) {
        this.random = new Random(seed);
        this.folder = folder;
        this.fabric = fabric;
        this.containerPercent = containerPercent;
        this.onlyPhase = onlyPhase;
        server = ComchServer.builder(engine, dpu, representor, hostsName)
                .onHandlerFailed(Machine::rethrow)
                .onConnected(connection -> open.add(new Traffic(
                        connection,
                        engine,
                        dpu,
                        SELF,
                        Ledger.ofOwn(),
                        new Random(random.nextLong()),
                        () -> connection.endpoint().inFlight(),
                        6,
                        Traffic.MAX_PAYLOAD)))
                .onMessage((connection, message) ->
                        connection.attachment(Traffic.class).received(message))
                .onConsumer(
                        (connection, id) -> connection.attachment(Traffic.class).consumerChanged(id))
                .onConsumerExpired(
                        (connection, id) -> connection.attachment(Traffic.class).consumerChanged(0))
                .onDisconnected(
                        connection -> connection.attachment(Traffic.class).ended())
                .onSendFailed((connection, error) -> {})
                .start();
        bystander = VictimProcess.start(BYSTANDER, folder, VictimProcess.SMALL_HEAP, Victim.class, hostsName, dpusName);
        spare = startSpare();
        bystander.order(Ledger.CLIENT, 1);
        spin(
                "the bystander's traffic",
                () -> bystander.ledger.get(Entry.FAST_RECEIVED) > 10
                        && bystander.ledger.get(Entry.CONTROL_RECEIVED) > 10);
        quiet = Resources.now();
    }

    private VictimProcess startSpare() {
        return VictimProcess.start(nextId++, folder, VictimProcess.SMALL_HEAP, Victim.class, hostsName, dpusName);
    }

    private VictimProcess startContainer() {
        VictimProcess used = resting;
        resting = null;
        if (used != null && random.nextBoolean()) {
            tally.merge("containers restarted", 1, Integer::sum);
            return used.restart(nextId++);
        }
        if (used != null) {
            used.forget();
        }
        return VictimProcess.startContainer(
                nextId++, folder, fabric, VictimProcess.SMALL_HEAP, Victim.class, hostsName, dpusName);
    }

    /** The survivor's life, for a moment. */
    private void live() {
        boolean worked = engine.progress(64) > 0;
        long now = System.nanoTime();
        for (Traffic traffic : List.copyOf(open)) {
            if (traffic.isOver()) {
                continue;
            }
            if (!traffic.hasTriedFastPath()) {
                traffic.openFastPath();
            }
            if (traffic.peer != BYSTANDER) {
                worked |= traffic.step();
            } else if (now - bystanderTurn > 0) {
                bystanderTurn = now + 5_000_000;
                traffic.step();
            }
        }
        if (!worked) {
            LockSupport.parkNanos(20_000);
        }
    }

    private boolean within(long nanos, BooleanSupplier condition) {
        long deadline = System.nanoTime() + nanos;
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - deadline > 0) {
                return false;
            }
            live();
        }
        return true;
    }

    private void spin(String what, BooleanSupplier condition) {
        if (!within(PATIENCE, condition)) {
            throw new AssertionError("gave up waiting for " + what);
        }
    }

    /** One round. */
    void round(int number) {
        Round round = new Round(number);
        if (round.fate == Fate.LEFT) {
            settle(); // this side must know whom it leaves
        }
        round.play();
        unsettled.add(round);
        // a hurried successor is there before the survivor has noticed anything
        if (round.fate != Fate.KILLED || random.nextInt(10) >= 3) {
            settle();
        }
    }

    /** The loss of all victims so far is reported, the books balance, everything is released. */
    void settle() {
        unsettled.forEach(Round::settle);
        settleLate();
        unsettled.forEach(Round::forget);
        String plan = unsettled.isEmpty() ? "the end" : unsettled.getLast().plan;
        unsettled.clear();
        if (!bystander.isAlive() || open.size() != 1 || open.getFirst().isOver()) {
            violations.add(
                    plan + ": a client that has nothing to do with it was disturbed; connections: " + open.size());
        }
        boolean isQuiet = within(SECOND, () -> Resources.now().isWithin(quiet));
        Resources now = Resources.now();
        if (!isQuiet) {
            violations.add(plan + ": left behind: " + now + " where there was " + quiet);
        }
        quiet = now; // what a test before this one had open may be closed by now
    }

    /** Connections of which this side has learnt only after the victim's death, and victims that had none. */
    private void settleLate() {
        for (Traffic late : List.copyOf(open)) {
            if (late.peer == BYSTANDER) {
                continue;
            }
            if (!within(PROMPT, () -> late.isOver() && late.isDrained())) {
                violations.add(
                        "the loss of a connection that was reported late is not reported within two seconds: " + late);
                continue;
            }
            unsettled.stream().filter(round -> round.victim.id == late.peer).forEach(round -> round.finish(late));
            open.remove(late);
            late.close();
        }
        unsettled.forEach(Round::checkUnheard);
    }

    private Fate pick() {
        int lot = random.nextInt(100);
        return lot < 45
                ? Fate.KILLED
                : lot < 55
                        ? Fate.STOPPED_AND_KILLED
                        : lot < 65
                                ? Fate.STOPPED_AND_KILLED_LATER
                                : lot < 75 ? Fate.STOPPED_AND_FINISHED : lot < 85 ? Fate.FINISHED : Fate.LEFT;
    }

    /** A victim's story. */
    private final class Round {
        final Fate fate = pick();
        final String plan;
        private final boolean serves = random.nextBoolean();
        private final boolean inContainer = random.nextInt(100) < containerPercent;
        private final long phase = phase(Ledger.CONNECTING + random.nextInt(4));
        private VictimProcess victim;
        private ComchClient client;
        private Traffic clientTraffic;
        /** Connections that the survivor has ended. */
        private final List<Traffic> left = new ArrayList<>();

        private boolean heard;

        private long phase(long chosen) {
            return onlyPhase == 0 ? chosen : onlyPhase;
        }

        Round(int number) {
            plan = "round " + number + ", " + (serves ? "DPU" : "host") + (inContainer ? " in a container" : "")
                    + " is " + fate + " in phase " + phase;
            tally.merge((serves ? "DPU " : "host ") + fate + (inContainer ? " (container)" : ""), 1, Integer::sum);
        }

        void play() {
            if (inContainer) {
                victim = startContainer();
            } else {
                victim = spare;
                spare = startSpare();
            }
            spin("the victim's start", () -> victim.phase() == Ledger.BOOT || !victim.isAlive());
            Executioner executioner = new Executioner(victim, fate, phase, new Random(random.nextLong()));
            victim.order(serves ? Ledger.SERVER : Ledger.CLIENT, random.nextLong());
            executioner.start();
            try {
                if (serves) {
                    reach();
                }
                if (fate == Fate.LEFT) {
                    leave(executioner);
                }
                spin("the end of the victim: " + plan, () -> !victim.isAlive());
                if (!victim.struck && victim.exitCode() != 0) {
                    violations.add(plan + ": the victim failed by itself");
                }
            } finally {
                executioner.finish();
                victim.kill();
            }
            if (victim.killedAt == 0) {
                victim.killedAt = System.nanoTime(); // it ended before
            }
        }

        private boolean isLate() {
            return victim.killedAt != 0 && System.nanoTime() - victim.killedAt > PROMPT;
        }

        /** Connects to a server that may be killed at any moment. */
        private void reach() {
            spin(
                    "the server's start",
                    () -> victim.phase() >= Ledger.CONNECTING || victim.killedAt != 0 || !victim.isAlive());
            while (victim.killedAt == 0 && victim.isAlive()) {
                client = ComchClient.builder(engine, host, dpusName)
                        .onConnected(connection -> {
                            clientTraffic = new Traffic(
                                    connection,
                                    engine,
                                    host,
                                    SELF,
                                    Ledger.ofOwn(),
                                    new Random(random.nextLong()),
                                    () -> connection.endpoint().inFlight(),
                                    6,
                                    Traffic.MAX_PAYLOAD);
                            open.add(clientTraffic);
                        })
                        .onMessage((connection, message) ->
                                connection.attachment(Traffic.class).received(message))
                        .onConsumer((connection, id) ->
                                connection.attachment(Traffic.class).consumerChanged(id))
                        .onConsumerExpired((connection, id) ->
                                connection.attachment(Traffic.class).consumerChanged(0))
                        .onDisconnected(connection ->
                                connection.attachment(Traffic.class).ended())
                        .onSendFailed((connection, error) -> {})
                        .start();
                spin("an answer to the client: " + plan, () -> client.state() != ContextState.STARTING || isLate());
                if (clientTraffic != null) {
                    return;
                }
                if (client.state() == ContextState.STARTING) {
                    violations.add(plan + ": a client is still connecting two seconds after its server has died");
                }
                client.close();
                client = null;
                within(1_000_000, () -> false);
            }
        }

        /** Connections of this victim, or of one that has not said yet who it is. */
        private List<Traffic> traffic() {
            if (serves) {
                return open.stream()
                        .filter(candidate -> candidate == clientTraffic)
                        .toList();
            }
            return open.stream()
                    .filter(candidate -> candidate.connection.endpoint() == server)
                    .filter(candidate -> candidate.peer == victim.id
                            || (candidate.peer == Traffic.UNKNOWN
                                    && (victim.killedAt == 0 || candidate.madeAt - victim.killedAt < 0)))
                    .toList();
        }

        /**
         * The survivor ends the connection, and the victim, which may be standing still for a while, is to learn of it.
         */
        private void leave(Executioner executioner) {
            spin("the victim's traffic: " + plan, () -> victim.phase() >= Ledger.CONTROL || !victim.isAlive());
            within(random.nextInt(40_000_000), () -> !victim.isAlive());
            left.addAll(traffic());
            for (Traffic mine : left) {
                open.remove(mine);
                mine.countCompletions();
                if (mine == clientTraffic) {
                    client.close();
                } else {
                    mine.connection.disconnect();
                }
                report(mine);
                mine.close();
            }
            long leftAt = System.nanoTime();
            executioner.finish(); // a victim that stands still goes on
            if (!left.isEmpty()) {
                spin("the victim's notice: " + plan, () -> victim.ledger.get(Entry.LOST_AT) != 0 || !victim.isAlive());
                long delay = victim.ledger.get(Entry.LOST_AT) - Math.max(leftAt, executioner.thawedAt);
                // one that was closing anyway is not told
                if (delay > PROMPT
                        || (victim.ledger.get(Entry.LOST_AT) == 0 && victim.ledger.get(Entry.COMMAND) == Ledger.GO)) {
                    violations.add(plan + ": the victim noticed the end after " + delay / 1_000_000 + " ms");
                }
            }
        }

        void settle() {
            if (!within(
                    PROMPT - (System.nanoTime() - victim.killedAt),
                    () -> traffic().stream().allMatch(Traffic::isOver))) {
                violations.add(plan + ": the loss is not reported within two seconds");
                within(PATIENCE, () -> traffic().stream().allMatch(Traffic::isOver));
            }
            for (Traffic mine : traffic()) {
                if (mine.endedAt - victim.killedAt > 0) {
                    noticed.add(mine.endedAt - victim.killedAt);
                }
                if (!within(PATIENCE, mine::isDrained)) {
                    violations.add(plan + ": not all that had arrived is delivered: " + mine);
                }
                finish(mine);
                open.remove(mine);
                mine.close();
            }
            left.forEach(this::balanceAfterLeaving);
            if (victim.ledger.get(Entry.ERRORS) != 0) {
                violations.add(plan + ": the victim found an error");
            }
            if (client != null) {
                client.close();
            }
        }

        /** The books of a connection that is over. */
        private void finish(Traffic mine) {
            heard |= mine.peer == victim.id;
            tally.merge(mine.ways(), 1, Integer::sum);
            report(mine);
            balance(mine);
        }

        /** From a victim of which nothing was heard nothing can have arrived. */
        private void checkUnheard() {
            if (!heard && left.isEmpty()) {
                check(
                        plan,
                        "messages that one has sent of whom nothing was heard",
                        victim.ledger.get(Entry.CONTROL_COMPLETED),
                        0,
                        0);
                check(
                        plan,
                        "payloads that one has sent of whom nothing was heard",
                        victim.ledger.get(Entry.FAST_COMPLETED),
                        0,
                        0);
            }
        }

        private void forget() {
            if (victim.isContainer() && resting == null) {
                resting = victim;
            } else {
                victim.forget();
            }
        }

        private void report(Traffic mine) {
            if (Boolean.getBoolean("reliability.verbose")) {
                System.out.println(plan + ": received " + mine.ledger.get(Entry.CONTROL_RECEIVED) + " messages and "
                        + mine.ledger.get(Entry.FAST_RECEIVED)
                        + " payloads, sent " + mine.ledger.get(Entry.CONTROL_ACCEPTED) + " and "
                        + mine.ledger.get(Entry.FAST_SUBMITTED) + "; victim in phase "
                        + victim.phase() + " has received " + victim.ledger.get(Entry.CONTROL_RECEIVED) + " and "
                        + victim.ledger.get(Entry.FAST_RECEIVED));
            }
            mine.errors.forEach(error -> violations.add(plan + ": " + error));
            if (victim.ledger.get(Entry.COMMAND) != Ledger.CLOSE) {
                mine.gaps.forEach(gap -> violations.add(plan + ": " + gap));
            }
            messages += mine.ledger.get(Entry.CONTROL_RECEIVED);
            payloads += mine.ledger.get(Entry.FAST_RECEIVED);
        }

        /** What the victim knows to be delivered has come, and nothing has come that was not sent. */
        private void balance(Traffic mine) {
            Kills.this.balance(plan + ", and " + victim.ledger.sending() + ", survivor: " + mine.ways(), mine, victim);
        }

        /**
         * The same where the survivor has gone: it does not take any more what is on its way to it, but what it knows
         * to be sent arrives, unless the victim was closing too.
         */
        private void balanceAfterLeaving(Traffic mine) {
            Ledger own = mine.ledger;
            Ledger theirs = victim.ledger;
            boolean listening = theirs.get(Entry.COMMAND) == Ledger.GO && theirs.get(Entry.LOST_AT) != 0;
            check(
                    plan,
                    "messages to one who leaves",
                    own.get(Entry.CONTROL_RECEIVED),
                    0,
                    theirs.get(Entry.CONTROL_ACCEPTED) + 1);
            check(
                    plan,
                    "payloads to one who leaves",
                    own.get(Entry.FAST_RECEIVED),
                    0,
                    theirs.get(Entry.FAST_SUBMITTED) + 1);
            check(
                    plan,
                    "messages of one who leaves",
                    theirs.get(Entry.CONTROL_RECEIVED),
                    listening ? own.get(Entry.CONTROL_COMPLETED) : 0,
                    own.get(Entry.CONTROL_ACCEPTED));
            check(
                    plan,
                    "payloads of one who leaves",
                    theirs.get(Entry.FAST_RECEIVED),
                    listening ? own.get(Entry.FAST_COMPLETED) : 0,
                    own.get(Entry.FAST_SUBMITTED));
            if (listening) {
                leaves++;
            }
        }
    }

    private void balance(String plan, Traffic mine, VictimProcess victim) {
        Ledger own = mine.ledger;
        Ledger theirs = victim.ledger;
        // the victim counts just after the fact
        check(
                plan,
                "messages",
                own.get(Entry.CONTROL_RECEIVED),
                theirs.get(Entry.CONTROL_COMPLETED),
                theirs.get(Entry.CONTROL_ACCEPTED) + 1);
        check(
                plan,
                "payloads",
                own.get(Entry.FAST_RECEIVED),
                theirs.get(Entry.FAST_COMPLETED),
                theirs.get(Entry.FAST_SUBMITTED) + 1);
        check(plan, "messages to the victim", theirs.get(Entry.CONTROL_RECEIVED), 0, own.get(Entry.CONTROL_ACCEPTED));
        check(plan, "payloads to the victim", theirs.get(Entry.FAST_RECEIVED), 0, own.get(Entry.FAST_SUBMITTED));
        if (theirs.get(Entry.FINISHED) != 0) {
            orderly++;
            check(
                    plan,
                    "messages before an orderly end",
                    own.get(Entry.CONTROL_RECEIVED),
                    mine.controlTotal,
                    mine.controlTotal);
            check(plan, "payloads before an orderly end", own.get(Entry.FAST_RECEIVED), mine.fastTotal, mine.fastTotal);
            check(plan, "failures before an orderly end", mine.failedReceives(), 0, 0);
        }
    }

    private void check(String plan, String what, long count, long least, long most) {
        if (count < least || count > most) {
            violations.add(plan + ": " + count + " " + what + ", not " + least + " to " + most);
        }
    }

    /** How long the survivor took to notice, the worst and the typical, in milliseconds. */
    String noticeFigures() {
        long[] sorted = noticed.stream().mapToLong(Long::longValue).sorted().toArray();
        if (sorted.length == 0) {
            return "no loss to notice";
        }
        return "losses noticed: " + sorted.length + ", median " + millis(sorted[sorted.length / 2]) + " ms, 99 % "
                + millis(sorted[sorted.length * 99 / 100]) + " ms, worst " + millis(sorted[sorted.length - 1]) + " ms";
    }

    private static String millis(long nanos) {
        return String.format("%.1f", nanos / 1e6);
    }

    /** Ends the bystander, who must have got everything. */
    @Override
    public void close() {
        settle();
        spare.kill();
        spare.forget();
        if (resting != null) {
            resting.forget();
        }
        if (bystander.isAlive() && open.size() == 1) {
            Traffic traffic = open.getFirst();
            bystander.command(Ledger.FINISH);
            spin("the bystander's end", () -> !bystander.isAlive() && traffic.isOver() && traffic.isDrained());
            traffic.errors.forEach(error -> violations.add("the bystander: " + error));
            traffic.gaps.forEach(gap -> violations.add("the bystander: " + gap));
            balance("the bystander", traffic, bystander);
            if (bystander.ledger.get(Entry.FINISHED) == 0) {
                violations.add("the bystander did not come to a good end");
            }
            traffic.close();
        }
        bystander.kill();
        bystander.forget();
        engine.close();
        representor.close();
        host.close();
        dpu.close();
        long mappings = Resources.now().mappings();
        if (mappings != 0) {
            violations.add("at the end there are " + mappings + " mappings of connections left");
        }
    }

    /** Strikes at a random moment of a phase, while the survivor is doing whatever it does. */
    private static final class Executioner extends Thread {
        private final VictimProcess victim;
        private final Fate fate;
        private final long phase;
        private final Random random;
        private volatile boolean over;
        volatile long thawedAt;

        Executioner(VictimProcess victim, Fate fate, long phase, Random random) {
            super("executioner");
            setDaemon(true);
            this.victim = victim;
            this.fate = fate;
            this.phase = phase;
            this.random = random;
        }

        void finish() {
            over = true;
            try {
                join();
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }

        private void until(BooleanSupplier condition) {
            while (!over && !condition.getAsBoolean()) {
                LockSupport.parkNanos(50_000);
            }
        }

        private void pause(int mostMicros) {
            long end = System.nanoTime() + 1000L * random.nextInt(mostMicros);
            until(() -> System.nanoTime() - end > 0);
        }

        /** A random moment of the phase; that of closing is brought about. */
        private void reachPhase() {
            if (phase == Ledger.CLOSING) {
                until(() -> victim.phase() >= Ledger.FAST || !victim.isAlive());
                pause(100_000);
                victim.command(random.nextBoolean() ? Ledger.CLOSE : Ledger.FINISH);
            }
            until(() -> victim.phase() >= phase || !victim.isAlive());
            pause(
                    phase == Ledger.CONNECTING
                            ? 4000
                            : phase == Ledger.CLOSING ? 4000 : phase == Ledger.CONTROL ? 20_000 : 200_000);
        }

        private void standStill() {
            victim.freeze();
            pause(300_000);
        }

        @Override
        public void run() {
            reachPhase();
            switch (fate) {
                case KILLED -> strike();
                case STOPPED_AND_KILLED -> {
                    standStill();
                    strike();
                }
                case STOPPED_AND_KILLED_LATER -> {
                    goOn();
                    pause(30_000);
                    strike();
                }
                case STOPPED_AND_FINISHED -> {
                    goOn();
                    finishOrderly();
                }
                case FINISHED -> finishOrderly();
                case LEFT -> {
                    if (random.nextBoolean()) {
                        goOn();
                    }
                }
            }
        }

        private void goOn() {
            standStill();
            victim.thaw();
            thawedAt = System.nanoTime();
        }

        private void finishOrderly() {
            until(() -> victim.phase() >= Ledger.FAST || !victim.isAlive());
            pause(30_000);
            if (victim.ledger.get(Entry.COMMAND) == Ledger.GO) {
                victim.command(Ledger.FINISH);
            }
        }

        private void strike() {
            if (!over) {
                victim.kill();
            }
        }
    }
}
