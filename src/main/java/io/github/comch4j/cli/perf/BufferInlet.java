package io.github.comch4j.cli.perf;

import io.github.comch4j.cli.program.ProgramException;
import io.github.comch4j.cli.program.Spin;
import io.github.comch4j.comch.ComchConsumer;
import io.github.comch4j.core.Access;
import io.github.comch4j.core.Buffer;
import io.github.comch4j.core.MemoryMap;
import io.github.comch4j.core.ProgressEngine;

/** A consumer with its buffers. */
final class BufferInlet extends Inlet {
    private static final int PAGE = 4096;

    private final MemoryMap memory;
    private final ComchConsumer consumer;

    BufferInlet(PerfConnection link, ProgressEngine engine, Plan plan, ArrivalCheck arrivals) {
        super(engine);
        long stride = stride(plan.size());
        memory = MemoryMap.allocate(link.device, stride * plan.depth(), Access.PCI_READ_WRITE);
        consumer = link.connection()
                .consumer(engine, memory)
                .tasks(plan.depth())
                .onReceive(
                        (self, buffer, producer, immediate) -> arrivals.arrived(buffer.segment(), 0, buffer.length()))
                .start();
        link.waitFor("the consumer", consumer::isRunning);
        for (int i = 0; i < plan.depth(); i++) {
            Buffer buffer = consumer.acquire(i * stride, plan.size());
            if (!consumer.tryPost(buffer).accepted()) {
                throw new ProgramException("the consumer has no task for buffer " + i);
            }
        }
    }

    /** Whole cache lines for each buffer, whole pages for large ones. */
    static long stride(int size) {
        long unit = size >= PAGE ? PAGE : 64;
        return (size + unit - 1) / unit * unit;
    }

    @Override
    void turn() {
        engine.progress(1, Spin.LOOKS);
    }

    @Override
    public void close() {
        consumer.close();
        memory.close();
    }
}
