package examples;

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
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Sends numbers to a kernel on the DPA, which sends them back. */
public final class DpaEcho {
    private static final int CREDITS = 64;

    private DpaEcho() {}

    /** With the kernel's library. */
    public static void main(String[] arguments) {
        DpaApplication program = DpaApplication.load(Path.of(arguments[0]), "my_app");
        List<Long> answers = new ArrayList<>();
        try (Device device = Device.openHost(PciAddress.of("0000:b1:00.0"));
                ProgressEngine engine = ProgressEngine.create();
                Dpa dpa = Dpa.builder(device).application(program).start()) {
            MessageQueue toDpa = MessageQueue.toDpa(dpa);
            MessageQueue fromDpa = MessageQueue.fromDpa(dpa);

            // on the DPA: a thread, where it finds messages, and the ends that its kernel uses
            DpaMemory ends = dpa.allocate(3 * Long.BYTES);
            DpaThread thread = dpa.thread(program.function("echo"))
                    .argument(ends.address())
                    .start();
            DpaConsumerCompletion received =
                    dpa.consumerCompletion().thread(thread).start();
            DpaConsumer consumer = toDpa.dpaConsumer(received, CREDITS);
            DpaProducer answering = fromDpa.dpaProducer(dpa.completion(CREDITS), CREDITS);
            long[] handles = {received.handle(), consumer.handle(), answering.handle()};
            ends.write(0, MemorySegment.ofArray(handles));

            // on the CPU
            fromDpa.consumer(engine)
                    .onMessage((self, from, message) -> answers.add(message.get(ValueLayout.JAVA_LONG, 0)))
                    .start();
            MessageQueueProducer producer = toDpa.producer(engine).start();

            dpa.rpc(program.function("make_room"), consumer.handle(), CREDITS);
            thread.run();
            for (long number = 1; number <= 3; number++) {
                producer.trySend(MemorySegment.ofArray(new long[] {number}), consumer.id());
            }
            while (answers.size() < 3) {
                engine.progress();
            }
        }
        System.out.println(answers);
    }
}
