package io.github.comch4j.cli.perf;

import io.github.comch4j.cli.program.Spin;
import io.github.comch4j.comch.SlotConsumer;
import io.github.comch4j.comch.SlotHandler;
import io.github.comch4j.comch.SlotRowHandler;
import io.github.comch4j.core.ProgressEngine;
import io.github.comch4j.io.RecordReader;

/** A slot consumer: of messages, or of records, many in a message. */
abstract class SlotInlet extends Inlet {
    final SlotConsumer consumer;

    private SlotInlet(PerfConnection link, ProgressEngine engine, int slot, int depth) {
        super(engine);
        consumer = link.connection()
                .slotConsumer(engine, slot)
                .tasks(depth)
                .immediateLength(0)
                .start();
        link.waitFor("the consumer", consumer::isRunning);
    }

    static SlotInlet ofMessages(PerfConnection link, ProgressEngine engine, Plan plan, ArrivalCheck arrivals) {
        return new SlotInlet(link, engine, plan.size(), plan.depth()) {
            private final long stride = consumer.stride();
            private final SlotRowHandler rows = (memory, offset, count, length, producer) ->
                    arrivals.arrived(memory, offset, stride, count, length);
            private final SlotHandler single =
                    (memory, offset, length, producer) -> arrivals.arrived(memory, offset, length);

            @Override
            int poll() {
                return consumer.pollRows(rows, 256);
            }

            @Override
            void turn() {
                consumer.poll(single, 1, Spin.LOOKS);
            }
        };
    }

    static SlotInlet ofRecords(PerfConnection link, ProgressEngine engine, Plan plan, ArrivalCheck arrivals) {
        return new SlotInlet(link, engine, RecordOutlet.SLOT, plan.depth()) {
            private final RecordReader reader = new RecordReader(
                    (memory, offset, length, type, producer) -> arrivals.arrived(memory, offset, length));

            @Override
            int poll() {
                long before = arrivals.received();
                consumer.poll(reader, 8);
                return (int) (arrivals.received() - before);
            }
        };
    }

    @Override
    public void close() {
        consumer.close();
    }
}
