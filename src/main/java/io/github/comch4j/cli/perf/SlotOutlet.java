package io.github.comch4j.cli.perf;

import io.github.comch4j.comch.SlotProducer;
import io.github.comch4j.core.ProgressEngine;
import java.lang.foreign.MemorySegment;

/** A slot producer, each slot in its turn. */
final class SlotOutlet extends Outlet {
    private final SlotProducer producer;
    private final MemorySegment memory;
    private final int consumer;
    private final int size;
    private final long stride;

    /** Waits for the peer's consumer. */
    SlotOutlet(PerfConnection link, ProgressEngine engine, Plan plan) {
        super(engine);
        consumer = link.awaitRemoteConsumer();
        size = plan.size();
        SlotProducer.Builder settings =
                link.connection().slotProducer(engine, size).tasks(plan.depth());
        producer = (plan.latency() ? settings : settings.roundRobin()).start();
        memory = producer.memory();
        stride = producer.stride();
    }

    @Override
    boolean trySend(long number) {
        long at = producer.claim(size, consumer);
        if (at < 0) {
            return false;
        }
        ArrivalCheck.number(memory, at, size, number);
        return producer.commitNow();
    }

    @Override
    int offer(long number, int most) {
        int offered = 0;
        while (offered < most) {
            long at = producer.claimMany(most - offered, size, consumer);
            if (at < 0) {
                break;
            }
            int claimed = producer.claimed();
            for (int i = 0; i < claimed; i++) {
                ArrivalCheck.number(memory, at + i * stride, size, number + offered + i);
            }
            producer.commit();
            offered += claimed;
        }
        return offered;
    }

    @Override
    boolean isIdle() {
        return producer.inFlight() == 0;
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
