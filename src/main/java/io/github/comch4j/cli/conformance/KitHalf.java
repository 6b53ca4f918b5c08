package io.github.comch4j.cli.conformance;

import io.github.comch4j.cli.program.Dialog;
import io.github.comch4j.cli.program.ProgramException;
import io.github.comch4j.cli.program.ToolThreads;
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
    private static final Duration MOMENT = Duration.ofMillis(1);
    private static final Duration SILENCE = Duration.ofMinutes(10);

    private final KitSide side;
    private final Dialog other;
    private final Supplier<WorkerProcess> workers;
    private final ConformanceReport report;
    private @Nullable WorkerProcess worker;

    KitHalf(KitSide side, Dialog other, Supplier<WorkerProcess> workers, ConformanceReport report) {
        this.side = side;
        this.other = other;
        this.workers = workers;
        this.report = report;
    }

    /** Runs these probes, one after another, and has the other half run them. */
    void lead(List<Probe> probes, String run, boolean quick) {
        int number = 0;
        long end = System.nanoTime() + MOST.toNanos();
        for (Probe probe : probes) {
            if (other.isGone() || System.nanoTime() - end > 0) {
                ProbeResult result = new ProbeResult(probe);
                result.ended(other.isGone() ? gone() : "no time is left");
                tell(result);
                continue;
            }
            Worker.Order order = new Worker.Order(++number, run, quick, probe);
            other.send("RUN", order.text());
            perform(order);
        }
        other.send("BYE", Integer.toString(number + 1));
    }

    /** Runs what the other half leads in; returns whether it has come to the end. */
    boolean follow(List<Probe> probes) {
        for (Dialog.Line line = other.next(SILENCE); line != null; line = other.next(SILENCE)) {
            if (line.word().equals("BYE")) {
                return true;
            }
            if (line.word().equals("RUN")) { // all else is about a probe that this half has given up
                perform(Worker.Order.parse(line.rest(), probes));
            }
        }
        return false;
    }

    private String gone() {
        return "the half on the " + side.other() + " has gone";
    }

    private void perform(Worker.Order order) {
        tell(new Performance(order).run());
    }

    private void tell(ProbeResult result) {
        report.add(result);
        System.out.print(ConformanceReport.text(result, false));
        System.out.flush();
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
                worker().say("RUN " + order.text());
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
            if (!thereEnded && (other.isGone() || late > 3 * GRACE_SECONDS)) {
                endThere(other.isGone() ? gone() : "the half on the " + side.other() + " does not answer");
            }
        }

        /** What this side's worker says. */
        private void obey(String line) {
            Dialog.Line said = Dialog.Line.of(line);
            switch (said.word()) {
                case "SAY" -> tell("SAY", said.rest());
                case "ANSWER" -> {
                    answer(said.rest());
                    tell("ANSWER", said.rest());
                }
                case "DONE" -> endHere(said.rest());
                case "DIE" -> {
                    endWorker();
                    tell("SAY", "dead");
                    tell("SAY", Stage.END);
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

        private void tell(String verb, String text) {
            other.send(verb, order.number() + " " + text);
        }

        private void answer(String text) {
            int separator = text.indexOf(Worker.SEPARATOR);
            result.answer(text.substring(0, separator), CallOutcome.clean(text.substring(separator + 1)));
        }

        private void endHere(String reason) {
            if (!hereEnded) {
                hereEnded = true;
                result.ended(reason);
                tell("END", reason);
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
            if (thereEnded) {
                ToolThreads.pause();
                return false;
            }
            Dialog.Line line = other.next(MOMENT);
            if (line == null) {
                return false;
            }
            Dialog.Line said = Dialog.Line.of(line.rest());
            int number = Worker.Order.number(said.word());
            if (number > order.number()) {
                other.putBack(line);
                endThere("the half on the " + side.other() + " has gone on");
            } else if (number == order.number()) {
                switch (line.word()) {
                    case "SAY" -> {
                        if (!hereEnded && worker != null) {
                            worker.say("SAY " + said.rest());
                        }
                    }
                    case "ANSWER" -> answer(said.rest());
                    case "END" -> endThere(said.rest());
                    default -> {} // of a later version
                }
            }
            return true;
        }
    }
}
