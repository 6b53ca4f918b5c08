package io.github.comch4j.cli.conformance;

import io.github.comch4j.DocaException;
import io.github.comch4j.LibraryInfo;
import io.github.comch4j.LibraryInfo.Generation;
import io.github.comch4j.NativeLibraryException;
import io.github.comch4j.cli.program.Dialog;
import io.github.comch4j.cli.program.ProgramException;
import io.github.comch4j.core.Device;
import io.github.comch4j.core.Doca;
import io.github.comch4j.core.EventLoop;
import io.github.comch4j.core.PciAddress;
import io.github.comch4j.core.Representor;
import io.github.comch4j.io.MessageServerSocket;
import io.github.comch4j.link.FirstDevice;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * One half of the kit, as the command line has it.
 *
 * @param asked which one; it need not be said to list the probes
 * @param address the device; empty: the first that is good
 * @param function on the DPU, which function of the host to serve; empty: the first
 * @param name under which the halves find each other
 * @param timeout how long to wait for the other half
 * @param quick without the probes that take long
 * @param only the probes to run, or what their names begin with; none: all
 * @param file where to write reports, without its extension
 * @param verbose whether the worker's stderr is shown
 */
public record Conformance(
        Optional<KitSide> asked,
        Optional<PciAddress> address,
        Optional<PciAddress> function,
        String name,
        Duration timeout,
        boolean quick,
        List<String> only,
        Optional<Path> file,
        boolean verbose) {
    /** Of what the halves say to each other, and of the probes. */
    static final String VERSION = "1";

    private static final Duration FOR_EVER = Duration.ofDays(1000);
    private static final Duration GREETING = Duration.ofSeconds(30);
    private static final int COULD_NOT_RUN = 2;
    private static final String FUNCTIONS = "functions";

    private KitSide side() {
        return asked.orElse(KitSide.HOST);
    }

    /** Lists the probes, runs this half's worker, or this half; returns the exit status. */
    public int run(boolean list, boolean worker) {
        try {
            if (list) {
                list();
                return 0;
            }
            if (worker) {
                Worker.run(side(), address.orElseThrow(), function, probes());
                return 0;
            }
            return run() ? 0 : 1;
        } catch (ProgramException | DocaException | NativeLibraryException e) {
            System.err.println("comch: " + e.getMessage());
        } catch (IOException e) {
            System.err.println("comch: the report cannot be written: " + e.getMessage());
        }
        return COULD_NOT_RUN;
    }

    private List<Probe> probes() {
        return Probes.of(Doca.library().generation());
    }

    private void list() {
        for (Probe probe : chosen()) {
            System.out.println(probe.name + "  " + probe.about + (probe.isQuick() ? "" : " (not with --quick)"));
            for (Question question : probe.questions) {
                System.out.println("    " + question.text()
                        + (question.expected().isEmpty() ? "" : ": " + String.join(" or ", question.expected())));
            }
        }
    }

    /** The probes that were asked for. */
    private List<Probe> chosen() {
        List<Probe> chosen = probes().stream()
                .filter(probe -> only.isEmpty()
                        ? !quick || probe.isQuick()
                        : only.stream().anyMatch(probe.name::startsWith))
                .toList();
        if (chosen.isEmpty()) {
            throw new ProgramException("no probe is called " + String.join(" or ", only) + ": see --list");
        }
        return chosen;
    }

    private boolean run() throws IOException {
        if (asked.isEmpty()) {
            throw new ProgramException("--side is missing: dpu, or host");
        }
        List<Probe> chosen = chosen();
        boolean dpu = side() == KitSide.DPU;
        PciAddress device = address.orElseGet(() -> FirstDevice.of(
                Device.list(),
                dpu,
                reason -> new ProgramException(
                        "--side " + side() + " runs on the " + (dpu ? "DPU: " : "host: ") + reason)));
        try (EventLoop loop = EventLoop.start("conformance");
                Device opened = dpu ? Device.openDpu(device) : Device.openHost(device)) {
            return dpu ? follow(loop, opened) : lead(loop, opened, chosen);
        }
    }

    private boolean lead(EventLoop loop, Device device, List<Probe> chosen) throws IOException {
        String advice = "is \"comch conformance --side dpu\" running on the DPU, for this function?";
        try (Dialog other = Dialog.connect(loop, device, name, timeout, advice)) {
            ConformanceReport report = meet(other);
            String run = Long.toHexString(System.nanoTime() & 0xffff_ffffL);
            try (KitHalf half = half(other, report, workerArguments(device.address(), Optional.empty()))) {
                half.lead(chosen, run, quick);
            }
            return finish(report);
        }
    }

    private boolean follow(EventLoop loop, Device device) throws IOException {
        PciAddress served = function.orElseGet(() -> FirstDevice.functionOf(device, ProgramException::new));
        try (Representor representor = device.openRepresentor(served);
                MessageServerSocket server = ProgramException.serving(
                        name, served, () -> MessageServerSocket.open(loop, device, representor, name))) {
            System.out.println("waiting for the half on the host");
            try (Dialog other = new Dialog(Objects.requireNonNull(server.accept(FOR_EVER)))) {
                ConformanceReport report = meet(other);
                boolean whole;
                try (KitHalf half = half(other, report, workerArguments(device.address(), Optional.of(served)))) {
                    whole = half.follow(probes());
                }
                if (!whole) {
                    System.out.println("the half on the host has gone");
                }
                return finish(report) && whole;
            }
        }
    }

    private KitHalf half(Dialog other, ConformanceReport report, List<String> arguments) {
        return new KitHalf(side(), other, () -> new WorkerProcess(arguments, verbose), report);
    }

    private List<String> workerArguments(PciAddress device, Optional<PciAddress> served) {
        List<String> arguments = new ArrayList<>(
                List.of("conformance", "--worker", "--side", side().toString(), "--device", device.toString()));
        served.ifPresent(pci -> arguments.addAll(List.of("--representor", pci.toString())));
        Optional.ofNullable(System.getProperty(Doca.LIBRARY_PROPERTY))
                .ifPresent(library -> arguments.addAll(List.of("--library", library)));
        return arguments;
    }

    private boolean finish(ConformanceReport report) throws IOException {
        System.out.print(report.totals());
        if (file.isPresent()) {
            report.write(file.get());
        }
        return report.isGood();
    }

    private String greeting() {
        return VERSION
                + Worker.SEPARATOR
                + quick
                + Worker.SEPARATOR
                + String.join(String.valueOf(Worker.SEPARATOR), facts().values());
    }

    /** What a reader of the report has to know of this side. */
    private static Map<String, String> facts() {
        LibraryInfo library = Doca.library();
        Map<String, String> facts = new LinkedHashMap<>();
        facts.put("doca", "DOCA " + library.version());
        facts.put(FUNCTIONS, library.generation() == Generation.COMCH ? "doca_comch" : "doca_cc");
        facts.put("libraries", library.kind().toString());
        facts.put("java", "Java " + Runtime.version());
        facts.put("architecture", System.getProperty("os.arch"));
        facts.put("processors", Runtime.getRuntime().availableProcessors() + " processors");
        return facts;
    }

    /** Hears what the other half is. */
    private ConformanceReport meet(Dialog other) {
        other.send("HELLO", greeting());
        Dialog.Line message = other.next(GREETING);
        if (message == null) {
            throw new ProgramException("the other half has gone");
        }
        List<String> words = Arrays.asList(message.rest().split("\\" + Worker.SEPARATOR));
        Map<String, String> here = facts();
        if (!message.word().equals("HELLO") || !words.getFirst().equals(VERSION) || words.size() != here.size() + 2) {
            throw new ProgramException("the other half is of another version of this kit: take the same jar");
        }
        Map<String, String> there = new LinkedHashMap<>();
        int next = 2;
        for (String fact : here.keySet()) {
            there.put(fact, CallOutcome.clean(words.get(next++)));
        }
        if (!Objects.equals(there.get(FUNCTIONS), here.get(FUNCTIONS))) {
            throw new ProgramException("the other half has libraries of another generation: " + there.get("doca")
                    + " with " + there.get(FUNCTIONS) + " there, " + here.get("doca") + " with "
                    + here.get(FUNCTIONS) + " here");
        }
        Map<KitSide, Map<String, String>> sides = new EnumMap<>(KitSide.class);
        sides.put(side(), here);
        sides.put(side().other(), there);
        boolean isQuick = side() == KitSide.HOST ? quick : Boolean.parseBoolean(words.get(1));
        ConformanceReport report = new ConformanceReport(sides, isQuick);
        System.out.print(report.heading());
        return report;
    }
}
