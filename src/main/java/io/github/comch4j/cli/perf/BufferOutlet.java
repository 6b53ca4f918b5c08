package io.github.comch4j.cli.perf;

import io.github.comch4j.DocaError;
import io.github.comch4j.cli.program.ProgramException;
import io.github.comch4j.comch.ComchProducer;
import io.github.comch4j.core.Access;
import io.github.comch4j.core.Buffer;
import io.github.comch4j.core.MemoryMap;
import io.github.comch4j.core.ProgressEngine;

/** A producer with its buffers. */
final class BufferOutlet extends Outlet {
    private final MemoryMap memory;
    private final ComchProducer producer;
    private final int consumer;
    private final int size;
    private final Buffer[] free; // a stack: the last one is still in the caches
    private int freeCount;

    /** Waits for the peer's consumer. */
    BufferOutlet(PerfConnection link, ProgressEngine engine, Plan plan) {
        super(engine);
        consumer = link.awaitRemoteConsumer();
        size = plan.size();
        long stride = BufferInlet.stride(size);
        memory = MemoryMap.allocate(link.device, stride * plan.depth(), Access.PCI_READ_WRITE);
        free = new Buffer[plan.depth()];
        producer = link.connection()
                .producer(engine)
                .tasks(plan.depth())
                .onCompletion((self, buffer, status) -> {
                    if (status != DocaError.SUCCESS) {
                        throw new ProgramException("a send failed: " + status);
                    }
                    free[freeCount++] = buffer;
                })
                .start();
        for (int i = 0; i < free.length; i++) {
            free[freeCount++] = producer.acquire(memory, i * stride, size);
        }
    }

    private Buffer next(long number) {
        Buffer buffer = free[freeCount - 1];
        ArrivalCheck.number(buffer.segment(), 0, size, number);
        return buffer;
    }

    @Override
    boolean trySend(long number) {
        if (freeCount == 0 || !producer.trySend(next(number), consumer).accepted()) {
            return false;
        }
        freeCount--;
        return true;
    }

    @Override
    int offer(long number, int most) {
        int offered = 0;
        while (offered < most
                && freeCount > 0
                && producer.enqueue(next(number + offered), consumer).accepted()) {
            freeCount--;
            offered++;
        }
        return offered;
    }

    @Override
    boolean isIdle() {
        return freeCount == free.length;
    }

    @Override
    long refused() {
        return producer.refused() + producer.retries();
    }

    @Override
    public void close() {
        producer.close();
        memory.close();
    }
}
