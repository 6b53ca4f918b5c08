package examples;

import io.github.comch4j.core.Device;
import io.github.comch4j.core.PciAddress;
import io.github.comch4j.core.ProgressEngine;
import io.github.comch4j.dpa.Dpa;
import io.github.comch4j.dpa.DpaCompletion;
import io.github.comch4j.dpa.DpaConsumer;
import io.github.comch4j.dpa.DpaConsumerCompletion;
import io.github.comch4j.dpa.DpaFunction;
import io.github.comch4j.emulator.DpaKernel;
import io.github.comch4j.dpa.DpaThread;
import io.github.comch4j.emulator.JavaKernels;
import io.github.comch4j.emulator.KernelContext;
import io.github.comch4j.emulator.KernelEnd;
import io.github.comch4j.dpa.MessageQueue;
import io.github.comch4j.dpa.MessageQueueProducer;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** Messages to a kernel on the emulated DPA and back, all in Java. */
public final class KernelInJava {
    private static final int CREDITS = 64;

    private int answers;

    // @start region="kernel"
    static final class Echo implements DpaKernel {
        private long completion; // handles, which the host's side sets before the thread runs
        private long consumer;
        private long producer;

        @Override
        public KernelEnd run(KernelContext dpa, long argument) {
            while (dpa.pollConsumer(completion)) {
                while (dpa.isConsumerEmpty(producer, 1)) {
                    Thread.onSpinWait(); // until the host has room for the answer
                }
                dpa.sendImmediate(producer, 1, dpa.immediate(), KernelContext.FLUSH | KernelContext.OPTIMIZE_REPORTS);
                dpa.postReceives(consumer, 1); // room for a message
                dpa.acknowledgeConsumer(completion, 1); // room for an element
            }
            dpa.requestConsumerNotification(completion); // the next message begins the next run
            return KernelEnd.RESCHEDULE;
        }
    }
    // @end

    public static void main(String[] arguments) {
        try (Device device = Device.openHost(PciAddress.of("0000:b1:00.0"));
                ProgressEngine engine = ProgressEngine.create()) {
            new KernelInJava().echo(device, engine, arguments.length == 0 ? 10 : Integer.parseInt(arguments[0]));
        }
    }

    private void echo(Device device, ProgressEngine engine, int messages) {
        // @start region="host"
        try (Dpa dpa = Dpa.builder(device).start();
                MessageQueue toDpa = MessageQueue.toDpa(dpa);
                MessageQueue fromDpa = MessageQueue.fromDpa(dpa);
                Arena arena = Arena.ofConfined()) {
            Echo echo = new Echo();
            JavaKernels kernels = JavaKernels.of(dpa);
            DpaThread thread = dpa.thread(kernels.thread("echo", echo)).start();
            DpaConsumerCompletion received =
                    dpa.consumerCompletion().receives(CREDITS).thread(thread).start();
            DpaConsumer consumer = toDpa.dpaConsumer(received, CREDITS);
            DpaCompletion sent = dpa.completion(CREDITS);
            echo.completion = received.handle();
            echo.consumer = consumer.handle();
            echo.producer = fromDpa.dpaProducer(sent, CREDITS).handle();

            fromDpa.consumer(engine)
                    .receives(CREDITS)
                    .onMessage((from, producerId, message) -> answers++)
                    .start();
            MessageQueueProducer producer = toDpa.producer(engine).start();
            DpaFunction makeRoom = kernels.rpc("makeRoom", (context, arguments) -> {
                context.postReceives(arguments[0], (int) arguments[1]);
                return 0;
            });
            dpa.rpc(makeRoom, consumer.handle(), CREDITS);
            thread.run();

            MemorySegment hello = arena.allocateFrom("hello");
            for (int asked = 0; answers < messages; engine.progress()) {
                if (asked < messages && producer.trySend(hello, consumer.id()).accepted()) {
                    asked++;
                }
            }
            if (dpa.lastError() != null) {
                throw dpa.lastError();
            }
            System.out.println(answers + " answers");
        }
        // @end
    }
}
