package io.github.comch4j.cli.perf;

import io.github.comch4j.comch.SlotProducer;
import io.github.comch4j.core.ProgressEngine;
import io.github.comch4j.io.RecordWriter;
import java.lang.foreign.MemorySegment;

/** Records, many in a message. */
final class RecordOutlet extends Outlet {
    /** Of a record: some must have room in a message. */
    static final int LONGEST = 4096;
    /** Unless the user says otherwise: some more than two messages have room for. */
    static final int BURST = 256;
    /** Of a message. */
    static final int SLOT = 8192;

    private final SlotProducer producer;
    private final RecordWriter writer;
    private final MemorySegment memory;
    private final int size;
    private final int stride;

    /** Waits for the peer's consumer. */
    RecordOutlet(PerfConnection link, ProgressEngine engine, Plan plan) {
        super(engine);
        size = plan.size();
        stride = RecordWriter.stride(size);
        int consumer = link.awaitRemoteConsumer();
        producer =
                link.connection().slotProducer(engine, SLOT).tasks(plan.depth()).start();
        writer = new RecordWriter(producer, consumer);
        memory = writer.memory();
    }

    @Override
    boolean trySend(long number) {
        return offer(number, 1) == 1 && writer.flush();
    }

    @Override
    int offer(long number, int most) {
        int offered = 0;
        while (offered < most) {
            long at = writer.claimMany(most - offered, size, 1);
            if (at < 0) {
                break;
            }
            int claimed = writer.claimed();
            for (int i = 0; i < claimed; i++) {
                ArrivalCheck.number(memory, at + (long) i * stride, size, number + offered + i);
            }
            offered += claimed;
            writer.commit();
        }
        return offered;
    }

    @Override
    void progress() {
        writer.progress();
    }

    @Override
    boolean isIdle() {
        return writer.flush() && producer.inFlight() == 0;
    }

    @Override
    long refused() {
        return producer.refused() + producer.retries();
    }

    @Override
    public void close() {
        producer.close();
    }
}
