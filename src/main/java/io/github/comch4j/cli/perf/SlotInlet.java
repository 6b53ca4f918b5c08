package io.github.comch4j.cli.perf;

import io.github.comch4j.cli.program.Spin;
import io.github.comch4j.comch.SlotConsumer;
import io.github.comch4j.comch.SlotHandler;
import io.github.comch4j.comch.SlotRowHandler;
import io.github.comch4j.core.ProgressEngine;

/** A slot consumer. */
final class SlotInlet implements Inlet {
    private final SlotConsumer consumer;
    private final SlotHandler handler;
    private final SlotRowHandler rows;

    SlotInlet(PerfConnection link, ProgressEngine engine, Plan plan, ArrivalCheck arrivals) {
        consumer = link.connection()
                .slotConsumer(engine, plan.size())
                .tasks(plan.depth())
                .immediateLength(0)
                .start();
        link.waitFor("the consumer", consumer::isRunning);
        long stride = consumer.stride();
        rows = (memory, offset, count, length, producer) -> arrivals.arrived(memory, offset, stride, count, length);
        handler = (memory, offset, length, producer) -> arrivals.arrived(memory, offset, length);
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
    public void close() {
        consumer.close();
    }
}
