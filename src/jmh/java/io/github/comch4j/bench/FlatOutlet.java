package io.github.comch4j.bench;

import io.github.comch4j.comch.SlotProducer;
import io.github.comch4j.core.ProgressEngine;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** A slot producer. The work {@code flat} has each slot in its turn, others the lowest free one. */
final class FlatOutlet implements FastPathOutlet {
    private static final int MANY = 256;

    private final Endpoint endpoint;
    private final ProgressEngine engine;
    private final SlotProducer producer;
    private final MemorySegment memory;
    private final int consumer;
    private final int size;
    private final long stride; // of slots
    private long retries; // of the queue, when it is closed

    /** Waits for the peer's consumer. */
    FlatOutlet(Options options, Endpoint endpoint, ProgressEngine engine) {
        this.endpoint = endpoint;
        this.engine = engine;
        endpoint.awaitRemoteConsumer();
        consumer = endpoint.remoteConsumer;
        size = options.size();
        SlotProducer.Builder settings =
                endpoint.connection.slotProducer(engine, size).tasks(options.depth());
        producer = (options.work().equals("flat") ? settings.roundRobin() : settings).start();
        memory = producer.memory();
        stride = producer.stride();
        for (long at = 0; at < memory.byteSize(); at += stride) {
            Arrivals.fill(memory.asSlice(at, size));
        }
    }

    @Override
    public boolean trySend(long number) {
        long at = producer.claim(size, consumer);
        if (at < 0) {
            return false;
        }
        memory.set(ValueLayout.JAVA_LONG, at, number);
        return producer.commitNow();
    }

    @Override
    public boolean offer(long number) {
        long at = producer.claim(size, consumer);
        if (at < 0) {
            return false;
        }
        memory.set(ValueLayout.JAVA_LONG, at, number);
        producer.commit();
        return true;
    }

    @Override
    public int offer(long number, int most) {
        int offered = 0;
        while (offered < most) {
            long at = producer.claimMany(most - offered, size, consumer);
            if (at < 0) {
                break;
            }
            int claimed = producer.claimed();
            for (int i = 0; i < claimed; i++) {
                memory.set(ValueLayout.JAVA_LONG, at + i * stride, number + offered + i);
            }
            producer.commit();
            offered += claimed;
        }
        return offered;
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

    @Override
    public long again() {
        return producer.refused() + (producer.isClosed() ? retries : producer.retries());
    }

    @Override
    public void closeProducer() {
        endpoint.loop.waitFor("completions", () -> producer.inFlight() == 0);
        retries = producer.retries();
        producer.close();
    }

    /** The end of the sending side. */
    @Override
    public void close() {
        closeProducer();
        endpoint.endSender();
    }
}
