package io.github.comch4j.dpa;

import io.github.comch4j.Machine;
import io.github.comch4j.emulator.DpaKernel;
import io.github.comch4j.emulator.JavaKernels;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.jspecify.annotations.Nullable;

/**
 * Two queues between the CPU and the DPA with a producer and a consumer each, and a kernel between them: what
 * msgq_fixture.h is for the tests in C.
 */
final class Link implements AutoCloseable {
    static final int FLUSH = 1;
    static final int OPTIMIZE_REPORTS = 2;
    // struct ends of msgq_ends.h
    static final long RECEIVED = 32;
    static final long FLAGS = 56;
    static final long STOP = 104;
    private static final long ENDS = 248;

    final Machine machine;
    final @Nullable DpaApplication program; // of kernels in C
    final Dpa dpa;
    final MessageQueue toDpa;
    final MessageQueue fromDpa;
    final DpaMemory ends;
    final DpaThread thread;
    final DpaConsumerCompletion received;
    final DpaCompletion sent;
    final DpaConsumer dpaConsumer;
    final DpaProducer dpaProducer;
    final MessageQueueProducer producer;
    final MessageQueueConsumer consumer;

    /** With a kernel of msgq_program.c. */
    Link(Machine machine, String kernel, int credits, int length, MessageQueueHandler handler) {
        this(machine, Kernels.queues(), kernel, null, credits, length, handler);
    }

    /** With a kernel in Java. */
    Link(Machine machine, DpaKernel kernel, int credits, int length, MessageQueueHandler handler) {
        this(machine, null, "echo", kernel, credits, length, handler);
    }

    private Link(
            Machine machine,
            @Nullable DpaApplication program,
            String name,
            @Nullable DpaKernel inJava,
            int credits,
            int length,
            MessageQueueHandler handler) {
        this.machine = machine;
        this.program = program;
        Dpa.Builder settings = Dpa.builder(machine.host);
        dpa = (program == null ? settings : settings.application(program)).start();
        DpaFunction kernel =
                inJava == null ? program.function(name) : JavaKernels.of(dpa).thread(name, inJava);
        DpaFunction postReceives = inJava == null
                ? program.function("post_receives")
                : JavaKernels.of(dpa).rpc("postReceives", JavaProgram::postReceives);
        toDpa = MessageQueue.toDpa(dpa);
        fromDpa = MessageQueue.fromDpa(dpa);
        ends = dpa.allocate(ENDS).fill((byte) 0);
        thread = dpa.thread(kernel).argument(ends.address()).start();
        received = dpa.consumerCompletion()
                .receives(credits)
                .immediateLength(length)
                .thread(thread)
                .start();
        sent = dpa.completion(credits);
        dpaConsumer = toDpa.dpaConsumer(received, credits);
        dpaProducer = fromDpa.dpaProducer(sent, credits);
        producer = toDpa.producer(machine.engine)
                .tasks(credits)
                .messageLength(length)
                .start();
        consumer = fromDpa.consumer(machine.engine)
                .receives(credits)
                .immediateLength(length)
                .onMessage(handler)
                .start();
        put(0, received.handle());
        put(8, dpaConsumer.handle());
        put(16, dpaProducer.handle());
        put(24, sent.handle());
        put(FLAGS, FLUSH | OPTIMIZE_REPORTS);
        dpa.rpc(postReceives, dpaConsumer.handle(), credits);
    }

    /** Writes a number of {@code struct ends}. */
    void put(long offset, long value) {
        ends.write(offset, MemorySegment.ofArray(new long[] {value}));
    }

    /** Reads one. */
    long get(long offset) {
        long[] value = new long[1];
        ends.read(offset, MemorySegment.ofArray(value));
        return value[0];
    }

    static MemorySegment message(Arena arena, int length) {
        return arena.allocate(length, 8);
    }

    static long number(MemorySegment message) {
        return message.get(ValueLayout.JAVA_LONG_UNALIGNED, 0);
    }

    @Override
    public void close() {
        dpa.close();
    }
}
