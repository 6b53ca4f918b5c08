package io.github.comch4j.bench;

import io.github.comch4j.cli.program.Spin;
import io.github.comch4j.comch.SlotConsumer;
import io.github.comch4j.comch.SlotHandler;
import io.github.comch4j.comch.SlotRowHandler;
import io.github.comch4j.core.ProgressEngine;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** A slot consumer. */
final class FlatInlet implements FastPathInlet {
    private final Endpoint endpoint;
    private final SlotConsumer consumer;
    private final SlotHandler handler;
    private final SlotRowHandler rows;

    FlatInlet(Options options, Endpoint endpoint, ProgressEngine engine, Arrivals arrivals) {
        this(options, endpoint, engine, arrivals, null);
    }

    /** {@code then} runs after each arrival, before the slot is posted again; may be null. */
    FlatInlet(Options options, Endpoint endpoint, ProgressEngine engine, Arrivals arrivals, Runnable then) {
        this.endpoint = endpoint;
        endpoint.awaitConnection();
        consumer = endpoint.connection
                .slotConsumer(engine, options.size())
                .tasks(options.depth())
                .immediateLength(0)
                .start();
        endpoint.loop.waitFor("the consumer", consumer::isRunning);
        long stride = consumer.stride();
        rows = (memory, offset, count, length, producer) -> {
            for (int i = 0; i < count && arrivals.isChecking(); i++) {
                arrivals.check(memory.asSlice(offset + i * stride, length));
            }
            arrivals.arrived(memory, offset, stride, count, length);
        };
        handler = (memory, offset, length, producer) -> {
            take(arrivals, memory, offset, length);
            if (then != null) {
                then.run();
            }
        };
    }

    private static void take(Arrivals arrivals, MemorySegment memory, long at, int length) {
        if (arrivals.isChecking()) {
            arrivals.check(memory.asSlice(at, length));
        }
        arrivals.arrived(memory.get(ValueLayout.JAVA_LONG, at), length);
    }

    @Override
    public int poll() {
        return consumer.pollRows(rows, 256);
    }

    @Override
    public void turn() {
        consumer.poll(handler, 1, Spin.LOOKS);
    }

    @Override
    public void stop() {
        endpoint.stopSender(this::poll);
    }

    @Override
    public void closeConsumer() {
        consumer.close();
    }

    @Override
    public void close() {
        closeConsumer();
        endpoint.close();
    }
}
