package io.github.comch4j.cli.conformance;

import io.github.comch4j.LibraryInfo.Generation;
import io.github.comch4j.SubmitResult;
import io.github.comch4j.dpa.Dpa;
import io.github.comch4j.dpa.DpaProperties;
import io.github.comch4j.dpa.MessageQueue;
import io.github.comch4j.dpa.MessageQueueConsumer;
import io.github.comch4j.dpa.MessageQueueProducer;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;

/** The DPA and its queues, as far as they can be asked without a program for it. Of the host's half alone. */
final class DpaProbes {
    private static final long HEAP = 1L << 30;

    private DpaProbes() {}

    /** The bindings have the DPA of 3.0. */
    static List<Probe> of(Generation generation) {
        return generation == Generation.COMCH ? List.of(properties(), memory(), queue()) : List.of();
    }

    private static Probe properties() {
        return Probe.of("dpa.properties", "What the DPA says of itself; it is stopped and started once more")
                .expect("supported", "true")
                .expect("cores", "16")
                .expect("execution units of a core", "16")
                .expect("execution units", "240")
                .expect("threads of a launch", "128")
                .expect("seconds of a run", "12")
                .expect("a second one", CallOutcome.SUCCESS)
                .host(stage -> {
                    boolean supported = Dpa.isSupported(stage.device);
                    stage.answer("supported", supported);
                    if (!supported) {
                        return;
                    }
                    try (Dpa dpa = Dpa.builder(stage.device).start()) {
                        DpaProperties told = dpa.properties();
                        stage.answer("cores", told.cores());
                        stage.answer("execution units of a core", told.unitsPerCore());
                        stage.answer("execution units", told.units());
                        stage.answer("threads of a launch", told.maxThreads());
                        stage.answer("seconds of a run", told.maxRunTime().toSeconds());
                    }
                    stage.attempt(
                            "a second one",
                            () -> Dpa.builder(stage.device).start().close());
                });
    }

    private static Probe memory() {
        return Probe.of("dpa.memory", "Memory of the DPA: there and back, more than it has, and how much it has")
                .expect("copied there and back", "as it was")
                .expect("4 GiB", "NO_MEMORY")
                .expect("pieces of 64 MiB", String.valueOf(HEAP / (64 << 20)))
                .host(stage -> {
                    if (!Dpa.isSupported(stage.device)) {
                        return;
                    }
                    try (Dpa dpa = Dpa.builder(stage.device).start()) {
                        try (var memory = dpa.allocate(8)) {
                            MemorySegment value = MemorySegment.ofArray(new long[] {0x1122_3344_5566_7788L});
                            MemorySegment back = MemorySegment.ofArray(new long[1]);
                            memory.write(0, value);
                            memory.read(0, back);
                            stage.answer("copied there and back", value.mismatch(back) < 0 ? "as it was" : "otherwise");
                        }
                        stage.attempt("4 GiB", () -> dpa.allocate(4L << 30).close());
                        List<AutoCloseable> pieces = new ArrayList<>();
                        while (pieces.size() < 1000
                                && CallOutcome.of(() -> pieces.add(dpa.allocate(64L << 20)))
                                        .equals(CallOutcome.SUCCESS)) {
                            // until there is no more
                        }
                        stage.answer("pieces of 64 MiB", pieces.size());
                    }
                });
    }

    private static Probe queue() {
        return Probe.of("dpa.queue", "A queue with both ends on the CPU")
                .expect("a second producer", "NO_MEMORY")
                .expect("to a consumer that does not exist", "INVALID_VALUE")
                .expect("messages without a receive", "4")
                .expect("then", "NO_RECEIVE")
                .expect("received", "0 1 2 3")
                .host(stage -> {
                    if (!Dpa.isSupported(stage.device)) {
                        return;
                    }
                    List<Long> received = new ArrayList<>();
                    try (MessageQueue queue = MessageQueue.onCpu(stage.device, 1, 1)) {
                        MessageQueueProducer producer =
                                queue.producer(stage.engine).start();
                        MessageQueueConsumer consumer = queue.consumer(stage.engine)
                                .receives(4)
                                .onMessage((self, from, message) ->
                                        received.add(message.get(ValueLayout.JAVA_LONG_UNALIGNED, 0)))
                                .start();
                        stage.attempt(
                                "a second producer",
                                () -> queue.producer(stage.engine).start());
                        stage.attempt(
                                "to a consumer that does not exist",
                                () -> producer.trySend(message(0), consumer.id() + 1));
                        SubmitResult result = SubmitResult.ACCEPTED;
                        int sent = 0;
                        while (sent < 100) {
                            result = producer.trySend(message(sent), consumer.id());
                            if (!result.accepted()) {
                                break;
                            }
                            sent++;
                        }
                        stage.answer("messages without a receive", sent);
                        stage.answer("then", result);
                        int all = sent;
                        stage.await(() -> received.size() >= all);
                        stage.answer("received", ConnectionProbes.text(received));
                    }
                });
    }

    private static MemorySegment message(long number) {
        return MemorySegment.ofArray(new long[] {number});
    }
}
