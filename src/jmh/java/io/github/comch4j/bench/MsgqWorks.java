package io.github.comch4j.bench;

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
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;

/**
 * Round trips over MsgQ to a kernel that polls (that of {@code comch perf}) and back, beside those of the fast
 * path.
 */
final class MsgqWorks {
    /** The kernel's library. */
    private static final String KERNEL = "comch4j.bench.kernel";

    private static final int STOP = 3 * Long.BYTES; // in struct ends

    private static long received;

    private MsgqWorks() {}

    static void run(Options options) {
        String library = System.getProperty(KERNEL);
        if (library == null) {
            throw new IllegalStateException("-D" + KERNEL + " does not name the kernel's library");
        }
        DpaApplication program = DpaApplication.load(Path.of(library), "bench_kernel");
        try (Device device = Device.openHost(PciAddress.of(options.function()));
                ProgressEngine engine = ProgressEngine.create();
                Dpa dpa = Dpa.builder(device).application(program).start()) {
            int depth = options.depth();
            int size = options.size();
            MessageQueue toDpa = MessageQueue.toDpa(dpa);
            MessageQueue fromDpa = MessageQueue.fromDpa(dpa);
            DpaMemory ends = dpa.allocate(STOP + Long.BYTES).fill((byte) 0);
            DpaThread thread = dpa.thread(program.function("echo"))
                    .argument(ends.address())
                    .start();
            DpaConsumerCompletion found = dpa.consumerCompletion()
                    .receives(depth)
                    .immediateLength(size)
                    .thread(thread)
                    .start();
            DpaConsumer consumer = toDpa.dpaConsumer(found, depth);
            DpaProducer answers = fromDpa.dpaProducer(dpa.completion(depth), depth);
            long[] handles = {found.handle(), consumer.handle(), answers.handle()};
            ends.write(0, MemorySegment.ofArray(handles));
            fromDpa.consumer(engine)
                    .receives(depth)
                    .immediateLength(size)
                    .onMessage((self, from, message) -> received++)
                    .start();
            MessageQueueProducer producer =
                    toDpa.producer(engine).tasks(depth).messageLength(size).start();
            dpa.rpc(program.function("make_room"), consumer.handle(), depth);
            thread.run();
            measure(options, engine, producer);
            ends.write(STOP, MemorySegment.ofArray(new long[] {1}));
        }
    }

    private static void measure(Options options, ProgressEngine engine, MessageQueueProducer producer) {
        MemorySegment message = Arena.global().allocate(options.size(), Long.BYTES);
        Rounds rounds = new Rounds(options);
        long sent = 0;
        do {
            while (!producer.trySend(message, 1).accepted()) {
                engine.progress();
            }
            sent++;
            while (received < sent) {
                engine.progress();
            }
        } while (rounds.record());
        rounds.report(options, options.work());
    }
}
