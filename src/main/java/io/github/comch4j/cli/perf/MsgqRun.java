package io.github.comch4j.cli.perf;

import io.github.comch4j.cli.program.ProgramException;
import io.github.comch4j.cli.program.Programs;
import io.github.comch4j.core.Device;
import io.github.comch4j.core.PciAddress;
import io.github.comch4j.core.ProgressEngine;
import io.github.comch4j.dpa.Dpa;
import io.github.comch4j.dpa.DpaApplication;
import io.github.comch4j.dpa.DpaConsumer;
import io.github.comch4j.dpa.DpaConsumerCompletion;
import io.github.comch4j.dpa.DpaMemory;
import io.github.comch4j.dpa.DpaProducer;
import io.github.comch4j.dpa.DpaThread;
import io.github.comch4j.dpa.MessageQueue;
import io.github.comch4j.dpa.MessageQueueProducer;
import io.github.comch4j.internal.load.FolderRemoval;
import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** Round trips over MsgQ to a kernel on the DPA that polls, and back. */
public final class MsgqRun {
    /** The kernel's, which DPACC is told. */
    public static final String APPLICATION = "comch_perf";

    private static final int STOP = 3 * Long.BYTES; // in the kernel's struct ends
    private static final int MASK = 255;
    private static final String TOOLS = "/opt/mellanox/doca/tools";
    private static final Duration PATIENCE = Duration.ofMinutes(2);

    private final PciAddress address;
    private final @Nullable Path kernel;
    private long received;

    /**
     * Does nothing yet.
     *
     * @param address of a device with a DPA
     * @param kernel the library that DPACC has made; null: have it made now
     */
    public MsgqRun(PciAddress address, @Nullable Path kernel) {
        this.address = address;
        this.kernel = kernel;
    }

    /** Measures. */
    public PerfOutcome run(Plan plan, BooleanSupplier interrupted, PerfClient.Live live) throws IOException {
        try (Device device = Device.openHost(address)) {
            if (!Dpa.isSupported(device)) {
                throw new ProgramException(address
                        + " has no DPA, which msgq is about: a BlueField-3 has one, and libdoca_dpa must be there");
            }
            DpaApplication program = load();
            try (ProgressEngine engine = ProgressEngine.create();
                    Dpa dpa = Dpa.builder(device).application(program).start()) {
                return run(plan, program, engine, dpa, interrupted, live);
            }
        }
    }

    private PerfOutcome run(
            Plan plan,
            DpaApplication program,
            ProgressEngine engine,
            Dpa dpa,
            BooleanSupplier interrupted,
            PerfClient.Live live) {
        int depth = plan.depth();
        MessageQueue toDpa = MessageQueue.toDpa(dpa);
        MessageQueue fromDpa = MessageQueue.fromDpa(dpa);
        DpaMemory ends = dpa.allocate(STOP + Long.BYTES).fill((byte) 0);
        DpaThread thread =
                dpa.thread(program.function("echo")).argument(ends.address()).start();
        DpaConsumerCompletion found = dpa.consumerCompletion()
                .receives(depth)
                .immediateLength(plan.size())
                .thread(thread)
                .start();
        DpaConsumer consumer = toDpa.dpaConsumer(found, depth);
        DpaProducer answers = fromDpa.dpaProducer(dpa.completion(depth), depth);
        ends.write(0, MemorySegment.ofArray(new long[] {found.handle(), consumer.handle(), answers.handle()}));
        received = 0;
        fromDpa.consumer(engine)
                .receives(depth)
                .immediateLength(plan.size())
                .onMessage((self, from, message) -> received++)
                .start();
        MessageQueueProducer producer =
                toDpa.producer(engine).tasks(depth).messageLength(plan.size()).start();
        dpa.rpc(program.function("make_room"), consumer.handle(), depth);
        thread.run();
        LaneResult result = measure(plan, engine, producer, interrupted, live);
        ends.write(STOP, MemorySegment.ofArray(new long[] {1}));
        return new PerfOutcome(plan, List.of(result));
    }

    private LaneResult measure(
            Plan plan,
            ProgressEngine engine,
            MessageQueueProducer producer,
            BooleanSupplier interrupted,
            PerfClient.Live live) {
        MemorySegment message = Arena.ofAuto().allocate(plan.size(), Long.BYTES);
        Rounds rounds = new Rounds(plan);
        long began = System.nanoTime();
        long shown = began;
        long sentThen = 0;
        long sent = 0;
        do {
            while (!producer.trySend(message, 1).accepted()) {
                engine.progress();
            }
            sent++;
            while (received < sent) {
                engine.progress();
            }
            if ((sent & MASK) == 0) {
                long now = System.nanoTime();
                if (now - shown > 200_000_000) {
                    live.update(plan, now - began, sent, (sent - sentThen) * 1e9 / (now - shown));
                    shown = now;
                    sentThen = sent;
                }
            }
        } while (rounds.record() && ((sent & MASK) != 0 || !interrupted.getAsBoolean()));
        return LaneResult.of(rounds, began);
    }

    private DpaApplication load() throws IOException {
        try {
            if (kernel != null) {
                return DpaApplication.load(kernel, APPLICATION);
            }
            Path folder = Files.createTempDirectory("comch-perf");
            try {
                return DpaApplication.load(compile(folder), APPLICATION);
            } finally {
                var _ = FolderRemoval.of(folder); // what is left is in nobody's way
            }
        } catch (IllegalArgumentException e) {
            throw new ProgramException(String.valueOf(e.getMessage()), e);
        }
    }

    private static Path compile(Path folder) throws IOException {
        Path dpacc = Programs.find("dpacc", TOOLS)
                .orElseThrow(
                        () -> new ProgramException("msgq has a kernel for the DPA, and there is no dpacc to compile"
                                + " it with: put it on the PATH (scripts/install-emulator.sh has the emulated"
                                + " one), or name a kernel that is compiled (--kernel)"));
        Path source = folder.resolve("kernel.c");
        Path library = folder.resolve("kernel.so");
        Path said = folder.resolve("dpacc.out");
        try (InputStream from = Objects.requireNonNull(MsgqRun.class.getResourceAsStream("kernel.c"))) {
            Files.copy(from, source);
        }
        ProcessBuilder compiler = new ProcessBuilder(
                        dpacc.toString(),
                        source.toString(),
                        "-o",
                        library.toString(),
                        "--app-name=" + APPLICATION,
                        "-O2")
                .redirectErrorStream(true)
                .redirectOutput(said.toFile());
        int status = Programs.run(compiler, PATIENCE).orElseThrow(() -> new ProgramException(dpacc + " does not end"));
        if (status != 0 || !Files.exists(library)) {
            String last = Files.readString(said, StandardCharsets.ISO_8859_1)
                    .lines()
                    .reduce("", (before, line) -> line.isBlank() ? before : line);
            throw new ProgramException(dpacc + " does not compile the kernel: " + last);
        }
        return library;
    }
}
