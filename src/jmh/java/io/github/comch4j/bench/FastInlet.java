package io.github.comch4j.bench;

import io.github.comch4j.cli.program.Spin;
import io.github.comch4j.comch.ComchConsumer;
import io.github.comch4j.core.Access;
import io.github.comch4j.core.Buffer;
import io.github.comch4j.core.MemoryMap;
import io.github.comch4j.core.ProgressEngine;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** A consumer with its buffers. */
final class FastInlet implements FastPathInlet {
    private static final int PAGE = 4096;

    private final Endpoint endpoint;
    private final ProgressEngine engine;
    private final MemoryMap memory;
    private final ComchConsumer consumer;

    FastInlet(Options options, Endpoint endpoint, ProgressEngine engine, Arrivals arrivals) {
        this(options, endpoint, engine, arrivals, null);
    }

    /** {@code then} runs after each arrival, before the buffer is posted again; may be null. */
    FastInlet(Options options, Endpoint endpoint, ProgressEngine engine, Arrivals arrivals, Runnable then) {
        this.endpoint = endpoint;
        this.engine = engine;
        endpoint.awaitConnection();
        long stride = stride(options.size());
        memory = MemoryMap.allocate(endpoint.device, stride * options.depth(), Access.PCI_READ_WRITE);
        consumer = endpoint.connection
                .consumer(engine, memory)
                .tasks(options.depth())
                .onReceive((self, buffer, producer, immediate) -> {
                    MemorySegment payload = buffer.segment();
                    if (arrivals.isChecking()) {
                        arrivals.check(payload);
                    }
                    arrivals.arrived(payload.get(ValueLayout.JAVA_LONG, 0), buffer.length());
                    if (then != null) {
                        then.run();
                    }
                })
                .start();
        endpoint.loop.waitFor("the consumer", consumer::isRunning);
        for (int i = 0; i < options.depth(); i++) {
            Buffer buffer = consumer.acquire(i * stride, options.size());
            if (!consumer.tryPost(buffer).accepted()) {
                throw new IllegalStateException("no task for a buffer");
            }
        }
    }

    /** Whole cache lines for each buffer, whole pages for large ones. */
    static long stride(int size) {
        long unit = size >= PAGE ? PAGE : 64;
        return (size + unit - 1) / unit * unit;
    }

    @Override
    public int poll() {
        return engine.progress(256);
    }

    @Override
    public void turn() {
        engine.progress(1, Spin.LOOKS);
    }

    @Override
    public void stop() {
        endpoint.signal(Endpoint.STOP);
        endpoint.loop.waitFor("the sender's end", () -> endpoint.signal == Endpoint.DONE);
    }

    @Override
    public void closeConsumer() {
        consumer.close();
        memory.close();
    }

    @Override
    public void close() {
        closeConsumer();
        endpoint.close();
    }
}
