package io.github.comch4j.cli.conformance;

import io.github.comch4j.cli.program.ProgramException;
import io.github.comch4j.cli.program.ToolThreads;
import io.github.comch4j.core.Device;
import io.github.comch4j.core.PciAddress;
import io.github.comch4j.core.Representor;
import java.io.PrintStream;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The process in which one side's halves of the probes run. Its parent says which; lines of text go both ways:
 *
 * <pre>
 *   RUN n run quick probe   the next probe             READY                 it may begin
 *   SAY text                of the other half          SAY text              for the other half
 *   OVER                    the other half has ended   ANSWER question|text  an answer
 *                                                      DIE                   to be killed
 *                                                      DONE reason           the end; no reason: a good one
 * </pre>
 */
final class Worker {
    static final char SEPARATOR = '|';

    private static final String END = "";

    /** Which probe to run: the how many-th of which run. */
    record Order(int number, String run, boolean quick, Probe probe) {
        /** How the parent says it. */
        String text() {
            return number + " " + run + " " + quick + " " + probe.name;
        }

        static int number(String text) {
            try {
                return Integer.parseInt(text);
            } catch (NumberFormatException e) {
                throw new ProgramException("the other end is not a half of this kit", e);
            }
        }

        static Order parse(String text, List<Probe> probes) {
            String[] words = text.split(" ");
            Probe probe = probes.stream()
                    .filter(each -> each.name.equals(words[3]))
                    .findFirst()
                    .orElseThrow(() -> new ProgramException("the other half asks for " + words[3]
                            + ", which this one does not have: take the same jar"));
            return new Order(number(words[0]), words[1], Boolean.parseBoolean(words[2]), probe);
        }
    }

    private final PrintStream out;
    private final BlockingQueue<String> in = new LinkedBlockingQueue<>();
    private volatile boolean over; // as the last line says that is in the queue

    private Worker(PrintStream out) {
        this.out = out;
    }

    /** Runs probes until the parent has ended. */
    static void run(KitSide side, PciAddress address, Optional<PciAddress> represented, List<Probe> probes) {
        Worker worker = new Worker(System.out);
        System.setOut(System.err); // nobody else's lines
        ToolThreads.startReading("parent", System.in, worker::heard, END);
        try (Device device = side == KitSide.DPU ? Device.openDpu(address) : Device.openHost(address);
                Representor function = represented.map(device::openRepresentor).orElse(null)) {
            worker.say("READY");
            worker.loop(side, device, function, probes);
        }
    }

    private void heard(String line) {
        if (line.startsWith("RUN ")) {
            over = false;
        } else if (line.equals("OVER") || line.equals(END)) {
            over = true;
        }
        in.add(line);
    }

    private void loop(KitSide side, Device device, @Nullable Representor function, List<Probe> probes) {
        while (true) {
            String line = take();
            if (line.equals(END)) {
                return;
            }
            if (line.startsWith("RUN ")) { // all else was said to a probe that has ended
                say("DONE " + outcome(side, device, function, Order.parse(line.substring(4), probes)));
            }
        }
    }

    /** Why a half has not come to its end; empty if it has. */
    private String outcome(KitSide side, Device device, @Nullable Representor function, Order order) {
        try (Stage stage = new Stage(side, device, function, this, order)) {
            order.probe().part(side).run(stage);
            stage.awaitOther();
            return "";
        } catch (Stage.Over e) {
            return side + ": " + e.getMessage();
        } catch (Exception | LinkageError | AssertionError e) {
            e.printStackTrace();
            return side + ": " + CallOutcome.unexpected(e);
        }
    }

    private String take() {
        try {
            return in.take();
        } catch (InterruptedException e) {
            return END;
        }
    }

    private void say(String text) {
        out.println(text);
        out.flush();
    }

    void answer(String question, String value) {
        say("ANSWER " + question + SEPARATOR + CallOutcome.clean(value));
    }

    void tell(String text) {
        say("SAY " + text);
    }

    @Nullable
    String poll() {
        String line = in.peek();
        if (line == null || !line.startsWith("SAY ")) {
            return null; // it stays for the loop
        }
        in.remove();
        return line.substring(4);
    }

    boolean isOver() {
        return over;
    }

    void die() {
        say("DIE");
        while (true) {
            LockSupport.park();
        }
    }
}
