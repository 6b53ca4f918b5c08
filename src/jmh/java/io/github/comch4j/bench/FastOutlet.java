package io.github.comch4j.bench;

import io.github.comch4j.DocaError;
import io.github.comch4j.comch.ComchProducer;
import io.github.comch4j.core.Access;
import io.github.comch4j.core.Buffer;
import io.github.comch4j.core.MemoryMap;
import io.github.comch4j.core.ProgressEngine;
import java.lang.foreign.ValueLayout;

/** A producer with its buffers. */
final class FastOutlet implements FastPathOutlet {
    private static final int MANY = 256;

    private final Endpoint endpoint;
    private final ProgressEngine engine;
    private final MemoryMap memory;
    private final ComchProducer producer;
    private final int consumer;
    private final Buffer[] free; // a stack: the last one is still in the caches
    private int freeCount;
    private long retries; // of the queue, when it is closed

    /** Waits for the peer's consumer. */
    FastOutlet(Options options, Endpoint endpoint, ProgressEngine engine) {
        this.endpoint = endpoint;
        this.engine = engine;
        endpoint.awaitRemoteConsumer();
        consumer = endpoint.remoteConsumer;
        long stride = FastInlet.stride(options.size());
        memory = MemoryMap.allocate(endpoint.device, stride * options.depth(), Access.PCI_READ_WRITE);
        free = new Buffer[options.depth()];
        producer = endpoint.connection
                .producer(engine)
                .tasks(options.depth())
                .onCompletion((self, buffer, status) -> {
                    if (status != DocaError.SUCCESS) {
                        throw new IllegalStateException("a send failed: " + status);
                    }
                    free[freeCount++] = buffer;
                })
                .start();
        for (int i = 0; i < options.depth(); i++) {
            Buffer buffer = producer.acquire(memory, i * stride, options.size());
            Arrivals.fill(buffer.segment());
            free[freeCount++] = buffer;
        }
    }

    @Override
    public boolean trySend(long number) {
        if (freeCount == 0) {
            return false;
        }
        if (!producer.trySend(next(number), consumer).accepted()) {
            return false;
        }
        freeCount--;
        return true;
    }

    @Override
    public boolean offer(long number) {
        if (freeCount == 0) {
            return false;
        }
        if (!producer.enqueue(next(number), consumer).accepted()) {
            return false;
        }
        freeCount--;
        return true;
    }

    private Buffer next(long number) {
        Buffer buffer = free[freeCount - 1];
        buffer.segment().set(ValueLayout.JAVA_LONG, 0, number);
        return buffer;
    }

    @Override
    public void progress() {
        while (engine.progress(MANY) == MANY) {
            // until there is nothing more
        }
    }

    @Override
    public boolean isStopped() {
        return endpoint.isStopped();
    }

    boolean isIdle() {
        return freeCount == free.length;
    }

    @Override
    public long again() {
        return producer.refused() + (producer.isClosed() ? retries : producer.retries());
    }

    @Override
    public void closeProducer() {
        endpoint.loop.waitFor("completions", this::isIdle);
        retries = producer.retries();
        producer.close();
        memory.close();
    }

    /** The end of the sending side. */
    @Override
    public void close() {
        closeProducer();
        endpoint.endSender();
    }
}
