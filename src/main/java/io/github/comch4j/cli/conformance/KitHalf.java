package io.github.comch4j.cli.conformance;

import io.github.comch4j.cli.program.ProgramException;
import java.io.PrintStream;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One side's part of a run: says to its worker what to do, passes on what the two workers say to each other, and has
 * the answers of both.
 */
final class KitHalf implements AutoCloseable {
    private static final int GRACE_SECONDS = 10;
    private static final Duration MOST = Duration.ofMinutes(9);
    private static final Duration SILENCE = Duration.ofMinutes(10);

    private final KitSide side;
    private final Coordination coordination;
    private final Supplier<WorkerProcess> workers;
    private final ConformanceReport report;
    private final PrintStream out;
    private @Nullable WorkerProcess worker;

    KitHalf(
            KitSide side,
            Coordination coordination,
            Supplier<WorkerProcess> workers,
            ConformanceReport report,
            PrintStream out) {
        this.side = side;
        this.coordination = coordination;
        this.workers = workers;
        this.report = report;
        this.out = out;
    }

    /** Runs these probes, one after another, and has the other half run them. */
    void lead(List<Probe> probes, String run, boolean quick) {
        int number = 0;
        long end = System.nanoTime() + MOST.toNanos();
        for (Probe probe : probes) {
            if (coordination.isLost() || System.nanoTime() - end > 0) {
                ProbeResult result = new ProbeResult(probe);
                result.ended(coordination.isLost() ? gone() : "no time is left");
                tell(result);
                continue;
            }
            Worker.Order order = new Worker.Order(++number, run, quick, probe);
            coordination.send(number, "RUN", order.text());
            perform(order);
        }
        coordination.send(number + 1, "BYE", "");
    }

    /** Runs what the other half leads in; returns whether it has come to the end. */
    boolean follow(List<Probe> probes) {
        while (true) {
            Coordination.Message message;
            try {
                message = coordination.await(SILENCE);
            } catch (ProgramException e) {
                return false;
            }
            if (message.verb().equals("BYE")) {
                return true;
            }
            if (message.verb().equals("RUN")) { // all else is about a probe that this half has given up
                perform(Worker.Order.parse(message.text(), probes));
            }
        }
    }

    private String gone() {
        return "the half on the " + side.other() + " has gone";
    }

    private void perform(Worker.Order order) {
        tell(new Performance(order).run());
    }

    private void tell(ProbeResult result) {
        report.add(result);
        out.print(ConformanceReport.text(result, false));
        out.flush();
    }

    private WorkerProcess worker() {
        if (worker == null) {
            worker = workers.get();
        }
        return worker;
    }

    private void endWorker() {
        if (worker != null) {
            worker.kill();
            worker = null;
        }
    }

    @Override
    public void close() {
        if (worker != null) {
            worker.close();
        }
    }

    /** One probe, from its order to the end of both its halves. */
    private final class Performance {
        private final Worker.Order order;
        private final ProbeResult result;
        private final long began = System.nanoTime();
        private boolean hereEnded;
        private boolean thereEnded;

        Performance(Worker.Order order) {
            this.order = order;
            this.result = new ProbeResult(order.probe());
        }

        ProbeResult run() {
            try {
                worker().say(order.text());
            } catch (ProgramException e) {
                endHere(side + ": " + e.getMessage());
            }
            while (!hereEnded || !thereEnded) {
                boolean quiet = !hearOther();
                for (String line = poll(); line != null; line = poll()) {
                    obey(line);
                    quiet = false;
                }
                if (quiet) {
                    lookAtTheClock();
                }
            }
            return result;
        }

        private @Nullable String poll() {
            return hereEnded || worker == null ? null : worker.poll();
        }

        private void lookAtTheClock() {
            long late =
                    (System.nanoTime() - began) / 1_000_000_000 - order.probe().seconds();
            if (!hereEnded && late > GRACE_SECONDS) {
                endWorker();
                endHere(side + ": does not end");
            }
            if (!thereEnded && (coordination.isLost() || late > 3 * GRACE_SECONDS)) {
                endThere(coordination.isLost() ? gone() : "the half on the " + side.other() + " does not answer");
            }
        }

        /** What this side's worker says. */
        private void obey(String line) {
            int space = line.indexOf(' ');
            String verb = space < 0 ? line : line.substring(0, space);
            String text = space < 0 ? "" : line.substring(space + 1);
            switch (verb) {
                case "SAY" -> coordination.send(order.number(), "SAY", text);
                case "ANSWER" -> {
                    answer(text);
                    coordination.send(order.number(), "ANSWER", text);
                }
                case "DONE" -> endHere(text);
                case "DIE" -> {
                    endWorker();
                    coordination.send(order.number(), "SAY", "dead");
                    endHere("");
                }
                case WorkerProcess.ENDED -> {
                    String how = worker == null ? "" : " with status " + worker.awaitEnd();
                    endWorker();
                    endHere(side + ": the process has ended" + how);
                }
                default -> endHere(side + ": said something else");
            }
        }

        private void answer(String text) {
            int separator = text.indexOf(Worker.SEPARATOR);
            result.answer(text.substring(0, separator), CallOutcome.clean(text.substring(separator + 1)));
        }

        private void endHere(String reason) {
            if (!hereEnded) {
                hereEnded = true;
                result.ended(reason);
                coordination.send(order.number(), "END", reason);
            }
        }

        private void endThere(String reason) {
            thereEnded = true;
            result.ended(reason);
            if (!reason.isEmpty() && !hereEnded && worker != null) {
                worker.say("OVER");
            }
        }

        /** What the other half says; returns false if it says nothing. */
        private boolean hearOther() {
            Coordination.Message message = coordination.poll();
            if (message == null) {
                return false;
            }
            if (message.run() > order.number()) {
                coordination.putBack(message);
                endThere("the half on the " + side.other() + " has gone on");
                return true;
            }
            if (message.run() == order.number()) {
                switch (message.verb()) {
                    case "SAY" -> {
                        if (!hereEnded && worker != null) {
                            worker.say("SAY " + message.text());
                        }
                    }
                    case "ANSWER" -> answer(message.text());
                    case "END" -> endThere(message.text());
                    default -> {} // of a later version
                }
            }
            return true;
        }
    }
}
